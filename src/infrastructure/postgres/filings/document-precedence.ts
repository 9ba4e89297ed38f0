// Decides which documents of a batch are recorded, given the copies that the ledger has. A filing can come several
// times: bare, in full, and corrected by the SEC. Without SQL, so that each case can be tested alone.
import { createHash } from 'node:crypto'
import type { IncomingDocument, RecordOutcome } from '../../../application/ports/filings.ts'
import type { DocumentKind } from '../../../domain/filings/filing.ts'
import type { AccessionNumber } from '../../../domain/shared/identifiers.ts'

export interface FilingState {
  accession: AccessionNumber
  status: 'recorded' | 'projected' | 'rejected' | 'replaced'
  kind: DocumentKind | null
  contentHash: string | null
  /** SHA-256 of the document and of those that it replaced; of corrections, else empty. */
  copies: string[]
}

export interface RecordPlan {
  outcomes: RecordOutcome[]
  /** Documents to write as new, or over the recorded copy, which is stored separately if `keepsPrior`. */
  upserts: { document: IncomingDocument; keepsPrior: boolean }[]
  /** Bare documents replaced by their full submission. */
  replaced: { accession: AccessionNumber; by: AccessionNumber }[]
}

// A correction by the SEC replaces all other copies, in whatever order they come. Of the others, a full submission has
// the most data (acceptance time, SIC code), a bare document the least.
export const RANK: Record<DocumentKind, number> = { bare: 0, dissemination: 1, submission: 2, correction: 3 }

export const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest()

// Only a bare document can lack an accession number; it is then a copy of the filing that it was cut from.
export const isLocal = (accession: AccessionNumber) => accession.startsWith('local-')

/** Whether the document is a whole submission, so that a bare document of equal content was cut from it. */
const isSubmission = (kind: DocumentKind | null) => kind === 'submission' || kind === 'correction'

/** Plans each document in turn, as if those before it in the batch were recorded. */
export function planRecording(documents: IncomingDocument[], recorded: FilingState[]): RecordPlan {
  const byAccession = new Map(recorded.map((filing) => [filing.accession, filing]))
  const plan: RecordPlan = { outcomes: [], upserts: [], replaced: [] }
  for (const document of documents) plan.outcomes.push(decideOne(document, byAccession, plan))
  return plan
}

function decideOne(document: IncomingDocument, ledger: Map<string, FilingState>, plan: RecordPlan): RecordOutcome {
  const same = ledger.get(document.accession)
  if ('reason' in document.content) {
    if (!same) write(document, false, ledger, plan)
    return 'rejected'
  }
  const { kind, contentKey } = document.content.facts
  const contentHash = sha256(contentKey).toString('hex')
  if (same && same.status !== 'rejected') {
    if (same.status === 'replaced' || same.kind === null || !isBetter(document, kind, same)) return 'known'
    write(document, true, ledger, plan)
    return 'ingested'
  }
  const sameContent = [...ledger.values()].filter(
    (filing) =>
      filing.accession !== document.accession &&
      filing.contentHash === contentHash &&
      (filing.status === 'recorded' || filing.status === 'projected'),
  )
  const covered = isLocal(document.accession)
    ? sameContent.length > 0
    : sameContent.some((other) => isSubmission(other.kind))
  if (kind === 'bare' && covered) return 'known'
  write(document, false, ledger, plan)
  for (const other of sameContent) {
    if (isLocal(other.accession) || (isSubmission(kind) && other.kind === 'bare'))
      replace(other, document.accession, plan)
  }
  return 'ingested'
}

/** Returns whether the document replaces the recorded one. Of two corrections, the one received last is in force. */
function isBetter({ bytes }: IncomingDocument, kind: DocumentKind, recorded: FilingState): boolean {
  if (kind === 'correction' && recorded.kind === kind) return !recorded.copies.includes(sha256(bytes).toString('hex'))
  return RANK[kind] > RANK[recorded.kind!]
}

function write(
  document: IncomingDocument,
  keepsPrior: boolean,
  ledger: Map<string, FilingState>,
  plan: RecordPlan,
): void {
  const facts = 'facts' in document.content ? document.content.facts : null
  const isCorrection = facts?.kind === 'correction'
  const before = ledger.get(document.accession)?.copies ?? []
  plan.upserts.push({ document, keepsPrior })
  ledger.set(document.accession, {
    accession: document.accession,
    status: facts ? 'recorded' : 'rejected',
    kind: facts?.kind ?? null,
    contentHash: facts && sha256(facts.contentKey).toString('hex'),
    copies: isCorrection ? [...before, sha256(document.bytes).toString('hex')] : [],
  })
}

function replace(other: FilingState, by: AccessionNumber, plan: RecordPlan): void {
  other.status = 'replaced'
  plan.replaced.push({ accession: other.accession, by })
}
