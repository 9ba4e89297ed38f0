// Real ownership XML as people paste it together, and the oldest schema: read whole or refused with the reason,
// never in part.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import type { OwnershipReading } from '../../../../../src/application/ports/filings.ts'
import { readDocument } from '../../../../../src/infrastructure/edgar/documents/read-document.ts'

const edgar = fileURLToPath(new URL('../../../../../../shared/edgar/', import.meta.url))
const present = existsSync(`${edgar}concat`)

function read(path: string): OwnershipReading {
  return readDocument(readFileSync(edgar + path), path)
}

const BARE_AMPERSAND = '"&" that begins no reference'

const REFUSED: Record<string, string> = {
  'aaple_form4.xml': 'file: 3 ownershipDocument elements, where one is allowed',
  'bac_form4.xml': `line 34, in <rptOwnerName>: ${BARE_AMPERSAND}`,
  'dis_form4.xml': `line 29, in <officerTitle>: ${BARE_AMPERSAND}`,
  'jpm_form4.xml': `line 8, in <issuerName>: ${BARE_AMPERSAND}`,
  'nvda_form4.xml': `line 487, in <footnote>: ${BARE_AMPERSAND}`,
}

/** File -> issuer's symbol, and how many rows its tables have. */
const WHOLE: Record<string, [symbol: string, tableOne: number, tableTwo: number]> = {
  'amzn_form4.xml': ['AMZN', 2, 0],
  'goog_form4.xml': ['GOOGL', 6, 0],
  'ko_form4.xml': ['KO', 1, 0],
  'meta_form4.xml': ['META', 2, 0],
  'msft_form4.xml': ['MSFT', 1, 0],
  'nflx_form4.xml': ['NFLX', 5, 2],
  'tsla_form4.xml': ['TSLA', 2, 0],
  'wmt_form4.xml': ['WMT', 7, 0],
}

describe(`reader on pasted and old XML${present ? '' : ' (skipped: ../shared/edgar is not here)'}`, function () {
  before(function () {
    if (!present) this.skip()
  })

  it('knows every file', function () {
    assert.deepEqual(readdirSync(`${edgar}concat`).sort(), [...Object.keys(REFUSED), ...Object.keys(WHOLE)].sort())
  })

  for (const [name, reason] of Object.entries(REFUSED)) {
    it(`refuses ${name}: ${reason}`, function () {
      const reading = read(`concat/${name}`)
      assert.include(reading, { kind: 'rejected', reason })
      assert.match((reading as { accession: string }).accession, /^local-[0-9a-f]{16}$/)
    })
  }

  for (const [name, [symbol, tableOne, tableTwo]] of Object.entries(WHOLE)) {
    it(`reads ${name} whole`, function () {
      const reading = read(`concat/${name}`)
      if (reading.kind !== 'filing') throw new Error(reading.reason)
      const { issuer, nonDerivative, derivative } = reading.filing
      assert.deepEqual([issuer.tickerRaw, nonDerivative.length, derivative.length], [symbol, tableOne, tableTwo])
    })
  }

  it('reads X0101: rows under the root, the price as transactionValue, the form from the header', function () {
    const reading = read('old-schema/x0101-trimmed-0001233883-03-000002.txt')
    if (reading.kind !== 'filing') throw new Error(reading.reason)
    const { filing } = reading
    assert.include(filing, {
      accession: '0001233883-03-000002',
      kind: 'submission',
      formType: '4',
      schemaVersion: 'X0101',
      periodOfReport: null,
    })
    assert.deepEqual(filing.header, {
      acceptedAt: null,
      filedAsOf: '20030613',
      documentCount: null,
      sic: null,
      office: null,
    })
    assert.deepEqual(
      filing.nonDerivative.map(({ kind, code, date, shares, price, acquiredDisposed }) =>
        [kind, code, date, shares, price, acquiredDisposed].join(' '),
      ),
      ['transaction S 2003-06-09 3100 3.8 D', 'transaction S 2003-06-09 3500 4 D'],
    )
  })

  it('takes feeds, header pages and error pages for what they are', function () {
    const feeds = readdirSync(`${edgar}atom`).map((name) => `atom/${name}`)
    for (const path of ['headers/form4.index-headers.html', ...feeds]) {
      assert.strictEqual(read(path).kind, 'not-ownership', path)
    }
  })
})
