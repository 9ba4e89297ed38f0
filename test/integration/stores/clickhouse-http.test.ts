// The service on a ClickHouse server over HTTP, whatever engine the run uses: some of everything that is sent over the
// connection, compared with the embedded engine if the run has it, and a server that is killed.
import { readFileSync } from 'node:fs'
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { startClickHouse, whyNoClickHouse, type ClickHouseServer } from '../../support/stores/clickhouse-server.ts'
import { difference, loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { documentsOf, setsOf, tangledHistory } from '../../support/edgar/invented/related-trades.ts'
import type { FilingSpec } from '../../support/filings/filing-builder.ts'
import { noticeSubmission } from '../../support/notices/notice-builder.ts'
import { testServices, type TestService } from '../../support/service/service.ts'
import { nightly } from '../../support/volume.ts'

const why = whyNoClickHouse()
const whyNoKill = process.env.TEST_CLICKHOUSE_URL ? 'TEST_CLICKHOUSE_URL names a server that is not ours' : null

const filed = (number: number, spec: FilingSpec = {}): FilingSpec => ({
  accession: `0001999001-25-${String(number).padStart(6, '0')}`,
  acceptedAt: `202503${10 + number}120000`,
  rows: [{ shares: String(1_000 * number), price: '20' }],
  ...spec,
})
// Three insiders that buy within days are a signal.
const FILINGS = [5, 6, 7, 8, 9].map((cik, index) =>
  filed(index + 1, {
    owners: [{ cik: `000000000${cik}`, name: `SAMPLE ${cik}`, isDirector: true }],
  }),
)
/** With two rows of each kind in both tables. */
const HOLDING = filed(20, {
  acceptedAt: '20250312130000',
  rows: [{}, { shares: '7' }, { kind: 'holding' }, { kind: 'holding', securityTitle: 'Class B' }],
  derivativeRows: [{}, { shares: '7' }, { kind: 'holding' }, { kind: 'holding', securityTitle: 'Warrant' }],
})
const NOTICES = ['0001999201-25-000001', '0001999201-25-000002'].map((accession) => ({
  path: `${accession}.txt`,
  text: noticeSubmission({ accession, acceptedAt: '20250312163005' }),
}))
const NOW = Date.parse('2025-03-15T20:00:00Z')

describe(`ClickHouse over HTTP${why ? ` (skipped: ${why})` : ''}`, function () {
  this.timeout(300_000)
  let server: ClickHouseServer
  const fresh = testServices()
  const networked = () => fresh(() => NOW, undefined, server.url)
  const usual = () => fresh(() => NOW)

  before(async function () {
    if (why) this.skip()
    server = await startClickHouse()
  })
  after(() => server?.close())

  const answersOf = async ({ queries, listed, dump }: TestService) => ({
    listed: await listed(),
    feed: await queries.feed({ limit: 100, detail: true }),
    company: await queries.company('exwi'),
    companies: await queries.companies([
      { ticker: 'EXWI', cik: null },
      { ticker: 'ZZZZ', cik: null },
    ]),
    insider: await queries.insider('5'),
    search: await queries.search({ q: 'sample 5', limit: 10 }),
    signals: await queries.signals({ limit: 100 }),
    stats: await queries.feedStats(),
    dump: await dump(),
  })

  it('gives the same pages, profiles, signals and statistics as the other engine, also after a rebuild', async () => {
    const [here, there] = [await usual(), await networked()]
    for (const service of [here, there]) {
      await service.take(...FILINGS)
      await service.detectSignals()
    }
    const expected = await answersOf(here)
    assert.lengthOf(expected.listed, FILINGS.length)
    assert.notDeepEqual(expected.signals.signals, [])
    assert.notDeepEqual(expected.stats.topBuys, [])
    assert.deepEqual(await answersOf(there), expected)
    await there.container.get(TYPES.rebuild)(() => {})
    assert.deepEqual(await answersOf(there), expected)
    assert.lengthOf(expected.search.results, 1)
  })

  it('gives the same month files as the other engine, byte for byte', async function () {
    const both = [await usual(), await networked()]
    const versionOf = ({ store }: TestService) => store.rows<{ version: string }>(sql`SELECT version() AS version`)
    const [[here], [there]] = [await versionOf(both[0]!), await versionOf(both[1]!)]
    if (here!.version !== there!.version) {
      process.stdout.write(`      skipped: files name the engine, here ${here!.version}, there ${there!.version}\n`)
      this.skip()
    }
    const files = await Promise.all(
      both.map(async ({ container, pool, take, record, detectSignals, linkNotices }) => {
        await take(...FILINGS, HOLDING, ...documentsOf(tangledHistory(52, 24)))
        await detectSignals()
        await record(...NOTICES)
        await linkNotices()
        await pool.query(`UPDATE filings SET first_seen_at = '2025-03-15 19:00Z'`)
        await container.get(TYPES.makeExports)(() => {})
        const folder = container.get(TYPES.exportFolder)
        const { datasets } = (await folder.manifest())!
        return datasets.map(({ name, files: made }) => ({
          name,
          rows: made.map(({ rows }) => rows),
          files: made.map(({ path }) => [path, readFileSync(folder.pathOf(path)).toString('base64')]),
        }))
      }),
    )
    for (const { name, rows } of files[0]!) assert.isAbove(Math.max(0, ...rows), 1, name)
    assert.deepEqual(files[1], files[0])
  })

  nightly('loads history sent to it line by line just as the other engine reads it', async () => {
    const [here, there] = [await usual(), await networked()]
    const history = tangledHistory(51, 60)
    for (const service of [here, there]) {
      for (const { loaded } of await loadSets(service, setsOf(history))) assert.lengthOf(loaded, 1)
      await service.take(...documentsOf(history))
      await service.detectSignals()
    }
    assert.isAbove((await here.dump()).trades!.length, 60)
    assert.strictEqual(difference(await here.dump(), await there.dump()), '')
  })

  it("reports a statement's fault as the server's", async () => {
    const { store } = await networked()
    const fault = await store
      .rows(sql`SELECT throwIf(number = 200000) FROM numbers(300000)`)
      .catch((error: Error) => error)
    assert.include(String(fault), 'throwIf')
    assert.include(String(await store.command(sql`TRUNCATE TABLE nowhere`).catch((error: Error) => error)), 'nowhere')
  })

  describe(`whose server is killed${whyNoKill ? ` (skipped: ${whyNoKill})` : ''}`, () => {
    before(function () {
      if (why || whyNoKill) this.skip()
    })

    it('is unavailable meanwhile, and then has all it had', async () => {
      const service = await networked()
      await service.take(...FILINGS.slice(0, 2))
      const before = await service.dump()
      await server.kill()
      try {
        const unavailable = (work: Promise<unknown>) =>
          work.then(
            () => 'answered',
            ({ code }: { code?: string }) => code,
          )
        assert.strictEqual(await unavailable(service.queries.feed({ limit: 1 })), 'unavailable')
        assert.strictEqual(await unavailable(service.store.ping()), 'unavailable')
        await service.record(...FILINGS.slice(2))
        assert.strictEqual(await unavailable(service.project()), 'unavailable')
      } finally {
        await server.start()
      }
      assert.deepEqual(await service.dump(), before)
      await service.project()
      await service.detectSignals()
      const calm = await networked()
      await calm.take(...FILINGS)
      await calm.detectSignals()
      assert.deepEqual(await answersOf(service), await answersOf(calm))
    })
  })
})
