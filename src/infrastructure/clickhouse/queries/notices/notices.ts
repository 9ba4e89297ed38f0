// Notices of proposed sales, newest first. At present the stored links answer; as of an earlier instant the notices of a
// page are linked to the sales that were known then.
import { withDependencies } from '../../../../application/changes/data-dependencies.ts'
import { noticeDetailJson, noticeJson, stateOn } from '../../../../application/notices/notice-answer.ts'
import type { LinkedNotice } from '../../../../application/ports/notices.ts'
import { JsonText } from '../../../../application/queries/json-text.ts'
import type { NoticesRequest, NoticeQueries } from '../../../../application/queries/notices.ts'
import type { Clock } from '../../../../application/ports/system.ts'
import type { components } from '../../../../contract.ts'
import { companyKey } from '../../../../domain/filings/ticker-symbol.ts'
import { addDays } from '../../../../domain/shared/calendar.ts'
import { cikNumber, type Cik, type DateText } from '../../../../domain/shared/identifiers.ts'
import { newYorkDay, newYorkToUtc } from '../../../../domain/shared/new-york-time.ts'
import { decodeCursor, digestOf, encodeCursor } from '../../../page-cursor.ts'
import type { ClickHouse } from '../../connection/client.ts'
import { all, sql, type Sql } from '../../connection/sql.ts'
import { keysWithin, newestFirstKey, placeInKey } from '../../sort-key.ts'
import type { CompanyLists } from '../shared/company-list.ts'
import { findIssuers } from '../shared/named-companies.ts'
import { BLOCK_ROWS } from '../shared/transaction-list.ts'
import { knownLinks } from './known-links.ts'

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

/** Selects notices by what is stored; of an earlier instant all states. */
export function noticesSql({ issuers, insiderCiks, minValue, plan, states, filed, ...request }: NoticesWanted): Sql {
  const { after, asOf, day, rows } = request
  const before = Math.min(filed?.before ?? Number.POSITIVE_INFINITY, (asOf ?? Number.POSITIVE_INFINITY) + 1)
  const where = [
    after === undefined ? null : sql`key > ${after}`,
    ...keysWithin({ from: filed?.from, before }),
    issuers ? sql`issuer_cik IN ${issuers}` : null,
    insiderCiks ? sql`seller_cik IN ${insiderCiks.map(cikNumber)}` : null,
    minValue === undefined ? null : sql`value >= toDecimal128(${minValue}, 2)`,
    plan === undefined ? null : sql`plan = ${plan === 'yes' ? 1 : 0}`,
    states && asOf === undefined ? sql`if(final_from <= ${day}, final_state, state) IN ${states}` : null,
  ]
  return sql`
    SELECT key, whole
    FROM notices FINAL
    WHERE ${all(where)}
    ORDER BY key
    LIMIT ${rows}`
}

/** Selects a notice by its accession number, whenever it was filed. */
export const noticeSql = (accession: string): Sql => sql`
  SELECT key, whole
  FROM notices FINAL
  WHERE endsWith(key, ${` ${accession}`})
  LIMIT 1`

/** Reads the symbols under which the search shows companies that the SEC's list lacks. */
export const filedSymbolsSql = (issuers: number[]): Sql => sql`
  SELECT cik, JSONExtractString(shown, 'ticker') AS ticker
  FROM parties FINAL
  WHERE kind = 'company' AND cik IN ${issuers}`

export function noticeQueries(store: ClickHouse, lists: CompanyLists, clock: Clock): NoticeQueries {
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
      const [found] = rowsOf(await store.texts(noticeSql(accession), BLOCK_ROWS))
      if (!found || (asOf !== undefined && found.linked.notice.filedAt > asOf)) return null
      const day = asOf === undefined ? today() : newYorkDay(asOf)
      const [known] = asOf === undefined ? [found] : await knownAt(store, [found], asOf)
      if (!known) return null
      const { notice } = found.linked
      const parts = [`issuer:${notice.issuer.cik}`, 'notices'] as const
      const ticker = (await tickersOf([notice.issuer.cik]))(notice.issuer.cik)
      return withDependencies(noticeDetailJson(known.linked, ticker, day), { parts, ...untilMidnight(day, asOf) })
    },
  }

  async function read(wanted: Omit<NoticesWanted, 'rows'>, after: string | undefined, limit: number): Promise<Found> {
    const { asOf, states, day } = wanted
    if (asOf === undefined || !states) {
      const rows = rowsOf(await store.texts(noticesSql({ ...wanted, after, rows: limit + 1 }), BLOCK_ROWS))
      const page = rows.slice(0, limit)
      const known = asOf === undefined ? page : await knownAt(store, page, asOf)
      const next = rows.length > limit ? page.at(-1)!.key : undefined
      return { found: known.map(({ linked }) => linked), next }
    }
    // States of an earlier instant are known only once notices are linked.
    const found: NoticeRow[] = []
    let last = after
    for (let count = 0; count < MOST_READ; count += CHUNK) {
      const rows = rowsOf(await store.texts(noticesSql({ ...wanted, after: last, rows: CHUNK }), BLOCK_ROWS))
      const passing = (await knownAt(store, rows, asOf)).filter(({ linked }) =>
        states.includes(stateOn(linked.link, day)),
      )
      found.push(...passing)
      if (found.length > limit)
        return { found: found.slice(0, limit).map(({ linked }) => linked), next: found[limit - 1]!.key }
      last = rows.at(-1)?.key
      if (rows.length < CHUNK) return { found: found.map(({ linked }) => linked), next: undefined }
    }
    return { found: found.map(({ linked }) => linked), next: last }
  }
}

/** Notices of an earlier instant that are linked at once, and in one request at most. */
const [CHUNK, MOST_READ] = [200, 2_000]

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

const rowsOf = (texts: (string | null)[][]): NoticeRow[] =>
  texts.map(([key, whole]) => ({ key: key!, linked: JSON.parse(whole!) as LinkedNotice }))

/** Returns those of these notices that were known at an instant, as they stood then. */
async function knownAt(store: ClickHouse, rows: NoticeRow[], asOf: number): Promise<NoticeRow[]> {
  const issuers = [...new Set(rows.map(({ linked }) => linked.notice.issuer.cik))]
  const { links } = await knownLinks(store, issuers, asOf)
  return rows.flatMap(({ key, linked }) => {
    const link = links.get(linked.notice.accession)
    return link ? [{ key, linked: { ...linked, link } }] : []
  })
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
