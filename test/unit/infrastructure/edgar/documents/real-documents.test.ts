// Every real document at hand against what it is known to say, field by field.
// Skipped where the documents are not there.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import type { DerivativeRow, Filing, NonDerivativeRow } from '../../../../../src/domain/filings/filing.ts'
import { accessionInPath } from '../../../../../src/domain/shared/identifiers.ts'
import { readDocument } from '../../../../../src/infrastructure/edgar/documents/read-document.ts'

interface Truth extends Record<string, unknown> {
  accession: string | null
}

const folder = fileURLToPath(new URL('../../../../../../shared/filings/', import.meta.url))
const present = existsSync(`${folder}truth.json`)

/** Here a company among the owners has a SIC of its own, and stands before the issuer: the truth noted that one. */
const SIC_OF_ISSUER: Record<string, string> = {
  '173-0000899243-20-028056.txt': 'PHARMACEUTICAL PREPARATIONS [2834]',
  '183-0000921895-20-001838.txt': 'PHARMACEUTICAL PREPARATIONS [2834]',
  '197-0001104659-20-118685.txt': 'BLANK CHECKS [6770]',
}

/** The filing in the shape of the truth. */
function asTruth(filing: Filing): Record<string, unknown> {
  const { header, kind } = filing
  return {
    aff10b5One: filing.aff10b5One,
    counts: {
      derivHoldings: count(filing.derivative, 'holding'),
      derivTransactions: count(filing.derivative, 'transaction'),
      footnotes: filing.footnotes.length,
      nonDerivHoldings: count(filing.nonDerivative, 'holding'),
      nonDerivTransactions: count(filing.nonDerivative, 'transaction'),
      signatures: filing.signatures.length,
    },
    dateOfOriginalSubmission: filing.dateOfOriginalSubmission,
    derivative: filing.derivative.map(derivativeRow),
    formType: filing.formType,
    header:
      header === null || kind === 'dissemination'
        ? null
        : { acceptance: header.acceptedAt, docCount: header.documentCount, filed: header.filedAsOf, sic: header.sic },
    issuer: filing.issuer,
    nonDerivative: filing.nonDerivative.map((row) => ({ ...common(row), totalValue: null })),
    notSubjectToSection16: filing.notSubjectToSection16,
    owners: filing.owners,
    periodOfReport: filing.periodOfReport,
    periodRaw: filing.periodRaw,
    remarks: filing.remarks,
    schemaVersion: filing.schemaVersion,
    signatures: filing.signatures,
  }
}

function count(rows: { kind: string }[], kind: string): number {
  return rows.filter((row) => row.kind === kind).length
}

function common(row: NonDerivativeRow | DerivativeRow) {
  const { table, footnotes, acquiredDisposed, kind, code, date, dateRaw, deemedExecutionDate, directIndirect } = row
  const { equitySwap, formType, nature, price, securityTitle, shares, sharesAfter, timeliness, valueAfter } = row
  return {
    ad: acquiredDisposed,
    allFn: footnotes.all,
    code,
    codingFn: footnotes.coding,
    date,
    dateRaw,
    deemedExecutionDate,
    directIndirect,
    equitySwap,
    formType,
    kind: `${table}${kind === 'holding' ? 'Holding' : 'Transaction'}`,
    nature,
    natureFn: footnotes.nature,
    price,
    priceFn: footnotes.price,
    securityTitle,
    shares,
    sharesAfter,
    timeliness,
    valueAfter,
  }
}

function derivativeRow(row: DerivativeRow) {
  const { conversionPrice, exerciseDate, expirationDate, totalValue } = row
  const { underlyingShares, underlyingTitle, underlyingValue } = row
  return {
    ...common(row),
    conversionPrice,
    exerciseDate,
    expirationDate,
    totalValue,
    underlyingShares,
    underlyingTitle,
    underlyingValue,
    conversionPriceFn: row.derivativeFootnotes.conversionPrice,
    exerciseDateFn: row.derivativeFootnotes.exerciseDate,
    expirationDateFn: row.derivativeFootnotes.expirationDate,
  }
}

function sicOfIssuer(name: string): { sic?: string } {
  const sic = SIC_OF_ISSUER[name]
  return sic === undefined ? {} : { sic }
}

function leaves(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, each) => sum + leaves(each), Array.isArray(value) ? 1 : 0)
}

describe(`reader against the truth${present ? '' : ' (skipped: ../shared/filings is not here)'}`, function () {
  before(function () {
    if (!present) this.skip()
  })

  it('reads every document as a filing, each field as known', function () {
    const truth = JSON.parse(readFileSync(`${folder}truth.json`, 'utf8')) as Record<string, Truth>
    const names = readdirSync(`${folder}documents`).sort()
    assert.deepEqual(names, Object.keys(truth).sort())
    let fields = 0
    for (const name of names) {
      const reading = readDocument(readFileSync(`${folder}documents/${name}`), name)
      if (reading.kind !== 'filing') throw new Error(`${name}: ${reading.kind}, ${reading.reason}`)
      const { filing } = reading
      const { accession, ...expected } = truth[name]!
      // A header without SIC is known without the key.
      if (expected.header !== null)
        expected.header = { sic: null, ...(expected.header as object), ...sicOfIssuer(name) }
      // Of some bare documents the accession number is known, but neither the text nor the name shows it.
      if (filing.kind !== 'bare' || accessionInPath(name) !== null)
        assert.strictEqual(filing.accession, accession, name)
      else assert.match(filing.accession, /^local-[0-9a-f]{16}$/, name)
      assert.deepEqual(asTruth(filing), expected, name)
      fields += 1 + leaves(expected)
    }
    assert.isAbove(names.length, 150)
    console.log(`      ${names.length} documents, ${fields} fields compared`)
  })

  it('takes from .nc files what their header has', function () {
    const read = (name: string) => {
      const reading = readDocument(readFileSync(`${folder}documents/${name}`), name)
      return reading.kind === 'filing' ? reading.filing.header : reading
    }
    assert.deepEqual(read('013-0001127602-25-004598.nc'), {
      acceptedAt: null,
      filedAsOf: '20250213',
      documentCount: 1,
      sic: '5065',
      office: '07 Trade & Services',
    })
    assert.deepEqual(read('022-0001562180-25-000280.nc'), {
      acceptedAt: null,
      filedAsOf: '20250108',
      documentCount: 1,
      sic: '2834',
      office: '03 Life Sciences',
    })
  })
})
