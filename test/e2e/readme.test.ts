// The README's own words, run: its two commands, each request with its answer, its walk-throughs as one session of the
// shell, and that what it names is there.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { freePort } from '../../src/infrastructure/embedded/ports.ts'
import { configVariables } from '../support/config-variables.ts'
import { call } from '../support/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../support/make.ts'
import { cleanCopy, shellSession, whyNoSession, type ShellSession } from '../support/shell-session.ts'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** Requests with the JSON block that follows each. */
const exchanges = [...readme.matchAll(/```sh\ncurl ([^\n]*)\n```\n\n```json\n([\s\S]*?)```/g)].map(
  ([, words, answer]) => {
    const header = /-H '([^:]+): ([^']+)'/.exec(words!)
    return {
      path: /localhost:8080([^'\s]*)/.exec(words!)![1]!,
      headers: header ? { [header[1]!]: header[2]! } : {},
      answer: JSON.parse(answer!) as unknown,
    }
  },
)

describe('README', function () {
  this.timeout(120_000)
  let stack: StackOfTest
  before(async () => {
    stack = await stackOfTest()
  })
  after(() => stack.remove())

  it('starts and ingests with its two commands', async () => {
    expect(readme).to.contain('\nmake up ').and.to.contain('\nmake ingest FROM=test/fixtures/filings ')
    expect((await stack.make('up')).status).to.equal(0)
    const { stdout, status } = await stack.make('ingest', { FROM: 'test/fixtures/filings', JSON: 0 })
    expect(status).to.equal(0)
    expect(readme).to.contain(stdout)
  })

  it('has an exchange for each public endpoint', () => {
    expect(exchanges.map(({ path }) => path.replace(/\?.*/, '').split('/').slice(0, 3).join('/'))).to.deep.equal([
      '/v1/feed',
      '/v1/feed',
      '/v1/companies',
      '/v1/insiders',
      '/v1/signals',
      '/v1/feed',
      '/v1/watchlist',
    ])
  })

  for (const { path, headers, answer } of exchanges) {
    it(`shows what GET ${path} answers`, async () => {
      expect((await call(stack.address, 'GET', path, { headers })).body).to.deep.equal(answer)
    })
  }

  it('lists every variable of the configuration, and no other', () => {
    const table = /## Configuration[\s\S]*?\n\n(\|[\s\S]*?)\n\n/.exec(readme)![1]!
    const listed = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!),
    )
    expect(listed.toSorted()).to.deep.equal(configVariables().toSorted())
  })

  it('names files and commands that are there', () => {
    for (const [, path] of readme.matchAll(/\]\((?!https:)([^)#]+)\)/g))
      expect(existsSync(join(root, path!)), path).to.equal(true)
    const files = [...readme.matchAll(/`((?:http|clickhouse|postgres|redis|webhooks|edgar)\/[\w/-]+\.ts)`/g)].map(
      ([, path]) => `src/infrastructure/${path}`,
    )
    const others = [...readme.matchAll(/`((?:cli|application|domain)\/[\w/-]+\.ts)`/g)].map(([, path]) => `src/${path}`)
    expect(files.length).to.be.greaterThan(8)
    for (const path of [...files, ...others]) expect(existsSync(join(root, path)), path).to.equal(true)
    const makefile = readFileSync(join(root, 'Makefile'), 'utf8')
    for (const [, target] of readme.matchAll(/(?:^|`)make ([a-z-]+)/gm))
      expect(makefile, target).to.match(new RegExp(`^${target}:`, 'm'))
  })
})

/** The blocks to run of a section, in their order. */
function blocksOf(section: string): string[] {
  const text = readme.split(/^## /m).find((each) => each.startsWith(`${section}\n`))
  return [...text!.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
}

describe('README, followed from top to bottom in a clean folder', function () {
  this.timeout(240_000)
  let stack: StackOfTest
  let copy: ReturnType<typeof cleanCopy>
  let session: ShellSession
  const sections = ['Two commands', 'Ask it something', 'Alerts'].map((title) => ({ title, blocks: blocksOf(title) }))
  const blocks = sections.flatMap((section) => section.blocks)

  before(async function () {
    const why = whyNoSession('curl', 'grep', 'awk', 'sed', 'node')
    if (why) {
      process.stdout.write(`      skipped: ${why}\n`)
      this.skip()
    }
    stack = await stackOfTest()
    copy = cleanCopy()
    const receiverPort = await freePort()
    // Only what must differ from other runs on this machine is not as it stands.
    const own = (block: string) =>
      block.replaceAll('localhost:8080', `localhost:${stack.port}`).replaceAll('9999', String(receiverPort))
    session = await shellSession(copy.folder, blocks.map(own), { DATA_DIR: stack.dataDir, PORT: String(stack.port) })
  })
  after(async () => {
    session?.end()
    // With the build that is in the copy.
    await stack?.remove()
    copy?.remove()
  })

  const outputOf = (title: string) => {
    const first = blocks.indexOf(sections.find((section) => section.title === title)!.blocks[0]!)
    return session.outputs
      .slice(first, first + sections.find((section) => section.title === title)!.blocks.length)
      .join('')
  }

  it('goes through without a command that fails', () => {
    expect(session.status, session.stderr + session.stdout()).to.equal(0)
  })

  it('prints what it shows', () => {
    expect(readme).to.contain(outputOf('Two commands').trim().split('\n').slice(-2).join('\n'))
    const answers = [...readme.matchAll(/```json\n(\{\s*"success"[\s\S]*?)```/g)].map(([, answer]) =>
      JSON.parse(answer!),
    )
    const printed = blocksOf('Ask it something').flatMap((block) =>
      block.startsWith('curl ') ? [JSON.parse(session.outputs[blocks.indexOf(block)]!)] : [],
    )
    expect(printed).to.deep.equal(answers)
  })

  it('adds, lists and removes an entry of a watchlist with the key that it makes', () => {
    const made = session.outputs[blocks.findIndex((block) => block.startsWith('export API_KEY'))]!
    const [added, listed, removed, ...more] = made.split(/(?<=\})(?=\{)/).map((text) => JSON.parse(text))
    expect(added.data).to.deep.include({ ticker: 'EXWI' })
    expect(listed.data.companies).to.have.length(1)
    expect([removed, more]).to.deep.equal([{ success: true }, []])
  })

  it('has a test event and an alert arrive, signed, at the receiver that it shows', async () => {
    expect(outputOf('Alerts')).to.match(/204 after/)
    for (let tries = 0; tries < 300 && !session.stdout().includes('transaction.created'); tries += 1) await sleep(100)
    const alerts = [...session.stdout().matchAll(/\{"id":"[^"]+","type":"[a-z.]+","createdAt":.*$/gm)].map(([line]) =>
      JSON.parse(line),
    )
    expect(
      alerts.map(({ type }) => type),
      session.outputs.join('---'),
    ).to.deep.equal(['test', 'transaction.created'])
    expect(alerts[1].data).to.deep.include({ ticker: 'EXWI', accessionNumber: '0001999001-26-000099' })
    expect(alerts[1].data.transactions[0]).to.deep.include({ shares: 60_100 })
  })
})
