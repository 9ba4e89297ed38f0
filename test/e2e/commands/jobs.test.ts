// Jobs of the service as an operator meets them: what a command says that is interrupted while its job goes on, what a
// queued one waits for, the list of jobs, and their end.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import pg from 'pg'
import { dataSetOf, writeDataSet } from '../../support/edgar/invented/data-set-files.ts'
import { filingOf } from '../../support/filings/filing-builder.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

describe('jobs by make', function () {
  this.timeout(180_000)
  let stack: StackOfTest
  let database: pg.Client
  const folder = mkdtempSync(join(tmpdir(), 'insider-jobs-'))

  before(async () => {
    stack = await stackOfTest()
    const up = await stack.make('up')
    assert.strictEqual(up.status, 0, up.stderr)
    const { port, password } = JSON.parse(readFileSync(join(stack.dataDir, 'postgres.json'), 'utf8'))
    database = new pg.Client({ host: '127.0.0.1', port, password, user: 'insider', database: 'insider' })
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
      if (tries > 600) throw new Error(`waited in vain: ${String(told())}`)
      await sleep(50)
    }
  }
  const statuses = async () =>
    (await database.query('SELECT kind, status FROM jobs ORDER BY id')).rows.map(
      ({ kind, status }: { kind: string; status: string }) => `${kind} ${status}`,
    )

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
    await sleep(1_500)
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
