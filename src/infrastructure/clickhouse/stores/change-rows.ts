// The rows of a change: what it writes into which table. Pure, and computed beside what the service answers.
import { scopeOfFilings } from '../../../application/changes/change-scope.ts'
import type { AnalyticsChange, ChangeRows, DirectoryEntry, EntryKey } from '../../../application/ports/analytics.ts'
import { cikNumber, cikOf, type AccessionNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import type { RelatedFiling } from '../../../domain/trades/reconciliation/related-filing.ts'
import { parseRows } from '../connection/answer-shape.ts'
import type { InsertRow } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { detailsText } from '../data-sets/read-details.ts'
import { balanceRow, goneBalanceRow } from './balances.ts'
import { goneTotalsRow, listsOfChange } from './parties.ts'
import { tableRows } from './table-rows.ts'
import { goneRow, tradeRow } from './trade-rows.ts'

/**
 * Returns the rows of a change. Of rows with equal keys and versions the one inserted last counts, so removed rows come
 * before present ones. If it is not live, its trades are written into all tables at once.
 */
export function changeRows(change: AnalyticsChange, version: number, isLive: boolean): ChangeRows {
  const { trades, goneTrades, entries, goneEntries, goneDetails } = change
  const { balances = [], details = [], restored = [], withdrawn = [] } = change
  const present = () => trades.values().map((trade) => tradeRow(trade, version))
  const gone = (list = goneTrades) => list.values().map((trade) => goneRow(trade, version))
  const summed = [...listsOfChange(change)]
  const totals = tableRows('transaction_lists', [summed.values().map((list) => goneTotalsRow(list, version))])
  // Trades that are no longer superseded are removed from the lists of superseded ones.
  const removed = () => [gone(), gone(restored)]
  return {
    version,
    shown: isLive ? [totals, tableRows('listed_trades', [...removed(), present()])] : [totals],
    parties: [
      tableRows('incoming_directory', [
        goneEntries.values().flatMap((entry) => goneDirectoryRows(entry, version)),
        entries.values().flatMap((entry) => directoryRows(entry, version)),
      ]),
      tableRows('balances', [
        goneEntries.values().map((entry) => goneBalanceRow(entry, version)),
        balances.values().map((balance) => balanceRow(balance, version)),
      ]),
    ],
    trades: isLive ? tableRows('trades', [gone(), present()]) : tableRows('incoming_trades', [...removed(), present()]),
    details: tableRows('filing_details', [
      goneDetails.values().map((filing) => ({ ...detailsKey(filing), version, deleted: 1 })),
      details.values().map((filing) => ({
        ...detailsKey(filing),
        content: detailsText(filing.filedBasis, filing.complete, filing.lines),
        version,
        deleted: 0,
      })),
    ]),
    withdrawn,
    lists: summed,
    isLive,
    scope: scopeOfFilings(change),
    filings: entries.length + goneEntries.length,
  }
}

/** Selects the filings of these issuers that the reconciliation of trades can need beside them. */
export const relatedFilingsSql = (issuers: Cik[]): Sql => sql`
  SELECT
    accession, key AS issuerCik, form, toUnixTimestamp(filed_at) AS filedAt, owner_ciks AS owners,
    original_date AS originalDate, period, amendment_words AS amendmentWords
  FROM directory FINAL
  WHERE kind = 'issuer' AND key IN ${issuers} AND (length(owner_ciks) > 1 OR notEmpty(amendment_words))`

type RelatedRow = [
  accession: AccessionNumber,
  issuerCik: Cik,
  form: RelatedFiling['form'],
  filedAt: number,
  owners: number[],
  originalDate: string,
  period: string,
  amendmentWords: RelatedFiling['amendmentWords'],
]

export function relatedFilings(stored: Uint8Array): RelatedFiling[] {
  return parseRows<RelatedRow>(stored).map(
    ([accession, issuerCik, form, filedAt, owners, originalDate, period, amendmentWords]) => ({
      ...{ accession, issuerCik, form, filedAt, amendmentWords },
      ownerCiks: owners.map(cikOf),
      originalDate: originalDate || null,
      period: period || null,
    }),
  )
}

const detailsKey = ({ filedAt, accession, issuerCik }: AnalyticsChange['goneDetails'][number]): InsertRow => ({
  filed_at: filedAt,
  accession,
  issuer_cik: cikNumber(issuerCik),
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

/** Returns the rows that remove an entry. The views remove it from the lists of filings too. */
function goneDirectoryRows(
  { accession, issuerCik, filedAt, ownerCiks, symbols }: EntryKey,
  version: number,
): InsertRow[] {
  const rows = [
    { kind: 'issuer', key: issuerCik, owner_ciks: ownerCiks.map(cikNumber) },
    ...ownerCiks.map((cik) => ({ kind: 'owner', key: cik })),
    ...symbols.map((symbol) => ({ kind: 'symbol', key: symbol })),
  ]
  const common = { filed_at: filedAt, accession, issuer_cik: cikNumber(issuerCik), version, deleted: 1 }
  return rows.map((row) => ({ ...row, ...common }))
}
