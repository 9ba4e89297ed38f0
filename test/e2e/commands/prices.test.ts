// Loading prices beside a running service: what make prints, and that cached answers are recomputed with returns.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { call } from '../../support/http/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'

type Json = Record<string, any>

describe('prices by make', function () {
  this.timeout(180_000)
  let stack: StackOfTest
  const folder = mkdtempSync(join(tmpdir(), 'insider-prices-'))
  before(async () => {
    stack = await stackOfTest()
    const up = await stack.make('up')
    assert.strictEqual(up.status, 0, up.stderr)
    await stack.make('ingest', { FROM: 'test/fixtures/filings' })
  })
  after(async () => {
    await stack.remove()
    rmSync(folder, { recursive: true })
  })

  const dataOf = async (path: string): Promise<Json> => ((await call(stack.address, 'GET', path)).body as Json).data
  const detailOf = async (): Promise<Json> =>
    (await dataOf('/v1/feed?filter=buys&detail=full&limit=1')).transactions[0]!.detail
  const fileOf = (name: string, lines: string[]) => {
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
    return join(folder, name)
  }

  it('are refused with what is wrong with the file, and change nothing', async () => {
    const said = async (variables: Record<string, string>) => {
      const { status, json } = await stack.make('prices', variables)
      return [status === 0, json!.error]
    }
    assert.deepEqual(await said({ FROM: join(folder, 'none.csv') }), [false, `no such file: ${folder}/none.csv`])
    const hostile = fileOf('hostile.csv', ['ticker,date,close', '\u001b[31mEXWI,2026-11-06,1'])
    const { status, stderr } = await stack.make('prices', { FROM: hostile, JSON: 0 })
    assert.notStrictEqual(status, 0)
    assert.include(
      stderr,
      `${hostile} has no price that can be used; the first row that can't, 2: ` +
        String.raw`ticker is not a symbol: "\u001b[31mEXWI"`,
    )
    assert.deepEqual(await said({ FROM: hostile, BENCHMARK: 'S P Y' }), [
      false,
      '--benchmark takes a ticker or none, not "S P Y"',
    ])
    assert.notProperty(await detailOf(), 'return1w')
    assert.notProperty((await dataOf('/v1/signals/rules')).rules[0], 'returns')
  })

  it('add returns to answers that were cached before', async () => {
    // Accepted on Friday, November 6, after the close.
    const days = ['2026-11-06', '2026-11-09', '2026-11-10', '2026-11-11', '2026-11-12', '2026-11-13', '2026-11-16']
    const closes = [99, 20, 21, 22, 23, 24, 25]
    const lines = days.map((day, place) => `exwi,${day},${closes[place]}`)
    const path = fileOf('week.csv', ['ticker,date,close', ...lines, 'EXWI,2026-11-17', 'NONE,2026-11-17,1'])
    const { status, stdout, stderr } = await stack.make('prices', { FROM: path, JSON: 0 })
    assert.strictEqual(status, 0, stderr)
    assert.deepEqual(stdout.trim().split('\n'), [
      `rejected ${path}:9: has no close`,
      'loaded 8 closes of 2 tickers from 2026-11-06 to 2026-11-17, 1 rejected; ' +
        '1 ticker of no company known here, kept as well',
    ])
    assert.deepEqual(readdirSync(join(stack.dataDir, 'prices')), [])
    assert.deepInclude(await detailOf(), { return1w: 0.25, return1m: null, return6m: null })
    assert.hasAllKeys((await dataOf('/v1/signals/rules')).rules[0].returns, ['buys', 'sells'])
    assert.notProperty((await dataOf('/v1/signals/rules')).rules[0].returns.buys.return1w, 'benchmark')
    const asOf = await dataOf('/v1/feed?filter=buys&detail=full&limit=1&asOf=2026-11-16T20:59:59Z')
    assert.isNull(asOf.transactions[0].detail.return1w)
  })

  it('add the benchmark', async () => {
    const { status, json } = await stack.make('prices', { FROM: 'test/fixtures/prices.csv', BENCHMARK: 'SPY' })
    assert.deepInclude(json, { ok: true, rows: 60, symbols: 3, rejected: 0 })
    assert.strictEqual(status, 0)
    assert.property((await dataOf('/v1/signals/rules')).rules[0].returns.buys.return1w, 'benchmark')
  })
})
