// A backup made while the service runs, restored into another stack: the same answers from a rebuilt ClickHouse.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { deletionText } from '../../support/filings/filing-builder.ts'
import { wholeFeed } from '../../support/http/answers.ts'
import { writeInventedDataSet } from '../../support/edgar/invented/data-set.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import { nightly, volume } from '../../support/volume.ts'

/** Of the fixtures; a deletion of it is received. */
const WITHDRAWN = '0001999001-26-000002'
const ROWS = volume('rows of history in a backup', 300, 2_000)

describe('backup and restore', function () {
  this.timeout(240_000)
  const folder = mkdtempSync(join(tmpdir(), 'insider-backup-'))
  let [first, second]: StackOfTest[] = []
  let key = ''
  before(async () => {
    first = await stackOfTest()
    second = await stackOfTest()
    key = (await first.make('up')).json!.developmentKey.key
    await first.make('ingest', { FROM: 'test/fixtures/filings' })
    writeFileSync(join(folder, 'deleted.nc'), deletionText(WITHDRAWN))
    assert.deepInclude((await first.make('ingest', { FROM: join(folder, 'deleted.nc') })).json, { ingested: 1 })
    const sets = join(folder, 'sets')
    mkdirSync(sets)
    await writeInventedDataSet({ folder: sets, quarter: '2024q3', rows: ROWS, seed: 3, issuers: 30 })
    assert.deepInclude((await first.make('backfill', { SETS: sets })).json, { ok: true })
    await watch(first, 'EXWI')
  })
  after(async () => {
    await first?.remove()
    await second?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const headers = () => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
  const watch = (stack: StackOfTest, ticker: string) =>
    fetch(`${stack.address}/v1/watchlist`, { method: 'POST', headers: headers(), body: JSON.stringify({ ticker }) })
  const answers = async ({ address }: StackOfTest) => ({
    feed: await wholeFeed(address),
    signals: await (await fetch(`${address}/v1/signals?limit=100`)).json(),
    company: await (await fetch(`${address}/v1/companies/exwi`)).json(),
    filings: (await (await fetch(`${address}/v1/filings?tickers=EXWI&limit=100`)).json()) as any,
    withdrawn: (await (await fetch(`${address}/v1/filings/${WITHDRAWN}`)).json()) as any,
    watchlist: await (await fetch(`${address}/v1/watchlist`, { headers: headers() })).json(),
  })

  it("gives the same answers from another machine's empty stores", async () => {
    const expected = await answers(first!)
    assert.isAbove(expected.feed.length, 50)
    assert.isNotNull(expected.withdrawn.data.withdrawnAt)
    const listed = expected.filings.data.filings.map((filing: { accessionNumber: string }) => filing.accessionNumber)
    assert.isNotEmpty(listed)
    assert.notInclude(listed, WITHDRAWN)
    const made = await first!.make('backup', { TO: join(folder, 'backup') })
    assert.deepInclude(made.json, { ok: true }, made.stderr)
    const restored = await second!.make('restore', { FROM: join(folder, 'backup') })
    assert.deepInclude(
      restored.json,
      {
        ok: true,
        tables: made.json!.tables,
        rows: made.json!.rows,
      },
      restored.stderr,
    )
    copyFileSync(join(first!.dataDir, 'secrets.key'), join(second!.dataDir, 'secrets.key'))
    const up = await second!.make('up')
    assert.deepInclude(up.json, { ok: true }, up.stderr)
    assert.notProperty(up.json, 'developmentKey')
    assert.deepEqual(await answers(second!), expected)
  })

  // A restored stack has already made again what it starts with.
  nightly('gives the same answers again after a rebuild', async () => {
    const expected = await answers(second!)
    assert.deepInclude((await second!.make('rebuild')).json, { ok: true })
    assert.deepEqual(await answers(second!), expected)
  })

  it('gives new changes numbers that were never used', async () => {
    assert.strictEqual((await watch(second!, 'EXGD')).status, 201)
    assert.deepInclude((await second!.make('key', { NAME: 'another' })).json, { ok: true })
    assert.strictEqual((await second!.make('ingest', { FROM: 'test/fixtures/filings/form3.xml' })).status, 0)
  })

  it('refuses a database that has rows, a running service, a folder in use, and a backup cut short', async () => {
    const refused = async (stack: StackOfTest, target: string, variables: Record<string, string>) => {
      const { status, json } = await stack.make(target, variables)
      assert.notStrictEqual(status, 0)
      return json!.error as string
    }
    assert.include(await refused(second!, 'restore', { FROM: join(folder, 'backup') }), 'a service runs')
    await second!.make('down')
    assert.include(await refused(second!, 'restore', { FROM: join(folder, 'backup') }), 'is not empty')
    assert.include(await refused(first!, 'backup', { TO: join(folder, 'backup') }), 'is not empty')
    const [table] = readdirSync(join(folder, 'backup')).filter((name) => name.endsWith('.copy.gz'))
    assert.strictEqual(existsSync(join(folder, 'backup', table!)), true)
    unlinkSync(join(folder, 'backup', 'backup.json'))
    assert.include(await refused(second!, 'restore', { FROM: join(folder, 'backup') }), 'is not a complete backup')
  })
})
