// A backup made while the service runs, restored into another stack: the same answers from a ClickHouse made anew.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { wholeFeed } from '../../support/http/answers.ts'
import { writeInventedDataSet } from '../../support/edgar/invented/data-set.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'

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
    const sets = join(folder, 'sets')
    mkdirSync(sets)
    await writeInventedDataSet({ folder: sets, quarter: '2024q3', rows: 2_000, seed: 3, issuers: 30 })
    expect((await first.make('backfill', { SETS: sets })).json).to.deep.include({ ok: true })
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
    watchlist: await (await fetch(`${address}/v1/watchlist`, { headers: headers() })).json(),
  })

  it("gives the same answers from another machine's empty stores, and after a rebuild", async () => {
    const expected = await answers(first!)
    expect(expected.feed.length).to.be.greaterThan(50)
    const made = await first!.make('backup', { TO: join(folder, 'backup') })
    expect(made.json, made.stderr).to.deep.include({ ok: true })
    const restored = await second!.make('restore', { FROM: join(folder, 'backup') })
    expect(restored.json, restored.stderr).to.deep.include({
      ok: true,
      tables: made.json!.tables,
      rows: made.json!.rows,
    })
    copyFileSync(join(first!.dataDir, 'secrets.key'), join(second!.dataDir, 'secrets.key'))
    const up = await second!.make('up')
    expect(up.json, up.stderr).to.deep.include({ ok: true })
    expect(up.json).not.to.have.property('developmentKey')
    expect(await answers(second!)).to.deep.equal(expected)
    expect((await second!.make('rebuild')).json).to.deep.include({ ok: true })
    expect(await answers(second!)).to.deep.equal(expected)
    // What is new gets numbers that were never given.
    expect((await watch(second!, 'EXGD')).status).to.equal(201)
    expect((await second!.make('key', { NAME: 'another' })).json).to.deep.include({ ok: true })
    expect((await second!.make('ingest', { FROM: 'test/fixtures/filings/form3.xml' })).status).to.equal(0)
  })

  it('refuses a database that has rows, a running service, a folder in use, and a backup cut short', async () => {
    const refused = async (stack: StackOfTest, target: string, variables: Record<string, string>) => {
      const { status, json } = await stack.make(target, variables)
      expect(status).not.to.equal(0)
      return json!.error as string
    }
    expect(await refused(second!, 'restore', { FROM: join(folder, 'backup') })).to.contain('a service runs')
    await second!.make('down')
    expect(await refused(second!, 'restore', { FROM: join(folder, 'backup') })).to.contain('is not empty')
    expect(await refused(first!, 'backup', { TO: join(folder, 'backup') })).to.contain('is not empty')
    const [table] = readdirSync(join(folder, 'backup')).filter((name) => name.endsWith('.copy.gz'))
    expect(existsSync(join(folder, 'backup', table!))).to.equal(true)
    unlinkSync(join(folder, 'backup', 'backup.json'))
    expect(await refused(second!, 'restore', { FROM: join(folder, 'backup') })).to.contain(
      'no backup, or one that was cut short',
    )
  })
})
