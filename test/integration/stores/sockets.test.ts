// The embedded stores and other users of the machine, who can neither connect to the stores nor impersonate them.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { assert } from 'chai'
import { createClient } from 'redis'
import { dataPaths } from '../../../src/infrastructure/embedded/data-dir.ts'
import { ensureStores, findStores, stopStores } from '../../../src/infrastructure/embedded/stores.ts'
import { openRedis, redisOptions } from '../../../src/infrastructure/redis/client.ts'
import { queryPostgres } from '../../support/stores/query-postgres.ts'

const isRoot = process.getuid?.() === 0
const STRANGER = 54_321

/** Inodes of this machine's TCP sockets that listen. */
function listening(): Set<string> {
  const lines = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n').slice(1))
  return new Set(
    lines.map((line) => line.trim().split(/\s+/)).flatMap((words) => (words[3] === '0A' ? [words[9]!] : [])),
  )
}

function tcpPortsOf(pid: number): string[] {
  const all = listening()
  return readdirSync(`/proc/${pid}/fd`)
    .map((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? '')
    .filter((inode) => all.has(inode))
}

/** Listens like a stranger who counts what comes, and asks for PostgreSQL's password in clear text. */
async function stranger(at: number | string = 0): Promise<{ server: Server; got: () => number; port: number }> {
  let bytes = 0
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        bytes += chunk.length
        socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]))
      })
  })
  await new Promise<void>((resolve) => server.listen(at as number, resolve))
  return { server, got: () => bytes, port: (server.address() as AddressInfo).port }
}

describe('the sockets of the embedded stores', function () {
  this.timeout(60_000)
  let folder: string
  let dataDir: string
  const wanted = (dir = dataDir) => ({ dataDir: dir, databaseUrl: null, redisUrl: null })

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'sockets-'))
    dataDir = join(folder, 'data')
  })
  after(async () => {
    await stopStores(dataDir)
    rmSync(folder, { recursive: true, force: true })
  })

  it('are in folders that only their users can enter, and there is no TCP port', async function () {
    await ensureStores(wanted(), { keep: true })
    const { postgres, redis } = await findStores(dataDir)
    for (const [store, socket] of [
      [dataPaths(dataDir).postgres, postgres!.socket!],
      [dataPaths(dataDir).redis, redis!.socket!],
    ] as const) {
      assert.isTrue(statSync(socket).isSocket(), socket)
      const found = statSync(dirname(socket))
      assert.deepEqual([found.mode & 0o777, found.uid], [0o700, statSync(store).uid], socket)
    }
    if (!existsSync('/proc/net/tcp')) {
      this.test!.title += ' (ports skipped: there is no /proc here)'
      return
    }
    for (const { pid } of [postgres!, redis!]) assert.deepEqual(tcpPortsOf(pid), [], String(pid))
    for (const name of ['postgresRecord', 'redisRecord'] as const)
      assert.notMatch(readFileSync(dataPaths(dataDir)[name], 'utf8'), /"port"/)
  })

  it('can not be reached by another user', async function () {
    if (!isRoot || spawnSync('setpriv', ['--version']).status !== 0) {
      this.test!.title += ' (skipped: takes root and setpriv)'
      this.skip()
    }
    chmodSync(folder, 0o755)
    const { postgres, redis } = await findStores(dataDir)
    const script = `const socket = require('net').connect(process.argv[1])
      socket.on('connect', () => process.exit(0))
      socket.on('error', (error) => {
        console.log(error.code)
        process.exit(1)
      })`
    for (const { socket } of [postgres!, redis!]) {
      const { status, stdout, error } = spawnSync(
        'setpriv',
        [`--reuid=${STRANGER}`, `--regid=${STRANGER}`, '--clear-groups', 'node', '-e', script, socket!],
        { encoding: 'utf8', cwd: '/' },
      )
      assert.isUndefined(error)
      assert.deepEqual([status, stdout.trim()], [1, 'EACCES'])
    }
  })

  it("connect as a role that is no superuser and can't run programs", async () => {
    const { databaseUrl, release } = await ensureStores(wanted())
    assert.deepEqual(
      await queryPostgres(databaseUrl, 'SELECT rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user'),
      [{ rolsuper: false, rolcreaterole: false }],
    )
    await queryPostgres(databaseUrl, 'CREATE TABLE said (line text)')
    const fault = await queryPostgres(databaseUrl, "COPY said FROM PROGRAM 'id'").catch((error: Error) => error)
    assert.match((fault as Error).message, /permission denied to COPY to or from an external program/)
    const superuser = databaseUrl.replace('//insider_service:', '//insider:')
    assert.strictEqual(await queryPostgres(superuser, 'SELECT 1').catch((error) => error.code), '28P01')
    await release()
  })

  it('are not used if others can enter their folder', async () => {
    const { redisUrl, release } = await ensureStores(wanted())
    const path = dataPaths(dataDir).redis
    const expectRefusal = async () => {
      assert.match(
        ((await ensureStores(wanted()).catch((error: Error) => error)) as Error).message,
        /let no other user in|does not answer/,
      )
      const told: string[] = []
      const client = openRedis(redisUrl, (error) => told.push(error.message))
      while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
      client.destroy()
      assert.match(told[0]!, /let no other user in/)
    }
    chmodSync(path, 0o755)
    await expectRefusal()
    chmodSync(path, 0o700)
    await release()
  })

  describe('of a DATA_DIR with a long path', () => {
    let long: string
    before(() => {
      long = join(folder, 'l'.repeat(100), 'data')
      // PostgreSQL's user can enter it, or has the right to all.
      mkdirSync(dirname(long), { recursive: true })
    })
    after(() => stopStores(long))

    it('are in private folders elsewhere, and the same after a crash', async () => {
      const { databaseUrl, redisUrl, release } = await ensureStores(wanted(long))
      const { postgres, redis } = await findStores(long)
      for (const { socket } of [postgres!, redis!]) {
        assert.isAtMost(Buffer.byteLength(socket!), 107)
        assert.strictEqual(statSync(dirname(socket!)).mode & 0o777, 0o700)
      }
      assert.deepEqual(await queryPostgres(databaseUrl, 'SELECT 1 AS n'), [{ n: 1 }])
      const client = createClient(redisOptions(redisUrl))
      await client.connect()
      assert.strictEqual(await client.ping(), 'PONG')
      client.destroy()
      await release()
      assert.isFalse(existsSync(dirname(postgres!.socket!)), 'removed after the stop')
      const again = await ensureStores(wanted(long))
      assert.deepEqual([again.databaseUrl, again.redisUrl], [databaseUrl, redisUrl])
      await again.release()
    })

    it("are not in a stranger's folder that has the name of the former one", async function () {
      const { postgresRecord, redisRecord } = dataPaths(long)
      const former = JSON.parse(readFileSync(postgresRecord, 'utf8')).sockets as string
      const formerRedis = JSON.parse(readFileSync(redisRecord, 'utf8')).socket as string
      const own = [former, dirname(formerRedis)]
      const open = mkdtempSync(join('/tmp', 'insider-open-'))
      // Root can make a folder another user's; others, one that lets others in, and a link.
      mkdirSync(own[0]!)
      if (isRoot) {
        chmodSync(own[0]!, 0o700)
        chownSync(own[0]!, STRANGER, STRANGER)
      } else {
        this.test!.title += ' (owner skipped: takes root)'
        chmodSync(own[0]!, 0o777)
      }
      symlinkSync(open, own[1]!)
      const listeners = [await stranger(join(own[0]!, '.s.PGSQL.5432')), await stranger(join(open, 'redis.sock'))]
      try {
        const { databaseUrl, redisUrl, release } = await ensureStores(wanted(long))
        assert.notInclude(databaseUrl, encodeURIComponent(own[0]!))
        assert.notInclude(redisUrl, encodeURIComponent(own[1]!))
        assert.deepEqual(await queryPostgres(databaseUrl, 'SELECT 1 AS n'), [{ n: 1 }])
        await release()
        for (const { got } of listeners) assert.strictEqual(got(), 0)
      } finally {
        for (const { server } of listeners) server.close()
        unlinkSync(own[1]!)
        for (const path of [own[0]!, open]) rmSync(path, { recursive: true, force: true })
      }
    })
  })
})
