// Other users of this machine: what of a stack they can read or write, whatever the umask; what is refused because they
// can have written it; and what commands report about another user's stack.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { assert } from 'chai'
import { make, stackOfTest, type Made, type StackOfTest } from '../../support/make.ts'
import { writeInventedDataSet } from '../../support/edgar/invented/data-set.ts'
import { copyBuild, copyOfCheckout } from '../../support/service/tools/checkout-copy.ts'
import { freePort } from '../../support/ports.ts'

const OTHER = 54_321

const errorsOf = ({ stderr }: { stderr: string }) => stderr.split('\n').filter((line) => line.startsWith('error: '))

/** Runs with the umask of a careless user; children that are started meanwhile inherit it. */
function atOpenUmask<T>(work: () => Promise<T>): Promise<T> {
  const before = process.umask(0)
  const done = work()
  process.umask(before)
  return done
}

/** Everything below a folder, but for links and what a running store removed while it was read. */
function below(folder: string): { path: string; mode: number; isFile: boolean }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const status = lstatSync(join(folder, name), { throwIfNoEntry: false })
    if (!status || status.isSymbolicLink()) return []
    return [{ path: name, mode: status.mode & 0o7777, isFile: status.isFile() }]
  })
}

const shown = (entries: { path: string; mode: number }[]) =>
  entries.map(({ path, mode }) => `${path} ${mode.toString(8)}`)

describe('a stack that was made at umask 000', function () {
  this.timeout(180_000)
  let stack: StackOfTest
  let beside: string
  const succeed = async (target: string, more: Record<string, string> = {}) => {
    const made = await atOpenUmask(() => stack.make(target, more))
    assert.strictEqual(made.status, 0, made.stderr)
  }

  before(async () => {
    stack = await stackOfTest()
    beside = dirname(stack.dataDir)
    const sets = join(beside, 'sets')
    mkdirSync(sets)
    const { path } = await writeInventedDataSet({ folder: sets, quarter: '2024q3', rows: 400, seed: 3, issuers: 10 })
    chmodSync(path, 0o666)
    await succeed('up')
    await succeed('ingest', { FROM: 'test/fixtures/filings' })
    await succeed('backfill', { SETS: sets })
    await succeed('exports', { TO: join(beside, 'copy') })
    await succeed('backup', { TO: join(beside, 'backup') })
  })
  after(() => stack.remove())

  it('has folders that only its user can write, and files that only its user can read', () => {
    const all = below(stack.dataDir)
    for (const name of ['settings.json', 'secrets.key', 'service.json', 'history', 'exports', 'clickhouse', 'redis'])
      assert.include(
        all.map(({ path }) => path),
        name,
      )
    assert.strictEqual(lstatSync(stack.dataDir).mode & 0o777, 0o755)
    const folders = all.filter(({ isFile }) => !isFile)
    assert.deepEqual(shown(folders.filter(({ mode }) => (mode & 0o022) !== 0)), [])
    // Others may not even look into those of the stores.
    const stores = folders.filter(({ path }) => /^(clickhouse|redis|postgres)(\/|$)/.test(path))
    assert.isAbove(stores.length, 20)
    assert.deepEqual(shown(stores.filter(({ mode }) => (mode & 0o077) !== 0)), [])
    // The month files are there to be handed out, by another user's web server too.
    const files = all.filter(({ path, isFile }) => isFile && !path.startsWith('exports/'))
    assert.deepEqual(shown(files.filter(({ mode }) => (mode & 0o077) !== 0)), [])
    const months = all.filter(({ path, isFile }) => isFile && path.startsWith('exports/'))
    assert.isNotEmpty(months)
    assert.deepEqual(shown(months.filter(({ mode }) => mode !== 0o644)), [])
  })

  it('writes backups that only its user can read, and month files that others can read', () => {
    const backup = join(beside, 'backup')
    assert.strictEqual(lstatSync(backup).mode & 0o777, 0o700)
    assert.isAbove(below(backup).length, 10)
    assert.deepEqual(shown(below(backup).filter(({ mode }) => (mode & 0o077) !== 0)), [])
    const copy = join(beside, 'copy')
    assert.strictEqual(lstatSync(copy).mode & 0o777, 0o755)
    assert.isNotEmpty(below(copy))
    assert.deepEqual(shown(below(copy).filter(({ mode, isFile }) => mode !== (isFile ? 0o644 : 0o755))), [])
  })

  it('has the same permissions after a restore', async () => {
    // As of a backup that came by a tool which opens everything.
    execFileSync('chmod', ['-R', 'a+rwX', join(beside, 'backup')])
    const restored = join(beside, 'restored')
    const made = await atOpenUmask(() => make('restore', { DATA_DIR: restored, FROM: join(beside, 'backup') }))
    assert.strictEqual(made.status, 0, made.stderr)
    const all = below(restored)
    assert.isNotEmpty(all.filter(({ path }) => path.startsWith('history/')))
    assert.deepEqual(shown(all.filter(({ mode, isFile }) => (mode & (isFile ? 0o077 : 0o022)) !== 0)), [])
  })
})

describe('what another user can have written below DATA_DIR', function () {
  this.timeout(180_000)
  let stack: StackOfTest
  const at = (...parts: string[]) => join(stack.dataDir, ...parts)
  const quoted = (path: string) => `'${path}'`

  before(async () => {
    stack = await stackOfTest()
    assert.strictEqual((await stack.make('up', { LOG_LEVEL: 'warn' })).status, 0)
  })
  after(() => stack.remove())

  const assertRefused = (made: Made, path: string, what: string) => {
    assert.notStrictEqual(made.status, 0)
    assert.deepEqual(
      errorsOf(made).map((line) => line.split(':')[1]!.trim()),
      [`${path} is not used, since other users can write to it (mode ${what})`],
    )
    assert.include(made.json!.error, `go-w ${quoted(path)}`)
  }

  for (const [name, targets] of [
    ['settings.json', ['up', 'status', 'ps', 'down', 'jobs']],
    ['service.json', ['up', 'status', 'ps', 'down']],
    ['stack.json', ['up', 'status', 'ps', 'down', 'jobs']],
    ['postgres.json', ['up', 'status', 'jobs']],
    ['redis.json', ['up', 'ps', 'down']],
    ['secrets.key', ['key']],
  ] as const) {
    it(`is refused as ${name}, by ${targets.join(', ')}`, async () => {
      chmodSync(at(name), 0o666)
      try {
        for (const target of targets) assertRefused(await stack.make(target, { NAME: 'x' }), at(name), '0666')
      } finally {
        chmodSync(at(name), 0o600)
      }
    })
  }

  for (const [name, mode] of [
    ['.', 0o777],
    ['.', 0o1777],
    ['.', 0o775],
    ['run', 0o777],
    ['logs', 0o777],
  ] as const) {
    it(`is refused in a folder, ${name} with ${mode.toString(8)}`, async () => {
      chmodSync(at(name), mode)
      try {
        for (const target of ['up', 'down', 'ps', 'status', 'logs'])
          assertRefused(await stack.make(target), at(name), mode.toString(8).padStart(4, '0'))
      } finally {
        chmodSync(at(name), 0o755)
      }
    })
  }

  it('is refused behind a link', async () => {
    const elsewhere = join(dirname(stack.dataDir), 'elsewhere')
    mkdirSync(elsewhere)
    chmodSync(elsewhere, 0o777)
    renameSync(at('settings.json'), join(elsewhere, 'settings.json'))
    symlinkSync(join(elsewhere, 'settings.json'), at('settings.json'))
    const made = await stack.make('up')
    assert.lengthOf(errorsOf(made), 1)
    assert.include(errorsOf(made)[0], `${elsewhere} is not used, since other users can write to it`)
    rmSync(at('settings.json'))
    renameSync(join(elsewhere, 'settings.json'), at('settings.json'))
  })

  it('leaves the stack unchanged, which works again once only its user can write there', async () => {
    const made = await stack.make('up')
    assert.strictEqual(made.json?.status, 'already running', made.stderr)
    assert.deepInclude(JSON.parse(readFileSync(at('settings.json'), 'utf8')), { LOG_LEVEL: 'warn' })
  })

  describe('as its owner', () => {
    before(function () {
      if (process.getuid?.() === 0) return
      this.test!.parent!.title += ' (skipped: takes root)'
      this.skip()
    })

    it('is refused, by root too', async () => {
      for (const [name, target] of [
        ['settings.json', 'up'],
        ['secrets.key', 'key'],
        ['service.json', 'down'],
        ['run', 'down'],
        ['.', 'up'],
      ] as const) {
        chownSync(at(name), OTHER, OTHER)
        const made = await stack.make(target, { NAME: 'x' })
        chownSync(at(name), 0, 0)
        assert.notStrictEqual(made.status, 0)
        assert.deepEqual(errorsOf(made), [
          `error: ${at(name)} is not used by root, since it belongs to user ${OTHER}: run this as that user, or ` +
            `check what it holds, then chown 0 ${quoted(at(name))}`,
        ])
      }
      assert.strictEqual((await stack.make('up')).json?.status, 'already running')
    })
  })
})

describe('the stack of another user', function () {
  this.timeout(180_000)
  let checkout: string
  let folder: string
  let own: string
  let dataDir: string
  const asOther = (...words: string[]) =>
    spawnSync('setpriv', [`--reuid=${OTHER}`, `--regid=${OTHER}`, '--clear-groups', ...words], {
      cwd: checkout,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, UV_THREADPOOL_SIZE: '4' },
    })
  const as = (target: string, ...words: string[]) => asOther('make', target, ...words)

  before(async function () {
    if (process.getuid?.() !== 0 || spawnSync('setpriv', ['--version']).status !== 0) {
      this.test!.parent!.title += ' (skipped: takes root and setpriv)'
      this.skip()
    }
    // Another test of this process may have opened an embedded engine, which hides what is written from others.
    const umask = process.umask(0o022)
    checkout = copyOfCheckout()
    chmodSync(checkout, 0o755)
    copyBuild(checkout)
    folder = mkdtempSync(join(tmpdir(), 'insider-others-'))
    chmodSync(folder, 0o755)
    dataDir = join(folder, 'data')
    own = join(folder, 'own')
    mkdirSync(own)
    chownSync(own, OTHER, OTHER)
    const made = await make('up', { DATA_DIR: dataDir, PORT: await freePort() }, checkout)
    assert.strictEqual(made.status, 0, made.stderr)
    // The first start counts files that were copied a second ago as changed since; the other user can't build.
    assert.strictEqual((await make('keys', { DATA_DIR: dataDir }, checkout)).status, 0)
    process.umask(umask)
    if (asOther('sh', '-c', `test -r node_modules/chdb/package.json && "${process.execPath}" -e 0`).status !== 0) {
      this.test!.parent!.title += " (skipped: others can't reach this checkout)"
      this.skip()
    }
  })
  after(async () => {
    if (dataDir) await make('down', { DATA_DIR: dataDir }, checkout)
    for (const each of [checkout, folder]) if (each) rmSync(each, { recursive: true, force: true })
  })

  for (const target of ['ps', 'status', 'down', 'logs', 'up', 'jobs', 'keys']) {
    it(`is refused by ${target} in one line with its owner`, () => {
      for (const [hidden, whose] of [
        [0o755, 'it'],
        [0o700, folder],
      ] as const) {
        chmodSync(folder, hidden)
        const made = as(target, `DATA_DIR=${dataDir}`)
        chmodSync(folder, 0o755)
        assert.notStrictEqual(made.status, 0)
        assert.strictEqual(made.stdout, '')
        assert.lengthOf(errorsOf(made), 1, made.stderr)
        assert.match(
          errorsOf(made)[0]!,
          new RegExp(`^error: ${dataDir}\\S* can't be used by user ${OTHER}, since ${whose} belongs to root: run this`),
        )
        assert.notMatch(made.stderr, /EACCES|^ +at /m)
      }
    })
  }

  it('is skipped with a note if the checkout is shared, and stays on record', () => {
    const made = as('ps', `DATA_DIR=${own}/data`)
    assert.strictEqual(made.status, 0, made.stderr)
    assert.strictEqual(made.stdout, `nothing runs on ${own}/data\n`)
    const notes = made.stderr.split('\n').filter(Boolean)
    assert.lengthOf(notes, 1)
    assert.match(
      notes[0]!,
      /^skipping a stack of this checkout: \S+\/build\/stacks\/\w+\.json can't be used by .* belongs to root/,
    )
    assert.lengthOf(readdirSync(join(checkout, 'build/stacks')), 1)
  })

  it('does not use a build that another user named', async () => {
    const [name] = readdirSync(join(checkout, 'build/stacks'))
    const record = join(checkout, 'build/stacks', name!)
    const evil = join(own, 'main.js')
    writeFileSync(evil, `require('node:fs').writeFileSync(${JSON.stringify(join(own, 'ran'))}, '')`)
    const text = readFileSync(record, 'utf8')
    writeFileSync(record, JSON.stringify({ dataDir, main: evil }))
    chownSync(record, OTHER, OTHER)
    const made = await make('ps', { DATA_DIR: dataDir }, checkout)
    writeFileSync(record, text)
    chownSync(record, 0, 0)
    assert.strictEqual(made.status, 0, made.stderr)
    assert.include(made.stderr, 'skipping a stack of this checkout')
    assert.strictEqual(existsSync(join(own, 'ran')), false)
  })
})
