// The embedded stores, with the real programs: they outlive the process that started them, are found again, survive
// kills, and work in folders that PostgreSQL's user can't enter.
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { createClient } from 'redis'
import { dataPaths } from '../../../src/infrastructure/embedded/data-dir.ts'
import { isAlive, processRef, waitForExit } from '../../../src/infrastructure/embedded/processes.ts'
import { ensureStores, findStores, stopStores } from '../../../src/infrastructure/embedded/stores.ts'
import { redisOptions } from '../../../src/infrastructure/redis/client.ts'
import { queryPostgres } from '../../support/stores/query-postgres.ts'

async function redis(url: string, ...command: string[]): Promise<unknown> {
  const client = createClient(redisOptions(url))
  await client.connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}

describe('embedded stores', function () {
  this.timeout(60_000)
  let folder: string
  let dataDir: string
  const wanted = () => ({ dataDir, databaseUrl: null, redisUrl: null })

  // mkdtemp makes it 0700, so as root PostgreSQL's user can't enter it: the harder case is the usual one here.
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'embedded-'))
    dataDir = join(folder, `it's "data"`)
  })
  after(async () => {
    await stopStores(dataDir)
    rmSync(folder, { recursive: true, force: true })
  })

  it('start, answer and keep their passwords to the owner', async () => {
    const stores = await ensureStores(wanted(), { keep: true })
    assert.deepEqual([stores.postgres, stores.redis], ['started', 'started'])
    assert.deepEqual(await queryPostgres(stores.databaseUrl, 'SHOW fsync'), [{ fsync: 'on' }])
    assert.deepEqual(await redis(stores.redisUrl, 'CONFIG', 'GET', 'maxmemory-policy'), {
      'maxmemory-policy': 'noeviction',
    })
    const paths = dataPaths(dataDir)
    for (const path of [paths.postgresRecord, paths.redisRecord, join(paths.redis, 'redis.conf')]) {
      assert.strictEqual(statSync(path).mode & 0o777, 0o600, path)
    }
    await stores.release()
    const found = await findStores(dataDir)
    assert.isNotNull(found.postgres)
    assert.isNotNull(found.redis)
  })

  it('refuse a caller without the password', async () => {
    const { databaseUrl, redisUrl, release } = await ensureStores(wanted())
    const wrong = databaseUrl.replace(/:[0-9a-f]+@/, ':wrong@')
    assert.strictEqual(await queryPostgres(wrong, 'SELECT 1').catch((error) => error.code), '28P01')
    const answer = await redis(redisUrl.replace(/:\/\/[^@]+@/, '://'), 'PING').catch((error) => error.message)
    assert.match(String(answer), /NOAUTH/)
    await release()
  })

  it('are reused if they already run', async () => {
    const before = await findStores(dataDir)
    const stores = await ensureStores(wanted())
    assert.deepEqual([stores.postgres, stores.redis], ['adopted', 'adopted'])
    await stores.release()
    assert.deepEqual(await findStores(dataDir), before)
  })

  it('recover from kill -9 with everything that was acknowledged', async () => {
    const first = await ensureStores(wanted())
    await queryPostgres(first.databaseUrl, 'CREATE TABLE kept AS SELECT 7 AS n')
    await redis(first.redisUrl, 'SET', 'kept', '7')
    await redis(first.redisUrl, 'WAITAOF', '1', '0', '2000').catch(
      () => new Promise((resolve) => setTimeout(resolve, 1_200)),
    )
    const { postgres, redis: server } = await findStores(dataDir)
    for (const process_ of [postgres!, server!]) {
      process.kill(process_.pid, 'SIGKILL')
      await waitForExit(process_, 60_000)
    }
    const again = await ensureStores(wanted())
    assert.deepEqual([again.postgres, again.redis], ['started', 'started'])
    assert.deepEqual([again.databaseUrl, again.redisUrl], [first.databaseUrl, first.redisUrl])
    assert.deepEqual(await queryPostgres(again.databaseUrl, 'SELECT n FROM kept'), [{ n: 7 }])
    assert.strictEqual(await redis(again.redisUrl, 'GET', 'kept'), '7')
    await first.release()
    await again.release()
  })

  it("recover from the death of one of PostgreSQL's processes", async () => {
    const { databaseUrl, release } = await ensureStores(wanted())
    const { postgres } = await findStores(dataDir)
    const { stdout } = spawnSync('ps', ['-o', 'pid=,command=', '--ppid', String(postgres!.pid)], { encoding: 'utf8' })
    process.kill(Number(/^ *(\d+) .*: checkpointer/m.exec(stdout)![1]), 'SIGKILL')
    const deadline = Date.now() + 20_000
    let rows: any[] | null = null
    while (rows === null && Date.now() < deadline)
      rows = await queryPostgres(databaseUrl, 'SELECT n FROM kept').catch(() => null)
    assert.deepEqual(rows, [{ n: 7 }])
    await release()
  })

  it("stop on request, and start even if another process has PostgreSQL's recorded pid", async () => {
    assert.deepEqual(await stopStores(dataDir), { postgres: true, redis: true })
    assert.deepEqual(await stopStores(dataDir), { postgres: false, redis: false })
    const pidFile = join(dataPaths(dataDir).postgres, 'postmaster.pid')
    writeFileSync(pidFile, `${process.pid}\n${dataPaths(dataDir).postgres}\n1\n1\n\n\n\nready\n`)
    assert.strictEqual((await findStores(dataDir)).postgres, null)
    const stores = await ensureStores(wanted())
    assert.deepEqual(await queryPostgres(stores.databaseUrl, 'SELECT n FROM kept'), [{ n: 7 }])
    await stores.release()
  })

  it('stop with their last user unless they were asked to stay', async () => {
    const [first, second] = await Promise.all([ensureStores(wanted()), ensureStores(wanted())])
    await first.release()
    assert.notStrictEqual((await findStores(dataDir)).postgres, null)
    await second.release()
    assert.deepEqual(await findStores(dataDir), { postgres: null, redis: null })
  })

  it('get a new password if the record of the old one is lost', async () => {
    unlinkSync(dataPaths(dataDir).postgresRecord)
    const stores = await ensureStores(wanted())
    assert.deepEqual(await queryPostgres(stores.databaseUrl, 'SELECT n FROM kept'), [{ n: 7 }])
    await stores.release()
  })

  it('leave nothing half-made or running if one of them is unavailable', async () => {
    const fault = await ensureStores({ ...wanted(), redisUrl: 'redis://127.0.0.1:1' }).catch((error) => error.message)
    assert.strictEqual(fault, 'REDIS_URL: nothing answers at 127.0.0.1:1')
    assert.deepEqual(await findStores(dataDir), { postgres: null, redis: null })
  })

  it("report in one line that a folder can't be used", async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const fault = await ensureStores({ ...wanted(), dataDir: join(file, 'data') }).catch((error) => error.message)
    assert.match(fault, /^DATA_DIR .* can't be written: [^\n]+$/)
  })

  it('start again if the creation of the database was interrupted', async () => {
    const other = join(folder, 'cut')
    mkdirSync(join(other, 'postgres.new-half', 'base'), { recursive: true })
    chmodSync(folder, 0o711)
    const stores = await ensureStores({ ...wanted(), dataDir: other })
    assert.strictEqual(existsSync(join(other, 'postgres.new-half')), false)
    assert.match(readFileSync(join(other, 'postgres', 'PG_VERSION'), 'utf8'), /^\d+\n$/)
    await stores.release()
  })

  it('are not confused by a process that runs under a recorded pid since', () => {
    // Begun long after this one: two that begin within 10 ms, as a shell and what it starts, differ by their pids
    // alone.
    const later = spawn('sleep', ['60'])
    const since = processRef(later.pid)
    assert.strictEqual(isAlive(since), true)
    assert.strictEqual(isAlive({ pid: since.pid, identity: processRef().identity }), false)
    later.kill()
  })
})
