// Faults of documents of 2003 to 2006 that are undone, and the documents that stay refused beside them.
import { assert } from 'chai'
import fc from 'fast-check'
import type { Filing } from '../../../../../src/domain/filings/filing.ts'
import { readDocument } from '../../../../../src/infrastructure/edgar/documents/read-document.ts'
import { superlinear } from '../../../../support/linear-time.ts'
import { filingOf, ownershipXml, submissionText, type FilingSpec } from '../../../../support/filings/filing-builder.ts'

const OLD: FilingSpec = {
  accession: '0001999001-04-000001',
  acceptedAt: '20040312163005',
  schemaVersion: 'X0202',
  issuer: { name: 'EXAMPLE & SONS INC' },
  owners: [{ name: 'SAMPLE ADA', isOfficer: true, officerTitle: 'President & COO' }],
  rows: [
    { date: '2004-03-10', shares: '1000', price: '10.5', sharesAfter: '9000', nature: 'By A&B Trust' },
    { date: '2004-03-11', shares: '200', price: '10.75', sharesAfter: '9200' },
  ],
  derivativeRows: [{ date: '2004-03-10' }],
  footnotes: [{ id: 'F1', text: 'Jointly with R&D Partners & Co.' }],
  remarks: 'Ada & Bea',
  signatures: [{ name: '/s/ Ada Sample', date: '2004-03-12' }],
}
const PATH = '0001999001-04-000001.txt'

const read = (text: string) => readDocument(Buffer.from(text), PATH)

function filing(text: string): Filing {
  const reading = read(text)
  if (reading.kind !== 'filing') throw new Error(`${reading.kind}: ${reading.reason}`)
  return reading.filing
}

function refusal(text: string): string {
  const reading = read(text)
  return reading.kind === 'rejected' ? reading.reason : reading.kind
}

const bare = (text: string) => text.replaceAll('&amp;', '&')
const BARE_AMPERSAND = /"&" that begins no reference/
const WORD_IN_TAG = /: attribute without value/

describe('a document of 2003 to 2006', function () {
  it('with "&" that begins no reference is read, and marked as repaired', function () {
    const text = bare(submissionText(OLD))
    assert.notInclude(text, '&amp;')
    assert.deepEqual(filing(text), filingOf({ ...OLD, repaired: true }))
    assert.deepEqual(filing(bare(ownershipXml(OLD))), filingOf({ ...OLD, repaired: true }, 'bare'))
  })

  it('with the end of a tag repeated within the tag is read, and marked as repaired', function () {
    const text = submissionText(OLD)
    for (const [tag, broken] of [
      ['<nonDerivativeTable>', '<nonDerivativeTable ativeTable>'],
      ['</nonDerivativeTable>', '</nonDerivativeTable Table>'],
      ['<transactionAmounts>', '<transactionAmounts\n  ionAmounts >'],
      ['<value>10.5<', '<value ue>10.5<'],
    ] as const) {
      assert.include(text, tag)
      assert.deepEqual(filing(text.replace(tag, broken)), filingOf({ ...OLD, repaired: true }), broken)
    }
  })

  it('with both faults, and cut into lines of one width, is read', function () {
    const broken = bare(ownershipXml(OLD))
      .replace('<nonDerivativeTable>', '<nonDerivativeTable ativeTable>')
      .replace(/>\s+</g, '><')
    assert.deepEqual(filing(broken), filingOf({ ...OLD, repaired: true }, 'bare'))
    const lines = broken.replace(/.{80}/g, '$&\n')
    assert.deepEqual(filing(lines), filingOf({ ...OLD, repaired: true }, 'bare'))
  })

  it('keeps every text of it, whatever stands beside its "&"', function () {
    const word = fc.stringMatching(/^[A-Z][a-z]{0,6}$/)
    const name = fc.tuple(word, fc.constantFrom(' & ', '&', ' &', '& '), word).map((parts) => parts.join(''))
    fc.assert(
      fc.property(name, name, (issuer, remarks) => {
        fc.pre(!/&(?:amp|lt|gt|quot|apos)/i.test(`${issuer} ${remarks}`))
        const spec: FilingSpec = { ...OLD, issuer: { name: issuer }, remarks }
        assert.deepEqual(filing(bare(submissionText(spec))), filingOf({ ...spec, repaired: true }))
      }),
      { numRuns: 100 },
    )
  })

  it('without a fault is not marked', function () {
    assert.deepEqual(filing(submissionText(OLD)), filingOf(OLD))
  })

  describe('stays refused', function () {
    const text = submissionText(OLD)
    const PLACE = 'President &amp; COO'
    const inTitle = (title: string) => text.replace(PLACE, title)

    it('where "&" may begin a reference', function () {
      for (const title of ['A &amp B', 'A &AMP B', 'A &ampB', 'A &lt B', 'A &ltB', 'A &quot B', 'A &#38 B', 'A &# B'])
        assert.match(refusal(inTitle(title)), BARE_AMPERSAND, title)
      for (const title of ['A&nbsp;B', 'A&T; B', 'A&LT;B'])
        assert.match(refusal(inTitle(title)), /undefined entity/, title)
    })

    it('where a number, date, box, code or id has an "&"', function () {
      for (const [before, after] of [
        ['<value>1000<', '<value>1&000<'],
        ['<value>2004-03-10<', '<value>2004-03-10&<'],
        ['<isOfficer>1<', '<isOfficer>1&<'],
        ['<transactionCode>P<', '<transactionCode>P&<'],
        ['<signatureDate>2004-03-12<', '<signatureDate>2004-03-12 &<'],
        ['<footnote id="F1"', '<footnote id="F&1"'],
      ] as const) {
        assert.include(text, before)
        assert.match(refusal(text.replace(before, after)), BARE_AMPERSAND, after)
      }
    })

    it('where a comment, CDATA or an instruction could hold the "&"', function () {
      for (const title of ['A & B<!-- & -->', '<![CDATA[A & B]]> & C', 'A & B<?x & ?>'])
        assert.match(refusal(inTitle(title)), BARE_AMPERSAND, title)
    })

    it('where a tag has a word that does not repeat its end, or is broken otherwise', function () {
      for (const tag of [
        '<nonDerivativeTable derivativeTable>',
        '<nonDerivativeTable nonDeriv>',
        '<nonDerivativeTable Tables>',
        '<nonDerivativeTable ative Table>',
        '<nonDerivativeTable id="1" Table>',
      ])
        assert.match(refusal(text.replace('<nonDerivativeTable>', tag)), WORD_IN_TAG, tag)
      assert.match(refusal(bare(text).replace('</nonDerivativeTable>', '')), BARE_AMPERSAND)
      assert.match(refusal(text.replace('<nonDerivativeTable>', '<nonDerivativeTable>ativeTable>')), /stray text/)
    })

    it('where what is left contradicts itself', function () {
      const twice = text.replace('<value>1000</value>', '<value ue>1000</value><value>1</value>')
      assert.match(refusal(twice), WORD_IN_TAG)
    })
  })

  it('is told by its day of filing: of other years such documents stay refused', function () {
    const year = (of: number): FilingSpec => ({
      ...OLD,
      acceptedAt: `${of}0312163005`,
      signatures: [{ date: `${of}-03-12` }],
    })
    for (const of of [2003, 2006]) {
      assert.isTrue(filing(bare(submissionText(year(of)))).repaired, String(of))
      assert.isTrue(filing(bare(ownershipXml(year(of)))).repaired, String(of))
    }
    for (const of of [2002, 2007, 2025]) {
      if (of > 2003) assert.match(refusal(bare(ownershipXml(year(of)))), BARE_AMPERSAND, String(of))
      assert.match(refusal(bare(submissionText(year(of)))), BARE_AMPERSAND, String(of))
      const repeated = submissionText(year(of)).replace('<nonDerivativeTable>', '<nonDerivativeTable ativeTable>')
      assert.match(refusal(repeated), WORD_IN_TAG, String(of))
    }
  })

  it('costs time in proportion to its size', function () {
    this.timeout(60_000)
    const [before, after] = ownershipXml({ ...OLD, remarks: '@HERE@' }).split('@HERE@') as [string, string]
    for (const unit of ['& ', '&', '&a', '&a.', '<', '<a ', '<value ue>', '<value ', 'a '.repeat(40), '<!--', '<?']) {
      const slow = superlinear((size) => {
        const bytes = Buffer.from(bare(before) + unit.repeat(size / unit.length) + after)
        return () => void readDocument(bytes, PATH)
      })
      assert.isNull(slow, JSON.stringify(unit))
    }
  })
})
