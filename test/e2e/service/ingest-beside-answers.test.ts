// The service as make up starts it, with ingestion and API in one process: answers from memory include everything that
// finished ingests brought, and metrics count the work of both roles.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { inventedFiling } from '../../support/edgar/invented/filings.ts'
import { call } from '../../support/http/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'

const FILINGS = 6
const MINUTE = 60_000

describe('a service that ingests and answers', function () {
  this.timeout(120_000)
  let stack: StackOfTest
  let folder: string
  const begin = Date.now() - 2 * 3_600_000
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ingest-beside-answers-'))
    stack = await stackOfTest()
    await stack.make('up')
  })
  after(async () => {
    await stack?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const get = async (path: string) => (await call(stack.address, 'GET', path)).body
  const shown = async () => ((await get('/v1/feed')).data.transactions as { id: string }[]).map(({ id }) => id)
  const figure = async (line: string): Promise<number> => {
    const metrics = (await call(stack.address, 'GET', '/metrics')).body as string
    const found = metrics.split('\n').filter((each) => each.startsWith(`${line} `) || each.startsWith(`${line}{`))
    return found.reduce((sum, each) => sum + Number(each.split(' ').at(-1)), 0)
  }
  const ingest = async (number: number): Promise<string> => {
    const { accession, text } = inventedFiling(number, { seed: 5, acceptedAt: (each) => begin + each * MINUTE })
    const own = join(folder, String(number))
    mkdirSync(own)
    writeFileSync(join(own, `${accession}.txt`), text)
    const made = await stack.make('ingest', { FROM: own })
    assert.strictEqual(made.status, 0, made.stderr)
    return accession
  }

  it('shows each filing in the next answer, though the one before came from memory', async () => {
    const seen: string[] = []
    let number = 0
    while (seen.length < FILINGS) {
      const before = await shown()
      assert.deepEqual(await shown(), before)
      number += 1
      const accession = await ingest(number)
      const ids = await shown()
      // Some have no row of Table I.
      if (ids.some((id) => id.startsWith(accession))) seen.push(accession)
      else assert.deepEqual(ids, before, `filing ${number} is not in the feed`)
      assert.isBelow(number, 4 * FILINGS)
    }

    assert.isAtLeast(await figure('http_answers_from_memory_total'), FILINGS)
    assert.strictEqual(await figure('ingestion_projected_filings_total'), number)
  })

  it('counts the statements and connections of both roles, and how late its event loop is', async () => {
    const statements = (labels: string) => figure(`clickhouse_statement_seconds_count{${labels},ok="true"}`)
    assert.isAbove(await statements('connections="work",kind="insert"'), FILINGS)
    const queries = await statements('connections="callers",kind="query"')
    await get('/v1/signals?limit=3')

    assert.isAbove(await statements('connections="callers",kind="query"'), queries)
    assert.isAbove(await figure('postgres_connections{pool="work",state="open"}'), 0)
    // Each scrape begins again, so that after another one they can be 0.
    const metrics = (await call(stack.address, 'GET', '/metrics')).body as string
    for (const name of ['max', 'p99'])
      assert.match(metrics, new RegExp(`^nodejs_eventloop_lag_${name}_seconds \\d`, 'm'))
  })

  it('logs what both roles do, and ends in order with all lines written', async () => {
    const down = await stack.make('down')

    assert.strictEqual(down.status, 0, down.stderr)
    const log = (await stack.make('logs', { LINES: 400 })).stdout
    for (const line of ['ingesting', 'projected', 'listening', 'stopping', 'stopped'])
      assert.include(log, `"${line}`, line)
    assert.notInclude(log, 'unsettled')
  })
})
