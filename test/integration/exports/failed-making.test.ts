// Month files that can't be made or copied to the end: a failed run leaves nothing, a killed one nothing that the next
// does not remove, and a disk without room is refused before anything is written.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { JobCancelled } from '../../../src/application/shared/job-cancellation.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { monthOf } from '../../../src/infrastructure/clickhouse/exports/columns.ts'
import { stageRows } from '../../../src/infrastructure/clickhouse/exports/month-filings.ts'
import { copyExports } from '../../../src/infrastructure/exports/copy.ts'
import { ExportFiles } from '../../../src/infrastructure/exports/folder.ts'
import { unfinishedName } from '../../../src/infrastructure/unfinished-files.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { smallDisk } from '../../support/service/tools/small-disk.ts'

const MIB = 1024 ** 2
const UNFINISHED = join(import.meta.dirname, '../../../src/infrastructure/unfinished-files.ts')

/** Files below a folder, by their paths in it. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

/** Leaves a file as a process does that is killed while it writes it. */
function leaveUnfinished(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const script = `import { writeFileSync } from 'node:fs'
    import { unfinishedName } from ${JSON.stringify(UNFINISHED)}
    writeFileSync(unfinishedName(${JSON.stringify(path)}), 'PAR1')
    process.kill(process.pid, 'SIGKILL')`
  const { signal } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script])
  assert.strictEqual(signal, 'SIGKILL')
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => assert.fail('it did not fail'),
    (error: Error) => error.message,
  )
}

describe('month files that can not be made', function () {
  this.timeout(240_000)
  const temporary = mkdtempSync(join(tmpdir(), 'test-failed-making-'))
  let service: TestService
  let folder: string
  let count = 0
  before(async () => {
    service = await testService()
    const months = ['202501', '202502', '202503']
    await service.take(
      ...months.map((month, place) => ({ accession: `0001999001-25-00000${place}`, acceptedAt: `${month}10120000` })),
    )
    await service.detectSignals()
  })
  beforeEach(() => {
    folder = join(temporary, String((count += 1)))
  })
  after(async () => {
    await service.close()
    rmSync(temporary, { recursive: true, force: true })
  })

  const make = (to = folder, progress: (done: number, total: number | null) => void = () => {}) =>
    service.container.get(TYPES.makeExports)(progress, new ExportFiles(to))

  it('leave no file where a statement fails after others were stored, ten times', async () => {
    await service.store.command(sql`RENAME TABLE staged_export_rows TO staged_export_rows_away`)
    try {
      for (let tries = 0; tries < 10; tries += 1) {
        let done = 0
        await refusalOf(make(folder, (files) => (done = files)))
        assert.isAtLeast(done, 3)
        assert.deepEqual(filesIn(folder), [])
      }
    } finally {
      await service.store.command(sql`RENAME TABLE staged_export_rows_away TO staged_export_rows`)
    }
    assert.isAbove((await make()).files, 3)
  })

  it('leave what was there, where one is cancelled, or a file can not take its place', async () => {
    await make()
    const before = filesIn(folder)
    await service.take({ accession: '0001999001-25-000011', acceptedAt: '20250211120000', rows: [{ shares: '7' }] })
    let steps = 0
    const cancelled = (done: number) => {
      steps += 1
      if (done >= 8) throw new JobCancelled()
    }
    await refusalOf(make(folder, cancelled))
    assert.isAbove(steps, 3)
    assert.deepEqual(filesIn(folder), before)

    const [last] = before.filter((path) => path.startsWith('companies/'))
    rmSync(join(folder, last!))
    rmSync(join(folder, 'companies'), { recursive: true })
    writeFileSync(join(folder, 'companies'), 'a file where the folder should be')
    const rest = filesIn(folder)
    await refusalOf(make())
    assert.deepEqual(filesIn(folder), rest)

    rmSync(join(folder, 'companies'))
    await make()
    const [written] = filesIn(folder).filter((path) => path.startsWith('companies/'))
    rmSync(join(folder, written!))
    mkdirSync(join(folder, written!, 'in the way'), { recursive: true })
    const present = filesIn(folder)
    for (let tries = 0; tries < 10; tries += 1) {
      await refusalOf(make())
      assert.deepEqual(filesIn(folder), present)
    }
  })

  it('leave no staged rows where reading documents fails', async () => {
    const { container, store } = service
    const record = container.get(TYPES.exportRecord)
    const staged = async () => (await store.rows<{ n: number }>(sql`SELECT count() AS n FROM staged_export_rows`))[0]!.n
    const documents: typeof record.documents = async function* (accessions) {
      yield* record.documents(accessions)
      while ((await staged()) === 0) await sleep(5)
      throw new Error('the connection is lost')
    }
    const sources = { store, record: { documents }, compute: container.get(TYPES.compute) }
    assert.strictEqual(await refusalOf(stageRows(sources, monthOf('2025-01'), ['balances'])), 'the connection is lost')
    assert.strictEqual(await staged(), 0)
  })

  it('are made beside what others write, after what a killed run left is removed', async () => {
    const period = 'transactions/2025-01.0123456789abcdef.parquet'
    leaveUnfinished(join(folder, period))
    leaveUnfinished(join(folder, 'manifest.json'))
    writeFileSync(join(folder, period), 'a file that no manifest names')
    const written = unfinishedName(join(folder, period))
    writeFileSync(written, 'PAR1')
    writeFileSync(join(folder, 'transactions', 'own.part'), 'of somebody')
    assert.lengthOf(filesIn(folder), 5)
    await refusalOf(
      make(folder, () => {
        assert.sameMembers(filesIn(folder), [written.slice(folder.length + 1), 'transactions/own.part'])
        throw new JobCancelled()
      }),
    )
    await make()
    const unfinished = filesIn(folder).filter((path) => path.endsWith('.part'))
    assert.sameMembers(unfinished, [written.slice(folder.length + 1), 'transactions/own.part'])
  })

  describe('on a small disk', () => {
    let disk: ReturnType<typeof smallDisk>
    before(function () {
      disk = smallDisk(join(temporary, 'disk'), 16 * MIB)
      if (typeof disk === 'string') {
        process.stdout.write(`      skipped: ${disk}\n`)
        this.skip()
      }
    })
    after(() => {
      if (typeof disk === 'object') disk.unmount()
    })
    const on = () => (disk as Exclude<typeof disk, string>).path
    const freeOf = (path: string) => {
      const { bavail, bsize } = statfsSync(path)
      return bavail * bsize
    }
    /** Takes all but so many bytes. */
    const fillTo = (free: number) => writeFileSync(join(on(), 'filler'), Buffer.alloc(freeOf(on()) - free))
    afterEach(() => {
      if (typeof disk === 'object') for (const name of readdirSync(on())) rmSync(join(on(), name), { recursive: true })
    })

    it('are made where it has room', async () => {
      await make(join(on(), 'exports'))
      assert.include(filesIn(join(on(), 'exports')), 'manifest.json')
    })

    it('are refused before anything is read or written where the reserve is in use', async () => {
      fillTo(0.5 * MIB)
      const to = join(on(), 'exports')
      let steps = 0
      const message = await refusalOf(make(to, () => (steps += 1)))
      assert.strictEqual(message, `disk full: ${to} has 0 MB free, 1 MB are needed, of which 1 MB stay free`)
      assert.strictEqual(steps, 0)
      assert.deepEqual(filesIn(on()), ['filler'])
    })

    it('leave nothing where it fills up meanwhile', async () => {
      const to = join(on(), 'exports')
      for (let tries = 0; tries < 10; tries += 1) {
        let files = 0
        const message = await refusalOf(
          make(to, (done) => {
            files = done
            if (done === 4) fillTo(0)
          }),
        )
        assert.match(message, /^disk full: \S+ has 0 MB free, \d+ MB are needed/)
        assert.isAtLeast(files, 4)
        assert.deepEqual(filesIn(on()), ['filler'])
        rmSync(join(on(), 'filler'))
      }
    })

    it('are not copied to where they do not fit', async () => {
      await make()
      const own = new ExportFiles(folder)
      const bytes = filesIn(folder).reduce((sum, path) => sum + readFileSync(join(folder, path)).length, 0)
      const { blocks, bsize } = statfsSync(on())
      fillTo((blocks * bsize) / 20 + bytes / 2)
      const message = await refusalOf(copyExports(own, new ExportFiles(join(on(), 'copy'))))
      assert.match(message, /^disk full: \S+copy has \d+ MB free, \d+ MB are needed, of which 1 MB stay free$/)
      assert.deepEqual(filesIn(on()), ['filler'])
    })
  })

  describe('when they are copied', () => {
    let to: string
    beforeEach(async () => {
      await make()
      to = join(temporary, `copy-${count}`)
      mkdirSync(join(to, 'transactions'), { recursive: true })
      writeFileSync(join(to, 'index.html'), 'of the user')
      writeFileSync(join(to, 'transactions', 'notes.part'), 'of the user')
    })
    const OWN = ['index.html', 'transactions/notes.part']

    it('leave nothing where one is damaged or the command is interrupted, ten times', async () => {
      const own = new ExportFiles(folder)
      const last = (await own.manifest())!.datasets.at(-1)!.files.at(-1)!
      const whole = readFileSync(own.pathOf(last.path))
      writeFileSync(own.pathOf(last.path), Buffer.alloc(whole.length))
      for (let tries = 0; tries < 10; tries += 1) {
        assert.include(await refusalOf(copyExports(own, new ExportFiles(to))), 'is damaged')
        assert.deepEqual(filesIn(to), OWN)
      }
      writeFileSync(own.pathOf(last.path), whole)

      const stop = new AbortController()
      const target = new ExportFiles(to)
      const copying = copyExports(own, target, stop.signal)
      for (let tries = 0; filesIn(to).filter((path) => path.endsWith('.parquet')).length === 0; tries += 1) {
        assert.isBelow(tries, 10_000, 'the first file of the copy')
        await new Promise(setImmediate)
      }
      stop.abort(new Error('interrupted'))
      assert.strictEqual(await refusalOf(copying), 'interrupted')
      assert.deepEqual(filesIn(to), OWN)
    })

    it('are completed after a killed copy, whose unfinished files are removed', async () => {
      const own = new ExportFiles(folder)
      const { datasets } = (await own.manifest())!
      const [first] = datasets[0]!.files
      writeFileSync(join(to, first!.path), readFileSync(own.pathOf(first!.path)))
      leaveUnfinished(join(to, first!.path))
      const files = datasets.flatMap((dataset) => dataset.files.map(({ path }) => path))
      assert.strictEqual(await copyExports(own, new ExportFiles(to)), files.length - 1)
      assert.deepEqual(filesIn(to), [...files, ...OWN, 'manifest.json'].sort())
    })
  })
})
