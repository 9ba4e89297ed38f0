// Backup and restore by COPY: they leave no settings or connections behind, and errors in the middle are reported at
// once.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { fillBackupFolder } from '../../../src/infrastructure/backup-folder.ts'
import { PostgresChangeLog } from '../../../src/infrastructure/postgres/changes/change-log.ts'
import { listChanges } from '../../../src/infrastructure/postgres/queries/list-changes.ts'
import { backUp, restore } from '../../../src/infrastructure/postgres/backup.ts'
import { openPool, rows, transaction, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { smallDisk } from '../../support/service/tools/small-disk.ts'
import { stores } from '../../support/stores/stores.ts'

const FOLDER = join(import.meta.dirname, '../../../src/infrastructure/backup-folder.ts')

/** More than a connection buffers, so that the COPY is under way when its file can't be written. */
const KEYS = 60_000

describe("the backup's COPY", function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'insider-copy-'))
  const pools: Pool[] = []
  const migrated = async () => {
    const pool = openPool({ url: (await stores()).databaseUrl, name: 'copy' })
    pools.push(pool)
    return pool
  }
  /** Each pool has one for its idle connection, which comes and goes. */
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const connections = (pool: Pool) =>
    rows<{ state: string }>(
      pool,
      `SELECT state
       FROM pg_stat_activity
       WHERE datname = current_database()
         AND pid <> pg_backend_pid()
         AND backend_type = 'client backend'
         AND state <> 'idle'`,
    )
  let pool: Pool
  before(async () => {
    pool = await migrated()
    await rows(
      pool,
      `INSERT INTO api_keys (id, name, secret_hash, webhook_secret)
       SELECT 'key' || n, repeat('x', 60), sha256(n::text::bytea), sha256(n::text::bytea)
       FROM generate_series(1, $1) AS n`,
      [KEYS],
    )
  })
  after(async () => {
    await Promise.all(pools.map((each) => each.end()))
    rmSync(folder, { recursive: true, force: true })
  })

  it('leaves no time limit and no connection behind', async () => {
    const [to, before] = [mkdtempSync(join(folder, 'whole-')), timers()]
    const { rows: backedUp } = await backUp(pool, to, () => {})
    const other = await migrated()
    assert.deepInclude(await restore(other, to, () => {}), { rows: backedUp })
    assert.strictEqual((await rows<{ n: number }>(other, 'SELECT count(*) AS n FROM api_keys'))[0]!.n, KEYS)
    await sleep(200)
    assert.isAtMost(timers(), before + pools.length)
    assert.deepEqual([...(await connections(pool)), ...(await connections(other))], [])
  })

  it('continues the log above all numbers that readers may have seen, with a change of everything', async () => {
    const [to, log] = [mkdtempSync(join(folder, 'log-')), new PostgresChangeLog(pool)]
    const last = async (of: Pool) => (await rows<{ last: number }>(of, 'SELECT last FROM change_position'))[0]!.last
    await log.append('everything')
    await backUp(pool, to, () => {})
    const backedUp = await last(pool)
    // The service is started a thousand times before the backup is restored: each start skips numbers.
    for (let start = 0; start < 3; start += 1) await log.takeOver()
    const skipped = ((await last(pool)) - backedUp) / 3
    const seen = backedUp + 1_000 * skipped

    const other = await migrated()
    await restore(other, to, () => {})
    const sectors = async () => () => 'Unknown' as const
    const { value } = await listChanges(other, { sectors })({ after: seen, limit: 10 })
    assert.deepEqual(
      value.changes.map(({ type, data }) => [type, data]),
      [['dataset.changed', { reason: 'restore' }]],
    )
    // No later start gives a number that was given before.
    await new PostgresChangeLog(other).takeOver()
    assert.isAbove(await last(other), seen)
    assert.isAbove(Number(value.nextCursor), seen)
  })

  it('fails at once on a full disk, and releases the tables', async () => {
    const [to, before] = [mkdtempSync(join(folder, 'full-')), timers()]
    symlinkSync('/dev/full', join(to, 'api_keys.copy.gz'))
    const error = await backUp(pool, to, () => {}).then(
      () => null,
      (cause: NodeJS.ErrnoException) => cause,
    )
    assert.strictEqual(error?.code, 'ENOSPC')
    for (let tries = 0; (await connections(pool)).length > 0; tries += 1) {
      assert.isBelow(tries, 600, 'the connection of the backup')
      await sleep(50)
    }
    assert.isAtMost(timers(), before + pools.length)
    await transaction(pool, (connection) => rows(connection, 'LOCK TABLE api_keys NOWAIT'))
  })

  describe('in its folder', () => {
    let to: string
    let count = 0
    beforeEach(() => {
      to = join(folder, `filled-${(count += 1)}`)
    })
    const backUpInto = (signal?: AbortSignal) => fillBackupFolder(to, () => backUp(pool, to, () => {}, signal))
    const refusalOf = (work: Promise<unknown>) =>
      work.then(
        () => assert.fail('it did not fail'),
        (error: Error) => error.message,
      )
    /** Leaves a folder as a process does that is killed while it makes a backup. */
    function leaveUnfinished(): void {
      const script = `import { mkdirSync, writeFileSync } from 'node:fs'
        import { join } from 'node:path'
        import { fillBackupFolder } from ${JSON.stringify(FOLDER)}
        const to = ${JSON.stringify(to)}
        await fillBackupFolder(to, async () => {
          mkdirSync(join(to, 'history'))
          for (const name of ['history/2024q3_form345.zip', 'api_keys.copy.gz']) writeFileSync(join(to, name), 'x')
          process.kill(process.pid, 'SIGKILL')
        })`
      const args = ['--import', 'tsx', '--input-type=module', '-e', script]
      assert.strictEqual(spawnSync(process.execPath, args).signal, 'SIGKILL')
      assert.lengthOf(readdirSync(to), 3)
    }

    it('leaves nothing behind if a statement fails, ten times', async () => {
      const failing = () =>
        fillBackupFolder(to, async () => {
          await backUp(pool, to, () => {})
          await pool.query('SELECT no_such_function()')
        })
      for (let tries = 0; tries < 10; tries += 1) {
        assert.include(await refusalOf(failing()), 'no_such_function')
        assert.isFalse(existsSync(to))
      }
      mkdirSync(to)
      await refusalOf(failing())
      assert.deepEqual(readdirSync(to), [])
    })

    it('leaves nothing behind if it is interrupted while a table is written', async () => {
      const stop = new AbortController()
      const backing = refusalOf(backUpInto(stop.signal))
      for (let tries = 0; !existsSync(join(to, 'api_keys.copy.gz')); tries += 1) {
        assert.isBelow(tries, 10_000, 'the first table')
        await sleep(1)
      }
      stop.abort(new Error('interrupted'))
      await backing
      assert.isFalse(existsSync(to))
      // Waits for the server to end the statement, which takes it a moment on a busy machine.
      await transaction(pool, (connection) => rows(connection, 'LOCK TABLE api_keys'))
    })

    it('replaces a killed backup, but not one that is still written, or other files', async () => {
      leaveUnfinished()
      await fillBackupFolder(to, async () => {
        assert.deepEqual(
          readdirSync(to).filter((name) => !name.endsWith('.part')),
          [],
        )
        assert.strictEqual(await refusalOf(backUpInto()), `another process is writing a backup into ${to}`)
        await backUp(pool, to, () => {})
      })
      assert.include(readdirSync(to), 'backup.json')
      assert.isEmpty(readdirSync(to).filter((name) => name.endsWith('.part')))
      assert.strictEqual(await refusalOf(backUpInto()), `${to} is not empty`)

      to = join(folder, 'of-the-user')
      leaveUnfinished()
      writeFileSync(join(to, 'notes.txt'), 'of the user')
      assert.strictEqual(await refusalOf(backUpInto()), `${to} is not empty`)
      assert.lengthOf(readdirSync(to), 4)
    })

    it('fails before it begins on a full disk, and leaves nothing behind on one that fills up', async function () {
      const disk = smallDisk(join(folder, 'disk'), 8 * 1024 ** 2)
      if (typeof disk === 'string') {
        process.stdout.write(`      skipped: ${disk}\n`)
        return this.skip()
      }
      try {
        const filler = join(disk.path, 'filler')
        const fill = () => {
          const { bavail, bsize } = statfsSync(disk.path)
          writeFileSync(filler, Buffer.alloc(bavail * bsize))
        }
        to = join(disk.path, 'backup')
        fill()
        assert.match(await refusalOf(backUpInto()), /^disk full: \S+backup has 0 MB free, 1 MB are needed/)
        assert.deepEqual(readdirSync(disk.path), ['filler'])
        for (let tries = 0; tries < 10; tries += 1) {
          rmSync(filler)
          const filling = fillBackupFolder(to, () => backUp(pool, to, () => existsSync(filler) || fill()))
          assert.match(await refusalOf(filling), /^disk full: |ENOSPC/)
          assert.deepEqual(readdirSync(disk.path), ['filler'])
        }
      } finally {
        disk.unmount()
      }
    })
  })
})
