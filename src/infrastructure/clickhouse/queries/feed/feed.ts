// The query of the feed: listed transactions by any combination of filters, page by page: of all companies, of some, or
// of some insiders; newest first, by value or by the change of the holding.
import { LRUCache } from 'lru-cache'
import {
  withDependencies,
  type DataDependencies,
  type DataPart,
} from '../../../../application/changes/data-dependencies.ts'
import { JsonText } from '../../../../application/queries/json-text.ts'
import type { AsOf, FeedRequest, PageResult, RowFilter } from '../../../../application/queries/transaction-requests.ts'
import type { components } from '../../../../contract.ts'
import { companyKey } from '../../../../domain/filings/ticker-symbol.ts'
import { cikNumber } from '../../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../../connection/client.ts'
import type { Limit } from '../../connection/session-pool.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import type { CompanyLists } from '../shared/company-list.ts'
import { decodeCursor, digestOf, encodeCursor } from '../../../page-cursor.ts'
import { completeDetails, type DetailSources } from '../shared/complete-details.ts'
import { sectorCondition, type IssuerSectors } from '../shared/issuer-sectors.ts'
import { findIssuers } from '../shared/named-companies.ts'
import { smallTable, throughWindow } from '../shared/time-window.ts'
import { EARLIER_DAYS, LATEST_YEARS } from '../shared/trade-days.ts'
import {
  FEED_LIST,
  listOfCompany,
  listOfInsider,
  placeOf,
  placeText,
  type TransactionList,
} from '../shared/transaction-list.ts'
import { conditionsOf, namedFilterCondition } from './filter-sql.ts'
import { readWindow, makeRowSearch, type RowPlace, type FilteredRow, type RowCriteria } from './filtered-rows.ts'

type FeedPage = components['schemas']['FeedPage']

const DAY = 86_400
/**
 * How many days are first searched with at most one of the four named filters. Rows of high significance, and of CEOs
 * and CFOs, are rarer than others.
 */
const WINDOW_DAYS = { all: 2, buys: 4, sells: 4, high: 16, ceo_cfo: 16 }
/** How many days of the feed are first read with FINAL for other filters: most fill a page with them. */
const FEED_DAYS = 16
/** How many days are first searched for rows of several companies or insiders. */
const FEW_DAYS = 64
/** The most filters that are remembered because `FEED_DAYS` did not fill a page. */
const MAX_RARE = 10_000
/** One entry in `rare` for all filters that name companies: these depend on recent filings more than on the names. */
const MANY_COMPANIES = 'companies'

/** Returns false for the feed with at most one of the four named filters, which has cursors of its own. */
function isFiltered({ filter: _filter, cursor: _cursor, limit: _limit, detail: _detail, ...rest }: FeedRequest) {
  const { sort, ...filters } = rest
  return (sort ?? 'newest') !== 'newest' || Object.values(filters).some((value) => value !== undefined)
}

/** Returns the query of a page. */
export function feed(
  store: ClickHouse,
  lists: CompanyLists,
  details: DetailSources,
  limit: Limit,
): (request: FeedRequest) => Promise<PageResult<FeedPage>> {
  const rare = new LRUCache<string, true>({ max: MAX_RARE })
  const search = makeRowSearch(store, limit)
  const isSmall = smallTable(store, sql`transaction_lists`)
  // The newest filing time seen. Only a lower bound is derived from it, so an outdated one just reads more rows.
  let newest: number | null = null

  /** Returns the newest rows of the feed: from `FEED_DAYS`, or by `further` if rows of `kind` were rare last time. */
  const ofFeed = async (criteria: RowCriteria, kind: string, further: typeof search): Promise<FilteredRow[]> => {
    const upTo = Math.min(
      criteria.after ? placeOf(criteria.after.place).filedAt : (newest ?? Number.POSITIVE_INFINITY),
      criteria.until ?? Number.POSITIVE_INFINITY,
    )
    const from = Math.max(criteria.from ?? 0, upTo - FEED_DAYS * DAY)
    if (upTo === Number.POSITIVE_INFINITY) return further(criteria)
    if (!rare.has(kind)) {
      const rows = await readWindow(store, { ...criteria, from })
      if (rows.length >= criteria.rows || from === criteria.from) return rows
      rare.set(kind, true)
    }
    const rows = await further(criteria)
    if (rows.length >= criteria.rows && placeOf(rows.at(-1)!.place).filedAt >= from) rare.delete(kind)
    return rows
  }

  /** Returns the newest rows of the feed where most rows pass: with a named filter at most. */
  const ofWindow = async (criteria: RowCriteria, days: number): Promise<FilteredRow[]> => {
    const anchor = criteria.after ? placeOf(criteria.after.place).filedAt : (criteria.asOf ?? newest)
    return throughWindow((await isSmall()) ? null : anchor, days, criteria.rows, (from) =>
      readWindow(store, { ...criteria, from }),
    )
  }

  /** Returns the newest rows of several companies or insiders, which file a few times a month each. */
  const ofSeveral = async (criteria: RowCriteria): Promise<FilteredRow[]> => {
    const anchor = criteria.after ? placeOf(criteria.after.place).filedAt : (criteria.until ?? newest)
    return throughWindow((await isSmall()) ? null : anchor, FEW_DAYS, criteria.rows, (from = 0) =>
      search({ ...criteria, from: Math.max(criteria.from ?? 0, from) }),
    )
  }

  const rowsOf = async (request: FeedRequest, criteria: RowCriteria, scope: string): Promise<FilteredRow[]> => {
    if (criteria.lists.length === 0) return []
    if (criteria.sort !== 'newest') return search(criteria)
    if (criteria.lists.length > 1) return ofSeveral(criteria)
    const hasNoConditions = criteria.conditions.length === 0
    if (criteria.lists[0] !== FEED_LIST) return hasNoConditions ? readWindow(store, criteria) : search(criteria)
    const isAllAsOf = hasNoConditions && criteria.asOf !== undefined && criteria.from === undefined
    if (isAllAsOf || !isFiltered(request)) return ofWindow(criteria, WINDOW_DAYS[request.filter ?? 'all'])
    return request.companies ? ofFeed(criteria, MANY_COMPANIES, ofSeveral) : ofFeed(criteria, scope, search)
  }

  return async (request) => {
    const { limit, sort = 'newest', detail = false } = request
    const scope = isFiltered(request) ? `feed2:${canonical(request)}` : `feed:${request.filter ?? ''}`
    const after = request.cursor === undefined ? undefined : toPlace(scope, request.cursor, sort)
    const { asOf } = request
    const { found, ...rowScope } = await scopeOf(request, lists, details.sectors)
    const criteria: RowCriteria = { ...rowScope, sort, after, detail, rows: limit + 1 }
    const rows = await rowsOf(request, criteria, scope)
    if (rows[0] && !after && criteria.lists[0] === FEED_LIST && sort === 'newest' && asOf === undefined)
      newest = Math.max(newest ?? 0, placeOf(rows[0].place).filedAt)
    const shown = rows.slice(0, limit)
    const { transactions, parts } = detail
      ? await completeDetails(store, shown, details, asOf)
      : { transactions: shown.map((row) => row.transaction), parts: [] }
    const last = rows.length > limit ? shown.at(-1)! : undefined
    const page = JsonText.object<FeedPage>({
      transactions: JsonText.list(transactions),
      hasMore: last !== undefined,
      ...(last && { nextCursor: cursorOf(scope, last, sort) }),
    })
    const dependencies = dependenciesOn(request, criteria, { parts: found?.parts, end: last && rows.at(-1)! })
    const complete = { ...dependencies, parts: [...dependencies.parts, ...parts] }
    return { page: withDependencies(page, complete), unknown: found?.unknown ?? [] }
  }
}

type Scope = Pick<RowCriteria, 'lists' | 'conditions' | 'from' | 'until' | 'asOf'>

/** Returns the lists, conditions and times in which rows that pass the filter are searched, and the named companies. */
export async function scopeOf(
  request: RowFilter & AsOf,
  lists: CompanyLists,
  sectors: IssuerSectors,
): Promise<Scope & { found: Awaited<ReturnType<typeof findIssuers>> | undefined }> {
  const { asOf } = request
  const found = request.companies && (await findIssuers(lists, request.companies, asOf))
  return {
    found,
    lists: listsOf(request, found?.issuers),
    conditions: [
      ...(request.filter ? [namedFilterCondition(request.filter, asOf)] : []),
      ...conditionsOf(request, asOf),
      ...(found && (request.insiderCiks || found.issuers.length > MAX_LISTS) ? [ofIssuers(found.issuers)] : []),
      ...(request.sectors ? [sectorCondition(request.sectors, await sectors())] : []),
    ],
    ...filedWithin(request),
    asOf,
  }
}

/** If a filter names more companies, the feed is searched instead of their lists: planning grows with the lists. */
const MAX_LISTS = 10

function listsOf({ insiderCiks, companies }: RowFilter, issuers: number[] = []): TransactionList[] {
  if (insiderCiks) return insiderCiks.map((cik) => listOfInsider(cikNumber(cik)))
  return companies && issuers.length <= MAX_LISTS ? issuers.map(listOfCompany) : [FEED_LIST]
}

const ofIssuers = (issuers: number[]): Sql => (issuers.length > 0 ? sql`issuer_cik IN ${issuers}` : sql`0`)

/** Returns the bounds on filing times that follow from the filter, in seconds. */
function filedWithin({ filed, traded, asOf }: RowFilter & AsOf): { from?: number; until?: number } {
  const day = (text: string, years = 0) =>
    Date.UTC(Number(text.slice(0, 4)) + years, Number(text.slice(5, 7)) - 1, Number(text.slice(8))) / 1000
  const froms = [filed?.from, traded?.min === undefined ? undefined : day(traded.min) - EARLIER_DAYS * DAY]
  const untils = [
    filed?.before,
    // A day more, since the days of filings are those of New York.
    traded?.max === undefined ? undefined : day(traded.max, LATEST_YEARS) + 2 * DAY,
    asOf === undefined ? undefined : asOf + 1,
  ]
  const [from, until] = [
    Math.max(0, ...froms.filter((time) => time !== undefined)),
    Math.min(Number.POSITIVE_INFINITY, ...untils.filter((time) => time !== undefined)),
  ]
  return { ...(from > 0 && { from }), ...(until <= MAX_SECONDS && { until }) }
}

const MAX_SECONDS = 0xffff_ffff

/** Returns one text for all requests for the same transactions in the same order. */
function canonical(request: FeedRequest): string {
  const { cursor: _cursor, limit: _limit, detail: _detail, companies, ...filter } = request
  const names = companies?.map(companyKey).toSorted()
  const sorted = Object.entries({ ...filter, sort: request.sort ?? 'newest', companies: names })
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return digestOf(sorted)
}

const TIME_SHAPE = ['number', 'id', 'number'] as const

function toPlace(scope: string, cursor: string, sort: RowCriteria['sort']): RowPlace {
  if (sort === 'newest') {
    const [filedAt, accession, place] = decodeCursor(scope, cursor, TIME_SHAPE)
    return { value: '', place: placeText({ filedAt, accession, place }) }
  }
  const amount = sort === 'value' ? 'amount' : 'change'
  const [value, filedAt, accession, place] = decodeCursor(scope, cursor, [amount, ...TIME_SHAPE])
  return { value, place: placeText({ filedAt, accession, place }) }
}

function cursorOf(scope: string, { place: text, value }: RowPlace, sort: RowCriteria['sort']): string {
  const { filedAt, accession, place } = placeOf(text)
  return encodeCursor(scope, [...(sort === 'newest' ? [] : [value]), filedAt, accession, place])
}

/**
 * Returns the dependencies of a page: all filings of the companies and insiders that the filter names, or the filings
 * between the first and the last row.
 */
function dependenciesOn(
  { insiderCiks, companies, sectors }: FeedRequest,
  { from = 0, until, sort, after }: RowCriteria,
  { parts, end }: { parts: DataPart[] | undefined; end: FilteredRow | undefined },
): DataDependencies {
  // A filing can move its company to another sector, with all that it filed before.
  const anyFiling = sectors && { feed: { from: 0, to: Number.POSITIVE_INFINITY } }
  if (insiderCiks) {
    return { parts: [...(parts ?? []), ...insiderCiks.map((cik) => `insider:${cik}` as const)], ...anyFiling }
  }
  if (companies) return { parts: parts!, ...anyFiling }
  if (anyFiling) return { parts: [], ...anyFiling }
  const before = (until ?? Number.POSITIVE_INFINITY) - 1
  if (sort !== 'newest') return { parts: [], feed: { from, to: before } }
  return {
    parts: [],
    feed: {
      from: end ? placeOf(end.place).filedAt : from,
      to: Math.min(after ? placeOf(after.place).filedAt : Number.POSITIVE_INFINITY, before),
    },
  }
}
