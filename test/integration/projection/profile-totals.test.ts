// Totals that are kept ready for profiles: through everything that writes lists they are what the rows sum up to, and
// profiles answer with them as they do without.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { cikAsSymbol } from '../../../src/domain/shared/identifiers.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import {
  goneTotalsRow,
  isTotals,
  listOfTotals,
  PROFILE_ROWS,
  totalsOfRows,
  totalsText,
} from '../../../src/infrastructure/clickhouse/profiles/list-totals.ts'
import { ClickHouseProfileTotals } from '../../../src/infrastructure/clickhouse/profiles/make-totals.ts'
import { correctedFilings } from '../../support/edgar/invented/corrected-filings.ts'
import { inventedFiling } from '../../support/edgar/invented/filings.ts'
import { documentsOf, inTwoQuarters, setsOf, tangledHistory } from '../../support/edgar/invented/related-trades.ts'
import { loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { volume } from '../../support/volume.ts'

const SEEDS = volume('seeds of totals of profiles', [1], [1, 2, 3, 4, 5, 6])
const BATCHES = volume('batches of totals of profiles', 12, 80)

/** Asserts that all totals that are ready are true; returns how many there are. */
async function assertTrue({ store }: TestService, when: string): Promise<number> {
  const rows = await store.rows<{ key: string; summed: string }>(sql`
    SELECT key, summed
    FROM transaction_lists FINAL
    WHERE (key >= 'c' AND key < 'd') OR (key >= 'i' AND key < 'j')
    ORDER BY key DESC`)
  const rowsOf = Map.groupBy(
    rows.filter(({ key }) => !isTotals(key)),
    ({ key }) => key.slice(0, 11),
  )
  const ready = rows.filter(({ key }) => isTotals(key))
  for (const { key, summed } of ready)
    assert.strictEqual(summed, totalsText(totalsOfRows(rowsOf.get(listOfTotals(key)) ?? [])), `${key} ${when}`)
  return ready.length
}

/** Returns what is answered of every company and insider. */
async function answersOf({ store, queries }: TestService): Promise<string[]> {
  const found = await store.rows<{ kind: string; cik: string }>(sql`
    SELECT DISTINCT substring(key, 1, 1) AS kind, substring(key, 2, 10) AS cik
    FROM transaction_lists FINAL
    WHERE (key >= 'c' AND key < 'd') OR (key >= 'i' AND key < 'j')
    ORDER BY kind, cik`)
  const ciks = (kind: string) => found.filter((each) => each.kind === kind).map(({ cik }) => cik)
  const answers: unknown[] = [await queries.companies(ciks('c').map((cik) => ({ ticker: null, cik })))]
  for (const detail of [false, true]) {
    for (const cik of ciks('c')) answers.push(await queries.company(cikAsSymbol(cik), detail))
    for (const cik of ciks('i')) answers.push(await queries.insider(cik, detail))
  }
  return answers.map((answer) => JSON.stringify(answer))
}

async function removeTotals({ store, container }: TestService): Promise<void> {
  const ready = await store.rows<{ key: string }>(sql`
    SELECT key
    FROM transaction_lists FINAL
    WHERE endsWith(key, '=')`)
  const version = await container.get(TYPES.nextVersion)()
  await store.insert(
    'transaction_lists',
    ready.map(({ key }) => goneTotalsRow(listOfTotals(key), version)),
  )
}

describe('totals of profiles', function () {
  this.timeout(240_000)
  const services: TestService[] = []
  const fresh = async () => {
    const service = await testService()
    services.push(service)
    return service
  }
  afterEach(async () => {
    for (const service of services.splice(0)) await service.close()
  })

  /** Makes those of all lists, also of short ones. */
  const makeAll = async ({ store, container }: TestService) => {
    const totals = new ClickHouseProfileTotals(store, container.get(TYPES.nextVersion), 0)
    await totals.findMissing()
    while ((await totals.make()).read > 0);
  }

  for (const seed of SEEDS)
    it(`are true whatever is written, and answer as the rows do (${seed})`, async () => {
      const service = await fresh()
      const next = correctedFilings(seed)
      let checked = 0
      const check = async (when: string) => (checked += await assertTrue(service, when))
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const documents = next(6).map(({ path, bytes }) => ({ path, text: bytes.toString('latin1') }))
        await service.take(...documents)
        await check(`after batch ${batch}`)
        if (batch % 3 === 0) await service.detectSignals()
        if (batch % 2 === 0) await makeAll(service)
        await check(`after signals of batch ${batch}`)
      }
      const history = inTwoQuarters(tangledHistory(seed, 60))
      const [first, ...others] = setsOf(history)
      const documents = documentsOf(history)
      await loadSets(service, [first!])
      await makeAll(service)
      await check('after a data set')
      await service.take(...documents.slice(0, documents.length / 2))
      await check('after documents of a data set')
      await makeAll(service)
      await loadSets(service, others)
      await check('after another data set')
      await service.take(...documents.slice(documents.length / 2))
      await makeAll(service)
      await service.detectSignals()
      await check('after all')
      assert.isAbove(checked, 100)

      await makeAll(service)
      const answers = await answersOf(service)
      assert.isAbove(answers.length, 30)
      await removeTotals(service)
      assert.strictEqual(await assertTrue(service, 'after all were removed'), 0)
      assert.deepEqual(await answersOf(service), answers)

      await makeAll(service)
      await service.container.get(TYPES.rebuild)(() => {})
      assert.strictEqual(await assertTrue(service, 'after a rebuild'), 0, 'a rebuild makes the rows alone')
      await makeAll(service)
      assert.deepEqual(await answersOf(service), answers)
    })

  it('are missed once: profiles then read all rows of a list at once', async () => {
    const service = await fresh()
    const next = correctedFilings(1)
    for (let batch = 0; batch < 12; batch += 1)
      await service.take(...next(6).map(({ path, bytes }) => ({ path, text: bytes.toString('latin1') })))
    const [longest] = await service.store.rows<{ list: string; rows: number }>(sql`
      SELECT substring(key, 1, 11) AS list, count() AS rows
      FROM transaction_lists FINAL
      WHERE startsWith(key, 'c') AND NOT endsWith(key, '=')
      GROUP BY list
      ORDER BY rows DESC
      LIMIT 1`)
    assert.isAbove(longest!.rows, PROFILE_ROWS)
    const asked = async () => {
      let statements = 0
      service.store.observe = () => (statements += 1)
      const answer = await service.queries.company(cikAsSymbol(longest!.list.slice(1)), true)
      service.store.observe = () => {}
      return { statements, answer: JSON.stringify(answer) }
    }
    await makeAll(service)
    await asked()
    const ready = await asked()
    await removeTotals(service)
    const [missed, after] = [await asked(), await asked()]
    await makeAll(service)
    await asked()
    const again = await asked()

    assert.deepEqual([missed.answer, after.answer, again.answer], [ready.answer, ready.answer, ready.answer])
    assert.deepEqual(
      [missed, after, again].map(({ statements }) => statements - ready.statements),
      [1, 0, 0],
    )
  })

  it('are made by the process that ingests, and again a second after a change', async () => {
    const service = await fresh()
    const { spec } = inventedFiling(1, { seed: 3, acceptedAt: () => Date.UTC(2026, 0, 1, 12) })
    const filing = (number: number) => ({
      ...spec,
      accession: `0009990002-26-${String(number).padStart(6, '0')}`,
      acceptedAt: `202601${10 + Math.floor(number / 50)}12${10 + (number % 50)}00`,
      rows: spec
        .rows!.slice(0, 1)
        .map((row) => ({ ...row, code: 'P', acquiredDisposed: 'A' as const, shares: String(1_000 + number) })),
    })
    const [issuer, owner] = [spec.issuer!.cik!, spec.owners![0]!.cik!]
    const SHORT = PROFILE_ROWS / 2
    await service.take(...Array.from({ length: SHORT }, (_, index) => filing(index)))
    const stop = new AbortController()
    const ready = async () => {
      await assertTrue(service, 'beside the loop')
      const found = await service.store.rows<{ key: string }>(sql`
        SELECT key
        FROM transaction_lists FINAL
        WHERE endsWith(key, '=')
        ORDER BY key`)
      return found.map(({ key }) => listOfTotals(key)).join(' ')
    }
    const until = async (lists: string) => {
      while ((await ready()) !== lists) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    let rounds = 0
    const report = { projected: () => {}, filling: () => {}, job: () => {}, totals: () => (rounds += 1) }
    const failed = (what: string, error: unknown) => assert.fail(`${what}: ${String(error)}`)
    const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 50))
    const running = service.container.get(TYPES.projectionLoop).run(stop.signal, wait, { ...report, failed })
    try {
      while (rounds === 0) await wait()
      assert.strictEqual(await ready(), `c${issuer}`, 'the list of the insider is short')

      await service.record(filing(200))
      await until(`c${issuer} i${owner}`)
      assert.strictEqual((await service.queries.company(cikAsSymbol(issuer)))!.totalBuys, SHORT + 1)
      assert.strictEqual((await service.queries.insider(owner))!.stats.totalBuys, SHORT + 1)
    } finally {
      stop.abort()
      await running
    }
  })
})
