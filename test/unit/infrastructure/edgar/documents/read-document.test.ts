// Documents of our own invention: what is read back, what is refused and with which words, and what is none of ours.
import { createHash } from 'node:crypto'
import { assert } from 'chai'
import fc from 'fast-check'
import type { OwnershipReading } from '../../../../../src/application/ports/filings.ts'
import type { Filing } from '../../../../../src/domain/filings/filing.ts'
import { readDocument } from '../../../../../src/infrastructure/edgar/documents/read-document.ts'
import { arbitraryFiling } from '../../../../support/filings/arbitrary-filing.ts'
import {
  disseminationText,
  filingOf,
  ownershipXml,
  submissionText,
  type FilingSpec,
} from '../../../../support/filings/filing-builder.ts'

const PATH = '0001999001-25-000001.txt'

function reading(text: string | Buffer, path = PATH): OwnershipReading {
  return readDocument(Buffer.from(text as string), path)
}

function filing(text: string | Buffer, path = PATH): Filing {
  const found = reading(text, path)
  if (found.kind !== 'filing') throw new Error(`${found.kind}: ${found.reason}`)
  return found.filing
}

/** The reason of a refusal, or what else became of the document. */
function refusal(text: string | Buffer): string {
  const found = reading(text)
  return found.kind === 'rejected' ? found.reason : found.kind
}

describe('the document reader', function () {
  describe('reads back', function () {
    it('what the builder wrote, in every dress', function () {
      assert.deepEqual(filing(submissionText()), filingOf())
      assert.deepEqual(filing(disseminationText()), filingOf({}, 'dissemination'))
      assert.deepEqual(filing(ownershipXml()), filingOf({}, 'bare'))
    })

    it('any filing', function () {
      fc.assert(
        fc.property(arbitraryFiling, (spec) => {
          const path = `${spec.accession}.txt`
          assert.deepEqual(filing(submissionText(spec), path), filingOf(spec))
          assert.deepEqual(filing(disseminationText(spec), path), filingOf(spec, 'dissemination'))
          assert.deepEqual(filing(ownershipXml(spec), path), filingOf(spec, 'bare'))
        }),
        { numRuns: 200 },
      )
    })

    it('any filing with Windows line ends, its texts aside', function () {
      const spec: FilingSpec = { rows: [{}, { kind: 'holding' }], dress: { exhibits: 1 } }
      assert.deepEqual(filing(submissionText(spec).replaceAll('\n', '\r\n')), filingOf(spec))
    })
  })

  describe('never takes a part for the whole', function () {
    it('a submission, a dissemination file and a bare document cut off at any byte', function () {
      for (const text of [submissionText({ dress: { pem: true, exhibits: 1 } }), disseminationText(), ownershipXml()]) {
        const whole = text.replace(/-----END.*/, '').trimEnd()
        assert.strictEqual(reading(whole).kind, 'filing')
        for (let length = 0; length < whole.length; length++) {
          assert.notStrictEqual(reading(whole.slice(0, length)).kind, 'filing', `${length} of ${whole.length}`)
        }
      }
    })

    it('any submission cut off anywhere, or with its beginning gone', function () {
      fc.assert(
        fc.property(arbitraryFiling, fc.noBias(fc.integer({ min: 0, max: 9999 })), (spec, at) => {
          const whole = Buffer.from(submissionText({ ...spec, dress: {} }).trimEnd())
          const cut = Math.floor((whole.length * at) / 10_000)
          assert.notStrictEqual(reading(whole.subarray(0, cut)).kind, 'filing')
          if (cut > 0) assert.notStrictEqual(reading(whole.subarray(cut)).kind, 'filing')
        }),
        { numRuns: 300 },
      )
    })

    it('nothing makes it throw', function () {
      const whole = Buffer.from(submissionText({ derivativeRows: [{}], footnotes: [{ id: 'F1', text: 'é' }] }))
      const change = fc.tuple(fc.noBias(fc.nat(whole.length - 1)), fc.nat(255))
      const damage = fc.array(change, { minLength: 1, maxLength: 6 })
      fc.assert(
        fc.property(damage, (changes) => {
          const bytes = Buffer.from(whole)
          for (const [at, byte] of changes) bytes[at] = byte
          assert.oneOf(reading(bytes).kind, ['filing', 'rejected', 'not-ownership'])
        }),
        { numRuns: 500 },
      )
    })

    it('a missing end, by name', function () {
      const text = submissionText()
      assert.strictEqual(refusal(text.replace('</SEC-DOCUMENT>', '')), 'submission: truncated: no </SEC-DOCUMENT>')
      assert.strictEqual(refusal(text.replace('</XML>', '')), 'submission: truncated: the XML section is not closed')
      assert.strictEqual(refusal(text.replace('</DOCUMENT>', '')), 'submission: truncated: a DOCUMENT is not closed')
      assert.strictEqual(refusal(text + text), 'submission: several submissions in one file')
      assert.strictEqual(refusal(`${text}more`), 'submission: something follows </SEC-DOCUMENT>')
      const twice = ownershipXml() + ownershipXml().replace(/^.*\n/, '')
      assert.strictEqual(refusal(twice), 'file: 2 ownershipDocument elements, where one is allowed')
    })
  })

  describe('the header', function () {
    it('gives SIC and office of the issuer alone, wherever its block stands', function () {
      for (const issuerFirst of [true, false]) {
        const { header } = filing(submissionText({ sic: null, office: null, dress: { issuerFirst } }))
        assert.include(header, { sic: null, office: null })
        const { header: known } = filing(submissionText({ dress: { issuerFirst } }))
        assert.include(known, { sic: 'SEMICONDUCTORS & RELATED DEVICES [3674]', office: '04 Manufacturing' })
      }
      assert.include(filing(disseminationText({ sic: null, office: null })).header, { sic: null, office: null })
    })

    it("does not decide who the issuer is: the XML does, and another one's SIC is not taken", function () {
      const text = submissionText().replace('CENTRAL INDEX KEY:\t\t\t0001999001', 'CENTRAL INDEX KEY:\t\t\t0001999777')
      const { issuer, header } = filing(text)
      assert.strictEqual(issuer.cik, '0001999001')
      assert.include(header, { acceptedAt: '20250314163005', sic: null, office: null })
    })

    it('must not contradict the form, but stands in where the document names none', function () {
      assert.strictEqual(
        refusal(submissionText().replace('TYPE:\t4', 'TYPE:\t4/A')),
        'documentType: 4, but the header says 4/A',
      )
      const silent = (text: string) => text.replace(/ *<documentType>.*\n/, '')
      assert.strictEqual(filing(silent(submissionText({ formType: '5/A' }))).formType, '5/A')
      assert.strictEqual(refusal(silent(ownershipXml())), 'documentType: missing')
    })

    it('gives the accession number, else the path does, else the bytes', function () {
      const text = submissionText({ accession: '0001999002-25-000002' })
      assert.strictEqual(filing(text, '0001999009-25-000009.txt').accession, '0001999002-25-000002')
      assert.strictEqual(filing(text.replace(/^ACCESSION NUMBER.*\n/m, ''), 'x').accession, '0001999002-25-000002')
      const path = 'data/1999001/000199900925000009/form4.xml'
      assert.strictEqual(filing(ownershipXml(), path).accession, '0001999009-25-000009')
      const hash = createHash('sha256').update(ownershipXml()).digest('hex').slice(0, 16)
      assert.strictEqual(filing(ownershipXml(), 'form4.xml').accession, `local-${hash}`)
      assert.include(reading(ownershipXml().slice(0, -5), path), { accession: '0001999009-25-000009' })
      assert.include(reading(text.slice(0, -20), 'x'), { kind: 'rejected', accession: '0001999002-25-000002' })
    })
  })
})
