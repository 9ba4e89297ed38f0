// The feed by any combination of filters: of all companies, of some, or of some insiders; newest first, by value or by the change of the holding.
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
import { sql, type Sql } from '../../connection/sql.ts'
import { significanceAt } from '../shared/as-of.ts'
import type { CompanyLists } from '../shared/company-list.ts'
import { decodeCursor, digestOf, encodeCursor } from '../../../page-cursor.ts'
import { completeDetails } from '../shared/complete-details.ts'
import { sectorCondition, type IssuerSectors } from '../shared/issuer-sectors.ts'
import { findIssuers } from '../shared/named-companies.ts'
import { NO_PRICES } from '../shared/returns.ts'
import { smallTable, throughWindow } from '../shared/time-window.ts'
import {
  FEED_LIST,
  listOfCompany,
  listOfInsider,
  placeOf,
  placeText,
  type TransactionList,
} from '../shared/transaction-list.ts'
import { DAYS, seedCondition } from './feed.ts'
import { conditionsOf } from './filter-sql.ts'
import { readWindow, searching, type FoundPlace, type FoundRow, type Search } from './search.ts'

type FeedPage = components['schemas']['FeedPage']

const DAY = 86_400
/** Days of the feed that are read whole, with FINAL, before looking for places: a page of a filter is often there. */
const FEED_DAYS = 16
/** Days in which places of several companies or insiders are looked for first. */
const FEW_DAYS = 64
/** Filters whose pages spanned more than the window, by their canonical text. */
const MAX_RARE = 10_000
/** Stands for all: whose companies they are matters less than how much was filed lately. */
const MANY_COMPANIES = 'companies'

/** Returns whether more is asked for than the feed with one of the four named filters, which has cursors of its own. */
export function isFiltered({ filter: _filter, cursor: _cursor, limit: _limit, detail: _detail, ...rest }: FeedRequest) {
  const { sort, ...filters } = rest
  return (sort ?? 'newest') !== 'newest' || Object.values(filters).some((value) => value !== undefined)
}

export function filteredFeed(
  store: ClickHouse,
  lists: CompanyLists,
  sectors: IssuerSectors,
  prices = NO_PRICES,
): (ask: FeedRequest) => Promise<PageResult<FeedPage>> {
  const rare = new LRUCache<string, true>({ max: MAX_RARE })
  const search = searching(store)
  const isSmall = smallTable(store, sql`transaction_lists`)
  // The newest filing time seen; it only anchors a lower bound, so an old one is merely less selective.
  let newest: number | null = null

  /** The newest rows of the feed: of the window, or where those of `kind` were rare last time by `further`. */
  const ofFeed = async (asked: Search, kind: string, further: typeof search): Promise<FoundRow[]> => {
    const newestAsked = Math.min(
      asked.after ? placeOf(asked.after.place).filedAt : (newest ?? Number.POSITIVE_INFINITY),
      asked.until ?? Number.POSITIVE_INFINITY,
    )
    const from = Math.max(asked.from ?? 0, newestAsked - FEED_DAYS * DAY)
    if (newestAsked === Number.POSITIVE_INFINITY) return further(asked)
    if (!rare.has(kind)) {
      const rows = await whole({ ...asked, from })
      if (rows.length >= asked.rows || from === asked.from) return rows
      rare.set(kind, true)
    }
    const rows = await further(asked)
    if (rows.length >= asked.rows && placeOf(rows.at(-1)!.place).filedAt >= from) rare.delete(kind)
    return rows
  }

  const whole = (asked: Search): Promise<FoundRow[]> => readWindow(store, asked)

  /** The newest rows of the feed as it was, without conditions. */
  const ofFeedAsOf = async (asked: Search, asOf: number): Promise<FoundRow[]> => {
    const anchor = asked.after ? placeOf(asked.after.place).filedAt : asOf
    return throughWindow((await isSmall()) ? null : anchor, DAYS, asked.rows, (oldest) =>
      whole({ ...asked, ...(oldest && { from: Math.max(0, Math.floor(oldest.getTime() / 1000)) }) }),
    )
  }

  /** The newest rows of several companies or insiders, which file a few times a month each. */
  const ofSeveral = async (asked: Search): Promise<FoundRow[]> => {
    const anchor = asked.after ? placeOf(asked.after.place).filedAt : (asked.until ?? newest)
    return throughWindow((await isSmall()) ? null : anchor, FEW_DAYS, asked.rows, (oldest) => {
      const from = Math.max(asked.from ?? 0, oldest ? Math.floor(oldest.getTime() / 1000) : 0)
      return search({ ...asked, from })
    })
  }

  const rowsOf = async (asked: Search, of: string, hasCompanies: boolean): Promise<FoundRow[]> => {
    if (asked.lists.length === 0) return []
    if (asked.sort !== 'newest') return search(asked)
    if (asked.lists.length > 1) return ofSeveral(asked)
    const { asOf, conditions } = asked
    const isAll = conditions.length === 0 && asked.from === undefined
    if (asked.lists[0] === FEED_LIST && asOf !== undefined && isAll) return ofFeedAsOf(asked, asOf)
    if (asked.lists[0] === FEED_LIST)
      return hasCompanies ? ofFeed(asked, MANY_COMPANIES, ofSeveral) : ofFeed(asked, of, search)
    return asked.conditions.length === 0 ? whole(asked) : search(asked)
  }

  return async (ask) => {
    const { limit, sort = 'newest', detail = false } = ask
    const of = `feed2:${canonical(ask)}`
    const after = ask.cursor === undefined ? undefined : toPlace(of, ask.cursor, sort)
    const { asOf } = ask
    const { found, ...scope } = await scopeOf(ask, lists, sectors)
    const asked: Search = { ...scope, ...{ sort, after, detail, rows: limit + 1 } }
    const rows = await rowsOf(asked, of, found !== undefined)
    if (rows[0] && !after && asked.lists[0] === FEED_LIST && sort === 'newest' && asOf === undefined)
      newest = Math.max(newest ?? 0, placeOf(rows[0].place).filedAt)
    const shown = rows.slice(0, limit)
    const texts = shown.map(({ json }) => json)
    const { transactions, parts } = detail
      ? await completeDetails(store, texts, { sectors, prices }, asOf)
      : { transactions: texts, parts: [] }
    const last = rows.length > limit ? shown.at(-1)! : undefined
    const page = JsonText.object<FeedPage>({
      transactions: JsonText.list(transactions),
      hasMore: last !== undefined,
      ...(last && { nextCursor: cursorOf(of, last, sort) }),
    })
    const dependencies = dependenciesOn(ask, asked, { parts: found?.parts, end: last && rows.at(-1)! })
    const complete = { ...dependencies, parts: [...dependencies.parts, ...parts] }
    return { page: withDependencies(page, complete), unknown: found?.unknown ?? [] }
  }
}

type Scope = Pick<Search, 'lists' | 'conditions' | 'from' | 'until' | 'asOf'>

/** Returns where rows that pass the filter are looked for, by which conditions, and the companies that it names. */
export async function scopeOf(
  ask: RowFilter & AsOf,
  lists: CompanyLists,
  sectors: IssuerSectors,
): Promise<Scope & { found: Awaited<ReturnType<typeof findIssuers>> | undefined }> {
  const { asOf } = ask
  const found = ask.companies && (await findIssuers(lists, ask.companies, asOf))
  const significance = asOf === undefined ? undefined : significanceAt(asOf)
  return {
    found,
    lists: listsOf(ask, found?.issuers),
    conditions: [
      ...(ask.filter ? [seedCondition(ask.filter, significance)] : []),
      ...conditionsOf(ask, significance),
      ...(found && (ask.insiderCiks || found.issuers.length > MAX_LISTS) ? [ofIssuers(found.issuers)] : []),
      ...(ask.sectors ? [sectorCondition(ask.sectors, await sectors())] : []),
    ],
    ...filedWithin(ask),
    asOf,
  }
}

/** More companies are looked for in the feed: planning a list of each takes longer. */
const MAX_LISTS = 10

function listsOf({ insiderCiks, companies }: RowFilter, issuers: number[] = []): TransactionList[] {
  if (insiderCiks) return insiderCiks.map((cik) => listOfInsider(cikNumber(cik)))
  return companies && issuers.length <= MAX_LISTS ? issuers.map(listOfCompany) : [FEED_LIST]
}

const ofIssuers = (issuers: number[]): Sql => (issuers.length > 0 ? sql`issuer_cik IN ${issuers}` : sql`0`)

/** Years after a trade within which a filing's date for it is taken for possible. */
const LATEST_YEARS = 3

/** Returns the bounds on filing times that the filter makes, in seconds. */
function filedWithin({ filed, traded, asOf }: RowFilter & AsOf): { from?: number; until?: number } {
  const day = (text: string, years = 0) =>
    Date.UTC(Number(text.slice(0, 4)) + years, Number(text.slice(5, 7)) - 1, Number(text.slice(8))) / 1000
  // A day more, since days of filings are New York's.
  const froms = [filed?.from, traded?.min === undefined ? undefined : day(traded.min) - DAY]
  const untils = [
    filed?.before,
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

/** Returns one text for all ways to ask for the same transactions in the same order. */
function canonical(ask: FeedRequest): string {
  const { cursor: _cursor, limit: _limit, detail: _detail, companies, ...filter } = ask
  const names = companies?.map(companyKey).toSorted()
  const sorted = Object.entries({ ...filter, sort: ask.sort ?? 'newest', companies: names })
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return digestOf(sorted)
}

const TIME_SHAPE = ['number', 'id', 'number'] as const

function toPlace(of: string, cursor: string, sort: Search['sort']): FoundPlace {
  if (sort === 'newest') {
    const [filedAt, accession, place] = decodeCursor(of, cursor, TIME_SHAPE)
    return { value: '', place: placeText({ filedAt, accession, place }) }
  }
  const amount = sort === 'value' ? 'amount' : 'change'
  const [value, filedAt, accession, place] = decodeCursor(of, cursor, [amount, ...TIME_SHAPE])
  return { value, place: placeText({ filedAt, accession, place }) }
}

function cursorOf(of: string, { place: text, value }: FoundPlace, sort: Search['sort']): string {
  const { filedAt, accession, place } = placeOf(text)
  return encodeCursor(of, [...(sort === 'newest' ? [] : [value]), filedAt, accession, place])
}

/**
 * Returns what the page depends on: of companies and insiders all of theirs; of the feed what was filed between the
 * page's ends.
 */
function dependenciesOn(
  { insiderCiks, companies, sectors }: FeedRequest,
  { from = 0, until, sort, after }: Search,
  { parts, end }: { parts: DataPart[] | undefined; end: FoundRow | undefined },
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
