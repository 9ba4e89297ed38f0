// A Docker stack that lost its PostgreSQL volume: refused, and started empty after a rebuild. Skipped, with the reason
// in its name, if no Docker engine answers or an image is missing.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { docker, imagesHere, ofTheEngine, words } from '../../support/service/tools/docker-images.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'

const images = imagesHere()
const suite = typeof images === 'string' ? describe.skip : describe

suite(`a lost volume in Docker${typeof images === 'string' ? ` (skipped: ${images})` : ''}`, function () {
  this.timeout(600_000)
  this.bail(true)
  let stack: StackOfTest
  let variables: Record<string, string | number>
  let project = ''
  const make = (target: string) => stack.make(target, variables)
  const volumes = (): string[] => words('volume', 'ls', '-q', '--filter', `label=com.docker.compose.project=${project}`)

  before(async () => {
    stack = await stackOfTest()
    variables = { ...ofTheEngine(images as Record<string, string>), PORT: stack.port }
    const up = await stack.make('up', { ...variables, STACK: 'docker' })
    assert.strictEqual(up.status, 0, up.stderr)
    project = up.json!.project
    assert.include((await stack.make('ingest', { FROM: 'test/fixtures/filings' })).json, { ingested: 7 })
    assert.strictEqual((await make('down')).status, 0)
  })
  after(async () => {
    await stack.remove()
    for (const volume of volumes()) docker('volume', 'rm', volume)
  })

  it('is refused with the names of both stores', async () => {
    assert.strictEqual(
      docker(
        'volume',
        'rm',
        volumes().find((name) => name.endsWith('_postgres'))!,
      ).status,
      0,
    )
    const { status, json } = await make('up')
    assert.notStrictEqual(status, 0)
    assert.include(json!.error, 'PostgreSQL (postgres://postgres:5432/insider) is empty')
    assert.match(json!.error, /is empty, while ClickHouse \(http:\/\/clickhouse:8123\) is full.*make rebuild/)
  })

  it("is started empty after a rebuild, even if the stack's record is lost", async () => {
    rmSync(join(stack.dataDir, 'stack.json'))
    assert.include((await stack.make('status')).json, { stack: 'docker', running: false })
    const up = await make('up')
    assert.match(up.json!.error, /is empty, while ClickHouse/)
    const rebuilt = await make('rebuild')
    assert.include(rebuilt.json, { ok: true, filings: 0 }, rebuilt.stderr)
    const again = await make('up')
    assert.strictEqual(again.status, 0, again.stderr)
    assert.deepEqual(await (await fetch(`${stack.address}/v1/feed`)).json(), {
      success: true,
      data: { transactions: [], hasMore: false },
    })
  })
})
