// What history changes of issuers: a filing that the rules can't take is rejected with its reason, and takes no other
// with it; signals are detected with the trades, and each trade is written once with its marks.
import { assert } from 'chai'
import { projectHistory } from '../../../../src/application/data-sets/history-computation.ts'
import type { TableInserts } from '../../../../src/application/ports/analytics.ts'
import type { StagedFiling } from '../../../../src/application/ports/data-sets.ts'
import type { HistoryToProject } from '../../../../src/application/ports/projection.ts'
import { DEFAULT_RULES } from '../../../../src/domain/signals/rule-thresholds.ts'
import { clickHouseRows } from '../../../../src/infrastructure/clickhouse/stores/row-format.ts'
import { filingOf, type FilingSpec } from '../../../support/filings/filing-builder.ts'

const ISSUER = '0001999001'
const OTHER = '0001999002'
const NOTHING = new Uint8Array()

const numbered = (number: number): string => `0001999001-24-${String(number).padStart(6, '0')}`

/** A filing with a purchase. */
function staged(number: number, spec: FilingSpec = {}): StagedFiling {
  const accession = numbered(number)
  const filing = filingOf({ accession, acceptedAt: `202407${10 + (number % 20)}163000`, ...spec })
  return {
    ...{ accession, quarter: '2024q3', form: '4', rowCount: 1, details: { complete: true, lines: '' } },
    read: () => ({ filing, keys: [number] }),
    lines: () => ({ SUBMISSION: 1, NONDERIV_TRANS: 1 }),
  }
}

/** A filing whose rows can be derived, and not compared with others. */
const faulty = (number: number): StagedFiling => staged(number, { rows: [{ acquiredDisposed: 5n as never }] })

/** A purchase by the CEO that is a signal of its own. */
const LARGE: FilingSpec = {
  rows: [{ shares: '100000', price: '100', date: '2024-07-05' }],
  owners: [{ isOfficer: true, officerTitle: 'Chief Executive Officer' }],
}

function broken(): never {
  throw new RangeError('a broken rule')
}

function project(filings: StagedFiling[], more: Partial<HistoryToProject> = {}) {
  const formats = {
    read: () => assert.fail('no document'),
    rows: { ...clickHouseRows, stagedFilings: () => filings },
    pack: () => assert.fail('no document'),
    unpack: () => assert.fail('no document'),
  }
  return projectHistory(formats, {
    ...{ issuers: [ISSUER, OTHER], detected: [ISSUER, OTHER], derived: null, staged: NOTHING, removed: [], version: 1 },
    quarters: new Map(filings.map(({ accession, quarter }) => [accession, quarter])),
    stored: { trades: NOTHING, related: NOTHING, symbols: new Map() },
    signals: { joint: NOTHING, signals: NOTHING },
    tickers: new Map(),
    withdrawn: new Map(),
    rules: DEFAULT_RULES,
    recentSince: 0,
    ...more,
  })
}

/** Returns the rows of a table. */
const rowsOf = (tables: TableInserts[], name: string): Record<string, any>[] =>
  tables
    .filter(({ table }) => table === name)
    .flatMap(({ inserts }) => inserts)
    .flatMap((bytes) => new TextDecoder().decode(bytes).trimEnd().split('\n'))
    .map((line) => JSON.parse(line))

const idsOf = (projected: ReturnType<typeof project>): string[] =>
  rowsOf(projected.rows.last, 'trades').map(({ id }) => id)

describe('the computation of history', () => {
  it('gives each trade once, with its marks, and the signal that counts it', () => {
    const large = staged(1, LARGE)
    const projected = project([large, staged(2, { issuer: { cik: OTHER } })])
    const trades = rowsOf(projected.rows.last, 'trades').map(({ whole }) => whole)
    assert.sameMembers(
      trades.map(({ accession }) => accession),
      [numbered(1), numbered(2)],
    )
    assert.isNotEmpty(trades.find(({ issuerCik }) => issuerCik === ISSUER).signals)
    assert.isNotEmpty(rowsOf(projected.signals.signals, 'signals'))
    assert.isNotEmpty(projected.recent)
    assert.include(projected.touched, ISSUER)
    assert.deepEqual(projected.undetected, [])
  })

  it('detects no signals of issuers that are not asked for', () => {
    const large = staged(1, LARGE)
    const projected = project([large], { detected: [] })
    assert.lengthOf(idsOf(projected), 1)
    assert.deepEqual(rowsOf(projected.signals.signals, 'signals'), [])
  })

  it('leaves out filings of which another quarter or a document has the rows', () => {
    assert.deepEqual(idsOf(project([staged(1), staged(2)], { quarters: new Map([[numbered(2), '2024q3']]) })), [
      `${numbered(2)}-nd-1`,
    ])
  })

  it('rejects a filing that can not be read, with its lines', () => {
    const unreadable = { ...staged(2), read: broken }
    const projected = project([staged(1), unreadable])
    assert.deepEqual(projected.rejected, [
      {
        ...{ quarter: '2024q3', accession: numbered(2), form: '4' },
        reason: 'can not be projected: RangeError: a broken rule',
        lines: { SUBMISSION: 1, NONDERIV_TRANS: 1 },
      },
    ])
    assert.deepEqual(idsOf(projected), [`${numbered(1)}-nd-1`])
  })
  it('rejects filings that the rules can not take, and takes the others of their issuers', () => {
    const filings = [1, 2, 3, 4, 5, 6, 7].map((number) => (number % 3 === 0 ? faulty(number) : staged(number)))
    const projected = project([...filings, staged(8, { issuer: { cik: OTHER } })])
    assert.deepEqual(
      projected.rejected.map(({ accession }) => accession),
      [numbered(3), numbered(6)],
    )
    for (const { reason } of projected.rejected) assert.match(reason, /^can not be projected: TypeError: .*BigInt/)
    assert.sameMembers(
      idsOf(projected),
      [1, 2, 4, 5, 7, 8].map((number) => `${numbered(number)}-nd-1`),
    )
  })

  it('rejects all filings of an issuer with very many that the rules can not take, or of which none is at fault', () => {
    const many = Array.from({ length: 40 }, (_, index) => faulty(index + 1))
    const projected = project([...many, staged(50), staged(51, { issuer: { cik: OTHER } })])
    assert.lengthOf(projected.rejected, 41)
    assert.deepEqual(idsOf(projected), [`${numbered(51)}-nd-1`])
    const tickers = new Map([[ISSUER, Symbol('no list') as never]])
    const withoutFault = project([staged(1), staged(2, { issuer: { cik: OTHER } })], { tickers })
    assert.deepEqual(
      withoutFault.rejected.map(({ accession }) => accession),
      [numbered(1)],
    )
    assert.deepEqual(idsOf(withoutFault), [`${numbered(2)}-nd-1`])
  })
})
