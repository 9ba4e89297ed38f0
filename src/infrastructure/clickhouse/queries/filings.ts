// The query of filings of all forms, newest first, page by page: of all companies, of some, or of some owners.
import type { DataDependencies } from '../../../application/changes/data-dependencies.ts'
import type {
  FilingAnalytics,
  FilingsRequest,
  FilingsPage,
  FilingSummary,
} from '../../../application/queries/filings/filing-analytics.ts'
import type { FormType } from '../../../domain/filings/filing.ts'
import { companyKey, displayTicker } from '../../../domain/filings/ticker-symbol.ts'
import { cikOf, type Cik, type Ticker } from '../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../connection/client.ts'
import { all, any, Sql, sql } from '../connection/sql.ts'
import type { CompanyLists } from './shared/company-list.ts'
import { decodeCursor, digestOf, encodeCursor } from '../../page-cursor.ts'
import { findIssuers } from './shared/named-companies.ts'
import { smallTable, throughWindow } from './shared/time-window.ts'
import { sortKey } from '../sort-key.ts'

interface FilingPosition {
  filedAt: number
  accession: string
}

interface FilingRow {
  place: string
  form: FormType
  issuer: number
  name: string
  symbols: Ticker[]
  owners: number[]
}

const ALL = 'f'
const positionOf = (text: string): FilingPosition => ({
  filedAt: Number.parseInt(text.slice(0, 8), 16),
  accession: text.slice(8),
})

/** Selects filings of these lists before a place, each once. `from` and `before` bound the filing time. */
export function filingsSql(request: {
  lists: string[]
  after?: FilingPosition | undefined
  from?: number | undefined
  before?: number | undefined
  forms?: readonly FormType[] | undefined
  issuers?: number[] | undefined
  rows: number
}): Sql {
  const { lists, after, from, before, forms, issuers, rows } = request
  const ends = [
    ...(after ? [`${sortKey(after.filedAt)}${after.accession}`] : []),
    ...(before === undefined ? [] : [sortKey(before)]),
  ].sort()
  const ranges = lists.map((list) => {
    const end = ends[0] === undefined ? `${list};` : `${list}:${ends[0]}`
    return sql`key >= ${`${list}:${from === undefined ? '' : sortKey(from)}`} AND key < ${end}`
  })
  const where = all([any(ranges), forms ? sql`form IN ${forms}` : null, issuers ? sql`issuer_cik IN ${issuers}` : null])
  return sql`
    SELECT substring(key, position(key, ':') + 1) AS place, form, issuer_cik AS issuer, name,
      filing_lists.symbols AS symbols, owner_ciks AS owners
    FROM filing_lists FINAL
    WHERE ${where}
    ORDER BY ${new Sql(lists.length === 1 ? 'key DESC' : 'place DESC LIMIT 1 BY place')}
    LIMIT ${rows}`
}

/** Reads the names of owners as in these filings. */
export function ownersOfFilingsSql({ owners, times, accessions }: Keys): Sql {
  return sql`
    SELECT accession, key AS cik, name
    FROM directory FINAL
    WHERE kind = 'owner' AND key IN ${owners} AND filed_at IN ${times} AND accession IN ${accessions}`
}

/** Counts the transactions of these filings, and reads the symbol that they are shown under. */
export function transactionsOfFilingsSql({ issuers, times, accessions }: Keys): Sql {
  return sql`
    SELECT accession, count() AS transactions, any(ticker) AS ticker, any(filed_basis) AS basis
    FROM trades FINAL
    WHERE issuer_cik IN ${issuers} AND filed_at IN ${times} AND accession IN ${accessions}
    GROUP BY accession`
}

interface Keys {
  owners: Cik[]
  issuers: number[]
  accessions: string[]
  times: Date[]
}

export function keysOfFilings(rows: Pick<FilingRow, 'place' | 'issuer' | 'owners'>[]): Keys {
  const places = rows.map(({ place }) => positionOf(place))
  const times = [...new Set(places.map(({ filedAt }) => filedAt))]
  return {
    owners: [...new Set(rows.flatMap(({ owners }) => owners.map(cikOf)))],
    issuers: [...new Set(rows.map(({ issuer }) => issuer))],
    accessions: places.map(({ accession }) => accession),
    times: times.map((time) => new Date(time * 1000)),
  }
}

/** How many days are searched first: filings of a few companies or owners are rarer than those of all. */
const DAYS = { all: 2, few: 64 }

export function filings(store: ClickHouse, lists: CompanyLists): FilingAnalytics['filings'] {
  // The newest filing time seen. Only a lower bound is derived from it, so an outdated one just reads more rows.
  let newest: number | null = null
  const isSmall = smallTable(store, sql`filing_lists`)
  return async (request) => {
    const { companies, insiderCiks, forms, filed, cursor, limit } = request
    const scope = `filings:${filterKey(request)}`
    const after = cursor === undefined ? undefined : toPosition(decodeCursor(scope, cursor, ['number', 'id']))
    const named = companies && (await findIssuers(lists, companies))
    const keyLists = insiderCiks?.map((cik) => `i${cik}`) ??
      named?.issuers.map((issuer) => `c${cikOf(issuer)}`) ?? [ALL]
    const read = (from = filed?.from) =>
      store.rows<FilingRow>(
        filingsSql({
          lists: keyLists,
          after,
          forms,
          from,
          before: filed?.before,
          issuers: insiderCiks && named?.issuers,
          rows: limit + 1,
        }),
      )
    // The list of one company or owner is short, and `from` is a bound already.
    const isBound = filed?.from !== undefined || (keyLists.length === 1 && keyLists[0] !== ALL) || (await isSmall())
    const anchor = isBound ? null : (after?.filedAt ?? filed?.before ?? newest)
    const rows = await throughWindow(anchor, keyLists.length === 1 ? DAYS.all : DAYS.few, limit + 1, read)
    if (rows[0] && !after) newest = Math.max(newest ?? 0, positionOf(rows[0].place).filedAt)
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? positionOf(shown.at(-1)!.place) : undefined
    const page: FilingsPage = {
      filings: await complete(store, lists, shown),
      ...(last && { nextCursor: encodeCursor(scope, [last.filedAt, last.accession]) }),
      unknown: named?.unknown ?? [],
      dependencies: dependenciesOn({ parts: named?.parts, insiderCiks, after, last: rows[limit], filed }),
    }
    return page
  }
}

/** Adds names, symbols and counts from other tables to the rows. */
async function complete(store: ClickHouse, lists: CompanyLists, rows: FilingRow[]): Promise<FilingSummary[]> {
  if (rows.length === 0) return []
  const keys = keysOfFilings(rows)
  const [names, transactions, { byIssuer }] = await Promise.all([
    keys.owners.length === 0 ? [] : store.rows<{ accession: string; cik: Cik; name: string }>(ownersOfFilingsSql(keys)),
    store.rows<{ accession: string; transactions: number; ticker: string; basis: string }>(
      transactionsOfFilingsSql(keys),
    ),
    lists(),
  ])
  const nameOf = new Map(names.map(({ accession, cik, name }) => [`${accession} ${cik}`, name]))
  const tradesOf = new Map(transactions.map((each) => [each.accession, each]))
  return rows.map(({ place, form, issuer, name, symbols, owners }) => {
    const { filedAt, accession } = positionOf(place)
    const trades = tradesOf.get(accession)
    const present = (byIssuer.get(issuer) ?? []).map(({ ticker }) => ticker)
    return {
      accession,
      form,
      filedAt,
      companyName: name,
      issuerCik: cikOf(issuer),
      ticker: trades?.ticker ?? displayTicker(symbols, present, symbols),
      owners: owners.map(cikOf).map((cik) => ({ cik, name: nameOf.get(`${accession} ${cik}`) ?? '' })),
      transactions: trades?.transactions ?? 0,
      basis: trades?.basis ?? null,
    }
  })
}

/** Returns one text for all requests for the same filings. */
function filterKey({ companies, insiderCiks, forms, filed }: FilingsRequest): string {
  return digestOf([companies?.map(companyKey).toSorted(), insiderCiks, forms, filed?.from, filed?.before])
}

function toPosition([filedAt, accession]: [number, string]): FilingPosition {
  return { filedAt, accession }
}

/**
 * Returns the dependencies of a page: all filings of the companies and owners that are named, or the filings between
 * the first and the last row.
 */
function dependenciesOn(request: {
  parts: DataDependencies['parts'] | undefined
  insiderCiks: readonly Cik[] | undefined
  after: FilingPosition | undefined
  /** The first row after the page. */
  last: FilingRow | undefined
  filed: FilingsRequest['filed']
}): DataDependencies {
  const { parts, insiderCiks, after, last, filed } = request
  if (parts || insiderCiks) {
    return { parts: [...(parts ?? []), ...(insiderCiks ?? []).map((cik) => `insider:${cik}` as const)] }
  }
  const to = Math.min(after?.filedAt ?? Number.POSITIVE_INFINITY, (filed?.before ?? Number.POSITIVE_INFINITY) - 1)
  return { parts: [], feed: { from: last ? positionOf(last.place).filedAt : (filed?.from ?? 0), to } }
}
