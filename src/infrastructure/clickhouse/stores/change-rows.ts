// Makes the rows of a change, by table, in the order in which they are to be inserted.
import type { AnalyticsChange, DirectoryEntry, EntryKey } from '../../../application/ports/analytics.ts'
import { cikNumber } from '../../../domain/shared/identifiers.ts'
import type { Trade } from '../../../domain/trades/trade.ts'
import type { InsertRow } from '../connection/client.ts'
import { detailsText } from '../data-sets/read-details.ts'
import { balanceRow, goneBalanceRow } from './balances.ts'
import {
  filingRows,
  goneFilingRows,
  goneListRow,
  goneProfileFilingRow,
  goneTotalsRow,
  listRows,
  notSupersededRow,
  profileFilingRows,
} from './list-rows.ts'
import { listsOfChange } from './parties.ts'
import { goneTradeRow, tradeRow, transactionRow } from './trade-rows.ts'

/** Rows by table. They are made as they are read, since all rows of a load of history would take much memory. */
export type TableRows = Record<string, Iterable<InsertRow>>

/** The rows of a change. Each stage is inserted when the one before is. */
export interface ChangeRows {
  /** What the feed and the profiles show. */
  shown: TableRows
  /** What answers need besides. */
  beside: TableRows
  /**
   * Last, because changes are found by comparing with `trades`: a change that was interrupted before is written again
   * as a whole.
   */
  last: TableRows
}

/**
 * Returns the rows of a change. Of rows with equal keys and versions the one inserted last counts, so rows that remove
 * something come before present ones.
 */
export function changeRows(change: AnalyticsChange, version: number): ChangeRows {
  const { trades, goneTrades, entries, goneEntries, goneDetails } = change
  const { balances = [], details = [], restored = [], withdrawn = [] } = change
  const each = <Item>(items: readonly Item[], toRows: (item: Item, version: number) => InsertRow[]) =>
    items.values().flatMap((item) => toRows(item, version))
  const one = <Item>(items: readonly Item[], toRow: (item: Item, version: number) => InsertRow) =>
    items.values().map((item) => toRow(item, version))
  return {
    shown: {
      placed_rows: joined(
        one([...listsOfChange(change)], goneTotalsRow),
        one(goneTrades, goneListRow),
        // Trades that are no longer superseded are removed from the lists of superseded ones.
        one(restored, notSupersededRow),
        each(trades, listRows),
        one(goneEntries, goneProfileFilingRow),
        each(entries, profileFilingRows),
      ),
    },
    beside: {
      transactions: joined(one(goneTrades, goneTradeRow), one(trades, transactionRow)),
      directory: joined(each(goneEntries, goneDirectoryRows), each(entries, directoryRows)),
      filing_lists: joined(
        each(goneEntries, goneFilingRows),
        each(withdrawn, goneFilingRows),
        each(entries, filingRows),
      ),
      balances: joined(one(goneEntries, goneBalanceRow), one(balances, balanceRow)),
      filing_details: joined(one(goneDetails, goneDetailsRow), one(details, detailsRow)),
    },
    last: { trades: joined(one(goneTrades, goneTradeRow), one(trades, tradeRow)) },
  }
}

/** Returns the rows of trades whose marks have changed. */
export const markedRows = (trades: readonly Trade[], version: number): ChangeRows => ({
  shown: { placed_rows: trades.values().flatMap((trade) => listRows(trade, version)) },
  beside: { transactions: trades.values().map((trade) => transactionRow(trade, version)) },
  last: { trades: trades.values().map((trade) => tradeRow(trade, version)) },
})

const joined = (...sources: Iterable<InsertRow>[]): Iterable<InsertRow> => sources.values().flatMap((source) => source)

const detailsKey = ({ filedAt, accession, issuerCik }: AnalyticsChange['goneDetails'][number]): InsertRow => ({
  filed_at: filedAt,
  accession,
  issuer_cik: cikNumber(issuerCik),
})

const goneDetailsRow = (filing: AnalyticsChange['goneDetails'][number], version: number): InsertRow => ({
  ...detailsKey(filing),
  version,
  deleted: 1,
})

const detailsRow = (filing: NonNullable<AnalyticsChange['details']>[number], version: number): InsertRow => ({
  ...detailsKey(filing),
  content: detailsText(filing.filedBasis, filing.complete, filing.lines),
  version,
  deleted: 0,
})

function directoryRows(entry: DirectoryEntry, version: number): InsertRow[] {
  const common = {
    filed_at: entry.filedAt,
    accession: entry.accession,
    issuer_cik: cikNumber(entry.issuerCik),
    estimated: entry.isEstimated,
    withdrawn: entry.isWithdrawn ?? false,
    version,
    deleted: 0,
  }
  const issuer = {
    ...common,
    kind: 'issuer',
    key: entry.issuerCik,
    name: entry.companyName,
    form: entry.form,
    symbols: entry.symbols,
    owner_ciks: entry.owners.map((owner) => cikNumber(owner.cik)),
    sic: entry.sic ?? '',
    office: entry.office ?? '',
    sector: entry.sector,
    original_date: entry.originalDate ?? '',
    period: entry.period ?? '',
    amendment_words: entry.amendmentWords,
  }
  const owners = entry.owners.map((owner) => ({ ...common, kind: 'owner', key: owner.cik, name: owner.name }))
  const symbols = entry.symbols.map((symbol) => ({ ...common, kind: 'symbol', key: symbol }))
  return [issuer, ...owners, ...symbols]
}

/** Returns the rows that remove an entry. */
function goneDirectoryRows(
  { accession, issuerCik, filedAt, ownerCiks, symbols }: EntryKey,
  version: number,
): InsertRow[] {
  const rows = [
    { kind: 'issuer', key: issuerCik },
    ...ownerCiks.map((cik) => ({ kind: 'owner', key: cik })),
    ...symbols.map((symbol) => ({ kind: 'symbol', key: symbol })),
  ]
  const common = { filed_at: filedAt, accession, issuer_cik: cikNumber(issuerCik), version, deleted: 1 }
  return rows.map((row) => ({ ...row, ...common }))
}
