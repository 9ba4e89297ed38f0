// The documents, run: the README's two commands, each request with its answer, the walk-throughs as one session of the
// shell, and that the links, files, commands and settings they name are there.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { parse } from 'yaml'
import { freePort } from '../../support/ports.ts'
import { configVariables } from '../../support/config-variables.ts'
import { call } from '../../support/http/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import { cleanCopy, shellSession, whyNoSession, type ShellSession } from '../../support/service/shell-session.ts'

const root = join(import.meta.dirname, '../../..')
const FOLDERS = ['.github', 'docker', 'openapi', 'src', 'test']
const documents = new Map(
  ['README.md', ...FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.md`, { cwd: root }))].map((path) => [
    path,
    readFileSync(join(root, path), 'utf8'),
  ]),
)
const readme = documents.get('README.md')!
const answersDocument = documents.get('openapi/README.md')!
const all = [...documents.values()].join('\n')

/** Requests with the JSON block that follows each. */
const exchangesOf = (text: string) =>
  [...text.matchAll(/```sh\ncurl ([^\n]*)\n```\n\n```json\n([\s\S]*?)```/g)].map(([, words, answer]) => {
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
  before(async () => {
    stack = await stackOfTest()
  })
  after(() => stack.remove())

  it('starts and ingests with its two commands', async () => {
    assert.include(readme, '\nmake up ')
    assert.include(readme, '\nmake ingest FROM=test/fixtures/filings ')
    assert.strictEqual((await stack.make('up')).status, 0)
    const { stdout, status } = await stack.make('ingest', { FROM: 'test/fixtures/filings', JSON: 0 })
    assert.strictEqual(status, 0)
    assert.include(readme, stdout)
  })

  it('has an exchange for each public endpoint', () => {
    const first = (path: string) => path.replace(/\?.*/, '').split('/').slice(0, 3).join('/')
    assert.deepEqual(
      exchangesOf(readme).map(({ path }) => first(path)),
      ['/v1/feed'],
    )
    assert.deepEqual(
      exchangesOf(answersDocument).map(({ path }) => first(path)),
      [
        '/v1/feed',
        '/v1/feed',
        '/v1/feed',
        '/v1/companies',
        '/v1/companies',
        '/v1/search',
        '/v1/sentiment',
        '/v1/insiders',
        '/v1/filings',
        '/v1/signals',
        '/v1/feed',
        '/v1/status',
        '/v1/watchlist',
        ...['/v1/feed', '/v1/feed', '/v1/signals', '/v1/sentiment'],
      ],
    )
  })

  for (const [name, text] of documents) {
    for (const { path, headers, answer } of exchangesOf(text)) {
      it(`shows what GET ${path} answers (${name})`, async () => {
        assert.deepEqual((await call(stack.address, 'GET', path, { headers })).body, answer)
      })
    }
  }

  it('lists every variable of the configuration, and no other', () => {
    const listed = variablesOf(documents.get('docker/README.md')!, 'Configuration')
    assert.deepEqual(listed.toSorted(), configVariables().toSorted())
    const shown = variablesOf(readme, 'Settings')
    assert.isAtLeast(shown.length, 8)
    assert.isAtMost(shown.length, 12)
    assert.includeMembers(configVariables(), shown)
  })
})

function variablesOf(text: string, section: string): string[] {
  const table = new RegExp(`## ${section}\\n[\\s\\S]*?\\n\\n(\\|[\\s\\S]*?)\\n\\n`).exec(text)![1]!
  return [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!),
  )
}

describe('the Markdown documents', () => {
  it('are each in their place, and the README is short', () => {
    assert.sameMembers(
      [...documents.keys()],
      [
        'README.md',
        '.github/CONTRIBUTING.md',
        '.github/SECURITY.md',
        'docker/README.md',
        'docker/cluster/README.md',
        'openapi/CHANGELOG.md',
        'openapi/README.md',
        'src/README.md',
        'src/client/README.md',
        'src/client/python/README.md',
        'test/README.md',
      ],
    )
    assert.isAtMost(readme.split('\n').length, 230)
  })

  it('link to files and headings that are there', () => {
    const links = [...documents].flatMap(([from, text]) =>
      [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([, path, heading]) => ({
        from,
        to: path ? join(dirname(from), path) : from,
        heading,
      })),
    )
    assert.isAbove(links.length, 30)
    for (const { from, to, heading } of links) {
      assert.strictEqual(existsSync(join(root, to)), true, `${from}: ${to}`)
      if (heading) assert.include(headingsOf(documents.get(to)!), heading, `${from}: ${to}`)
    }
  })

  it('name files and commands that are there', () => {
    const files = [...all.matchAll(/(?<![\w/.-])((?:[\w-]+\/)+[\w.-]+\.ts)\b/g)].map(([, path]) => path!)
    assert.isAbove(files.length, 40)
    for (const path of files) {
      const places = ['', 'src/', 'src/infrastructure/'].map((folder) => join(root, folder, path))
      assert.strictEqual(places.some(existsSync), true, path)
    }
    const makefile = readFileSync(join(root, 'Makefile'), 'utf8')
    for (const [, target] of all.matchAll(/(?:^|`)make ([a-z][a-z0-9-]*)/gm))
      assert.match(makefile, new RegExp(`^${target}:`, 'm'), target)
    for (const [, bench] of all.matchAll(/BENCH=([a-z-]+)/g))
      assert.strictEqual(existsSync(join(root, `test/bench/${bench}.ts`)), true, bench)
  })

  it('give the middleware in the order in which a request passes it', () => {
    const server = readFileSync(join(root, 'src/infrastructure/http/server.ts'), 'utf8')
    const home = new Map(
      [...server.matchAll(/^import \{ (.*) \} from '\.\/(middleware\/[\w-]+\.ts)'$/gm)].flatMap(([, names, path]) =>
        names!.split(', ').map((name) => [name, path!] as const),
      ),
    )
    const used = [...server.matchAll(/app\.use\((\w+)/g)].flatMap(([, name]) =>
      name === 'metrics' ? ['middleware/metrics.ts'] : (home.get(name!) ?? []),
    )
    const section = documents
      .get('src/README.md')!
      .split(/^## /m)
      .find((each) => each.startsWith('One request'))!
    const named = [...section.matchAll(/`http\/(middleware\/[\w-]+\.ts)`/g)].map(([, path]) => path!)
    assert.lengthOf(used, 9)
    assert.deepEqual(named, used)
  })

  it('state the version of the contract, and the Node.js that .ci/run has in the workflow', () => {
    const { version } = parse(readFileSync(join(root, 'openapi/openapi.yaml'), 'utf8')).info
    assert.include(documents.get('openapi/CHANGELOG.md'), `\n## ${version}\n`)
    const { steps } = parse(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')).jobs.test
    assert.deepEqual(steps.at(-1), { run: '.ci/run' })
    assert.strictEqual(steps.at(-2).with['node-version'], 24)
  })
})

/** Returns the anchors that GitHub gives the headings of a document. */
function headingsOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** The blocks to run of a section, in their order. */
function blocksOf(document: string, section: string): string[] {
  const text = document.split(/^## /m).find((each) => each.startsWith(`${section}\n`))
  return [...text!.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
}

describe('README and openapi/README, followed from top to bottom in a clean folder', function () {
  this.timeout(240_000)
  let stack: StackOfTest
  let copy: ReturnType<typeof cleanCopy>
  let session: ShellSession
  const sections = [
    { title: 'Two commands', blocks: blocksOf(readme, 'Two commands') },
    { title: 'Query the API', blocks: blocksOf(readme, 'Query the API') },
    { title: 'Worked answers', blocks: blocksOf(answersDocument, 'Worked answers') },
    { title: 'Backtest without hindsight', blocks: blocksOf(answersDocument, 'Backtest without hindsight') },
    { title: 'Webhooks', blocks: blocksOf(answersDocument, 'Webhooks') },
  ]
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
    assert.strictEqual(session.status, 0, session.stderr + session.stdout())
  })

  it('prints what it shows', () => {
    assert.include(readme, outputOf('Two commands').trim().split('\n').slice(-2).join('\n'))
    const answers = [...answersDocument.matchAll(/```json\n(\{\s*"success"[\s\S]*?)```/g)].map(([, answer]) =>
      JSON.parse(answer!),
    )
    const shown = ['Worked answers', 'Backtest without hindsight'].flatMap((title) => blocksOf(answersDocument, title))
    const printed = shown.flatMap((block) =>
      block.startsWith('curl ') ? [JSON.parse(session.outputs[blocks.indexOf(block)]!)] : [],
    )
    assert.deepEqual(printed, answers)
  })

  it('gets an answer to each question of the README', () => {
    const answers = outputOf('Query the API')
      .split(/(?<=\})(?=\{"success")/)
      .map((text) => JSON.parse(text))
    assert.lengthOf(answers, 14)
    for (const answer of answers) assert.strictEqual(answer.success, true, JSON.stringify(answer))
  })

  it('adds, lists and removes an entry of a watchlist with the key that it makes', () => {
    const made = session.outputs[blocks.findIndex((block) => block.startsWith('export API_KEY'))]!
    const [added, listed, removed, ...more] = made.split(/(?<=\})(?=\{)/).map((text) => JSON.parse(text))
    assert.deepInclude(added.data, { ticker: 'EXWI' })
    assert.lengthOf(listed.data.companies, 1)
    assert.deepEqual([removed, more], [{ success: true }, []])
  })

  it('has a test event and an alert arrive, signed, at the receiver that it shows', async () => {
    assert.match(outputOf('Webhooks'), /204 after/)
    for (let tries = 0; tries < 300 && !session.stdout().includes('transaction.created'); tries += 1) await sleep(100)
    const alerts = [...session.stdout().matchAll(/\{"id":"[^"]+","type":"[a-z.]+","createdAt":.*$/gm)].map(([line]) =>
      JSON.parse(line),
    )
    assert.deepEqual(
      alerts.map(({ type }) => type),
      ['test', 'transaction.created'],
      session.outputs.join('---'),
    )
    assert.deepInclude(alerts[1].data, { ticker: 'EXWI', accessionNumber: '0001999001-26-000099' })
    assert.deepInclude(alerts[1].data.transactions[0], { shares: 60_100 })
  })
})
