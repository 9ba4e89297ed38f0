// The README's own words, run: its two commands, each request with its answer, and that what it names is there.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { configVariables } from '../support/config-variables.ts'
import { call } from '../support/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../support/make.ts'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** Requests with the JSON block that follows each. */
const exchanges = [...readme.matchAll(/```sh\ncurl ([^\n]*)\n```\n\n```json\n([\s\S]*?)```/g)].map(([, words, answer]) => {
  const header = /-H '([^:]+): ([^']+)'/.exec(words!)
  return {
    path: /localhost:8080([^'\s]*)/.exec(words!)![1]!,
    headers: header ? { [header[1]!]: header[2]! } : {},
    answer: JSON.parse(answer!) as unknown,
  }
})

describe('README', function () {
  this.timeout(120_000)
  let stack: StackOfTest
  before(async () => { stack = await stackOfTest() })
  after(() => stack.remove())

  it('starts and ingests with its two commands', async () => {
    expect(readme).to.contain('\nmake up ').and.to.contain('\nmake ingest FROM=test/fixtures/filings ')
    expect((await stack.make('up')).status).to.equal(0)
    const { stdout, status } = await stack.make('ingest', { FROM: 'test/fixtures/filings', JSON: 0 })
    expect(status).to.equal(0)
    expect(readme).to.contain(stdout)
  })

  it('has an exchange for each public endpoint', () => {
    expect(exchanges.map(({ path }) => path.replace(/\?.*/, '').split('/').slice(0, 3).join('/'))).to.deep.equal(
      ['/v1/feed', '/v1/feed', '/v1/companies', '/v1/insiders', '/v1/signals', '/v1/feed', '/v1/watchlist'])
  })

  for (const { path, headers, answer } of exchanges) {
    it(`shows what GET ${path} answers`, async () => {
      expect((await call(stack.address, 'GET', path, { headers })).body).to.deep.equal(answer)
    })
  }

  it('lists every variable of the configuration, and no other', () => {
    const table = /## Configuration[\s\S]*?\n\n(\|[\s\S]*?)\n\n/.exec(readme)![1]!
    const listed = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) => [...cell!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!))
    expect(listed.toSorted()).to.deep.equal(configVariables().toSorted())
  })

  it('names files and commands that are there', () => {
    for (const [, path] of readme.matchAll(/\]\(([^)#]+)\)/g)) expect(existsSync(join(root, path!)), path).to.equal(true)
    const files = [...readme.matchAll(/`((?:http|clickhouse|postgres|edgar)\/[\w/-]+\.ts)`/g)].map(([, path]) => `src/infrastructure/${path}`)
    const others = [...readme.matchAll(/`((?:cli|application|domain)\/[\w/-]+\.ts)`/g)].map(([, path]) => `src/${path}`)
    expect(files.length).to.be.greaterThan(8)
    for (const path of [...files, ...others]) expect(existsSync(join(root, path)), path).to.equal(true)
    const makefile = readFileSync(join(root, 'Makefile'), 'utf8')
    for (const [, target] of readme.matchAll(/(?:^|`)make ([a-z-]+)/gm)) expect(makefile, target).to.match(new RegExp(`^${target}:`, 'm'))
  })
})
