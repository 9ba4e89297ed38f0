// Derives the rows of filings from their documents: what each present copy gives, and what of earlier copies is to be
// removed. Pure, and computed beside what the service answers.
import { filingTime, isEstimated } from '../../domain/filings/acceptance-time.ts'
import type { Filing } from '../../domain/filings/filing.ts'
import { evidenceOf } from '../../domain/positions/evidence.ts'
import type { AccessionNumber } from '../../domain/shared/identifiers.ts'
import { type WithdrawnFilings } from '../../domain/trades/reconciliation/related-filing.ts'
import { tradeFacts, type PlaceOf } from '../../domain/trades/extract-trades.ts'
import type { TradeFacts, TradeKey } from '../../domain/trades/trade.ts'
import { directoryEntry, entryKey } from './directory-entry.ts'
import { retractionsOf } from './retractions.ts'
import type { DocumentReading, PendingDocument } from '../ports/filings.ts'
import type { DataSetFiling } from '../ports/data-sets.ts'
import type { AnalyticsChange, DirectoryEntry, StoredDetails, StoredEvidence } from '../ports/analytics.ts'

/** The rows that a batch of documents adds to ClickHouse, and those that it removes. */
export interface Derived {
  accessions: AccessionNumber[]
  trades: TradeFacts[]
  entries: DirectoryEntry[]
  balances: StoredEvidence[]
  details: StoredDetails[]
  goneTrades: TradeKey[]
  goneEntries: AnalyticsChange['goneEntries']
  goneDetails: AnalyticsChange['goneDetails']
  failures: { accession: AccessionNumber; reason: string }[]
}

/** Reads a document at once. */
export type ReadAtOnce = (bytes: Buffer, path: string) => DocumentReading

/**
 * Derives rows from documents. The ledger has their bytes, not what an earlier version read of them, so that a better
 * reader gives better rows. A document that can't be read gives no rows and is among the failures.
 */
export function derive(read: ReadAtOnce, documents: PendingDocument[], withdrawn: WithdrawnFilings): Derived {
  const derived = noRows()
  for (const document of documents) addTo(derived, deriveSafely(read, document, withdrawn.get(document.accession)))
  return derived
}

function deriveSafely(read: ReadAtOnce, document: PendingDocument, withdrawn: number | undefined): Derived {
  try {
    return deriveOne(read, document, withdrawn)
  } catch (error) {
    const reason = `could not be projected: ${String(error)}`
    return { ...noRows(), failures: [{ accession: document.accession, reason }] }
  }
}

/** Adds rows to those of other filings. */
export function addTo(derived: Derived, own: Derived): void {
  for (const part of Object.keys(own) as (keyof Derived)[])
    for (const row of own[part]) (derived[part] as unknown[]).push(row)
}

export const noRows = (): Derived => ({
  accessions: [],
  trades: [],
  entries: [],
  balances: [],
  details: [],
  goneTrades: [],
  goneEntries: [],
  goneDetails: [],
  failures: [],
})

function deriveOne(read: ReadAtOnce, document: PendingDocument, withdrawn: number | undefined): Derived {
  const { accession, firstSeenAt } = document
  const derived = noRows()
  const reading = read(document.document, document.source)
  if (reading.kind === 'notice') return { ...derived, failures: [{ accession, reason: 'a notice of a proposed sale' }] }
  if (reading.kind !== 'filing') return { ...derived, failures: [{ accession, reason: reading.reason }] }
  const filing = { ...reading.filing, accession }
  derived.accessions.push(accession)
  if (document.replaced) takeBack(derived, firstSeenAt, filing)
  else addRows(derived, filing, { receivedAt: firstSeenAt, withdrawn })
  if (document.ofSet) takeBackSet(derived, document.ofSet)
  for (const prior of document.priorDocuments) {
    const earlier = read(prior, document.source)
    if (earlier.kind === 'filing') takeBack(derived, firstSeenAt, { ...earlier.filing, accession })
  }
  return derived
}

/**
 * Adds the rows of a filing; returns its entry. `receivedAt`: when it was first received; `withdrawn`: when the SEC's
 * record came that it is withdrawn; both in seconds since 1970. `placeOf` as for `tradeFacts`.
 */
export function addRows(
  derived: Derived,
  filing: Filing,
  { receivedAt, withdrawn, placeOf }: { receivedAt: number; withdrawn: number | undefined; placeOf?: PlaceOf },
): DirectoryEntry {
  const entry = { ...directoryEntry(filing, receivedAt), isWithdrawn: withdrawn !== undefined }
  derived.trades.push(...tradeFacts(filing, receivedAt, placeOf))
  derived.entries.push(entry)
  const time = filingTime(filing, receivedAt)
  const withdrawnAt = withdrawn === undefined ? null : Math.max(time.at, withdrawn)
  derived.balances.push({ evidence: evidenceOf(filing, time), isEstimated: isEstimated(time.basis), withdrawnAt })
  return entry
}

function takeBackSet(derived: Derived, ofSet: DataSetFiling): void {
  const { goneTrades, goneEntries, goneDetails } = retractionsOf([ofSet])
  derived.goneTrades.push(...goneTrades)
  derived.goneEntries.push(...goneEntries)
  derived.goneDetails.push(...goneDetails)
}

// Removes all rows of an earlier copy, which may name another time, issuer and owners. Rows that the present copy writes
// under the same key stay.
function takeBack(derived: Derived, receivedAt: number, gone: Filing): void {
  derived.goneTrades.push(...tradeFacts(gone, receivedAt))
  derived.goneEntries.push(entryKey(directoryEntry(gone, receivedAt)))
}
