// Unusual machines: folders that can't be written, users without a name, checkouts that can't be written, an old Node.
// Each works or is refused in one line.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { assert } from 'chai'
import { make } from '../../support/make.ts'
import { copyBuild, copyOfCheckout } from '../../support/service/tools/checkout-copy.ts'
import { volume } from '../../support/volume.ts'

const NOBODY = 54_321
const BUILDS = volume('builds by a user without a name', false, true)

const errorsOf = (stderr: string) => stderr.split('\n').filter((line) => line.startsWith('error: '))

describe('a folder that takes no entries', function () {
  this.timeout(60_000)
  before(function () {
    if (existsSync('/proc/self')) return
    process.stdout.write('      skipped: there is no /proc here\n')
    this.skip()
  })

  for (const [target, variables, message] of [
    ['up', { DATA_DIR: '/proc/x' }, /^error: DATA_DIR \/proc\/x can't be written: ENOENT/],
    [
      'ingest',
      { DATA_DIR: '/proc/x/y', FROM: 'test/fixtures/filings' },
      /^error: DATA_DIR \/proc\/x\/y can't be written/,
    ],
    ['backup', { TO: '/proc/x', DATA_DIR: join(tmpdir(), 'insider-none') }, /^error: ENOENT.*\/proc\/x/],
    ['up', { DATA_DIR: '/dev/null/x' }, /^error: DATA_DIR \/dev\/null\/x can't be written/],
  ] as [string, Record<string, string>, RegExp][]) {
    it(`ends make ${target} ${Object.entries(variables)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')} with one line`, async () => {
      const made = await make(target, variables)
      assert.notStrictEqual(made.status, 0)
      const errors = errorsOf(made.stderr)
      assert.lengthOf(errors, 1)
      assert.match(errors[0]!, message)
    })
  }
})

describe('a user without a name', function () {
  this.timeout(120_000)
  let checkout: string
  let data: string
  const as = (words: string[]) =>
    spawnSync('setpriv', [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...words], {
      cwd: checkout,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, UV_THREADPOOL_SIZE: '4' },
    })

  before(function () {
    if (process.getuid?.() !== 0 || spawnSync('setpriv', ['--version']).status !== 0) {
      this.test!.title += ' (skipped: takes root and setpriv)'
      this.skip()
    }
    checkout = copyOfCheckout()
    data = mkdtempSync(join(tmpdir(), 'insider-nameless-'))
    execFileSync('chown', [String(NOBODY), data])
    if (as(['sh', '-c', `test -r node_modules/typescript/package.json && "${process.execPath}" -e 0`]).status !== 0) {
      this.test!.title += " (skipped: others can't reach this checkout)"
      this.skip()
    }
  })
  after(() => {
    for (const folder of [checkout, data]) if (folder) rmSync(folder, { recursive: true, force: true })
  })

  it("reports in one line that the checkout can't be written", () => {
    const { status, stderr } = as(['make', 'up', `DATA_DIR=${data}/d`])
    assert.notStrictEqual(status, 0)
    assert.lengthOf(errorsOf(stderr), 1)
    assert.match(errorsOf(stderr)[0]!, /^error: the checkout .* can't be written: EACCES/)
    assert.strictEqual(existsSync(join(data, 'd')), false)
  })

  it('reports in one line what PostgreSQL needs, and leaves nothing running', () => {
    mkdirSync(join(checkout, 'build'))
    if (!BUILDS) copyBuild(checkout)
    execFileSync('chown', ['-R', String(NOBODY), join(checkout, 'build')])
    const { status, stderr } = as(['make', 'up', `DATA_DIR=${data}/d`])
    assert.notStrictEqual(status, 0)
    assert.lengthOf(errorsOf(stderr), 1)
    assert.match(
      errorsOf(stderr)[0]!,
      new RegExp(`^error: PostgreSQL needs a user with a name, and user ${NOBODY} has none`),
    )
    assert.match(as(['make', 'ps', `DATA_DIR=${data}/d`]).stdout, /^nothing runs on /)
  })
})

describe('an old Node', function () {
  this.timeout(240_000)
  let checkout: string
  let bin: string
  const run = () =>
    spawnSync('sh', ['src/cli/bootstrap/run.sh', 'app', 'build', 'help'], {
      cwd: checkout,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`, JSON: '0' },
    })
  const script = (name: string, text: string) => writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })

  before(() => {
    checkout = copyOfCheckout()
    bin = join(checkout, 'bin')
    mkdirSync(bin)
    // As one that does not run TypeScript; npm may use it all the same.
    script('node', `case "$*" in --version) echo v22.17.1 ;; *) exec "${process.execPath}" "$@" ;; esac`)
  })
  after(() => rmSync(checkout, { recursive: true, force: true }))

  it('is replaced by the one that run.sh names', function () {
    if (volume('builds by a Node that was fetched', 0, 1) === 0) copyBuild(checkout)
    const { status, stdout, stderr } = run()
    if (/could not be fetched with npm/.test(stderr)) {
      this.test!.title += ' (skipped: the registry does not have it)'
      this.skip()
    }
    assert.strictEqual(status, 0, stderr)
    assert.include(stdout, 'usage: main <command>')
    const name = readdirSync(join(checkout, '.node/node_modules')).find((each) => each.startsWith('node-'))!
    const { stdout: version } = spawnSync(join(checkout, '.node/node_modules', name, 'bin/node'), ['--version'], {
      encoding: 'utf8',
    })
    assert.include(stderr, `fetching Node ${version.trim().slice(1)}`)
  })
})
