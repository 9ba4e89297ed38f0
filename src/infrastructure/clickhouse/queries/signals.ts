// The query of detected signals, newest first, then by id, page by page.
import type { components } from '../../../contract.ts'
import { withDependencies } from '../../../application/changes/data-dependencies.ts'
import { JsonText } from '../../../application/queries/json-text.ts'
import type { SignalsRequest, TimeSpan } from '../../../application/queries/transaction-requests.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { companyKey } from '../../../domain/filings/ticker-symbol.ts'
import { cikNumber } from '../../../domain/shared/identifiers.ts'
import type { SignalType } from '../../../domain/signals/signal.ts'
import type { Severity } from '../../../domain/trades/significance.ts'
import { significancesFrom } from '../../../domain/trades/transaction-filter.ts'
import type { ClickHouse } from '../connection/client.ts'
import { all, sql, type Sql } from '../connection/sql.ts'
import type { CompanyLists } from './shared/company-list.ts'
import { decodeCursor, digestOf, encodeCursor } from '../../page-cursor.ts'
import { sectorCondition, type IssuerSectors } from './shared/issuer-sectors.ts'
import { findIssuers } from './shared/named-companies.ts'
import { BLOCK_ROWS } from './shared/transaction-list.ts'
import { keysWithin, newestFirst, newestFirstKey, placeInKey } from '../sort-key.ts'

type SignalPage = components['schemas']['SignalPage']

interface SignalPlace {
  detectedAt: number
  id: string
}

interface SignalCriteria {
  type?: SignalType | undefined
  severity?: Severity | undefined
  minSeverity?: Severity | undefined
  issuers?: number[] | undefined
  insiders?: number[] | undefined
  /** The condition on the issuer's sector. */
  ofSectors?: Sql | undefined
  detected?: TimeSpan | undefined
  after?: SignalPlace | undefined
  rows: number
}

export function signalsSql(request: SignalCriteria): Sql {
  return sql`
    SELECT key, signal
    FROM signal_list FINAL
    WHERE ${all([...placesIn(request), ...severitiesIn(sql`severity`, request), insidersIn(sql`insider_ciks`, request)])}
    ORDER BY key
    LIMIT ${request.rows}`
}

function placesIn({ type, issuers, ofSectors, detected, after }: SignalCriteria): (Sql | null)[] {
  return [
    after ? sql`key > ${newestFirstKey(after.detectedAt, after.id)}` : null,
    ...keysWithin(detected ?? {}),
    issuers ? sql`issuer_cik IN ${issuers}` : null,
    ofSectors ?? null,
    type ? sql`type = ${type}` : null,
  ]
}

function severitiesIn(column: Sql, { severity, minSeverity }: SignalCriteria): (Sql | null)[] {
  return [
    severity ? sql`${column} = ${severity}` : null,
    minSeverity ? sql`${column} IN ${significancesFrom(minSeverity)}` : null,
  ]
}

const insidersIn = (column: Sql, { insiders }: SignalCriteria): Sql | null =>
  insiders ? sql`arrayExists(cik -> cik IN ${insiders}, ${column})` : null

/** Selects signals as of an instant, in the states in which the list showed them then. */
export function signalsAsOfSql(request: SignalCriteria & { asOf: number }): Sql {
  const { rows, asOf } = request
  const then = sql`arrayLast(each -> each.since <= ${asOf}, insiders).ciks`
  return sql`
    SELECT key, state.signal AS signal
    FROM (
      SELECT key, arrayLast(each -> each.since <= ${asOf}, states) AS state
      FROM signal_states FINAL
      WHERE ${all([sql`key >= ${newestFirst(asOf)}`, ...placesIn(request), insidersIn(then, request)])}
    )
    WHERE ${all([sql`signal != ''`, ...severitiesIn(sql`state.severity`, request)])}
    ORDER BY key
    LIMIT ${rows}`
}

export function signals(store: ClickHouse, lists: CompanyLists, sectorsNow: IssuerSectors): Queries['signals'] {
  return async (request) => {
    const { companies, insiderCiks, sectors, cursor, limit, asOf } = request
    const scope = listName(request)
    const after = cursor === undefined ? undefined : toPlace(decodeCursor(scope, cursor, ['number', 'id']))
    const named = companies && (await findIssuers(lists, companies, asOf))
    const hasNoIssuer = named?.issuers.length === 0
    const ofSectors = sectors && sectorCondition(sectors, await sectorsNow())
    const insiders = insiderCiks?.map(cikNumber)
    const criteria = { ...request, issuers: named?.issuers, insiders, ofSectors, after, rows: limit + 1 }
    const statement = asOf === undefined ? signalsSql(criteria) : signalsAsOfSql({ ...criteria, asOf })
    const rows = hasNoIssuer ? [] : await store.texts<[key: string, signal: string]>(statement, 2, BLOCK_ROWS)
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    const page = JsonText.object<SignalPage>({
      signals: JsonText.list(shown.map(([, signal]) => signal)),
      hasMore: last !== undefined,
      ...(last && { nextCursor: encodeCursor(scope, placeInKey(last[0])) }),
    })
    const parts = ['signals' as const, ...(named?.parts ?? [])]
    // A filing can move its company to another sector, with all its signals.
    const anyFiling = sectors && { feed: { from: 0, to: Number.POSITIVE_INFINITY } }
    return { page: withDependencies(page, { parts, ...anyFiling }), unknown: named?.unknown ?? [] }
  }
}

/** Returns one text for all requests for the same signals. */
function listName(request: SignalsRequest): string {
  const { type, severity, minSeverity, companies, insiderCiks, sectors, detected, asOf } = request
  const seed = `signals:${type ?? ''}:${severity ?? ''}`
  const isOfSome = insiderCiks !== undefined || sectors !== undefined
  if (!minSeverity && !companies && !detected && asOf === undefined && !isOfSome) return seed
  const names = companies?.map(companyKey).toSorted()
  return `signals2:${digestOf([
    ...[seed, minSeverity, names, detected?.from, detected?.before],
    ...(asOf === undefined ? [] : [asOf]),
    ...(isOfSome ? [{ insiderCiks, sectors }] : []),
  ])}`
}

function toPlace([detectedAt, id]: [number, string]): SignalPlace {
  return { detectedAt, id }
}
