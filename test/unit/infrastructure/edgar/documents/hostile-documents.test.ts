// Documents and lists made to cost a reader time: none costs more than time in proportion to its size, in any stage.
import { assert } from 'chai'
import { directoryEntry } from '../../../../../src/application/projection/directory-entry.ts'
import { tradeFacts } from '../../../../../src/domain/trades/extract-trades.ts'
import { parseCurrentFeed } from '../../../../../src/infrastructure/edgar/listings/current-feed.ts'
import { lackOfSubmission, UnexpectedContent } from '../../../../../src/infrastructure/edgar/response-content.ts'
import { parseIndex } from '../../../../../src/infrastructure/edgar/listings/daily-index.ts'
import { OWNERSHIP_LIMITS } from '../../../../../src/infrastructure/edgar/documents/ownership/sections.ts'
import { readDocument } from '../../../../../src/infrastructure/edgar/documents/read-document.ts'
import { ownershipXml, type FilingSpec } from '../../../../support/filings/filing-builder.ts'
import { superlinear } from '../../../../support/linear-time.ts'
import { volume } from '../../../../support/volume.ts'
import { HOSTILE_SHAPES } from '../../../../support/filings/hostile-documents.ts'

const STRIDE = volume('every nth shape of hostile documents', 3, 1)
const repeat = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length))

describe('a hostile document', function () {
  it('is read in linear time, and so is what is derived from it', function () {
    this.timeout(300_000)
    const slow: string[] = []
    for (const { name, make } of HOSTILE_SHAPES.filter((_, index) => index % STRIDE === 0)) {
      const found = superlinear((size) => {
        const bytes = make(size)
        return () => {
          const reading = readDocument(bytes, 'x')
          if (reading.kind !== 'filing') return
          tradeFacts(reading.filing, 1e9)
          directoryEntry(reading.filing, 1e9)
        }
      })
      if (found !== null) slow.push(`${name}: ${found}`)
    }
    assert.deepEqual(slow, [])
    assert.isAbove(HOSTILE_SHAPES.length, 500)
  })

  it('of the largest size exhausts no stack', function () {
    const shapes = HOSTILE_SHAPES.filter(({ name }) =>
      /^(header title: digits|before all: spaces|header: carriage returns)$/.test(name),
    )
    assert.lengthOf(shapes, 3)
    for (const { name, make } of shapes) {
      const reading = readDocument(make(20_000_000), 'x')
      assert.notMatch(reading.kind === 'filing' ? '' : reading.reason, /could not be read/, name)
    }
  })

  it('is refused beyond what EDGAR takes several times over, by name', function () {
    const refusal = (spec: FilingSpec) => {
      const reading = readDocument(Buffer.from(ownershipXml(spec)), 'x')
      return reading.kind === 'filing' ? 'read' : reading.reason
    }
    const { owners, sectionsOfAName, footnotes, footnoteIds, field, prose } = OWNERSHIP_LIMITS
    const many = <T>(length: number, each: T): T[] => Array.from({ length }, () => each)
    const notes = (length: number) => ({ footnotes: many(length, { id: 'F1', text: 'x' }) })
    const ids = (length: number) => ({ rows: many(length / 100, { footnotes: { price: many(100, 'F1') } }) })
    assert.strictEqual(
      refusal({
        owners: many(owners, {}),
        rows: many(sectionsOfAName, {}),
        ...notes(footnotes),
        remarks: 'x'.repeat(prose),
      }),
      'read',
    )
    assert.strictEqual(
      refusal({ owners: many(owners + 1, {}) }),
      `document: more than ${owners} reportingOwner elements`,
    )
    assert.strictEqual(
      refusal({ rows: many(sectionsOfAName + 1, {}) }),
      `document: more than ${sectionsOfAName} nonDerivativeTransaction elements`,
    )
    assert.strictEqual(refusal(notes(footnotes + 1)), `document: more than ${footnotes} footnotes`)
    assert.strictEqual(refusal(ids(footnoteIds)), 'read')
    assert.strictEqual(refusal(ids(footnoteIds + 100)), `document: more than ${footnoteIds} footnoteId elements`)
    assert.strictEqual(
      refusal({ remarks: 'x'.repeat(prose + 1) }),
      `ownershipDocument, remarks: longer than ${prose} characters`,
    )
    assert.strictEqual(
      refusal({ issuer: { name: 'x'.repeat(field + 1) } }),
      `issuer, issuerName: longer than ${field} characters`,
    )
  })
})

describe('a hostile list of EDGAR', function () {
  const INDEX = 'Form Type   Company Name\n--------------------\n'
  const shapes: [name: string, make: (size: number) => string, read: (bytes: Buffer) => unknown][] = [
    ...[
      '\n',
      '\r',
      '-',
      '|',
      ' ',
      'Form Type',
      'edgar/data/1/',
      '4  x  edgar/data/1/0000000001-26-000001.txt   \n',
      '4   ',
    ].flatMap((unit): typeof shapes => [
      [`index of ${JSON.stringify(unit)}`, (size) => repeat(unit, size), parseIndex],
      [`index of rows of ${JSON.stringify(unit)}`, (size) => INDEX + repeat(unit, size), parseIndex],
    ]),
    ...[
      '<entry>',
      '<entry/>',
      '</entry>',
      '<category term="4"/>',
      '<category term="',
      '<link href="',
      '(0000000001)',
      '<title>',
      '<updated> ',
      '<id>',
      ' ',
      '?',
      '1',
      '<entry><category term="4"/><title>(0000000001)</title></entry>',
    ].flatMap((unit): typeof shapes => [
      [`feed of ${JSON.stringify(unit)}`, (size) => `<feed>${repeat(unit, size)}</feed>`, parseCurrentFeed],
      [
        `entry of ${JSON.stringify(unit)}`,
        (size) => `<feed><entry><category term="4"/>${repeat(unit, size)}</entry></feed>`,
        parseCurrentFeed,
      ],
      [`feed behind ${JSON.stringify(unit)}`, (size) => `<?xml ${repeat(unit, size)}`, parseCurrentFeed],
    ]),
    ...[' ', '<', '1', '-----BEGIN PRIVACY-ENHANCED MESSAGE-----'].flatMap((unit): typeof shapes => [
      [
        `submission of ${JSON.stringify(unit)}`,
        (size) => repeat(unit, size),
        (bytes) => lackOfSubmission(bytes.toString('latin1'), 'x'),
      ],
      [
        `submission named ${JSON.stringify(unit)}`,
        (size) => `<SEC-DOCUMENT>${repeat(unit, size)}`,
        (bytes) => lackOfSubmission(bytes.toString('latin1'), 'x'),
      ],
    ]),
  ]

  it('is read in linear time', function () {
    this.timeout(120_000)
    const slow = shapes.flatMap(([name, make, read]) => {
      const found = superlinear((size) => {
        const bytes = Buffer.from(make(size), 'latin1')
        return () => {
          try {
            read(bytes)
          } catch (error) {
            if (!(error instanceof UnexpectedContent)) throw error
          }
        }
      })
      return found === null ? [] : [`${name}: ${found}`]
    })
    assert.deepEqual(slow, [])
  })
})
