// The client for Python as its README has it: fetched from a running service and run block by block, against real
// stores. Blocks that need a package which is not there are skipped, and it is said which.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { call } from '../../support/http/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import { CLIENT_FOLDER, needPython, pythons, runPython } from '../../support/service/pythons.ts'

const readme = readFileSync(join(CLIENT_FOLDER, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/```py\n([\s\S]*?)```/g)].map(([, block]) => block!)

describe('the client for Python beside a running service', function () {
  this.timeout(180_000)
  let stack: StackOfTest
  let folder: string
  before(function () {
    needPython(this)
  })
  before(async () => {
    stack = await stackOfTest()
    folder = mkdtempSync(join(tmpdir(), 'python-client-'))
    assert.strictEqual((await stack.make('up')).status, 0)
    assert.strictEqual((await stack.make('ingest', { FROM: 'test/fixtures/filings' })).status, 0)
    execFileSync('curl', ['-sSfO', `${stack.address}/docs/insider_trading.py`], { cwd: folder })
  })
  after(async () => {
    await stack?.remove()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  it('does what its README shows', () => {
    assert.isAtLeast(blocks.length, 5)
    for (const { path, version } of pythons()) {
      const lacks = (name: string) => spawnSync(path, ['-c', `import ${name}`]).status !== 0
      const missing = ['pandas', 'pyarrow'].filter(lacks)
      if (missing.length > 0)
        process.stdout.write(`      skipped with Python ${version}: blocks of ${missing.join(', ')}\n`)
      const run = blocks.filter(
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
