// SQL that writes the labels of signals, and the significance that follows from them, into all copies of trades. One
// statement reads the issuer's copy, which has every column, and inserts the rows again under a higher version.
import { cikNumber } from '../../../domain/shared/identifiers.ts'
import { Sql, sql } from '../connection/sql.ts'
import { COPIES, ISSUER_ONLY, ofIssuer, SHOWN } from './trade-copies.ts'
import { packedSql } from './trade-rows.ts'
import type { MarkedTrade } from '../../../application/ports/analytics.ts'

const list = (values: string[]): Sql => new Sql(`[${values.join(', ')}]`)

export function markSql(marked: MarkedTrade[], version: number): Sql {
  const ids = list(marked.map(({ id }) => sql`${id}`.text))
  const of = (values: string[]): Sql => sql`arrayElement(${list(values)}, indexOf(${ids}, id))`
  const marks = {
    signals: of(
      marked.map(({ signals }) => `[${signals.map((label) => sql`${label}`.text).join(', ')}] :: Array(String)`),
    ),
    signalled: of(marked.map(({ signalled }) => sql`${signalled}`.text)),
    routine: of(marked.map(({ routine }) => String(routine))),
    significance: of(marked.map(({ significance }) => sql`${significance}`.text)),
  }
  const renamed: Record<string, string> = Object.fromEntries(
    ['signals', 'signalled', 'routine', 'significance', 'whole'].map((column) => [column, `new_${column}`]),
  )
  const whole = packedSql((column) => new Sql(renamed[column] ?? column))
  const columns = ['path', 'subject', ...SHOWN, 'owner_title', ...ISSUER_ONLY, 'version', 'deleted']
  return sql`
    INSERT INTO trades (${new Sql(columns.join(', '))})
    SELECT
      copy.path, copy.subject,
      ${new Sql(SHOWN.map((column) => renamed[column] ?? column).join(', '))},
      copy.title,
      ${new Sql(ISSUER_ONLY.map((column) => ofIssuer(column, renamed[column] ?? column).text).join(', '))},
      ${version}, copy.deleted
    FROM (
      SELECT
        *, ${marks.signals} AS new_signals, ${marks.signalled} AS new_signalled,
        ${marks.routine} AS new_routine, ${marks.significance} AS new_significance, ${whole} AS new_whole
      FROM trades FINAL
      WHERE path = 'issuer'
        AND subject IN ${[...new Set(marked.map(({ issuerCik }) => cikNumber(issuerCik)))]}
        AND filed_at IN (
          ${new Sql([...new Set(marked.map(({ filedAt }) => sql`${new Date(filedAt * 1000)}`.text))].join(', '))}
        )
        AND id IN ${marked.map(({ id }) => id)}
    )
    ARRAY JOIN ${COPIES} AS copy`
}
