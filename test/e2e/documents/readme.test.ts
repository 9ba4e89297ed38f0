// The documents, run: the README's two commands, each request with its answer, the walk-throughs as one session of the
// shell, the programs of the clients, and that the links, files, commands and settings they name are there.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { parse } from 'yaml'
import { freePort } from '../../support/ports.ts'
import { configVariables } from '../../support/config-variables.ts'
import { call } from '../../support/http/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import { copyBuild } from '../../support/service/tools/checkout-copy.ts'
import { CLIENT_FOLDER, needPython, pythons, runPython } from '../../support/service/tools/pythons.ts'
import { cleanCopy, shellSession, whyNoSession, type ShellSession } from '../../support/service/tools/shell-session.ts'
import { volume } from '../../support/volume.ts'

const root = join(import.meta.dirname, '../../..')
const FOLDERS = ['.github', 'docker', 'openapi', 'src', 'test']
const documents = new Map(
  ['README.md', ...FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.md`, { cwd: root }))].map((path) => [
    path,
    readFileSync(join(root, path), 'utf8'),
  ]),
)
const readme = documents.get('README.md')!
const guide = (name: string) => documents.get(`openapi/guides/${name}.md`)!
const guides = [...documents].flatMap(([path, text]) => (path.startsWith('openapi/guides/') ? text : []))
const all = [...documents.values()].join('\n')

const pythonReadme = documents.get('src/client/python/README.md')!
const blocksIn = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block]) => block!)
const programs = [pythonReadme, guide('python'), guide('returns')].flatMap((text) => blocksIn(text, 'py'))

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
        'openapi/guides/alerts.md',
        'openapi/guides/data-quality.md',
        'openapi/guides/getting-started.md',
        'openapi/guides/mcp.md',
        'openapi/guides/notices.md',
        'openapi/guides/python.md',
        'openapi/guides/query.md',
        'openapi/guides/returns.md',
        'openapi/guides/signals.md',
        'openapi/guides/stream.md',
        'openapi/guides/upgrade.md',
        'openapi/guides/webhooks.md',
        'src/adding-a-query.md',
        'src/architecture.md',
        'src/decisions.md',
        'src/client/README.md',
        'src/client/python/README.md',
        'test/README.md',
      ],
    )
    assert.isAtMost(readme.split('\n').length, 190)
    assert.isAtMost(documents.get('openapi/README.md')!.split('\n').length, 60)
  })

  it('list every variable of the configuration, and no other', () => {
    const listed = variablesOf(documents.get('docker/README.md')!, 'Configuration')
    assert.deepEqual(listed.toSorted(), configVariables().toSorted())
    const shown = variablesOf(readme, 'Settings')
    assert.isAtLeast(shown.length, 8)
    assert.isAtMost(shown.length, 12)
    assert.includeMembers(configVariables(), shown)
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
      assert.lengthOf(globSync(`test/bench/${bench}.ts`, { cwd: root }), 1, bench)
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
  return blocksIn(text!, 'sh')
}

describe('README and guides, followed from top to bottom in a clean folder', function () {
  this.timeout(240_000)
  let stack: StackOfTest
  let copy: ReturnType<typeof cleanCopy>
  let session: ShellSession
  const sections = [
    { title: 'Two commands', blocks: blocksOf(readme, 'Two commands') },
    { title: 'Query the API', blocks: blocksOf(readme, 'Query the API') },
    { title: 'getting-started', blocks: blocksIn(guide('getting-started'), 'sh') },
    { title: 'query', blocks: blocksIn(guide('query'), 'sh') },
    { title: 'notices', blocks: blocksIn(guide('notices'), 'sh') },
    { title: 'Keys and watchlists', blocks: blocksOf(guide('webhooks'), 'Keys and watchlists') },
    { title: 'Try it on this machine', blocks: blocksOf(guide('webhooks'), 'Try it on this machine') },
  ]
  const blocks = sections.flatMap((section) => section.blocks)

  const needed = ['curl', 'grep', 'awk', 'sed', 'node']
  /** Where the session has come to its last section, which it begins once it may. */
  let reached: string
  let mayEnd: string
  let running: Promise<ShellSession> | undefined

  before(async () => {
    stack = await stackOfTest()
    ;[reached, mayEnd] = ['reached', 'may-end'].map((name) => join(dirname(stack.dataDir), name)) as [string, string]
    const why = whyNoSession(...needed)
    if (why) {
      process.stdout.write(`      skipped: the session; ${why}\n`)
      assert.strictEqual((await stack.make('up')).status, 0)
      const { stdout, status } = await stack.make('ingest', { FROM: 'test/fixtures/filings', JSON: 0 })
      assert.strictEqual(status, 0)
      assert.include(readme, stdout)
      return
    }
    copy = cleanCopy()
    if (volume('builds in a clean copy', 0, 1) === 0) copyBuild(copy.folder)
    const receiverPort = await freePort()
    // Only what must differ from other runs on this machine is not as it stands.
    const own = (block: string) =>
      block.replaceAll('localhost:8080', `localhost:${stack.port}`).replaceAll('9999', String(receiverPort))
    const last = blocks.indexOf(sections.at(-1)!.blocks[0]!)
    const wait = `touch '${reached}'; until [ -e '${mayEnd}' ]; do sleep 0.2; done\n`
    const script = blocks.map((block, index) => (index === last ? wait : '') + own(block))
    let hasEnded = false
    running = shellSession(copy.folder, script, { DATA_DIR: stack.dataDir, PORT: String(stack.port) }).finally(() => {
      hasEnded = true
    })
    while (!existsSync(reached) && !hasEnded) await sleep(100)
  })
  after(async () => {
    if (running) {
      writeFileSync(mayEnd, '')
      ;(await running).end()
    }
    // With the build that is in the copy.
    await stack?.remove()
    copy?.remove()
  })

  it('has an exchange for each public endpoint', () => {
    const first = (path: string) => path.replace(/\?.*/, '').split('/').slice(0, 3).join('/')
    assert.deepEqual(
      exchangesOf(readme).map(({ path }) => first(path)),
      ['/v1/feed'],
    )
    assert.deepEqual(
      exchangesOf(guide('getting-started')).map(({ path }) => first(path)),
      ['/v1/feed', '/v1/watchlist', '/v1/status'],
    )
    assert.deepEqual(
      exchangesOf(guide('query')).map(({ path }) => first(path)),
      [
        '/v1/feed',
        '/v1/feed',
        '/v1/companies',
        '/v1/companies',
        '/v1/insiders',
        '/v1/insiders',
        '/v1/companies',
        '/v1/search',
        '/v1/filings',
        '/v1/signals',
        '/v1/feed',
        '/v1/sentiment',
        ...['/v1/feed', '/v1/feed', '/v1/signals', '/v1/sentiment'],
      ],
    )
  })

  it('runs every block of the guides that is for the shell', () => {
    const inGuides = guides.flatMap((text) => blocksIn(text, 'sh'))
    assert.isAtLeast(inGuides.length, 20)
    assert.includeMembers(blocks, inGuides)
  })

  for (const [name, text] of documents) {
    for (const { path, headers, answer } of exchangesOf(text)) {
      it(`shows what GET ${path} answers (${name})`, async () => {
        assert.deepEqual((await call(stack.address, 'GET', path, { headers })).body, answer)
      })
    }
  }

  // Fetched from a running service and run block by block, against real stores. Blocks that need a package which is not
  // there are skipped, and it is said which.
  describe('the client for Python beside a running service', () => {
    let folder: string
    before(function () {
      needPython(this)
    })
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'python-client-'))
      execFileSync('curl', ['-sSfO', `${stack.address}/docs/insider_trading.py`], { cwd: folder })
    })
    after(() => {
      if (folder) rmSync(folder, { recursive: true, force: true })
    })

    it('does what its README shows', () => {
      assert.isAtLeast(programs.length, 5)
      for (const { path, version } of pythons()) {
        const lacks = (name: string) => spawnSync(path, ['-c', `import ${name}`]).status !== 0
        const missing = ['pandas', 'pyarrow'].filter(lacks)
        if (missing.length > 0)
          process.stdout.write(`      skipped with Python ${version}: blocks of ${missing.join(', ')}\n`)
        const run = programs.filter(
          (block) =>
            !missing.some((name) => block.includes(`import ${name}`)) && !(missing.length > 0 && /\bpd\./.test(block)),
        )
        const program = run.join('\n').replaceAll('http://localhost:8080', stack.address)
        const said = execFileSync(path, ['-c', program], { cwd: folder, encoding: 'utf8' })
        assert.include(said, '2026-11-06T23:02:30Z EXWI EXEMPLAR CLARA 20570')
        assert.match(said, /^-?\d+ 2026-11-10T03:00:00Z$/m)
        assert.lengthOf([...said.matchAll(/^\d+ (transaction|signal|dataset)\.\w+ \S+$/gm)], 3)
        if (!missing.includes('pandas')) assert.match(said, /EXWI +buy/)
      }
    })

    it('walks the whole feed as the API gives it', async () => {
      const program = `
import json, sys
from insider_trading import Client
client = Client(sys.argv[1])
print(json.dumps([list(client.feed_all(limit=2)), client.feed(limit=100), list(client.filings_all(limit=3))]))`
      const [walked, whole, filings] = await runPython(pythons()[0]!, program, [stack.address], folder)
      const { data } = (await call(stack.address, 'GET', '/v1/feed?limit=100')).body
      assert.deepEqual(walked, data.transactions)
      assert.deepEqual(whole, data)
      assert.deepEqual(filings, (await call(stack.address, 'GET', '/v1/filings?limit=100')).body.data.filings)
    })
  })

  describe('the clients that follow changes', () => {
    /** Returns the first line that a program prints, which then is ended. */
    async function firstLine(command: string, args: string[], env: Record<string, string> = {}): Promise<string> {
      const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
      for await (const line of createInterface({ input: child.stdout })) {
        child.kill()
        return line
      }
      return ''
    }

    const CHANGE = /^\w+ (transaction|signal|dataset)\.\w+ \S+$/

    it('are shown in TypeScript', async () => {
      const [program] = blocksIn(guide('stream'), 'ts')
      const own = program!
        .replace('insider-trading-client', join(root, 'src/client/index.ts'))
        .replace('http://localhost:8080', stack.address)
      const args = ['--import', 'tsx', '--input-type=module', '--eval', own]
      assert.match(await firstLine(process.execPath, args), CHANGE)
    })

    it('are shown in Python', async function () {
      needPython(this)
      const [program] = blocksIn(guide('stream'), 'py')
      const own = program!.replace('http://localhost:8080', stack.address)
      const env = { PYTHONPATH: CLIENT_FOLDER, PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' }
      assert.match(await firstLine(pythons()[0]!.path, ['-c', own], env), CHANGE)
    })
  })

  describe('to the end', () => {
    before(async function () {
      if (!running) this.skip()
      writeFileSync(mayEnd, '')
      session = await running
    })

    const outputOf = (title: string) => {
      const first = blocks.indexOf(sections.find((section) => section.title === title)!.blocks[0]!)
      return session.outputs
        .slice(first, first + sections.find((section) => section.title === title)!.blocks.length)
        .join('')
    }

    it('goes through without a command that fails', () => {
      assert.include(readme, '\nmake up ')
      assert.include(readme, '\nmake ingest FROM=test/fixtures/filings ')
      assert.strictEqual(session.status, 0, session.stderr + session.stdout())
    })

    it('prints what it shows', () => {
      assert.include(
        readme,
        outputOf('Two commands')
          .split(/^webhook secret .*\n/m)
          .at(-1)!
          .trim(),
      )
      const [first, second] = [guide('getting-started'), guide('query')]
      const answers = [first, second]
        .flatMap((text) => blocksIn(text, 'json'))
        .flatMap((answer) => (/^\{\s*"success"/.test(answer) ? [JSON.parse(answer)] : []))
      const shown = [first, second].flatMap((text) => blocksIn(text, 'sh'))
      const printed = shown.flatMap((block) =>
        block.startsWith('curl ') ? [JSON.parse(session.outputs[blocks.indexOf(block)]!)] : [],
      )
      assert.deepEqual(printed, answers)
    })

    it('gets an answer to each question of the README', () => {
      const answers = outputOf('Query the API')
        .split(/(?<=\})(?=\{"success")/)
        .map((text) => JSON.parse(text))
      assert.lengthOf(answers, 17)
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
      assert.match(outputOf('Try it on this machine'), /204 after/)
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
})
