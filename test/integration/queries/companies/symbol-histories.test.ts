// Symbols as of an instant, over real stores: whatever is filed, and whether they are looked up or in memory, each
// leads to the issuer of the newest filing by then that typed it.
import { setImmediate as turn } from 'node:timers/promises'
import { assert } from 'chai'
import { ChangeTracker } from '../../../../src/application/changes/change-tracker.ts'
import { TYPES } from '../../../../src/container/tokens.ts'
import type { Sql } from '../../../../src/infrastructure/clickhouse/connection/sql.ts'
import { issuersOfSql } from '../../../../src/infrastructure/clickhouse/queries/shared/filed-symbols.ts'
import { symbolsAsOf } from '../../../../src/infrastructure/clickhouse/queries/shared/symbol-histories.ts'
import { hashOf, seeded } from '../../../support/edgar/invented/seeded.ts'
import { ownershipXml } from '../../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

const SYMBOLS = ['EXA', 'EXB', 'EXC', 'EXD', 'EXNONE']
const issuer = (number: number) => String(1_999_000 + number).padStart(10, '0')
const at = (day: number, hour = 20) => Date.UTC(2025, 2, day, hour) / 1000

describe('symbols as of an instant', function () {
  this.timeout(60_000)
  let service: TestService
  let statements: string[][]
  let isUpToDate: boolean
  let filings: number
  /** The reading of all symbols, which no request waits for. */
  let whole: Promise<unknown> | null
  beforeEach(async () => {
    service = await testService()
    ;[statements, isUpToDate, filings, whole] = [[], true, 0, null]
  })
  afterEach(() => service.close())

  const filed = (number: number, symbol: string, day: number) => {
    filings += 1
    return {
      accession: `0001999001-25-${String(filings).padStart(6, '0')}`,
      acceptedAt: `202503${String(day).padStart(2, '0')}120000`,
      issuer: { cik: issuer(number), name: `Example ${number} Inc`, tickerRaw: symbol },
    }
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
    return symbolsAsOf({ rows } as never, { changes, isUpToDate: () => isUpToDate })
  }
  const stored = async (symbols: string[], asOf: number) => {
    const found = await service.store.rows<{ ticker: string; issuer: number }>(issuersOfSql(symbols, asOf))
    return found.map((each) => [each.ticker, each.issuer]).sort()
  }
  const settled = async (symbols: ReturnType<typeof symbolsAsOf>) => {
    await symbols(['EXNONE'], at(1))
    await whole!
    await turn()
    statements.length = 0
  }

  it('lead to the issuer of the newest filing by then, from memory and after each filing', async () => {
    const symbols = counted(service.container.get(TYPES.changes))
    const chance = seeded(hashOf('symbols as of'))
    const draw = (count: number) => Math.floor(chance() * count)
    await service.take(filed(1, 'EXA', 14))
    await settled(symbols)
    for (let round = 0; round < 25; round += 1) {
      // The first two pass from issuer to issuer, the others are typed by any of three.
      const symbol = draw(4)
      await service.take(filed(symbol < 2 ? 1 + (round >> 3) : 1 + draw(3), SYMBOLS[symbol]!, 1 + ((round * 9) >> 3)))
      if (round % 8 === 5) {
        const undated = filed(9, SYMBOLS[draw(4)]!, 1 + draw(28))
        await service.take({ path: `${undated.accession}.xml`, text: ownershipXml(undated) })
      }
      for (const asked of [SYMBOLS, [SYMBOLS[draw(4)]!, 'EXNONE']]) {
        const asOf = at(draw(31), draw(24))
        assert.deepEqual([...(await symbols(asked, asOf))].sort(), await stored(asked, asOf))
      }
    }
    const found = await Promise.all([5, 12, 20, 29].map((day) => stored(['EXA', 'EXB'], at(day))))
    assert.isAbove(new Set(found.flat().map(String)).size, 3)
  })

  it('are read only after a filing has typed them, where issuers alternate, or changes may be unknown', async () => {
    const symbols = counted(service.container.get(TYPES.changes))
    const from = async (asked: string[], asOf: number) => {
      statements.length = 0
      assert.deepEqual([...(await symbols(asked, asOf))].sort(), await stored(asked, asOf))
      return statements
    }
    await service.take(filed(1, 'EXA', 3), filed(2, 'EXA', 6), filed(2, 'EXB', 6))
    await service.take(filed(1, 'EXC', 3), filed(2, 'EXC', 4), filed(1, 'EXC', 5))
    await settled(symbols)
    for (const day of [1, 4, 7]) assert.deepEqual(await from(['EXA', 'EXB', 'EXNONE'], at(day)), [])
    assert.deepEqual(await from(['EXA', 'EXC'], at(4)), [['EXC']])

    await service.take(filed(3, 'EXB', 9))
    assert.deepEqual(await from(['EXA', 'EXB'], at(10)), [['EXB']])
    assert.deepEqual(await from(['EXA', 'EXB'], at(7)), [])
    isUpToDate = false
    assert.deepEqual(await from(['EXA', 'EXNONE'], at(7)), [['EXA', 'EXNONE']])
    isUpToDate = true
    // After a change of everything nothing in memory counts.
    service.container.get(TYPES.changes).drop('everything')
    assert.deepEqual(await from(['EXA'], at(7)), [['EXA']])
    assert.deepEqual(await from(['EXA'], at(4)), [])
  })
})
