// The command that records documents in the ledger: parsed, or with the reason why they could not be. The commit here
// is the only point at which a filing is accepted.
import type { Filing } from '../../domain/filings/filing.ts'
import { filingTime } from '../../domain/filings/acceptance-time.ts'
import { filedNotice } from '../../domain/notices/filed-notice.ts'
import { accessionInPath } from '../../domain/shared/identifiers.ts'
import { UnstorableError } from '../errors.ts'
import { eachApart } from '../shared/each-apart.ts'
import type {
  FilingFacts,
  IncomingDeletion,
  IncomingDocument,
  FilingLedger,
  ReadDocument,
  DocumentReading,
  RecordOutcome,
} from '../ports/filings.ts'
import type { IncomingNotice, NoticeLedger } from '../ports/notices.ts'
import type { Clock } from '../ports/system.ts'

interface SourceDocument {
  /** Where it was found; may show the accession number. */
  path: string
  bytes: Buffer
  /** When a source first showed it, if that was before now. */
  firstSeenAt?: Date
}

export interface RecordedDocument {
  path: string
  outcome: RecordOutcome | 'not-ownership'
  accession: string | null
  /** Why it was rejected or skipped. */
  reason: string | null
  /** Transactions of Table I of a Form 4 or 4/A. */
  transactions: number
}

export type RecordFilings = (documents: SourceDocument[]) => Promise<RecordedDocument[]>

/**
 * Records a batch in one transaction; the results are in the documents' order. Recording again changes nothing. A
 * document that can't be read or stored, for whatever reason, delays no other: only the failure of a store is thrown.
 */
export function makeRecordFilings(
  read: ReadDocument,
  ledger: FilingLedger,
  notices: Pick<NoticeLedger, 'record'>,
  clock: Clock,
): RecordFilings {
  return async (documents) => {
    const prepared: Prepared[] = []
    for (const document of documents) {
      prepared.push(await prepare(read, document, document.firstSeenAt ?? new Date(clock())))
    }
    const incoming = prepared.flatMap((each) => each.incoming ?? [])
    const outcomes = incoming.length > 0 ? await recordApart(ledger, incoming) : []
    const deletions = prepared.flatMap((each) => each.deletion ?? [])
    const deleted = deletions.length > 0 ? await ledger.withdrawals.record(deletions) : []
    const incomingNotices = prepared.flatMap((each) => each.notice ?? [])
    const noticed = incomingNotices.length > 0 ? await recordNotices(notices, ledger, incomingNotices) : []
    let [next, nextDeleted, nextNotice] = [0, 0, 0]
    return prepared.map(({ incoming, deletion, notice, recorded }) => {
      if (deletion) return { ...recorded, outcome: deleted[nextDeleted++]! }
      if (notice) return { ...recorded, ...noticed[nextNotice++]! }
      return incoming ? { ...recorded, ...outcomes[next++]! } : recorded
    })
  }
}

interface Prepared {
  /** Null for what is not recorded, and for deletions. */
  incoming: IncomingDocument | null
  deletion?: IncomingDeletion
  notice?: IncomingNotice
  recorded: RecordedDocument
}

/** The outcome for a document, with the reason if it arose while storing it. */
type Recorded = Pick<RecordedDocument, 'outcome'> & Partial<Pick<RecordedDocument, 'reason' | 'transactions'>>

async function prepare(read: ReadDocument, { path, bytes }: SourceDocument, firstSeenAt: Date): Promise<Prepared> {
  const reading = await readSafely(read, bytes, path)
  const recorded: RecordedDocument = { path, outcome: 'not-ownership', accession: null, reason: null, transactions: 0 }
  if (reading.kind === 'not-ownership') return { incoming: null, recorded: { ...recorded, reason: reading.reason } }
  if (reading.kind === 'deletion') {
    const { accession } = reading
    return { incoming: null, deletion: { accession, source: path, firstSeenAt }, recorded: { ...recorded, accession } }
  }
  const common = { bytes, source: path, firstSeenAt }
  if (reading.kind === 'notice') {
    const notice = filedNotice(reading.notice, Math.floor(firstSeenAt.getTime() / 1000))
    return { incoming: null, notice: { ...common, notice }, recorded: { ...recorded, accession: notice.accession } }
  }
  if (reading.kind === 'filing') {
    const { accession } = reading.filing
    try {
      const facts = factsOf(reading.filing, Math.floor(firstSeenAt.getTime() / 1000))
      const { transactions } = facts
      return {
        incoming: { ...common, accession, content: { facts } },
        recorded: { ...recorded, accession, transactions },
      }
    } catch (error) {
      return refused(accession, `could not be understood: ${String(error)}`)
    }
  }
  return refused(reading.accession, reading.reason)

  function refused(accession: string, reason: string): Prepared {
    const refusal = { ...recorded, outcome: 'rejected' as const, accession: accession || null, reason }
    return { incoming: accession ? { ...common, accession, content: { reason } } : null, recorded: refusal }
  }
}

/** Handles a reader that throws, against its port, and so gives no accession number: `` if the path doesn't either. */
async function readSafely(read: ReadDocument, bytes: Buffer, path: string): Promise<DocumentReading> {
  try {
    return await read(bytes, path)
  } catch (error) {
    return { kind: 'rejected', accession: accessionInPath(path) ?? '', reason: `could not be read: ${String(error)}` }
  }
}

/** Records a document that the ledger can't hold as rejected or, if that fails too, only reports it as rejected. */
async function recordApart(ledger: FilingLedger, documents: IncomingDocument[]): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  await eachApart(
    documents,
    async (some) => recorded.push(...(await ledger.record(some)).map((outcome) => ({ outcome }))),
    async (document, error) => recorded.push(await recordRefused(ledger, document, reasonOf(error))),
    isUnstorable,
  )
  return recorded
}

const isUnstorable = (error: unknown): boolean => error instanceof UnstorableError
const reasonOf = (error: unknown): string => `could not be recorded: ${(error as Error).message}`

/** Records notices; one that the store can't hold is kept as rejected. */
async function recordNotices(
  notices: Pick<NoticeLedger, 'record'>,
  ledger: FilingLedger,
  incoming: IncomingNotice[],
): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  await eachApart(
    incoming,
    async (some) => recorded.push(...(await notices.record(some)).map((outcome) => ({ outcome }))),
    async ({ notice, ...common }, error) => {
      const reason = reasonOf(error)
      await ledger.record([{ ...common, accession: notice.accession, content: { reason } }])
      recorded.push({ outcome: 'rejected', reason })
    },
    isUnstorable,
  )
  return recorded
}

async function recordRefused(ledger: FilingLedger, document: IncomingDocument, reason: string): Promise<Recorded> {
  if ('facts' in document.content) {
    try {
      await ledger.record([{ ...document, content: { reason } }])
    } catch (error) {
      if (!(error instanceof UnstorableError)) throw error
    }
  }
  return { outcome: 'rejected', reason, transactions: 0 }
}

function factsOf(filing: Filing, receivedAt: number): FilingFacts {
  const { at, basis } = filingTime(filing, receivedAt)
  const isForm4 = filing.formType === '4' || filing.formType === '4/A'
  return {
    kind: filing.kind,
    form: filing.formType,
    issuerCik: filing.issuer.cik,
    ownerCiks: filing.owners.map((owner) => owner.cik),
    period: filing.periodOfReport,
    // A stamp in a year in which EDGAR can't have written it is ignored.
    acceptedAt: basis === 'accepted' ? new Date(at * 1000) : null,
    filedAt: new Date(at * 1000),
    filedBasis: basis,
    transactions: isForm4 ? filing.nonDerivative.filter((row) => row.kind === 'transaction').length : 0,
    contentKey: contentKey(filing),
  }
}

// The form is part of it: a 4/A that repeats its original unchanged is another filing. The cells of footnotes are not:
// the hashes of filings recorded before they were read have to stay comparable.
function contentKey(filing: Filing): string {
  const owners = filing.owners.map((owner) => owner.cik).sort()
  return JSON.stringify(
    [filing.formType, filing.issuer.cik, owners, filing.periodOfReport, filing.nonDerivative, filing.derivative],
    (name, value: unknown) => (name === 'cells' ? undefined : value),
  )
}
