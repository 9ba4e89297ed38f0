// Rows of the lists that answer pages, for what this process writes itself: transactions, filings, signals. For rows
// moved in bulk the engine makes the same from columns (migrations/0007_create_lists.sql); a test holds both equal.
import type {
  AnalyticsChange,
  DirectoryEntry,
  ListedState,
  ShownSignal,
  StatesKey,
} from '../../../application/ports/analytics.ts'
import type { components } from '../../../contract.ts'
import { isEstimated } from '../../../domain/filings/acceptance-time.ts'
import { describeSignal } from '../../../domain/signals/descriptions/signal-description.ts'
import type { Signal } from '../../../domain/signals/signal.ts'
import { cikNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import type { Trade, TradeKey } from '../../../domain/trades/trade.ts'
import { isCredible } from '../../../domain/trades/credible-value.ts'
import { filterFacts, isOpenMarket, ownershipOf } from '../../../domain/trades/transaction-filter.ts'
import type { InsertRow } from '../connection/client.ts'
import { roleBits } from './roles.ts'
import { descendingSortKey, sortKey } from '../sort-key.ts'

type Transaction = components['schemas']['Transaction']
type TransactionDetail = components['schemas']['TransactionDetail']

const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')

/**
 * Returns the list of a company (`c`) or an insider (`i`), or that of what was superseded there (`C`, `I`). Throws if
 * the CIK is none.
 */
function listOf(kind: 'c' | 'i' | 'C' | 'I', cik: Cik): string {
  cikNumber(cik)
  return `${kind}${cik}`
}

/** A list, whether the transaction is shown there, and the other side: an insider's company, a company's insider. */
interface Place {
  list: string
  isShown: boolean
  other: { cik: Cik; name: string; title: string } | null
}

/**
 * Returns a trade's rows in `transaction_lists`: in the feed, its company's list and its owners'. `isRestored`: it was
 * superseded and is no longer.
 */
export function transactionRows(trade: Trade, version: number, isRestored = false): InsertRow[] {
  const transaction = JSON.stringify(transactionOf(trade))
  const detail = JSON.stringify(detailOf(trade))
  const { roles, totalValue, tradeDay, ...others } = filterFacts(trade)
  const trader = isOpenMarket(trade) ? cikNumber(trade.insiderCik) : 0
  const facts = {
    ...others,
    roles: roleBits(roles),
    total_value: totalValue,
    trade_day: tradeDay ?? '1970-01-01',
    superseded_at: trade.supersededAt,
    estimated: isEstimated(trade.filedBasis),
  }
  const wasSuperseded = isRestored || trade.supersededBy !== ''
  return [...placesOf(trade), ...(wasSuperseded ? formerPlacesOf(trade) : [])].map(({ list, isShown, other }) => ({
    ...rowKey(trade, list, version),
    ...facts,
    ...(isShown
      ? {
          transaction,
          detail,
          trader,
          summed: other ? JSON.stringify(summedOf(trade, other)) : '',
          earlier: trade.earlier,
          deleted: 0,
        }
      : { deleted: 1 }),
  }))
}

/** Returns the rows that take a trade out of the lists. */
export function goneTransactionRows(trade: TradeKey, version: number): InsertRow[] {
  const lists = [
    ...['f', listOf('c', trade.issuerCik), ...trade.ownerCiks.map((cik) => listOf('i', cik))],
    ...['F', listOf('C', trade.issuerCik), ...trade.ownerCiks.map((cik) => listOf('I', cik))],
  ]
  return lists.map((list) => ({ ...rowKey(trade, list, version), deleted: 1 }))
}

/** Returns the lists of companies and insiders that have rows of this change. */
export function listsOfChange({
  trades,
  goneTrades,
  entries,
  goneEntries,
}: Pick<AnalyticsChange, 'trades' | 'goneTrades' | 'entries' | 'goneEntries'>): Set<string> {
  const lists = new Set<string>()
  const add = (issuer: Cik, owners: readonly Cik[]) => {
    lists.add(listOf('c', issuer))
    for (const owner of owners) lists.add(listOf('i', owner))
  }
  const ciks = (owners: readonly { cik: Cik }[]) => owners.map(({ cik }) => cik)
  for (const { issuerCik, owners } of trades) add(issuerCik, ciks(owners))
  for (const { issuerCik, ownerCiks } of goneTrades) add(issuerCik, ownerCiks)
  for (const { issuerCik, owners } of [...entries, ...goneEntries]) add(issuerCik, ciks(owners))
  return lists
}

const rowKey = (trade: TradeKey, list: string, version: number): InsertRow => ({
  ...noTrade(trade.issuerCik, version),
  key: `${list}:${sortKey(trade.filedAt)}${trade.accession} ${sortKey(trade.place)}`,
})

/** Names no trader: an insert with a row that leaves the column to its default takes a sixth longer. */
const noTrade = (issuer: Cik, version: number): InsertRow => ({ issuer_cik: cikNumber(issuer), version, trader: 0 })

function placesOf(trade: Trade): Place[] {
  const isShown = { inList: trade.listed, inProfile: trade.supersededBy === '' }
  return placesIn(['f', 'c', 'i'], trade, isShown)
}

/** Returns where a trade was shown until it was superseded: lists that only questions as of an instant read. */
function formerPlacesOf(trade: Trade): Place[] {
  const inProfile = trade.supersededBy !== ''
  return placesIn(['F', 'C', 'I'], trade, { inList: inProfile && trade.duplicateOf === '', inProfile })
}

function placesIn(
  [all, ofCompany, ofInsider]: readonly ['f', 'c', 'i'] | readonly ['F', 'C', 'I'],
  trade: Trade,
  { inList, inProfile }: { inList: boolean; inProfile: boolean },
): Place[] {
  const { issuerCik, companyName, insiderCik, insiderName, insiderTitle } = trade
  const insider = { cik: insiderCik, name: insiderName, title: insiderTitle }
  return [
    { list: all, isShown: inList, other: null },
    { list: listOf(ofCompany, issuerCik), isShown: inList, other: insider },
    ...trade.owners.map(({ cik, title }) => ({
      list: listOf(ofInsider, cik),
      isShown: inProfile && trade.profileCiks.includes(cik),
      other: { cik: issuerCik, name: companyName, title },
    })),
  ]
}

function transactionOf(trade: Trade): Transaction {
  return {
    id: trade.id,
    ticker: trade.ticker,
    companyName: trade.companyName,
    insiderName: trade.insiderName,
    insiderTitle: trade.insiderTitle,
    transactionType: trade.type,
    shares: Number(trade.shares),
    pricePerShare: Number(trade.priceFiled ?? '0'),
    totalValue: Number(trade.totalValue),
    filingDate: timeText(trade.filedAt),
    significance: trade.significance,
    signals: trade.signals,
  }
}

/** Returns the details without the sector, which is added on reading. */
function detailOf(trade: Trade): Omit<TransactionDetail, 'sector'> {
  const { accession, issuerCik } = trade
  const folder = `https://www.sec.gov/Archives/edgar/data/${cikNumber(issuerCik)}/${accession.replaceAll('-', '')}`
  return {
    accessionNumber: accession,
    transactionCode: trade.code,
    acquiredDisposed: trade.acquiredDisposed as TransactionDetail['acquiredDisposed'],
    ownership: ownershipOf(trade),
    tradeDate: trade.date,
    tradeDateStatus: trade.tradeDay === null ? 'impossible' : 'plausible',
    sharesOwnedAfter: trade.sharesAfter === null ? null : Number(trade.sharesAfter),
    sharesStatus: trade.sharesStatus,
    priceStatus: trade.priceStatus,
    filingDateBasis: trade.filedBasis as TransactionDetail['filingDateBasis'],
    plan10b51: trade.plan,
    planSource: trade.planSource,
    ambiguousAmendment: trade.ambiguous,
    issuerCik,
    insiderCik: trade.insiderCik,
    form: trade.amendment ? '4/A' : '4',
    securityTitle: trade.securityTitle,
    routine: trade.routine,
    holdingChange: holdingChange(trade),
    url: accession.startsWith('local-') ? null : `${folder}/${accession}-index.htm`,
  }
}

const DIRECTIONS: Readonly<Record<string, number>> = { A: 1, D: -1 }

/** Returns by what fraction the holding of this line changed; null where what was held before is 0 or unknown. */
function holdingChange({ acquiredDisposed, shares, sharesAfter }: Trade): number | null {
  const direction = DIRECTIONS[acquiredDisposed]
  if (direction === undefined || sharesAfter === null) return null
  const moved = Number(shares) * direction
  const before = Number(sharesAfter) - moved
  return before > 0 ? Math.floor((moved / before) * 10_000 + 0.5) / 10_000 : null
}

function summedOf(trade: Trade, other: NonNullable<Place['other']>) {
  const counts = (trade.type === 'buy' || trade.type === 'sell') && isCredible(trade)
  const value = counts ? plainDecimal(trade.totalValue) : ''
  return [other.cik, other.name, other.title, trade.ticker, trade.type, value, trade.tradeDay]
}

/** Returns a decimal as the engine writes it: without zeros at its end. */
const plainDecimal = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)

/** Returns a filing's rows behind the transactions of its company and its owners, in `transaction_lists`. */
export function profileFilingRows(entry: DirectoryEntry, version: number, deleted: 0 | 1): InsertRow[] {
  const place = `#${sortKey(entry.filedAt)}${entry.accession}`
  const common = { ...noTrade(entry.issuerCik, version), estimated: entry.isEstimated, deleted }
  const row = (list: string, says: unknown[]) => ({
    ...common,
    key: list + place,
    summed: deleted ? '' : JSON.stringify(says),
  })
  return [
    row(listOf('c', entry.issuerCik), [entry.companyName, entry.symbols, entry.sector, entry.sic ?? '']),
    ...entry.owners.map(({ cik, name }) => row(listOf('i', cik), [name, [], '', ''])),
  ]
}

/** Returns a filing's rows in `filing_lists`: in the list of all, its company's and its owners'. */
export function filingRows(entry: DirectoryEntry, version: number, deleted: 0 | 1): InsertRow[] {
  const lists = ['f', listOf('c', entry.issuerCik), ...entry.owners.map(({ cik }) => listOf('i', cik))]
  return lists.map((list) => ({
    key: `${list}:${sortKey(entry.filedAt)}${entry.accession}`,
    issuer_cik: cikNumber(entry.issuerCik),
    form: entry.form,
    name: entry.companyName,
    symbols: entry.symbols,
    owner_ciks: entry.owners.map(({ cik }) => cikNumber(cik)),
    version,
    deleted: entry.isWithdrawn ? 1 : deleted,
  }))
}

/** Returns the row of a signal in `signal_list`, from which one that ended is removed. */
export function signalListRow(shown: ShownSignal, version: number): InsertRow {
  const { signal, ticker, companyName } = shown
  if (signal.endedAt !== null) return goneSignalListRow(signal, version)
  const listed = { ...signal, ticker, companyName, description: describeSignal(signal, shown) }
  return {
    ...signalKey(signal, version),
    signal: JSON.stringify(signalOf(signal, listed)),
    type: signal.type,
    severity: signal.severity,
    total_value: (signal.totalCents / 100).toFixed(2),
    deleted: 0,
  }
}

function signalOf(
  { id, type, detectedAt }: Signal,
  listed: NonNullable<ListedState['shown']>,
): components['schemas']['Signal'] {
  const { severity, ticker, companyName, description, insiderCount, totalCents } = listed
  return {
    id,
    type,
    severity,
    ticker,
    companyName,
    description,
    insiderCount,
    totalValue: Number((totalCents / 100).toFixed(2)),
    detectedAt: timeText(detectedAt),
  }
}

/** Returns the row of a signal in `signal_states`. */
export function signalStatesRow({ signal, knownAt, states }: ShownSignal, version: number): InsertRow {
  if (knownAt === null) return goneSignalListRow(signal, version)
  const known = { ...signal, detectedAt: knownAt }
  return {
    ...signalKey(known, version),
    type: signal.type,
    states: states.map(({ since, shown }) => ({
      since,
      severity: shown?.severity ?? 'low',
      signal: shown ? JSON.stringify(signalOf(known, shown)) : '',
    })),
    deleted: 0,
  }
}

/** Returns the row that removes a signal from `signal_list` or `signal_states`. */
export const goneSignalListRow = (signal: StatesKey, version: number): InsertRow => ({
  ...signalKey(signal, version),
  deleted: 1,
})

const signalKey = ({ detectedAt, id, issuerCik }: StatesKey, version: number): InsertRow => ({
  key: `${descendingSortKey(detectedAt)} ${id}`,
  issuer_cik: cikNumber(issuerCik),
  version,
})
