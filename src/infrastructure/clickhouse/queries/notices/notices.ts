// Notices of proposed sales, newest first. At present the stored links answer; as of an earlier instant the notices of a
// page are linked to the sales that were known then.
import { withDependencies } from '../../../../application/changes/data-dependencies.ts'
import { noticeDetailJson, noticeJson, stateOn } from '../../../../application/notices/notice-answer.ts'
import type { KnownLinks } from '../../../../application/ports/computations.ts'
import type { LinkedNotice } from '../../../../application/ports/notices.ts'
import { JsonText } from '../../../../application/queries/json-text.ts'
import type { NoticesRequest, NoticeQueries } from '../../../../application/queries/notices.ts'
import type { Clock } from '../../../../application/ports/system.ts'
import type { components } from '../../../../contract.ts'
import { ESTIMATED_BASES } from '../../../../domain/filings/acceptance-time.ts'
import { companyKey } from '../../../../domain/filings/ticker-symbol.ts'
import { OPEN_DAYS, openUntil } from '../../../../domain/notices/link-notices.ts'
import { addDays } from '../../../../domain/shared/calendar.ts'
import { cikNumber, type Cik, type DateText } from '../../../../domain/shared/identifiers.ts'
import { newYorkDay, newYorkToUtc } from '../../../../domain/shared/new-york-time.ts'
import { decodeCursor, digestOf, encodeCursor } from '../../../page-cursor.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { all, sql, type Sql } from '../../connection/sql.ts'
import { keysWithin, newestFirstKey, placeInKey } from '../../sort-key.ts'
import type { CompanyLists } from '../shared/company-list.ts'
import { findIssuers } from '../shared/named-companies.ts'
import { EARLIER_DAYS } from '../shared/trade-days.ts'
import { BLOCK_ROWS, type KeyedText } from '../shared/transaction-list.ts'
import type { LinksAsOf } from './known-links.ts'

type NoticePage = components['schemas']['NoticePage']

interface NoticesWanted extends Omit<NoticesRequest, 'companies' | 'cursor' | 'limit' | 'asOf'> {
  issuers?: number[] | undefined
  /** The key of the last notice of the page before. */
  after?: string | undefined
  asOf?: number | undefined
  /** Today in New York. */
  day: DateText
  rows: number
}

/** Selects notices by what is stored; of an earlier instant all states that are possible, and known days of filing. */
export function noticesSql({ issuers, insiderCiks, minValue, plan, states, filed, ...request }: NoticesWanted): Sql {
  const { after, asOf, day, rows } = request
  const before = Math.min(filed?.before ?? Number.POSITIVE_INFINITY, (asOf ?? Number.POSITIVE_INFINITY) + 1)
  const from = asOf !== undefined && isOnlyOpen(states) ? Math.max(filed?.from ?? 0, openSince(day)) : filed?.from
  const where = [
    after === undefined ? null : sql`key > ${after}`,
    ...keysWithin({ from, before }),
    issuers ? sql`issuer_cik IN ${issuers}` : null,
    insiderCiks ? sql`seller_cik IN ${insiderCiks.map(cikNumber)}` : null,
    minValue === undefined ? null : sql`value >= toDecimal128(${minValue}, 2)`,
    plan === undefined ? null : sql`plan = ${plan === 'yes' ? 1 : 0}`,
    asOf === undefined ? null : sql`filingDateBasis NOT IN ${ESTIMATED_BASES}`,
    states && asOf === undefined ? sql`if(final_from <= ${day}, final_state, state) IN ${states}` : null,
  ]
  return sql`
    SELECT key, whole
    FROM notices FINAL
    WHERE ${all(where)}
    ORDER BY key
    LIMIT ${rows}`
}

/** Returns whether open notices alone are sought: all are recent, and older ones need not be read and linked. */
const isOnlyOpen = (states: NoticesRequest['states']): boolean => states?.every((state) => state === 'open') ?? false

/** Returns the earliest time of filing, in seconds, of notices that can be open on a day. */
const openSince = (day: DateText): number => Math.max(newYorkToUtc(addDays(day, -OPEN_DAYS - EARLIER_DAYS), 0), 0)

/** Selects a notice by its accession number, whenever it was filed. */
export const noticeSql = (accession: string): Sql => sql`
  SELECT key, whole
  FROM notices FINAL
  WHERE endsWith(key, ${` ${accession}`})
  LIMIT 1`

/** Reads the symbols under which the search shows companies that the SEC's list lacks. */
export const filedSymbolsSql = (issuers: number[]): Sql => sql`
  SELECT cik, ticker
  FROM parties FINAL
  WHERE kind = 'company' AND cik IN ${issuers}`

export function noticeQueries(
  store: ClickHouse,
  lists: CompanyLists,
  clock: Clock,
  linksAsOf: LinksAsOf,
): NoticeQueries {
  const today = () => newYorkDay(clock() / 1000)
  /** Returns the symbols of these issuers: the first on the SEC's list, else what the search shows. */
  const tickersOf = async (issuers: Cik[]): Promise<(issuer: Cik) => string> => {
    const { byIssuer } = await lists()
    const unlisted = [...new Set(issuers)].map(cikNumber).filter((issuer) => !byIssuer.has(issuer))
    const filed =
      unlisted.length === 0 ? [] : await store.rows<{ cik: number; ticker: string }>(filedSymbolsSql(unlisted))
    const tickers = new Map(filed.map(({ cik, ticker }) => [cik, ticker]))
    return (issuer) => byIssuer.get(cikNumber(issuer))?.[0]?.ticker ?? tickers.get(cikNumber(issuer)) ?? ''
  }
  return {
    notices: async (request) => {
      const { companies, cursor, limit, asOf } = request
      const scope = `notices:${filterKey(request)}`
      const after = cursor === undefined ? undefined : newestFirstKey(...decodeCursor(scope, cursor, ['number', 'id']))
      const named = companies && (await findIssuers(lists, companies, asOf))
      const day = asOf === undefined ? today() : newYorkDay(asOf)
      const wanted = { ...request, issuers: named?.issuers, day }
      const isNobody = named?.issuers.length === 0
      const { found, next } = isNobody ? NOTHING : await read(wanted, after, limit)
      const tickerOf = await tickersOf(found.map(({ notice }) => notice.issuer.cik))
      const page = JsonText.object<NoticePage>({
        notices: found.map((linked) => noticeJson(linked, tickerOf(linked.notice.issuer.cik), day)),
        hasMore: next !== undefined,
        ...(next !== undefined && { nextCursor: encodeCursor(scope, placeInKey(next)) }),
      })
      const parts = ['notices' as const, ...(named?.parts ?? [])]
      return { page: withDependencies(page, { parts, ...untilMidnight(day, asOf) }), unknown: named?.unknown ?? [] }
    },
    notice: async (accession, asOf) => {
      const [found] = rowsOf(await store.texts<KeyedText>(noticeSql(accession), 2, BLOCK_ROWS))
      if (!found || (asOf !== undefined && found.linked.notice.filedAt > asOf)) return null
      const day = asOf === undefined ? today() : newYorkDay(asOf)
      const [known] = asOf === undefined ? [found] : await linksOnce(linksAsOf, asOf)([found])
      if (!known) return null
      const { notice } = found.linked
      const parts = [`issuer:${notice.issuer.cik}`, 'notices'] as const
      const ticker = (await tickersOf([notice.issuer.cik]))(notice.issuer.cik)
      return withDependencies(noticeDetailJson(known.linked, ticker, day), { parts, ...untilMidnight(day, asOf) })
    },
  }

  async function read(wanted: Omit<NoticesWanted, 'rows'>, after: string | undefined, limit: number): Promise<Found> {
    const { asOf, states, day } = wanted
    const known = asOf === undefined ? null : linksOnce(linksAsOf, asOf)
    // States of an earlier instant are known only once notices are linked.
    const sought = known && states ? states : null
    const isPossible = ({ linked: { notice } }: NoticeRow) => !isOnlyOpen(states) || openUntil(notice) >= day
    const chunk = sought ? CHUNK : limit + 1
    const found: NoticeRow[] = []
    for (let last = after; ;) {
      const rows = rowsOf(
        await store.texts<KeyedText>(noticesSql({ ...wanted, after: last, rows: chunk }), 2, BLOCK_ROWS),
      )
      const standing = known ? await known(rows.filter(isPossible)) : rows
      found.push(...standing.filter(({ linked: { link } }) => !sought || sought.includes(stateOn(link, day))))
      if (found.length > limit)
        return { found: found.slice(0, limit).map(({ linked }) => linked), next: found[limit - 1]!.key }
      if (rows.length < chunk) return { found: found.map(({ linked }) => linked), next: undefined }
      last = rows.at(-1)!.key
    }
  }
}

/** Notices of an earlier instant that are linked at once. */
const CHUNK = 200

interface NoticeRow {
  key: string
  linked: LinkedNotice
}

/** `next`: the key after which more may follow. */
interface Found {
  found: LinkedNotice[]
  next: string | undefined
}
const NOTHING: Found = { found: [], next: undefined }

const rowsOf = (texts: KeyedText[]): NoticeRow[] =>
  texts.map(([key, whole]) => ({ key, linked: JSON.parse(whole) as LinkedNotice }))

/**
 * Returns a function that returns those of some notices that were known at an instant, as they stood then. The notices
 * of an issuer are linked once.
 */
function linksOnce(linksAsOf: LinksAsOf, asOf: number): (rows: NoticeRow[]) => Promise<NoticeRow[]> {
  const linkedIssuers = new Set<Cik>()
  const links: KnownLinks['links'] = new Map()
  return async (rows) => {
    const issuers = [...new Set(rows.map(({ linked }) => linked.notice.issuer.cik))]
    const others = issuers.filter((issuer) => !linkedIssuers.has(issuer))
    for (const [accession, link] of (await linksAsOf(others, asOf)).links) links.set(accession, link)
    for (const issuer of others) linkedIssuers.add(issuer)
    return rows.flatMap(({ key, linked }) => {
      const link = links.get(linked.notice.accession)
      return link ? [{ key, linked: { ...linked, link } }] : []
    })
  }
}

/** A state can change at midnight; that of an earlier instant can't. */
function untilMidnight(day: DateText, asOf: number | undefined): { until?: number } {
  return asOf === undefined ? { until: newYorkToUtc(addDays(day, 1), 0) * 1000 } : {}
}

/** Returns one text for all requests for the same notices. */
function filterKey({ companies, insiderCiks, minValue, plan, states, filed, asOf }: NoticesRequest): string {
  const names = companies?.map(companyKey).toSorted()
  return digestOf([names, insiderCiks, minValue, plan, states, filed?.from, filed?.before, asOf])
}
