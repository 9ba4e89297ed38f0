// SIGKILL at any place while month files are made: the manifest names files that are all there with their hashes, and
// the next run completes what was left.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import type { ExportManifest } from '../../../src/application/ports/exports.ts'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { migratePostgres } from '../../../src/infrastructure/postgres/migrate.ts'
import { openPool, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { submissionText, type FilingSpec } from '../../support/filings/filing-builder.ts'
import type { MakingOrder } from '../../support/service/processes/making-child.ts'
import { runSelfKilling } from '../../support/service/processes/self-killing.ts'
import { ownClickHouse, stores } from '../../support/stores/stores.ts'
import { volume } from '../../support/volume.ts'

const KILLS = volume('kills while month files are made', 2, 50)

/** Returns the number of steps, null where the process was killed. */
async function run(order: MakingOrder): Promise<number | null> {
  const result = await runSelfKilling<{ steps: number }>('making-child.ts', order)
  return result && result.steps
}

function manifestIn(folder: string): ExportManifest | null {
  const path = join(folder, 'manifest.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as ExportManifest) : null
}

const filesIn = (manifest: ExportManifest) => manifest.datasets.flatMap(({ files }) => files)

/** What the manifest names is there whole, what was replaced too. */
function assertWhole(folder: string): void {
  const manifest = manifestIn(folder)
  for (const { path, sha256 } of manifest ? filesIn(manifest) : []) {
    assert.strictEqual(
      createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex'),
      sha256,
      path,
    )
  }
  for (const { path } of manifest?.retired ?? []) {
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex')
    assert.include(path, `.${hash.slice(0, 16)}.`)
  }
}

describe('a process killed while it makes month files', function () {
  this.timeout(600_000 + 20_000 * KILLS)
  const folder = mkdtempSync(join(tmpdir(), 'test-making-'))
  let pool: Pool
  let order: MakingOrder
  before(async () => {
    const [{ databaseUrl }, { url, database }] = [await stores(), await ownClickHouse()]
    const clickHouse = url ? { url, database } : { path: join(folder, 'clickhouse'), database }
    pool = openPool({ url: databaseUrl, name: 'test', max: 2 })
    await migratePostgres(pool)
    const [historyDir, exportsDir] = [join(folder, 'history'), join(folder, 'first')]
    order = { databaseUrl, clickHouse, historyDir, exportsDir, killAfter: null }
  })
  after(async () => {
    await pool.end()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Records filings; each child projects what it finds. */
  async function record(...specs: FilingSpec[]) {
    const container = createContainer({ pool })
    const documents = specs.map((spec) => ({
      path: `${spec.accession}.txt`,
      bytes: Buffer.from(submissionText(spec)),
    }))
    await container.get(TYPES.recordFilings)(documents)
  }

  it('leaves a manifest whose files are all there, and the next run completes them', async () => {
    const months = ['202501', '202502', '202503', '202504']
    await record(
      ...months.map((month, place) => ({ accession: `0001999001-25-00000${place}`, acceptedAt: `${month}10120000` })),
    )
    assert.isAbove((await run(order))!, 0)
    assertWhole(order.exportsDir)
    await record({ accession: '0001999001-25-000011', acceptedAt: '20250211120000', rows: [{ shares: '7' }] })
    await record({ accession: '0001999001-25-000012', acceptedAt: '20250512120000' })
    const second = join(folder, 'second')
    cpSync(order.exportsDir, second, { recursive: true })
    const steps = (await run({ ...order, exportsDir: second }))!
    assert.isAbove(steps, 20)
    const expected = filesIn(manifestIn(second)!).map(({ path }) => path)

    const kills = Array.from({ length: Math.min(KILLS, steps) }, (_, kill) =>
      KILLS >= steps ? kill + 1 : 1 + Math.floor((kill * (steps - 1)) / (KILLS - 1)),
    )
    for (const [kill, killAfter] of kills.entries()) {
      // Where there was nothing before, and where there was.
      const exportsDir = join(folder, `killed-${kill}`)
      if (kill % 2 === 0) cpSync(order.exportsDir, exportsDir, { recursive: true })
      assert.isNull(await run({ ...order, exportsDir, killAfter }), `step ${killAfter}`)
      assertWhole(exportsDir)
      if (kill % 5 === 0) {
        await run({ ...order, exportsDir })
        assertWhole(exportsDir)
        const made = filesIn(manifestIn(exportsDir)!).map(({ path }) => path)
        assert.deepEqual(made, expected, `after step ${killAfter}`)
      }
      rmSync(exportsDir, { recursive: true })
    }
  })
})
