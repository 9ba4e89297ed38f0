// Bytes to ledger: parsed, or kept with the reason it could not be. The commit here is the only point where a filing
// becomes ours.
import type { Filing } from '../domain/filing.ts'
import { filingTime, newYorkInstant } from '../domain/filing-time.ts'
import type { Clock, FilingFacts, IncomingDocument, Ledger, ReadDocument, RecordOutcome } from './ports.ts'

export interface SourceDocument {
  /** Where it was found; may show the accession number. */
  path: string
  bytes: Buffer
  /** When a source first showed it, where that was before now. */
  firstSeenAt?: Date
}

export interface RecordedDocument {
  path: string
  outcome: RecordOutcome | 'not-ownership'
  accession: string | null
  /** Why it was rejected or passed over. */
  reason: string | null
  /** Listed candidates: Table I transactions of a Form 4 or 4/A. */
  transactions: number
}

export type RecordFilings = (documents: SourceDocument[]) => Promise<RecordedDocument[]>

/** Records a batch in one transaction; the results come in the documents' order. Recording again changes nothing. */
export function recordFilings(read: ReadDocument, ledger: Ledger, clock: Clock): RecordFilings {
  return async (documents) => {
    const readings = documents.map((document) => prepare(read, document, document.firstSeenAt ?? new Date(clock())))
    const incoming = readings.flatMap((reading) => reading.incoming ?? [])
    const outcomes = incoming.length > 0 ? await ledger.record(incoming) : []
    let next = 0
    return readings.map(({ incoming, recorded }) => incoming ? { ...recorded, outcome: outcomes[next++]! } : recorded)
  }
}

function prepare(read: ReadDocument, { path, bytes }: SourceDocument, firstSeenAt: Date) {
  const reading = read(bytes, path)
  const recorded: RecordedDocument = { path, outcome: 'not-ownership', accession: null, reason: null, transactions: 0 }
  if (reading.kind === 'not-ownership') return { incoming: null, recorded: { ...recorded, reason: reading.reason } }
  const common = { bytes, source: path, firstSeenAt }
  if (reading.kind === 'rejected') {
    const { accession, reason } = reading
    const incoming: IncomingDocument = { ...common, accession, content: { reason } }
    return { incoming, recorded: { ...recorded, accession, reason } }
  }
  const { accession } = reading.filing
  const facts = factsOf(reading.filing, Math.floor(firstSeenAt.getTime() / 1000))
  const incoming: IncomingDocument = { ...common, accession, content: { facts } }
  return { incoming, recorded: { ...recorded, accession, transactions: facts.transactions } }
}

function factsOf(filing: Filing, receivedAt: number): FilingFacts {
  const { at, basis } = filingTime(filing, receivedAt)
  const accepted = filing.header?.acceptedAt ? newYorkInstant(filing.header.acceptedAt) : null
  const isForm4 = filing.formType === '4' || filing.formType === '4/A'
  return {
    kind: filing.kind,
    form: filing.formType,
    issuerCik: filing.issuer.cik,
    ownerCiks: filing.owners.map((owner) => owner.cik),
    period: filing.periodOfReport,
    acceptedAt: accepted === null ? null : new Date(accepted * 1000),
    filedAt: new Date(at * 1000),
    filedBasis: basis,
    transactions: isForm4 ? filing.nonDerivative.filter((row) => row.kind === 'transaction').length : 0,
    contentKey: contentKey(filing),
  }
}

// The form belongs to it: a 4/A that repeats its original unchanged is another filing.
function contentKey(filing: Filing): string {
  const owners = filing.owners.map((owner) => owner.cik).sort()
  return JSON.stringify([filing.formType, filing.issuer.cik, owners, filing.periodOfReport, filing.nonDerivative, filing.derivative])
}
