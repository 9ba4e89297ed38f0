// Document precedence: which of two documents under one accession number is kept, and what the ledger records of the
// other.
import { assert } from 'chai'
import type { IncomingDocument } from '../../../../src/application/ports/filings.ts'
import type { DocumentKind } from '../../../../src/domain/filings/filing.ts'
import {
  planRecording,
  sha256,
  type FilingState,
} from '../../../../src/infrastructure/postgres/filings/document-precedence.ts'

function document(accession: string, kind: DocumentKind, content: string): IncomingDocument {
  const facts = {
    kind,
    form: '4' as const,
    issuerCik: '0000000001',
    ownerCiks: [],
    period: null,
    acceptedAt: null,
    filedAt: new Date(0),
    filedBasis: 'accepted',
    transactions: 1,
    contentKey: content,
  }
  return {
    accession,
    bytes: Buffer.from(`${kind} ${content}`),
    source: 'x',
    firstSeenAt: new Date(0),
    content: { facts },
  }
}

function broken(accession: string): IncomingDocument {
  return { ...document(accession, 'bare', 'broken'), content: { reason: 'cut short' } }
}

const known = (
  accession: string,
  kind: DocumentKind,
  content: string,
  status: FilingState['status'] = 'projected',
): FilingState => ({ accession, status, kind, contentHash: sha256(content).toString('hex'), copies: [] })

const FILED = '0000000001-26-000001'
const OTHER = '0000000001-26-000002'

describe('a document recorded under an accession number that is known', () => {
  const cases: [string, IncomingDocument[], FilingState[], string[], string[], string[]][] = [
    ['a new filing is written', [document(FILED, 'submission', 'a')], [], ['ingested'], [FILED], []],
    [
      'the same again changes nothing',
      [document(FILED, 'submission', 'a')],
      [known(FILED, 'submission', 'a')],
      ['known'],
      [],
      [],
    ],
    [
      'twice in one batch is written once',
      [document(FILED, 'submission', 'a'), document(FILED, 'submission', 'a')],
      [],
      ['ingested', 'known'],
      [FILED],
      [],
    ],
    [
      'a submission takes the place of the bare document of its accession',
      [document(FILED, 'submission', 'a')],
      [known(FILED, 'bare', 'a')],
      ['ingested'],
      [FILED],
      [],
    ],
    [
      'a bare document never takes the place of a submission',
      [document(FILED, 'bare', 'a')],
      [known(FILED, 'submission', 'a')],
      ['known'],
      [],
      [],
    ],
    [
      'a submission replaces an equal bare document under another name',
      [document(FILED, 'submission', 'a')],
      [known('local-1', 'bare', 'a')],
      ['ingested'],
      [FILED],
      ['local-1'],
    ],
    [
      'an equal bare document after the submission adds nothing',
      [document('local-1', 'bare', 'a')],
      [known(FILED, 'submission', 'a')],
      ['known'],
      [],
      [],
    ],
    [
      'a bare document without accession adds nothing to an equal one with',
      [document('local-1', 'bare', 'a')],
      [known(FILED, 'bare', 'a')],
      ['known'],
      [],
      [],
    ],
    [
      'a correction takes the place of a submission, even of equal content',
      [document(FILED, 'correction', 'a')],
      [known(FILED, 'submission', 'a')],
      ['ingested'],
      [FILED],
      [],
    ],
    [
      'a submission never takes the place of a correction',
      [document(FILED, 'submission', 'a')],
      [known(FILED, 'correction', 'b')],
      ['known'],
      [],
      [],
    ],
    [
      "corrections take each other's place, each once",
      [document(FILED, 'correction', 'a'), document(FILED, 'correction', 'b'), document(FILED, 'correction', 'a')],
      [known(FILED, 'submission', 'c')],
      ['ingested', 'ingested', 'known'],
      [FILED, FILED],
      [],
    ],
    [
      'two submissions of equal content are two filings',
      [document(OTHER, 'submission', 'a')],
      [known(FILED, 'submission', 'a')],
      ['ingested'],
      [OTHER],
      [],
    ],
    [
      'other content is another filing',
      [document('local-2', 'bare', 'b')],
      [known('local-1', 'bare', 'a')],
      ['ingested'],
      ['local-2'],
      [],
    ],
    ['a rejected document is kept', [broken('local-3')], [], ['rejected'], ['local-3'], []],
    [
      'a rejected copy does not touch the good one',
      [broken(FILED)],
      [known(FILED, 'submission', 'a')],
      ['rejected'],
      [],
      [],
    ],
    [
      'a copy that parses replaces a rejected one',
      [document(FILED, 'submission', 'a')],
      [{ ...known(FILED, 'bare', ''), status: 'rejected', kind: null, contentHash: null }],
      ['ingested'],
      [FILED],
      [],
    ],
    [
      'what was replaced stays so',
      [document('local-1', 'bare', 'a')],
      [known('local-1', 'bare', 'a', 'replaced'), known(FILED, 'submission', 'a')],
      ['known'],
      [],
      [],
    ],
  ]
  for (const [name, documents, before, outcomes, written, replaced] of cases) {
    it(name, () => {
      const plan = planRecording(documents, before)
      assert.deepEqual(plan.outcomes, outcomes)
      assert.deepEqual(
        plan.upserts.map((upsert) => upsert.document.accession),
        written,
      )
      assert.deepEqual(
        plan.replaced.map((each) => each.accession),
        replaced,
      )
    })
  }
})
