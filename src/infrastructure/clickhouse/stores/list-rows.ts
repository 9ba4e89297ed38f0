// Makes the rows of the lists: of transactions in `transaction_lists`, of filings in `filing_lists`, and of the filings
// behind a profile's transactions.
import type { DirectoryEntry, EntryKey } from '../../../application/ports/analytics.ts'
import { toDetail, toTransaction } from '../../../application/queries/transactions/transaction-fields.ts'
import { isEstimated } from '../../../domain/filings/acceptance-time.ts'
import { cikNumber, type Cik, type Ticker } from '../../../domain/shared/identifiers.ts'
import type { Trade, TradeKey } from '../../../domain/trades/trade.ts'
import { filterFacts } from '../../../domain/trades/transaction-filter.ts'
import type { InsertRow } from '../connection/client.ts'
import { sortKey } from '../sort-key.ts'
import { roleBits } from './roles.ts'

/** The other side of a transaction in a list: an insider's company, a company's insider. */
interface Side {
  cik: number
  name: string
  title: string
}

const NO_SIDE: Side = { cik: 0, name: '', title: '' }

/** Returns the keys that a transaction has in the lists, of which those with a capital letter have superseded rows. */
const placesOf = ({ accession, place, issuerCik, filedAt, ownerCiks }: TradeKey) => {
  const at = `:${sortKey(filedAt)}${accession} ${sortKey(place)}`
  return {
    feed: (list: 'f' | 'F') => `${list}${at}`,
    company: (list: 'c' | 'C') => `${list}${issuerCik}${at}`,
    insiders: (list: 'i' | 'I') => ownerCiks.map((cik) => `${list}${cik}${at}`),
  }
}

const goneRow = (key: string, issuer: number, version: number): InsertRow => ({
  ...{ key, issuer_cik: issuer, version, deleted: 1 },
})

/** Returns the rows that remove a transaction from all lists. */
export function goneListRows(trade: TradeKey, version: number): InsertRow[] {
  const { feed, company, insiders } = placesOf(trade)
  const present = [feed('f'), company('c'), ...insiders('i')]
  return [...goneKeys(present, trade, version), ...notSupersededRows(trade, version)]
}

/** Returns the rows that remove a transaction from the lists of superseded ones. */
export function notSupersededRows(trade: TradeKey, version: number): InsertRow[] {
  const { feed, company, insiders } = placesOf(trade)
  return goneKeys([feed('F'), company('C'), ...insiders('I')], trade, version)
}

const goneKeys = (keys: string[], { issuerCik }: TradeKey, version: number): InsertRow[] =>
  keys.map((key) => goneRow(key, cikNumber(issuerCik), version))

/** Returns the rows of a transaction: in each list in which it is shown, and those that remove it from the others. */
export function listRows(trade: Trade, version: number): InsertRow[] {
  const { feed, company, insiders } = placesOf(trade)
  const row = shownRow(trade, version)
  const issuer = cikNumber(trade.issuerCik)
  const shown = (key: string, side: Side, isShown: boolean): InsertRow =>
    isShown
      ? { key, ...row, side_cik: side.cik, side_name: side.name, side_title: side.title }
      : goneRow(key, issuer, version)
  const insider = { cik: cikNumber(trade.insiderCik), name: trade.insiderName, title: trade.insiderTitle }
  const counts = new Set(trade.profileCiks)
  const inInsiders = (list: 'i' | 'I', isShown: boolean) =>
    insiders(list).map((key, place) => {
      const side = { cik: issuer, name: trade.companyName, title: trade.owners[place]!.title }
      return shown(key, side, isShown && counts.has(trade.ownerCiks[place]!))
    })
  const isSuperseded = trade.supersededBy !== ''
  const isDuplicate = trade.duplicateOf !== ''
  return [
    shown(feed('f'), NO_SIDE, trade.listed),
    shown(company('c'), insider, trade.listed),
    ...inInsiders('i', !isSuperseded),
    ...(isSuperseded
      ? [shown(feed('F'), NO_SIDE, !isDuplicate), shown(company('C'), insider, !isDuplicate), ...inInsiders('I', true)]
      : []),
  ]
}

/** Returns what a transaction's rows have in common in all lists. */
function shownRow(trade: Trade, version: number): InsertRow {
  const facts = filterFacts(trade)
  const isTrade = (facts.type === 'buy' || facts.type === 'sell') && facts.credible
  const isOpenMarket = isTrade && Number(trade.priceFiled ?? 0) > 0 && trade.insiderCik !== trade.issuerCik
  return {
    issuer_cik: cikNumber(trade.issuerCik),
    transaction: JSON.stringify(toTransaction(trade)),
    detail: JSON.stringify(toDetail(trade)),
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
  filingKeys(filing).map((key) => goneRow(key, cikNumber(filing.issuerCik), version))

const filingKeys = ({ accession, issuerCik, filedAt, ownerCiks }: FilingKey): string[] =>
  ['f', `c${issuerCik}`, ...ownerCiks.map((cik) => `i${cik}`)].map((list) => `${list}:${sortKey(filedAt)}${accession}`)

/** Returns the rows of a filing behind the transactions of its company and its owners, for their profiles. */
export function profileFilingRows(entry: DirectoryEntry, version: number): InsertRow[] {
  const { issuerCik, companyName, symbols, sector, sic, owners, isEstimated: estimated } = entry
  const row = (party: `c${Cik}` | `i${Cik}`, ...said: [string, Ticker[], string, string]): InsertRow => ({
    ...{ key: profileKey(party, entry), issuer_cik: cikNumber(issuerCik), summed: JSON.stringify(said) },
    ...{ estimated, version, deleted: 0 },
  })
  return [
    row(`c${issuerCik}`, companyName, symbols, sector, sic ?? ''),
    ...owners.map(({ cik, name }) => row(`i${cik}`, name, [], '', '')),
  ]
}

/** Returns the rows that remove a filing from the profiles of its company and its owners. */
export const goneProfileFilingRows = (filing: FilingKey, version: number): InsertRow[] =>
  [`c${filing.issuerCik}` as const, ...filing.ownerCiks.map((cik) => `i${cik}` as const)].map((party) =>
    goneRow(profileKey(party, filing), cikNumber(filing.issuerCik), version),
  )

const profileKey = (party: `c${Cik}` | `i${Cik}`, { filedAt, accession }: Pick<EntryKey, 'filedAt' | 'accession'>) =>
  `${party}#${sortKey(filedAt)}${accession}`
