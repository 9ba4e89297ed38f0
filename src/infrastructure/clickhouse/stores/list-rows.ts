// Makes the rows of the lists: of transactions in `transaction_lists`, of filings in `filing_lists`, and of the filings
// behind a profile's transactions.
import type { DirectoryEntry, EntryKey } from '../../../application/ports/analytics.ts'
import { toDetail, toTransaction } from '../../../application/queries/transactions/transaction-fields.ts'
import { isEstimated } from '../../../domain/filings/acceptance-time.ts'
import { cikNumber, type Cik, type Ticker } from '../../../domain/shared/identifiers.ts'
import type { Trade, TradeKey } from '../../../domain/trades/trade.ts'
import { filterFacts } from '../../../domain/trades/transaction-filter.ts'
import type { InsertRow } from '../connection/client.ts'
import { totalsKey } from '../queries/shared/list-totals.ts'
import { sortKey } from '../sort-key.ts'
import { roleBits } from './roles.ts'

/** A place in a list, and in lists of transactions the other side: an insider's company, a company's insider. */
interface Place {
  key: string
  side_cik?: number
  side_name?: string
  side_title?: string
}

/** A row of `placed_rows`, which is repeated in each of its places. */
interface PlacedRow extends InsertRow {
  places: Place[]
}

/** Returns the keys that a transaction has in the lists, of which those with a capital letter have superseded rows. */
const placesOf = ({ accession, place, issuerCik, filedAt, ownerCiks }: TradeKey) => {
  const at = `:${sortKey(filedAt)}${accession} ${sortKey(place)}`
  return {
    feed: (list: 'f' | 'F') => `${list}${at}`,
    company: (list: 'c' | 'C') => `${list}${issuerCik}${at}`,
    insiders: (list: 'i' | 'I') => ownerCiks.map((cik) => `${list}${cik}${at}`),
  }
}

/** Returns the row that removes these places. */
const goneRow = (keys: string[], issuerCik: Cik, version: number): PlacedRow => ({
  ...{ places: keys.map((key) => ({ key })), issuer_cik: cikNumber(issuerCik), version, deleted: 1 },
})

/** Returns the row that removes a transaction from all lists. */
export function goneListRow(trade: TradeKey, version: number): PlacedRow {
  const { feed, company, insiders } = placesOf(trade)
  const keys = [feed('f'), company('c'), ...insiders('i'), feed('F'), company('C'), ...insiders('I')]
  return goneRow(keys, trade.issuerCik, version)
}

/** Returns the row that removes a transaction from the lists of superseded ones. */
export function notSupersededRow(trade: TradeKey, version: number): PlacedRow {
  const { feed, company, insiders } = placesOf(trade)
  return goneRow([feed('F'), company('C'), ...insiders('I')], trade.issuerCik, version)
}

/**
 * Returns the rows of a transaction: in the lists in which it is shown, and the one that removes it from the others.
 */
export function listRows(trade: Trade, version: number): PlacedRow[] {
  const { feed, company, insiders } = placesOf(trade)
  const counts = new Set(trade.profileCiks)
  const [shown, gone]: [Place[], string[]] = [[], []]
  const add = (isShown: boolean, place: Place) => (isShown ? shown.push(place) : gone.push(place.key))
  const inFeed = (list: 'f' | 'F', isShown: boolean) => add(isShown, { key: feed(list) })
  const inCompany = (list: 'c' | 'C', isShown: boolean) =>
    add(isShown, {
      key: company(list),
      ...{ side_cik: cikNumber(trade.insiderCik), side_name: trade.insiderName, side_title: trade.insiderTitle },
    })
  const inInsiders = (list: 'i' | 'I', isShown: boolean) => {
    for (const [place, key] of insiders(list).entries())
      add(isShown && counts.has(trade.ownerCiks[place]!), {
        ...{ key, side_cik: cikNumber(trade.issuerCik), side_name: trade.companyName },
        side_title: trade.owners[place]!.title,
      })
  }
  const isSuperseded = trade.supersededBy !== ''
  inFeed('f', trade.listed)
  inCompany('c', trade.listed)
  inInsiders('i', !isSuperseded)
  if (isSuperseded) {
    inFeed('F', trade.duplicateOf === '')
    inCompany('C', trade.duplicateOf === '')
    inInsiders('I', true)
  }
  return [
    ...(shown.length > 0 ? [{ places: shown, ...shownRow(trade, version) }] : []),
    ...(gone.length > 0 ? [goneRow(gone, trade.issuerCik, version)] : []),
  ]
}

/** Returns what a transaction's rows have in common in all lists. */
function shownRow(trade: Trade, version: number): InsertRow {
  const facts = filterFacts(trade)
  const isTrade = (facts.type === 'buy' || facts.type === 'sell') && facts.credible
  const isOpenMarket = isTrade && Number(trade.priceFiled ?? 0) > 0 && trade.insiderCik !== trade.issuerCik
  return {
    issuer_cik: cikNumber(trade.issuerCik),
    // The store keeps an object as its text.
    transaction: toTransaction(trade),
    detail: toDetail(trade),
    ticker: trade.ticker,
    type: facts.type,
    code: facts.code,
    roles: roleBits(facts.roles),
    ownership: facts.ownership,
    plan: facts.plan,
    routine: facts.routine,
    credible: facts.credible,
    total_value: facts.totalValue,
    shares: facts.shares,
    significance: facts.significance,
    // The default is the epoch.
    ...(facts.tradeDay !== null && { trade_day: facts.tradeDay }),
    trader: isOpenMarket ? cikNumber(trade.insiderCik) : 0,
    late: facts.late,
    first_buy_years: facts.firstBuyYears,
    holding_change: facts.holdingChange,
    new_holding: facts.newHolding,
    earlier: trade.earlier,
    superseded_at: trade.supersededAt,
    suspect_until: trade.suspectUntil,
    estimated: isEstimated(trade.filedBasis),
    version,
    deleted: 0,
  }
}

/** Returns the rows of a filing in the lists of filings; those that remove it if the SEC has withdrawn it. */
export function filingRows(entry: DirectoryEntry, version: number): InsertRow[] {
  const { accession, issuerCik, filedAt, form, companyName, symbols, owners, isWithdrawn = false } = entry
  const ownerCiks = owners.map(({ cik }) => cik)
  const shown = { form, name: companyName, symbols, owner_ciks: ownerCiks.map(cikNumber) }
  return filingKeys({ accession, issuerCik, filedAt, ownerCiks }).map((key) => ({
    ...{ key, issuer_cik: cikNumber(issuerCik), ...shown, version, deleted: isWithdrawn ? 1 : 0 },
  }))
}

type FilingKey = Pick<EntryKey, 'accession' | 'issuerCik' | 'filedAt' | 'ownerCiks'>

/** Returns the rows that remove a filing from the lists of filings. */
export const goneFilingRows = (filing: FilingKey, version: number): InsertRow[] =>
  filingKeys(filing).map((key) => ({ key, issuer_cik: cikNumber(filing.issuerCik), version, deleted: 1 }))

const filingKeys = ({ accession, issuerCik, filedAt, ownerCiks }: FilingKey): string[] =>
  ['f', `c${issuerCik}`, ...ownerCiks.map((cik) => `i${cik}`)].map((list) => `${list}:${sortKey(filedAt)}${accession}`)

/** Returns the rows of a filing behind the transactions of its company and its owners, for their profiles. */
export function profileFilingRows(entry: DirectoryEntry, version: number): PlacedRow[] {
  const { issuerCik, companyName, symbols, sector, sic, owners, isEstimated: estimated } = entry
  const row = (party: `c${Cik}` | `i${Cik}`, ...said: [string, Ticker[], string, string]): PlacedRow => ({
    ...{ places: [{ key: profileKey(party, entry) }], issuer_cik: cikNumber(issuerCik), summed: JSON.stringify(said) },
    ...{ estimated, version, deleted: 0 },
  })
  return [
    row(`c${issuerCik}`, companyName, symbols, sector, sic ?? ''),
    ...owners.map(({ cik, name }) => row(`i${cik}`, name, [], '', '')),
  ]
}

/** Returns the row that removes a filing from the profiles of its company and its owners. */
export function goneProfileFilingRow(filing: FilingKey, version: number): PlacedRow {
  const parties = [`c${filing.issuerCik}` as const, ...filing.ownerCiks.map((cik) => `i${cik}` as const)]
  const keys = parties.map((party) => profileKey(party, filing))
  return goneRow(keys, filing.issuerCik, version)
}

/** Returns the row that removes the totals of these lists, whose rows change under this version. */
export const goneTotalsRow = (list: string, version: number): PlacedRow => ({
  ...{ places: [{ key: totalsKey(list) }], issuer_cik: cikNumber(list.slice(1)), version, deleted: 1 },
})

const profileKey = (party: `c${Cik}` | `i${Cik}`, { filedAt, accession }: Pick<EntryKey, 'filedAt' | 'accession'>) =>
  `${party}#${sortKey(filedAt)}${accession}`
