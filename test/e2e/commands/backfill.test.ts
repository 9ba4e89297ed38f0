// History loaded by make backfill: from a folder of zips and from EDGAR, beside a running service and without one, and
// started again after a kill.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import pg from 'pg'
import { processRef, waitForExit } from '../../../src/infrastructure/embedded/processes.ts'
import { call } from '../../support/http/contract-client.ts'
import { dataSetOf, writeDataSet } from '../../support/edgar/invented/data-set-files.ts'
import { writeInventedDataSet } from '../../support/edgar/invented/data-set.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { filingOf, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import { volume } from '../../support/volume.ts'
import { databaseUrlOf } from '../../support/stores/embedded.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const filed = (number: number, day: string, spec: FilingSpec = {}) =>
  filingOf({
    accession: `0001999001-24-${String(number).padStart(6, '0')}`,
    acceptedAt: `${day.replaceAll('-', '')}120000`,
    ...spec,
    rows: (spec.rows ?? [{}]).map((row) => ({ date: day, ...row })),
  })

/**
 * A table's number of rows and the hash of its contents, of a stack that is down; in a process of its own, as the
 * engine wants it.
 */
function contentsOf(stack: StackOfTest): string {
  const code = `import { createHash } from 'node:crypto'
    import { ClickHouse } from './src/infrastructure/clickhouse/connection/client.ts'
    import { dumpOf } from './test/support/stores/dump.ts'
    const store = await ClickHouse.open({ path: process.argv[1], database: 'insider' })
    for (const [table, rows] of Object.entries(await dumpOf(store))) {
      console.log(table, rows.length, createHash('sha256').update(rows.join('\\n')).digest('hex'))
    }
    await store.close()`
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', code, join(stack.dataDir, 'clickhouse')],
    { cwd: root, encoding: 'utf8' },
  )
  assert.strictEqual(status, 0, stderr)
  return stdout
}

interface Load {
  start: number
  isLoaded: boolean
  /** Lets it end. */
  release(): Promise<void>
}

/**
 * When the last load of a quarter began, and whether it is through; null where there was none. It can't end before it
 * is released, since its end is written to the row that is locked here.
 */
async function held(stack: StackOfTest, quarter: string): Promise<Load | null> {
  const client = new pg.Client({ connectionString: databaseUrlOf(stack.dataDir) })
  client.on('error', () => {
    /* it may be killed with the stack */
  })
  const release = () => client.end()
  try {
    await client.connect()
    await client.query('BEGIN')
    const { rows } = await client.query<{ start: Date; status: string }>(
      'SELECT started_at AS start, status FROM data_sets WHERE quarter = $1 FOR UPDATE',
      [quarter],
    )
    if (rows[0]) return { start: rows[0].start.getTime(), isLoaded: rows[0].status === 'loaded', release }
  } catch (error) {
    await release()
    throw error
  }
  await release()
  return null
}

async function loadOf(stack: StackOfTest, quarter: string): Promise<Load | null> {
  const load = await held(stack, quarter)
  await load?.release()
  return load
}

/** Waits until the quarter is on its way, not by the load that began at `before`, and holds it there. */
async function begun(stack: StackOfTest, quarter: string, before: number | null): Promise<Load> {
  for (const end = performance.now() + 120_000; performance.now() < end; await sleep(20)) {
    const load = await held(stack, quarter).catch(() => null)
    if (load && (load.isLoaded || load.start !== before)) return load
    await load?.release()
  }
  throw new Error(`${quarter} was not begun`)
}

// Long enough that a kill finds the load under way.
const ROWS = volume('rows of a quarter whose load is killed', 2_000, 30_000)
const QUARTERS = volume('quarters of a load that is killed', ['2024q1'], ['2024q1', '2024q2'])
const KILLED_QUARTERS = volume('quarters whose load is killed', ['2024q1'], ['2024q1', '2024q1', '2024q2', '2024q2'])

describe('make backfill', function () {
  this.timeout(400_000)
  const folder = mkdtempSync(join(tmpdir(), 'test-backfill-'))
  const [zips, published] = [join(folder, 'zips'), join(folder, 'published')]
  let edgar: SimulatedEdgar
  let stack: StackOfTest
  const follow = () => ({
    EDGAR_BASE_URL: edgar.url,
    EDGAR_USER_AGENT: 'Example Tests tests@example.com',
    EDGAR_POLL_SECONDS: 60,
  })

  before(async () => {
    await writeDataSet(
      zips,
      '2023q4',
      dataSetOf([filed(1, '2023-11-10', { rows: [{ shares: '1' }, { shares: '2' }] })]),
    )
    await writeDataSet(
      zips,
      '2024q1',
      dataSetOf([filed(2, '2024-02-09', { rows: [{ shares: '3', code: 'S', acquiredDisposed: 'D' }] })]),
    )
    const corrected = [{ date: '2024-02-09', shares: '4', code: 'S', acquiredDisposed: 'D' as const }]
    await writeDataSet(
      published,
      '2024q3',
      dataSetOf([filed(3, '2024-08-09', { formType: '4/A', dateOfOriginalSubmission: '2024-02-09', rows: corrected })]),
    )
    edgar = await startSimulatedEdgar({ dataSets: published })
    stack = await stackOfTest()
  })
  after(async () => {
    await stack.remove()
    await edgar.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('loads a folder of zips without a running service, and skips loaded quarters', async () => {
    const { json, stderr, status } = await stack.make('backfill', { SETS: zips })
    assert.deepInclude(json, { ok: true, unchanged: [], missing: [], rows: 3, rejected: 0 }, stderr)
    assert.strictEqual(status, 0)
    assert.deepEqual(
      json!.loaded.map((set: { quarter: string }) => set.quarter),
      ['2023q4', '2024q1'],
    )
    assert.deepEqual(readdirSync(join(stack.dataDir, 'history')).sort(), ['2023q4_form345.zip', '2024q1_form345.zip'])
    assert.deepInclude((await stack.make('backfill', { SETS: zips })).json, {
      loaded: [],
      unchanged: ['2023q4', '2024q1'],
      rows: 0,
    })
  })

  it('reports errors in one line', async () => {
    const refused = async (SETS: string) => {
      const { json, status, stdout, stderr } = await stack.make('backfill', { SETS })
      assert.notStrictEqual(status, 0)
      assert.lengthOf(stdout.trim().split('\n'), 1)
      assert.include(stderr, `error: ${json!.error}`)
      assert.notInclude(json!.error, '\n')
      return json!.error as string
    }
    assert.strictEqual(
      await refused('2024q3..2024q1'),
      'the quarters are the wrong way round: 2024q1 lies before 2024q3',
    )
    assert.match(await refused('2024q5'), /^neither quarters such as 2006q1\.\.2026q3 nor a file or folder: 2024q5$/)
    assert.match(await refused('2024q3'), /^2024q3 is not kept here: set EDGAR_USER_AGENT/)
    assert.match(await refused(join(root, 'test')), /^no data set in .*test; expected the SEC's names/)
    const hostile = join(folder, '2024q1_form345.zip')
    writeFileSync(hostile, '<html>Request Rate Threshold Exceeded</html>')
    assert.match(
      await refused(hostile),
      /^2024q1_form345\.zip: not a zip: .*; download the quarter again from the SEC$/,
    )
    // The good one is still kept.
    assert.deepInclude((await stack.make('rebuild')).json, { ok: true, sets: 2, trades: 3 })
  })

  it('downloads a range beside a running service, which then has it in answers', async () => {
    assert.strictEqual((await stack.make('up', follow())).status, 0)
    const { json, stderr } = await stack.make('backfill', { SETS: '2024q1..2024q3', ...follow() })
    assert.deepInclude(json, { ok: true, unchanged: ['2024q1'], missing: ['2024q2'], rows: 1 }, stderr)
    const feed = (await call(stack.address, 'GET', '/v1/feed?detail=full')).body.data
    assert.deepEqual(feed.transactions.map(({ id }: { id: string }) => id).slice(0, 1), ['0001999001-24-000003-nd-1'])
    assert.lengthOf(feed.transactions, 3)
    assert.deepInclude(feed.transactions[0], { shares: 4, filingDate: '2024-08-10T02:00:00Z' })
    assert.deepInclude(feed.transactions[0].detail, { filingDateBasis: 'filed-date' })
    const company = (await call(stack.address, 'GET', '/v1/companies/exwi')).body.data
    assert.deepInclude(company, { ticker: 'EXWI', totalBuys: 2, totalSells: 1 })
    assert.deepEqual((await call(stack.address, 'GET', '/v1/insiders/1999101')).body.data.stats, {
      totalBuys: 2,
      totalSells: 1,
    })
  })

  it('gives the same result after it was killed halfway, alone or with the service', async () => {
    const sets = join(folder, 'large')
    for (const quarter of QUARTERS)
      await writeInventedDataSet({ folder: sets, quarter, rows: ROWS, seed: 5, issuers: 300 })
    const [calm, killed] = [await stackOfTest(), await stackOfTest()]
    try {
      assert.deepInclude((await calm.make('backfill', { SETS: sets })).json, { ok: true, rows: QUARTERS.length * ROWS })
      await calm.make('down')
      let kills = 0
      const starts = new Map<string, number>()
      for (const [index, quarter] of KILLED_QUARTERS.entries()) {
        const words = ['backfill', `SETS=${sets}`, `DATA_DIR=${killed.dataDir}`, 'JSON=1']
        const child = spawn('make', words, { cwd: root, detached: true, stdio: 'ignore' })
        const ended = new Promise<string | null>((resolve) => child.once('close', (_, signal) => resolve(signal)))
        const load = await begun(killed, quarter, starts.get(quarter) ?? null)
        starts.set(quarter, load.start)
        // At an early step, or at a later one.
        await sleep(200 + 400 * (index % 2))
        try {
          process.kill(-child.pid!, 'SIGKILL')
        } catch {
          /* It was quicker. */
        }
        if ((await ended) === 'SIGKILL') kills += 1
        await load.release()
      }
      assert.isAtLeast(kills, KILLED_QUARTERS.length / 2)
      // The service is killed while it loads; the command sees to the rest.
      await killed.make('up')
      const last = QUARTERS.at(-1)!
      const cut = await loadOf(killed, last)
      assert.notStrictEqual(cut?.isLoaded, true, 'nothing is left to load')
      const rest = killed.make('backfill', { SETS: sets })
      const load = await begun(killed, last, cut?.start ?? null)
      assert.isFalse(load.isLoaded, 'loaded before the kill')
      const service = processRef(Number(readFileSync(join(killed.dataDir, 'service.pid'), 'utf8')))
      process.kill(service.pid, 'SIGKILL')
      assert.isTrue(await waitForExit(service, 60_000))
      await load.release()
      const { json, stderr } = await rest
      assert.include(json, { ok: true }, stderr)
      await killed.make('down')
      assert.strictEqual(contentsOf(killed), contentsOf(calm))
    } finally {
      await calm.remove()
      await killed.remove()
    }
  })
})
