// What signals say of trades, into all copies of them. From the issuer's copy, which has everything, by one statement: the
// rows are written anew under a higher version.
import type { MarkedTrade } from '../../application/ports.ts'
import type { SignificanceFloors } from '../../domain/significance.ts'
import { cikNumber } from '../../domain/identifiers.ts'
import { Sql, sql } from './sql.ts'
import { packedSql } from './trade-rows.ts'
import { significanceSql } from './history/write.ts'

/** Beside path, subject, owner title, version and deleted, which the copies have of their own. */
const SHOWN = ['filed_at', 'accession', 'n', 'id', 'issuer_cik', 'ticker', 'company_name', 'insider_name', 'insider_title', 'type', 'shares',
  'price', 'total_value', 'ceo', 'ceo_cfo', 'price_status', 'code', 'acquired_disposed', 'direct_indirect', 'trade_date', 'trade_day',
  'shares_after', 'filed_basis', 'plan', 'plan_source', 'ambiguous']
const ISSUER_ONLY = ['insider_cik', 'listed', 'duplicate_of', 'superseded_by', 'superseded_at', 'profile_ciks', 'price_filed', 'security_title',
  'foreign', 'symbols', 'amendment', 'original_date', 'filed_day', 'owner_ciks', 'owner_names', 'owner_titles', 'owner_roles']

const list = (values: string[]): Sql => new Sql(`[${values.join(', ')}]`)

export function markSql(marked: MarkedTrade[], version: number, floors: SignificanceFloors): Sql {
  const ids = list(marked.map(({ id }) => sql`${id}`.text))
  const of = (values: string[]): Sql => sql`arrayElement(${list(values)}, indexOf(${ids}, id))`
  const marks = {
    signals: of(marked.map(({ signals }) => `[${signals.map((label) => sql`${label}`.text).join(', ')}] :: Array(String)`)),
    signalled: of(marked.map(({ signalled }) => sql`${signalled}`.text)),
    routine: of(marked.map(({ routine }) => String(routine))),
  }
  const issuerOnly = (column: string, value: string) => new Sql(`if(copy.path = 'issuer', ${value}, ${
    column === 'filed_day' ? 'toDate32(0)' : column === 'signalled' ? `'low'` : `defaultValueOfTypeName(toTypeName(${value}))`}) AS ${column}_`)
  const renamed: Record<string, string> = { signals: 'new_signals', signalled: 'new_signalled', routine: 'new_routine', significance: 'new_significance' }
  const whole = packedSql((column) => new Sql(renamed[column] ?? column))
  const columns = ['path', 'subject', ...SHOWN, 'significance', 'signals', 'owner_title', ...ISSUER_ONLY, 'signalled', 'routine', 'whole', 'version', 'deleted']
  return sql`INSERT INTO trades (${new Sql(columns.join(', '))})
    SELECT copy.path, copy.subject, ${new Sql(SHOWN.join(', '))}, new_significance, new_signals, copy.title,
      ${new Sql(ISSUER_ONLY.map((column) => issuerOnly(column, column).text).join(', '))}, ${issuerOnly('signalled', 'new_signalled')},
      ${issuerOnly('routine', 'new_routine')}, if(copy.path = 'issuer', new_whole, ''), ${version}, copy.deleted
    FROM (SELECT *, ${marks.signals} AS new_signals, ${marks.signalled} AS new_signalled, ${marks.routine} AS new_routine,
        toString(greatest(CAST(${significanceSql(floors)}, ${SEVERITY}), CAST(new_signalled, ${SEVERITY}))) AS new_significance, ${whole} AS new_whole
      FROM trades FINAL WHERE path = 'issuer' AND subject IN ${[...new Set(marked.map(({ issuerCik }) => cikNumber(issuerCik)))]}
        AND filed_at IN (${new Sql([...new Set(marked.map(({ filedAt }) => sql`${new Date(filedAt * 1000)}`.text))].join(', '))})
        AND id IN ${marked.map(({ id }) => id)})
    ARRAY JOIN arrayConcat([('feed', toUInt64(0), '', if(listed, 0, 1)), ('issuer', issuer_cik, '', 0)],
      arrayMap((cik, title) -> ('insider', cik, title, if(has(profile_ciks, cik), 0, 1)), owner_ciks, owner_titles))
      :: Array(Tuple(path String, subject UInt64, title String, deleted UInt8)) AS copy`
}

const SEVERITY = `Enum8('low' = 1, 'medium' = 2, 'high' = 3, 'critical' = 4)`
