// Copies that follow the log of changes equal what the API lists, even if the service is killed at random, or exactly
// between its write to ClickHouse and its mark in PostgreSQL. FAULT_KILLS sets how often. In the nightly run PostgreSQL
// also crashes, and a backup is restored.
import { assert } from 'chai'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { freePort } from '../../support/ports.ts'
import { ensureStores, findStores, type Stores } from '../../../src/infrastructure/embedded/stores.ts'
import { backUp, restore } from '../../../src/infrastructure/postgres/backup.ts'
import { migratePostgres } from '../../../src/infrastructure/postgres/migrate.ts'
import { openPool, rows, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { correctedFilings } from '../../support/edgar/invented/corrected-filings.ts'
import { listedContents, Replica } from '../../support/http/replica.ts'
import { isAlive } from '../../support/service/processes/is-alive.ts'
import { roleProcesses, type RoleProcess, type RoleProcesses } from '../../support/service/processes/role-process.ts'
import { startProxy, through, type Proxy } from '../../support/stores/proxy.ts'
import { ownRedis, stores } from '../../support/stores/stores.ts'
import { nightly, volume } from '../../support/volume.ts'
import { asSuperuser } from '../../support/stores/embedded.ts'

const KILLS = Number(process.env.FAULT_KILLS ?? volume('kills while copies are made', 2, 20))
const CRASHES = 10
const SEED = Number(process.env.REPLICA_SEED ?? 1)
const FILINGS_A_KILL = 10

/** What marks filings as projected, and signals as detected, when ClickHouse has their rows. */
const MARKS = ['SET pending = false', 'DELETE FROM signal_queue']

/** A service with copies that follow it. */
class FollowedService {
  readonly replicas: Replica[] = []
  readonly #folder = mkdtempSync(join(tmpdir(), 'test-replica-'))
  readonly #filings = correctedFilings(SEED)
  readonly #redisUrl: string
  #databaseUrl: string
  #pool: Pool
  #proxy!: Proxy
  #processes!: RoleProcesses
  #service!: RoleProcess
  #dataDirs = 1
  #isClosed = false
  #signals = 0

  constructor(databaseUrl: string, redisUrl: string) {
    this.#databaseUrl = databaseUrl
    this.#redisUrl = redisUrl
    this.#pool = openPool({ url: databaseUrl, name: 'test', max: 2 })
  }

  async start(): Promise<void> {
    this.#proxy = await startProxy(this.#databaseUrl)
    this.#processes = roleProcesses({ REDIS_URL: this.#redisUrl, PORT: String(await freePort()) })
    await this.#startProcess()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.replicas.map((replica) => replica.close()))
    await this.#processes?.close()
    await this.#proxy?.close()
    await this.#pool.end()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  follow(by: 'pages' | 'stream'): void {
    const seed = SEED * 100 + this.replicas.length
    this.replicas.push(new Replica({ address: () => this.#service.address, seed, by }))
  }

  async record(count = FILINGS_A_KILL): Promise<void> {
    await createContainer({ pool: this.#pool }).get(TYPES.recordFilings)(this.#filings(count))
  }

  /** Resolves when the service sends `mark`, which PostgreSQL does not receive; rejects if it ends before. */
  async caught(mark: string): Promise<void> {
    const failed = (what: string) => assert.fail(`${what}: ${this.#lastLines()}`)
    await Promise.race([
      this.#proxy.caught(mark),
      this.#service.exited.then(() => failed('the service ended')),
      sleep(60_000, undefined, { ref: false }).then(() => failed('nothing was marked')),
    ])
  }

  async kill(): Promise<void> {
    this.#service.signal('SIGKILL')
    await this.#service.exited
    await this.#startProcess()
  }

  /** Ends the service, and starts it over another database with an empty ClickHouse. */
  async moveTo(databaseUrl: string, before: (pool: Pool) => Promise<unknown>): Promise<void> {
    this.#service.signal('SIGKILL')
    await this.#service.exited
    await this.#pool.end()
    this.#databaseUrl = databaseUrl
    this.#pool = openPool({ url: databaseUrl, name: 'test', max: 2 })
    await before(this.#pool)
    this.#dataDirs += 1
    await this.#startProcess()
  }

  /** Closes PostgreSQL's port to the service, or opens it again. */
  async cutOff(isCut: boolean): Promise<void> {
    await this.#proxy.set(isCut ? 'refuse' : 'pass')
  }

  async backUp(): Promise<string> {
    const folder = mkdtempSync(join(this.#folder, 'backup-'))
    await backUp(this.#pool, folder, () => {})
    return folder
  }

  async last(): Promise<number> {
    return (await rows<{ last: number }>(this.#pool, 'SELECT last FROM change_position'))[0]!.last
  }

  /** Resolves when something was added to the log since it was called. */
  async moved(): Promise<void> {
    const before = await this.last()
    for (const end = performance.now() + 60_000; (await this.last()) === before; await sleep(1)) {
      assert.isBelow(performance.now(), end, `nothing is projected: ${this.#lastLines()}`)
    }
  }

  /** Moves the log's position as so many starts of the service do. */
  async countStarts(starts: number): Promise<void> {
    await rows(this.#pool, 'UPDATE change_position SET last = last + $1', [starts * 2 ** 20])
  }

  /** Waits until nothing is to be done, then for the copies; each must be what the API lists. */
  async expectCopies(): Promise<void> {
    for (const end = performance.now() + 60_000; ; await sleep(50)) {
      const [open] = await rows<{ n: number }>(
        this.#pool,
        'SELECT (SELECT count(*) FROM filings WHERE pending) + (SELECT count(*) FROM signal_queue) AS n',
      )
      if (open!.n === 0) break
      assert.isBelow(performance.now(), end, `${open!.n} filings and issuers are left`)
    }
    const last = await this.last()
    for (const replica of this.replicas) await replica.reached(last)
    const listed = await listedContents(this.#service.address)
    this.#signals = [...listed.values()].filter((each) => 'severity' in each).length
    for (const replica of this.replicas) assert.deepEqual(replica.differences(listed), [])
  }

  report(): void {
    assert.isAbove(this.#signals, 0)
    const counts = this.replicas.map(({ counts }) => Object.values(counts).join('/')).join(', ')
    process.stdout.write(`      loads/changes/fetched again/cuts: ${counts}\n`)
  }

  #lastLines(): string {
    return this.#service.log
      .slice(-8)
      .map(({ msg, reason, err }) => [msg, reason, err?.message, err?.stack].filter(Boolean).join(', '))
      .join('\n')
  }

  async #startProcess(): Promise<void> {
    const DATABASE_URL = through(this.#databaseUrl, this.#proxy)
    const DATA_DIR = join(this.#folder, `data-${this.#dataDirs}`)
    const service = await this.#processes.start('api,ingest,deliver', { DATABASE_URL, DATA_DIR })
    this.#service = service
    // One that is starting ends when PostgreSQL crashes, and is started again, as by a supervisor.
    void service.exited.then(({ code }) => {
      if (code === 1 && this.#service === service && !this.#isClosed) return this.#startProcess()
    })
  }
}

describe('copies made by the log of changes', function () {
  this.timeout(180_000 + KILLS * 20_000)
  let followed: FollowedService
  let own: { folder: string; stores: Stores } | undefined
  afterEach(async () => {
    await followed?.close()
    await own?.stores.release()
    if (own) rmSync(own.folder, { recursive: true, force: true })
    own = undefined
  })

  const started = async (databaseUrl: string, redisUrl: string) => {
    followed = new FollowedService(databaseUrl, redisUrl)
    await followed.start()
    followed.follow('pages')
    followed.follow('stream')
    await followed.record()
  }

  it(`are what the API lists, after ${KILLS} kills`, async () => {
    const { databaseUrl, redisUrl } = await stores()
    await started(databaseUrl, redisUrl)
    for (let number = 0; number < KILLS; number += 1) {
      const mark = MARKS[number % (MARKS.length + 1)]
      const placed = mark && followed.caught(mark)
      await followed.record()
      await (placed ?? sleep(Math.random() * 1_500))
      await followed.kill()
      if (number % 5 === 1) followed.follow(number % 2 === 0 ? 'pages' : 'stream')
      if (number % 10 === 2) await followed.expectCopies()
    }
    await followed.record()
    await followed.expectCopies()
    followed.report()
  })

  nightly(`are what the API lists, after ${CRASHES} crashes of PostgreSQL`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'test-crashed-'))
    chmodSync(folder, 0o711)
    const redisUrl = await ownRedis()
    const wanted = { dataDir: folder, databaseUrl: null, redisUrl }
    own = { folder, stores: await ensureStores(wanted) }
    const pool = openPool({ url: own.stores.databaseUrl, name: 'test', max: 1 })
    await migratePostgres(pool)
    // What is committed without waiting for the disk stays in memory longer, so that a crash would lose more of it.
    await pool.end()
    await asSuperuser(folder, [`ALTER SYSTEM SET wal_writer_delay = '10s'`, 'SELECT pg_reload_conf()'])
    await started(own.stores.databaseUrl, redisUrl)
    for (let number = 0; number < CRASHES; number += 1) {
      const moved = followed.moved()
      await followed.record()
      await moved
      await sleep(Math.random() * 60)
      const reported = await followed.last()
      const { postgres } = await findStores(folder)
      await followed.cutOff(true)
      process.kill(postgres!.pid, 'SIGQUIT')
      while (isAlive(postgres!.pid)) await sleep(10)
      own.stores = await ensureStores(wanted)
      assert.isAtLeast(await followed.last(), reported, 'the crash took back what readers got')
      await followed.cutOff(false)
      if (number % 3 === 0) await followed.kill()
    }
    await followed.record()
    await followed.expectCopies()
    followed.report()
  })

  nightly('are what the API lists, after a backup was restored', async () => {
    const { databaseUrl, redisUrl } = await stores()
    await started(databaseUrl, redisUrl)
    await followed.expectCopies()
    const backup = await followed.backUp()
    // More than the log's numbers of 2^30 make room for.
    await followed.countStarts(2_000)
    await followed.record(30)
    await followed.expectCopies()
    const before = await followed.last()
    await followed.moveTo((await stores()).databaseUrl, (pool) => restore(pool, backup, () => {}))
    assert.isAbove(await followed.last(), before)
    await followed.record(30)
    await followed.expectCopies()
    followed.report()
  })
})
