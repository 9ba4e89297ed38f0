// The quarters kept on disk, while several processes read and replace them.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { assert } from 'chai'
import { DataSetArchive } from '../../../../../src/infrastructure/edgar/data-sets/archive.ts'
import { unfinishedName } from '../../../../../src/infrastructure/unfinished-files.ts'
import { writeInventedDataSet } from '../../../../support/edgar/invented/data-set.ts'
import { smallDisk } from '../../../../support/service/tools/small-disk.ts'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'

const UNFINISHED = join(import.meta.dirname, '../../../../../src/infrastructure/unfinished-files.ts')
const QUARTER = '2024q3'

describe('The quarters kept on disk', () => {
  let archive: DataSetArchive
  const at = temporaryFolder()

  beforeEach(async () => {
    await writeInventedDataSet({ folder: at(), quarter: QUARTER, rows: 20, issuers: 3, seed: 1 })
    archive = new DataSetArchive(at('kept'))
    await archive.take(at())
  })

  it('are read by several at once and replaced meanwhile', async () => {
    const other = new DataSetArchive(at('kept'))
    await archive.open(QUARTER, async ({ files }) => {
      await other.take(at())
      await other.open(QUARTER, async () => {})
      for (const { path } of Object.values(files)) assert.isTrue(existsSync(path), path)
    })
    assert.deepEqual(readdirSync(at('kept')), [`${QUARTER}_form345.zip`])
  })

  it('are rid of what a killed process had unpacked, not of what one may be reading', async () => {
    const [left, used] = ['2023q1.unpacked-abc123', '2023q2.unpacked-abc123']
    for (const name of [left, used]) mkdirSync(at('kept', name))
    const hoursAgo = Date.now() / 1_000 - 7_200
    utimesSync(at('kept', left), hoursAgo, hoursAgo)
    await archive.open(QUARTER, async ({ files }) => {
      const own = dirname(Object.values(files)[0]!.path)
      assert.include(own, at('kept', `${QUARTER}.unpacked-`))
    })
    assert.sameMembers(readdirSync(at('kept')), [`${QUARTER}_form345.zip`, used])
  })

  it('are rid of what a process on this machine left as soon as it is gone', async () => {
    const names = ['2023q1.unpacked-MARK', '2023q1_form345.zip.MARK', '2023q2_form345.MARK']
    const left = names.map((name) => at('kept', name))
    const script = `import { mkdirSync, writeFileSync } from 'node:fs'
      import { unfinishedName, writerMark } from ${JSON.stringify(UNFINISHED)}
      const [folder, zip, set] = ${JSON.stringify(left)}
      mkdirSync(folder.replace('MARK', writerMark()))
      writeFileSync(unfinishedName(zip.replace('.MARK', '')), 'PK')
      mkdirSync(unfinishedName(set.replace('.MARK', '')))
      process.kill(process.pid, 'SIGKILL')`
    const args = ['--import', 'tsx', '--input-type=module', '-e', script]
    assert.strictEqual(spawnSync(process.execPath, args).signal, 'SIGKILL')
    assert.lengthOf(readdirSync(at('kept')), 4)
    const written = unfinishedName(at('kept', '2023q3_form345.zip'))
    writeFileSync(written, 'PK')
    writeFileSync(at('kept', 'notes.part'), 'of somebody')
    await archive.pathOf('2023q3')
    assert.sameMembers(readdirSync(at('kept')), [`${QUARTER}_form345.zip`, basename(written), 'notes.part'])
  })

  it('are left as they are, with nothing beside, where one can not be copied', async () => {
    rmSync(at('kept'), { recursive: true })
    mkdirSync(at('kept', `${QUARTER}_form345.zip`, 'in the way'), { recursive: true })
    for (let tries = 0; tries < 10; tries += 1) {
      const error = await archive.take(at()).then(
        () => null,
        (cause: Error) => cause,
      )
      assert.instanceOf(error, Error)
      assert.deepEqual(readdirSync(at('kept')), [`${QUARTER}_form345.zip`])
    }
  })

  it('are neither unpacked, copied nor set aside on a disk without room for them', async function () {
    const disk = smallDisk(at('disk'), 16 * 1024 ** 2)
    if (typeof disk === 'string') {
      process.stdout.write(`      skipped: ${disk}\n`)
      return this.skip()
    }
    try {
      const small = new DataSetArchive(join(disk.path, 'kept'))
      await small.take(at())
      const { bavail, bsize } = statfsSync(disk.path)
      writeFileSync(join(disk.path, 'filler'), Buffer.alloc(bavail * bsize - 512 * 1024))
      const message = /disk full: \S+ has 0 MB free, 1 MB are needed, of which 1 MB stay free/
      const refusal = (work: Promise<unknown>) =>
        work.then(
          () => '',
          (error: Error) => error.message,
        )
      assert.match(await refusal(small.open(QUARTER, async () => {})), message)
      assert.match(await refusal(small.take(at())), message)
      const copied = archive.copyTo(join(disk.path, 'copy'), new AbortController().signal)
      assert.match(await refusal(copied), message)
      assert.sameMembers(readdirSync(disk.path), ['kept', 'filler'])
      assert.deepEqual(readdirSync(join(disk.path, 'kept')), [`${QUARTER}_form345.zip`])
    } finally {
      disk.unmount()
    }
  })
})
