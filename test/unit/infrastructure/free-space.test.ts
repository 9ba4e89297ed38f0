// Free space of disks: what a job may take, and what it says where that is too little.
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { requireFree, requireSpace, watchSpace } from '../../../src/infrastructure/free-space.ts'
import { smallDisk } from '../../support/service/tools/small-disk.ts'

const [MIB, GIB, TIB] = [1024 ** 2, 1024 ** 3, 1024 ** 4]

describe('free space', () => {
  const folder = mkdtempSync(join(tmpdir(), 'free-space-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const check = (free: number, total: number, bytes: number) => () => requireFree('/data', { free, total, bytes })

  it('keeps a twentieth of a small disk and 1 GiB of a large one', () => {
    for (const [total, reserve] of [
      [20 * MIB, MIB],
      [20 * GIB, GIB],
      [10 * TIB, GIB],
    ] as const) {
      assert.doesNotThrow(check(reserve, total, 0))
      assert.throws(check(reserve - 1, total, 0), /^disk full: \/data has/)
      assert.doesNotThrow(check(reserve + 7, total, 7))
      assert.throws(check(reserve + 6, total, 7), /^disk full: \/data has/)
    }
  })

  it('says in one line which folder, how much is free and how much is needed', () => {
    assert.throws(
      check(100 * MIB, 10 * GIB, 300 * MIB),
      /^disk full: \/data has 100 MB free, 812 MB are needed, of which 512 MB stay free$/,
    )
  })

  it('says how much is missing and what to do where there is something to do', () => {
    assert.throws(
      () => requireFree('/data', { free: 100 * MIB, total: 10 * GIB, bytes: 300 * MIB }, 'make room'),
      /^disk full: \/data has 100 MB free, 812 MB are needed, of which 512 MB stay free: 712 MB are missing; make room/,
    )
  })

  it('is not known of a disk that does not say how large it is', () => {
    assert.doesNotThrow(check(0, 0, TIB))
  })

  it('is that of the disk of a folder, also of one that is not there yet', async () => {
    const { blocks, bsize } = statfsSync(folder)
    await requireSpace(join(folder, 'not', 'there'))
    const message = await requireSpace(join(folder, 'not', 'there'), blocks * bsize).then(
      () => '',
      (error: Error) => error.message,
    )
    assert.include(message, `disk full: ${join(folder, 'not', 'there')} has `)
  })

  it('is looked at again during a long write', async function () {
    const disk = smallDisk(join(folder, 'disk'), 16 * MIB)
    if (typeof disk === 'string') {
      process.stdout.write(`      skipped: ${disk}\n`)
      return this.skip()
    }
    try {
      const written = watchSpace(disk.path)
      const { bavail, bsize } = statfsSync(disk.path)
      writeFileSync(join(disk.path, 'filler'), Buffer.alloc(bavail * bsize))
      await written(15 * MIB)
      const message = await written(MIB).then(
        () => '',
        (error: Error) => error.message,
      )
      assert.strictEqual(message, `disk full: ${disk.path} has 0 MB free, 1 MB are needed, of which 1 MB stay free`)
      rmSync(join(disk.path, 'filler'))
      await written(16 * MIB)
    } finally {
      disk.unmount()
    }
  })
})
