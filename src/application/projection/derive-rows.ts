// Derives the rows of filings from their documents: what each present copy gives, and what of earlier copies is to be
// removed.
import { filingTime, isEstimated } from '../../domain/filings/acceptance-time.ts'
import type { Filing } from '../../domain/filings/filing.ts'
import { evidenceOf } from '../../domain/positions/evidence.ts'
import type { AccessionNumber } from '../../domain/shared/identifiers.ts'
import { type WithdrawnFilings } from '../../domain/trades/reconciliation/related-filing.ts'
import { tradeFacts, type PlaceOf } from '../../domain/trades/extract-trades.ts'
import type { TradeFacts, TradeKey } from '../../domain/trades/trade.ts'
import { directoryEntry, entryKey } from './directory-entry.ts'
import { timeSlices } from '../shared/time-slices.ts'
import { retractionsOf } from './retractions.ts'
import type { PendingDocument, ReadDocument } from '../ports/filings.ts'
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

/**
 * Derives rows from documents. The ledger has their bytes, not what an earlier version read of them, so that a better
 * reader gives better rows. A document that can't be read gives no rows and is among the failures.
 */
export async function derive(
  read: ReadDocument,
  documents: PendingDocument[],
  withdrawn: WithdrawnFilings,
): Promise<Derived> {
  const derived = noRows()
  const pause = timeSlices()
  for (const document of documents) {
    await pause()
    const failed = (error: unknown): Derived => {
      return {
        ...noRows(),
        failures: [{ accession: document.accession, reason: `could not be projected: ${String(error)}` }],
      }
    }
    const own = await deriveOne(read, document, withdrawn.get(document.accession)).catch(failed)
    for (const part of Object.keys(own) as (keyof Derived)[]) (derived[part] as unknown[]).push(...own[part])
  }
  return derived
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

async function deriveOne(
  read: ReadDocument,
  document: PendingDocument,
  withdrawn: number | undefined,
): Promise<Derived> {
  const { accession, firstSeenAt } = document
  const derived = noRows()
  const reading = await read(document.document, document.source)
  if (reading.kind === 'notice') return { ...derived, failures: [{ accession, reason: 'a notice of a proposed sale' }] }
  if (reading.kind !== 'filing') return { ...derived, failures: [{ accession, reason: reading.reason }] }
  const filing = { ...reading.filing, accession }
  derived.accessions.push(accession)
  if (document.replaced) takeBack(derived, firstSeenAt, filing)
  else addRows(derived, filing, { receivedAt: firstSeenAt, withdrawn })
  if (document.ofSet) takeBackSet(derived, document.ofSet)
  for (const prior of document.priorDocuments) {
    const earlier = await read(prior, document.source)
    if (earlier.kind === 'filing') takeBack(derived, firstSeenAt, { ...earlier.filing, accession })
  }
  return derived
}

/**
 * Adds the rows of a filing; returns its entry. `receivedAt`: when it was first received; `withdrawn`: when the SEC's record came that it
 * is withdrawn; both in seconds since 1970. `placeOf` as for `tradeFacts`.
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
