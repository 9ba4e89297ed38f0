// Jobs of the service for an operator: what an interrupted command prints while its job continues, what a queued job
// waits for, the list of jobs, and their end. Also what make status reports about jobs, EDGAR, waiting work and
// versions.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import pg from 'pg'
import { dataSetOf, writeDataSet } from '../../support/edgar/invented/data-set-files.ts'
import { inventedListings } from '../../support/edgar/invented/world.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { filingOf } from '../../support/filings/filing-builder.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import { databaseUrlOf } from '../../support/stores/embedded.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

describe('jobs and status by make', function () {
  this.timeout(180_000)
  let stack: StackOfTest
  let database: pg.Client
  const folder = mkdtempSync(join(tmpdir(), 'insider-jobs-'))

  before(async () => {
    stack = await stackOfTest()
    const up = await stack.make('up')
    assert.strictEqual(up.status, 0, up.stderr)
    database = new pg.Client({ connectionString: databaseUrlOf(stack.dataDir) })
    database.on('error', () => {
      /* it ends with the stack */
    })
    await database.connect()
    const row = { date: '2024-07-01' }
    const filings = [1, 2].map((number) =>
      filingOf({ accession: `0001999001-24-00000${number}`, acceptedAt: '20240702120000', rows: [row] }),
    )
    await writeDataSet(folder, '2024q3', dataSetOf(filings))
  })
  after(async () => {
    await stack.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  /** A make of its own process group, as a terminal has it, and what it says. */
  const begin = (target: string, variables: Record<string, string | number> = {}) => {
    const words = Object.entries({ DATA_DIR: stack.dataDir, PORT: stack.port, ...variables }).map(
      ([name, value]) => `${name}=${value}`,
    )
    const child = spawn('make', [target, ...words], { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const running = { said: '', interrupt: () => process.kill(-child.pid!, 'SIGINT') }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        running.said += chunk
      })
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    return Object.assign(running, { ended })
  }
  const until = async (what: () => boolean | Promise<boolean>, told: () => unknown) => {
    for (let tries = 0; !(await what()); tries += 1) {
      if (tries > 2_400) throw new Error(`waited in vain: ${String(told())}`)
      await sleep(50)
    }
  }
  const statuses = async () =>
    (await database.query('SELECT kind, status FROM jobs ORDER BY id')).rows.map(
      ({ kind, status }: { kind: string; status: string }) => `${kind} ${status}`,
    )

  /** Waits until the service has asked once more how its job is, and was answered. */
  const lookedAgain = async () => {
    const [{ now }] = (await database.query('SELECT clock_timestamp() AS now')).rows
    const looked = async () => {
      // In a transaction the view stays as it was when it was first read.
      await database.query('SELECT pg_stat_clear_snapshot()')
      const { rowCount } = await database.query(
        `SELECT FROM pg_stat_activity
         WHERE application_name = 'service work'
           AND state = 'idle'
           AND query LIKE '%FROM jobs WHERE id = %'
           AND query_start > $1`,
        [now],
      )
      return rowCount! > 0
    }
    await until(looked, () => 'the job is not looked at')
  }

  describe('jobs', () => {
    it('are left to the service by Ctrl-C, waited for in their order, listed and cancelled', async () => {
      // The backfill stops here until it is let go.
      await database.query('BEGIN; LOCK TABLE data_sets IN ACCESS EXCLUSIVE MODE')
      const backfill = begin('backfill', { SETS: folder })
      await until(
        async () => (await statuses()).includes('backfill running'),
        () => backfill.said,
      )
      backfill.interrupt()
      assert.notStrictEqual(await backfill.ended, 0)
      assert.match(
        backfill.said,
        /the service continues job 1: make jobs shows its progress, make cancel ID=1 cancels it/,
      )

      const rebuild = begin('rebuild')
      await until(
        () => /waits/.test(rebuild.said),
        () => rebuild.said,
      )
      assert.match(rebuild.said, /^rebuild waits for job 1 \(backfill, running\), which was queued before it$/m)
      const { stdout } = await stack.make('jobs', { JSON: 0 })
      assert.match(stdout, /^1 {2}backfill 2024q3 {2}running, begun \S+Z\n2 {2}rebuild {2}queued, since \S+Z\n$/)
      const {
        json: { jobs },
      } = (await stack.make('jobs')) as any
      assert.deepEqual(
        jobs.map(({ id, kind, status }: any) => [id, kind, status]),
        [
          [1, 'backfill', 'running'],
          [2, 'rebuild', 'queued'],
        ],
      )

      assert.deepEqual((await stack.make('cancel', { ID: 2 })).json, {
        ok: true,
        id: 2,
        kind: 'rebuild',
        status: 'cancelled',
      })
      assert.notStrictEqual(await rebuild.ended, 0)
      assert.include(rebuild.said, 'job 2 (rebuild) was cancelled; it can be started again')
      const cancel = stack.make('cancel', { ID: 1 })
      await until(async () => (await statuses()).includes('backfill cancelling'), statuses)
      await lookedAgain()
      await database.query('COMMIT')
      assert.deepEqual((await cancel).json, { ok: true, id: 1, kind: 'backfill', status: 'cancelled' })
      assert.deepEqual(await statuses(), ['backfill cancelled', 'rebuild cancelled'])

      const again = await stack.make('backfill', { SETS: folder })
      assert.deepInclude(again.json, { ok: true, rows: 2 }, again.stderr)
      const refused = [
        [{ ID: 1 }, /has ended already: cancelled/],
        [{ ID: 99 }, /no job 99/],
        [{ ID: 'x' }, /number of a job/],
      ] as const
      for (const [variables, words] of refused) {
        assert.match((await stack.make('cancel', variables)).json!.error, words)
      }
    })
  })

  describe('status', () => {
    let edgar: SimulatedEdgar
    const status = async () => (await stack.make('status')).json!
    const statusWhen = async (what: (json: Record<string, any>) => boolean): Promise<Record<string, any>> => {
      for (let tries = 0; ; tries += 1) {
        const json = await status()
        if (what(json)) return json
        assert.isBelow(tries, 40, JSON.stringify(json))
        await sleep(250)
      }
    }

    before(async () => {
      edgar = await startSimulatedEdgar({ companies: inventedListings() })
    })
    after(() => edgar.close())

    it('says that EDGAR is not followed, which jobs wait, and which versions run', async () => {
      const json = await statusWhen(({ edgar: { followed } }) => !followed)
      assert.deepEqual(json.edgar, { followed: false, answeredAt: null, fault: null })
      assert.deepEqual(json.waiting, { fetch: 0, projection: 0, rejected: 0 })
      assert.strictEqual(json.versions.service, json.versions.checkout)
      assert.match(json.versions.build, /^[0-9a-f]{16}$/)
      assert.match(json.versions.schema, /^\d{4}_\w+\.sql$/)
      const { rows } = await database.query(`INSERT INTO jobs (kind, status, started_at, attempts, done, total)
      VALUES ('companies', 'running', now() + interval '1 h', 1, 45, 100) RETURNING id`)
      const { stdout } = await stack.make('status', { JSON: 0 })
      assert.match(stdout, /^edgar {5}not followed: make up EDGAR_USER_AGENT=/m)
      assert.match(stdout, new RegExp(`^job {7}${rows[0].id} {2}companies {2}running 45 %, begun `, 'm'))
      assert.match(stdout, /^versions {2}service \d\S+ \(build \w+\), checkout \d\S+, PostgreSQL \d+\.\d+ with \d{4}_/m)
    })

    it('says when EDGAR last answered, and the error since', async () => {
      const up = await stack.make('up', {
        EDGAR_BASE_URL: edgar.url,
        EDGAR_DATA_URL: edgar.url,
        EDGAR_USER_AGENT: 'Example Fund ops@example.com',
        EDGAR_POLL_SECONDS: 1,
      })
      assert.strictEqual(up.status, 0, up.stderr)
      const { edgar: reached } = await statusWhen((json) => json.edgar.answeredAt !== null)
      assert.deepInclude(reached, { followed: true, fault: null })
      await edgar.close()
      const { edgar: lost } = await statusWhen((json) => json.edgar.fault !== null)
      assert.strictEqual(lost.followed, true)
      assert.isAtLeast(Date.parse(lost.answeredAt), Date.parse(reached.answeredAt))
      const { stdout } = await stack.make('status', { JSON: 0 })
      assert.match(stdout, /^edgar {5}followed, answered \S+Z, and has failed since then: \S/m)
      assert.match(stdout, /^lag {7}no live filing received yet; 0 to fetch, 0 to project, 0 rejected$/m)
    })

    it('has no state of EDGAR and jobs if nothing runs', async () => {
      await stack.make('down')
      assert.deepInclude(await status(), { running: false, edgar: null, jobs: null, lagSeconds: null })
      assert.notMatch((await stack.make('status', { JSON: 0 })).stdout, /^edgar/m)
    })
  })
})
