// Reading the feed page by page while filings arrive: no row twice, and no row missing that existed at the start.
import { assert } from 'chai'
import fc from 'fast-check'
import type { ClickHouse, InsertRow } from '../../../../src/infrastructure/clickhouse/connection/client.ts'
import { clickHouseQueries } from '../../../../src/infrastructure/clickhouse/queries/queries.ts'
import { sql } from '../../../../src/infrastructure/clickhouse/connection/sql.ts'
import type { Queries } from '../../../../src/application/queries/queries.ts'
import { goneListRow, listRows } from '../../../../src/infrastructure/clickhouse/stores/list-rows.ts'
import { tableInserts } from '../../../../src/infrastructure/clickhouse/stores/table-inserts.ts'
import { exampleTrade } from '../../../support/filings/trade.ts'
import { parsed } from '../../../support/service/parsed-queries.ts'
import { freshClickHouse, NOTHING_KEPT, type TestClickHouse } from '../../../support/stores/clickhouse.ts'
import { compute } from '../../../support/workers/shared-workers.ts'

interface Row {
  at: number
  accession: string
  n: number
}

// Few instants, accessions and places, so that every kind of tie occurs and gaps of years.
const row = fc
  .record({
    at: fc.constantFrom(1_000_000_000, 1_300_000_000, 1_300_050_000, 1_763_000_000, 1_763_000_001),
    of: fc.constantFrom('25-000001', '25-000002', 'local'),
    n: fc.constantFrom(1, 2, 9, 10),
  })
  .map(({ at, of, n }): Row => ({ at, accession: of === 'local' ? `local-${at}` : `${at}-${of}`, n }))
const idOf = ({ accession, n }: Row) => `${accession}-nd-${n}`
const tradeOf = (each: Row) =>
  exampleTrade({
    ...{ filedAt: each.at, accession: each.accession, place: each.n, id: idOf(each) },
    type: each.n % 2 === 0 ? 'buy' : 'sell',
  })
const write = (store: ClickHouse, rows: Row[], version: number) =>
  insert(
    store,
    rows.flatMap((each) => listRows(tradeOf(each), version)),
  )
const remove = (store: ClickHouse, row: Row, version: number) => insert(store, [goneListRow(tradeOf(row), version)])
async function insert(store: ClickHouse, rows: object[]): Promise<void> {
  for (const lines of tableInserts('placed_rows', rows as InsertRow[]).inserts)
    await store.insertLines('placed_rows', lines)
}
const feedOf = (store: ClickHouse) =>
  parsed(clickHouseQueries(store, Date.now, NOTHING_KEPT, compute) as unknown as Queries).feed
const newestFirst = (a: Row, b: Row) =>
  b.at - a.at || (a.accession < b.accession ? 1 : a.accession > b.accession ? -1 : b.n - a.n)

describe('paging through the feed', () => {
  let clickHouse: TestClickHouse
  before(async () => {
    clickHouse = await freshClickHouse()
  })
  after(() => clickHouse.close())

  it('shows each row once, in order, while rows arrive and are rewritten', async () => {
    const { store } = clickHouse
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(row, { selector: idOf, maxLength: 25 }),
        fc.array(fc.tuple(fc.array(row, { maxLength: 6 }), fc.integer({ min: 2, max: 7 })), {
          minLength: 1,
          maxLength: 20,
        }),
        fc.constantFrom(undefined, 'buys' as const, 'sells' as const),
        async (present, steps, filter) => {
          await store.command(sql`TRUNCATE TABLE transaction_lists`)
          await write(store, present, 1)
          const ask = feedOf(store)
          const seen: string[] = []
          const known = new Map(present.map((each) => [idOf(each), each]))
          let cursor: string | undefined
          for (let step = 0; ; step += 1) {
            const [arriving, limit] = steps[step % steps.length]!
            const page = await ask({ limit, ...(cursor && { cursor }), ...(filter && { filter }) })
            seen.push(...page.transactions.map((each) => each.id))
            assert.isAtMost(page.transactions.length, limit)
            if (!page.hasMore) break
            cursor = page.nextCursor
            await write(store, arriving, step + 2)
            for (const each of arriving) known.set(idOf(each), each)
          }
          const matches = (each: Row) => !filter || (filter === 'buys') === (each.n % 2 === 0)
          assert.strictEqual(new Set(seen).size, seen.length, 'a row came twice')
          assert.deepEqual(
            present
              .filter(matches)
              .map(idOf)
              .filter((id) => !seen.includes(id)),
            [],
            'rows are missing',
          )
          assert.deepEqual(
            seen,
            seen
              .map((id) => known.get(id)!)
              .sort(newestFirst)
              .map(idOf),
          )
        },
      ),
      { numRuns: 60 },
    )
  }).timeout(60_000)

  it('leaves out withdrawn rows', async () => {
    const { store } = clickHouse
    await store.command(sql`TRUNCATE TABLE transaction_lists`)
    const [kept, gone] = [
      { at: 1_700_000_000, accession: 'a', n: 1 },
      { at: 1_700_000_000, accession: 'a', n: 2 },
    ]
    await write(store, [kept, gone], 1)
    await remove(store, gone, 2)
    const page = await feedOf(store)({ limit: 5 })
    assert.deepEqual(
      page.transactions.map((each) => each.id),
      [idOf(kept)],
    )
    assert.strictEqual(page.hasMore, false)
  })

  describe('of 5,000 rows', () => {
    const rows = Array.from({ length: 5_000 }, (_, place): Row => ({
      ...{ at: 1_700_000_000 + Math.floor(place / 3), accession: `a-${place}`, n: 1 },
    })).sort(newestFirst)
    const ask: ReturnType<typeof feedOf> = (question) => feedOf(clickHouse.store)(question)

    before(async () => {
      const { store } = clickHouse
      await store.command(sql`TRUNCATE TABLE transaction_lists`)
      await write(store, rows, 1)
    })

    it('shows every row once in pages of any length', async () => {
      const limits = [100, 7, 33]
      const seen: string[] = []
      for (let [page, cursor] = [0, undefined as string | undefined]; ; page += 1) {
        const found = await ask({ limit: limits[page % limits.length]!, ...(cursor && { cursor }) })
        seen.push(...found.transactions.map((each) => each.id))
        if (!found.hasMore) break
        cursor = found.nextCursor
      }
      assert.deepEqual(seen, rows.map(idOf))
    })

    it('continues after a row that is no longer there', async () => {
      const page = await ask({ limit: 7 })
      await remove(clickHouse.store, rows[6]!, 2)

      const following = await ask({ limit: 7, cursor: page.nextCursor! })

      assert.deepEqual(
        following.transactions.map((each) => each.id),
        rows.slice(7, 14).map(idOf),
      )
    })
  })
})
