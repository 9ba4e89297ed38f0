// A volume of PostgreSQL that is lost under a stack of Docker: refused, and started empty by a rebuild. Skipped with the reason
// in its name where no Docker engine answers or an image is missing.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { docker, imagesHere, ofTheEngine, words } from '../../support/service/docker-images.ts'
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
    expect(up.status, up.stderr).to.equal(0)
    project = up.json!.project
    expect((await stack.make('ingest', { FROM: 'test/fixtures/filings' })).json).to.include({ ingested: 7 })
    expect((await make('down')).status).to.equal(0)
  })
  after(async () => {
    await stack.remove()
    for (const volume of volumes()) docker('volume', 'rm', volume)
  })

  it('is refused with the names of both stores', async () => {
    expect(
      docker(
        'volume',
        'rm',
        volumes().find((name) => name.endsWith('_postgres'))!,
      ).status,
    ).to.equal(0)
    const { status, json } = await make('up')
    expect(status).not.to.equal(0)
    expect(json!.error).to.match(
      /PostgreSQL \(postgres:\/\/postgres:5432\/insider\) is empty, while ClickHouse \(http:\/\/clickhouse:8123\) is full.*make rebuild/,
    )
  })

  it("is started empty after a rebuild, also where the stack's record is lost", async () => {
    rmSync(join(stack.dataDir, 'stack.json'))
    expect((await stack.make('status')).json).to.include({ stack: 'docker', running: false })
    const up = await make('up')
    expect(up.json!.error).to.match(/is empty, while ClickHouse/)
    const rebuilt = await make('rebuild')
    expect(rebuilt.json, rebuilt.stderr).to.include({ ok: true, filings: 0 })
    const again = await make('up')
    expect(again.status, again.stderr).to.equal(0)
    expect(await (await fetch(`${stack.address}/v1/feed`)).json()).to.deep.equal({
      success: true,
      data: { transactions: [], hasMore: false },
    })
  })
})
