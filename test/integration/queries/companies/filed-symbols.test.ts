// Symbols that the SEC's list lacks, over real stores: whatever is filed, and whether they are looked up or in memory,
// each leads to the issuer of the newest filing that typed it.
import { setImmediate as turn } from 'node:timers/promises'
import { assert } from 'chai'
import { ChangeTracker } from '../../../../src/application/changes/change-tracker.ts'
import { TYPES } from '../../../../src/container/tokens.ts'
import type { Sql } from '../../../../src/infrastructure/clickhouse/connection/sql.ts'
import { filedSymbols, issuersOfSql } from '../../../../src/infrastructure/clickhouse/queries/shared/filed-symbols.ts'
import { hashOf, seeded } from '../../../support/edgar/invented/seeded.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

const SYMBOLS = ['EXA', 'EXB', 'EXC', 'EXD', 'EXE', 'EXNONE']
const issuer = (number: number) => String(1_999_000 + number).padStart(10, '0')

describe('symbols that the list lacks', function () {
  this.timeout(60_000)
  let service: TestService
  let statements: string[][]
  let isUpToDate: boolean
  /** The reading of all symbols, which no request waits for. */
  let whole: Promise<unknown> | null
  beforeEach(async () => {
    service = await testService()
    statements = []
    isUpToDate = true
    whole = null
  })
  afterEach(() => service.close())

  let filings = 0
  const file = (number: number, symbol: string) => {
    filings += 1
    return service.take({
      accession: `0001999001-25-${String(filings).padStart(6, '0')}`,
      acceptedAt: `202503${String(1 + (filings % 28)).padStart(2, '0')}${String(100_000 + filings)}`,
      issuer: { cik: issuer(number), name: `Example ${number} Inc`, tickerRaw: symbol },
    })
  }
  /** The symbols in question, with the statements that are sent. */
  const counted = (changes: ChangeTracker) => {
    const { store } = service
    const rows = async (query: Sql) => {
      const named = SYMBOLS.filter((symbol) => query.text.includes(`'${symbol}'`))
      statements.push(named)
      const found = store.rows(query)
      if (named.length === 0) whole = found
      return found
    }
    return filedSymbols({ rows } as never, { changes, isUpToDate: () => isUpToDate })
  }
  const stored = async (symbols: string[]) => {
    const found = await service.store.rows<{ ticker: string; issuer: number }>(issuersOfSql(symbols))
    return new Map(found.map((each) => [each.ticker, each.issuer]))
  }
  const settled = async (filed: ReturnType<typeof filedSymbols>) => {
    await filed(['EXNONE'])
    await whole!
    await turn()
    statements.length = 0
  }

  it('lead to the issuer of the newest filing with them, from memory and after each filing', async () => {
    const filed = counted(service.container.get(TYPES.changes))
    const chance = seeded(hashOf('filed symbols'))
    const draw = (count: number) => Math.floor(chance() * count)
    await file(1, 'EXA')
    await settled(filed)
    for (let round = 0; round < 25; round += 1) {
      await file(1 + draw(3), SYMBOLS[draw(5)]!)
      const asked = SYMBOLS.filter(() => chance() < 0.7)
      assert.deepEqual(new Map([...(await filed(asked))].toSorted()), new Map([...(await stored(asked))].toSorted()))
    }
  })

  it('are looked up only where a filing has typed them since, or changes may be unknown', async () => {
    const filed = counted(service.container.get(TYPES.changes))
    await file(1, 'EXA')
    await file(2, 'EXB')
    await settled(filed)
    assert.deepEqual(await filed(['EXA', 'EXB', 'EXNONE']), await stored(['EXA', 'EXB', 'EXNONE']))
    assert.isEmpty(statements)

    await file(3, 'EXB')
    assert.deepEqual(await filed(['EXA', 'EXB', 'EXNONE']), await stored(['EXA', 'EXB', 'EXNONE']))
    assert.deepEqual(statements, [['EXB']])
    isUpToDate = false
    await filed(['EXA', 'EXNONE'])
    assert.deepEqual(statements.slice(1), [['EXA', 'EXNONE']])
    isUpToDate = true
    // After a change of everything nothing in memory counts.
    service.container.get(TYPES.changes).drop('everything')
    await filed(['EXA'])
    assert.deepEqual(statements.slice(2), [['EXA']])
  })
})
