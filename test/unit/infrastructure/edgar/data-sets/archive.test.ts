// The quarters kept on disk, while several processes read and replace them.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { assert } from 'chai'
import { DataSetArchive } from '../../../../../src/infrastructure/edgar/data-sets/archive.ts'
import { writeInventedDataSet } from '../../../../support/edgar/invented/data-set.ts'

const QUARTER = '2024q3'

describe('The quarters kept on disk', () => {
  let folder: string
  let archive: DataSetArchive
  const at = (...names: string[]) => join(folder, ...names)

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'archive-'))
    await writeInventedDataSet({ folder, quarter: QUARTER, rows: 20, issuers: 3, seed: 1 })
    archive = new DataSetArchive(at('kept'))
    await archive.take(folder)
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('are read by several at once and replaced meanwhile', async () => {
    const other = new DataSetArchive(at('kept'))
    await archive.open(QUARTER, async ({ files }) => {
      await other.take(folder)
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
})
