// make upgrade over a store of a former version, to releases that are this checkout with additional migrations, and
// back by the commands that it prints. The answers of the former version are recorded beside its backup
// (test/fixtures/former-backup).
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { submissionText } from '../../support/filings/filing-builder.ts'
import { make, stackOfTest, type Made, type StackOfTest } from '../../support/make.ts'
import { copyBuild, copyOfCheckout } from '../../support/service/tools/checkout-copy.ts'
import { asFormerly, FORMER_BACKUP, formerAnswers, GAINED_BY_DELIVERIES } from '../../support/stores/former-backup.ts'
import { until } from '../../support/service/alerts.ts'
import { gitIn, hasGit } from '../../support/service/tools/git.ts'

/** The release that only adds, then one that the release before it can't use. */
const [ADDING, BREAKING] = ['101.0.0', '102.0.0']

describe(`make upgrade${hasGit() ? '' : ' (skipped: no git)'}`, function () {
  this.timeout(300_000)
  let checkout = ''
  let git: (...args: string[]) => string
  let stack: StackOfTest
  /** Where the way back of a breaking release restores to. */
  let restored = ''
  let present = ''
  before(async function () {
    if (!hasGit()) return this.skip()
    checkout = copyOfCheckout()
    copyBuild(checkout)
    stack = await stackOfTest()
    const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string }
    present = version
    restored = `${stack.dataDir}-${present}`
    git = gitIn(checkout)
    git('init', '--quiet')
    appendFileSync(join(checkout, '.git/info/exclude'), 'node_modules\nbuild\n')
    release(present, 'The first one', {})
    release(ADDING, 'Notes', {
      'src/infrastructure/postgres/migrations/0901_add_notes.sql': 'CREATE TABLE later_notes (name text);\n',
      'src/infrastructure/clickhouse/schema.sql':
        readFileSync(join(checkout, 'src/infrastructure/clickhouse/schema.sql'), 'utf8') +
        'CREATE TABLE IF NOT EXISTS later_notes (name String) ENGINE = MergeTree ORDER BY name;\n',
    })
    release(BREAKING, 'Other ids', {
      'src/infrastructure/postgres/migrations/0902_change_ids.sql':
        '-- breaking: filings have other ids\nALTER TABLE later_notes ADD COLUMN id text;\n',
    })
    git('checkout', '--quiet', `v${present}`)
    assert.deepInclude((await command('restore', { FROM: FORMER_BACKUP })).json, { ok: true })
    // The key of the recorded webhook secrets is not recorded.
    assert.deepInclude((await command('up', { SECRETS_KEY_LOST: 1 })).json, { ok: true })
  })
  after(async () => {
    if (checkout === '') return
    if (restored !== '') await make('down', { DATA_DIR: restored }, checkout)
    await make('down', { DATA_DIR: stack.dataDir }, checkout)
    for (const folder of [restored, checkout]) rmSync(folder, { recursive: true, force: true })
    await stack.remove()
  })

  /** Commits a release of this version with files more, and tags it. */
  const release = (version: string, subject: string, files: Record<string, string>) => {
    for (const name of ['package.json', 'package-lock.json']) {
      const text = readFileSync(join(checkout, name), 'utf8')
      writeFileSync(join(checkout, name), text.replace(/("version": ")[^"]+/, `$1${version}`))
    }
    for (const [path, text] of Object.entries(files)) writeFileSync(join(checkout, path), text)
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', '--message', version)
    git('tag', '--annotate', `v${version}`, '--message', subject)
  }
  const command = (target: string, more: Record<string, string | number> = {}): Promise<Made> =>
    make(target, { DATA_DIR: stack.dataDir, PORT: stack.port, JSON: 1, ...more }, checkout)
  /** Runs a line as an operator pastes it. */
  const pasted = (line: string) => {
    const { MAKEFLAGS: _flags, MAKELEVEL: _level, ...env } = process.env
    execFileSync('sh', ['-c', line], { cwd: checkout, env, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  const dataOf = async (path: string) => {
    const response = await fetch(`${stack.address}${path}`, {
      headers: { authorization: `Bearer ${formerAnswers.key}`, connection: 'close' },
    })
    assert.strictEqual(response.status, 200, path)
    return asFormerly(await response.json()).data
  }
  const expectRecorded = async (version: string) => {
    assert.deepInclude(await dataOf('/v1/status'), { version })
    assert.deepEqual(await dataOf('/v1/feed?limit=100&detail=full'), formerAnswers.feed)
    assert.deepEqual(await dataOf('/v1/signals?limit=100'), formerAnswers.signals)
    for (const [ticker, company] of Object.entries(formerAnswers.companies))
      assert.deepEqual(await dataOf(`/v1/companies/${ticker}?detail=full`), company)
    assert.deepEqual(await dataOf('/v1/insiders/1999150?detail=full'), formerAnswers.insider)
    assert.deepEqual(await dataOf('/v1/filings?limit=100'), formerAnswers.filings)
    assert.deepEqual(await dataOf(`/v1/filings/${formerAnswers.withdrawn.accessionNumber}`), formerAnswers.withdrawn)
    const deliveries = formerAnswers.deliveries.deliveries.map((each: object) => ({ ...each, ...GAINED_BY_DELIVERIES }))
    assert.deepEqual(await dataOf('/v1/watchlist/deliveries?limit=100'), { ...formerAnswers.deliveries, deliveries })
  }
  /** Waits until ClickHouse is filled again by the version that runs. */
  const filled = () =>
    until(
      async () => (await dataOf('/v1/status')).upgrade === null,
      () => 'upgrade',
    )
  let backups: string[] = []

  it('starts from recorded answers of the former version', () => expectRecorded(present))

  it('refuses an invalid, missing or older release, and a changed checkout', async () => {
    const refusal = async (TO: string) => {
      const { status, json } = await command('upgrade', { TO })
      assert.notStrictEqual(status, 0)
      return json!.error as string
    }
    assert.strictEqual(await refusal('main'), 'TO must be a release such as v1.2.0, not "main"')
    assert.strictEqual(await refusal('v99.0.0'), 'there is no release v99.0.0')
    writeFileSync(join(checkout, 'LICENSE'), 'changed')
    assert.include(await refusal(`v${ADDING}`), 'the checkout has changes, such as LICENSE')
    git('checkout', '--quiet', '--', 'LICENSE')
    assert.isFalse(existsSync(join(stack.dataDir, 'backups')))
  })

  it('returns to the former build if the newer one does not compile', async () => {
    const broken = 'src/worker.ts'
    git('checkout', '--quiet', '-b', 'broken')
    writeFileSync(join(checkout, broken), 'export const = 1\n')
    git('commit', '--quiet', '--all', '--message', 'broken')
    git('tag', '--annotate', 'v100.0.0', '--message', 'Broken')
    git('checkout', '--quiet', `v${present}`)
    const { status, json } = await command('upgrade', { TO: 'v100.0.0', BACKUP: 0 })
    git('tag', '--delete', 'v100.0.0')
    assert.notStrictEqual(status, 0)
    assert.match(json!.error, /^v100\.0\.0 was not started \(build failed .+\); the checkout is at v\S+ again$/)
    assert.strictEqual(git('describe', '--tags', '--exact-match'), `v${present}`)
    await expectRecorded(present)
  })

  it('upgrades to a release that only adds, with the same answers, and back', async () => {
    const { json, stderr } = await command('upgrade', { TO: `v${ADDING}` })
    assert.deepInclude(json, { ok: true, status: 'upgraded', from: present, to: ADDING, breaking: [] }, stderr)
    assert.include(stderr, `v${ADDING}: Notes\n`)
    assert.include(stderr, 'migration of postgres: 0901_add_notes.sql\n')
    assert.notInclude(stderr, 'the dependencies change')
    assert.include(stderr, 'ClickHouse may be filled again')
    // It may still be filled by then, and has answered since the start.
    const { upgrade: _upgrade, jobs: _jobs, ...after } = json!.after
    assert.deepInclude({ ...json!.before, version: ADDING }, after)
    backups = readdirSync(join(stack.dataDir, 'backups'))
    assert.lengthOf(backups, 1)
    assert.strictEqual(json!.back, `git checkout v${present} && make up DATA_DIR='${stack.dataDir}'`)
    await expectRecorded(ADDING)
    await filled()
    await expectRecorded(ADDING)
    pasted(json!.back)
    await expectRecorded(present)
    await filled()
    await expectRecorded(present)
  })

  it('upgrades to the newest release by default, which is breaking, and back by the backup', async () => {
    const { json, stderr } = await command('upgrade')
    assert.deepInclude(json, { ok: true, to: BREAKING, breaking: ['0902_change_ids.sql'] }, stderr)
    assert.include(stderr, `0902_change_ids.sql, which ${present} can't use: filings have other ids\n`)
    await expectRecorded(BREAKING)
    git('checkout', '--quiet', `v${present}`)
    const refused = await command('up')
    assert.notStrictEqual(refused.status, 0)
    assert.include(refused.json!.error, 'PostgreSQL was changed by a newer version of this service')
    assert.include(refused.json!.error, '(0902_change_ids.sql: filings have other ids)')
    pasted(json!.back)
    await expectRecorded(present)
    assert.include((await make('status', { DATA_DIR: restored, JSON: 1 }, checkout)).json, { ready: true })
  })

  it('leaves a stopped stack stopped, and says if there is nothing newer', async () => {
    await make('down', { DATA_DIR: restored }, checkout)
    const { json, stderr } = await command('upgrade', { DATA_DIR: restored, TO: `v${ADDING}`, BACKUP: 0 })
    assert.deepInclude(json, { ok: true, status: 'checked out', to: ADDING, backup: null, before: null }, stderr)
    assert.deepInclude((await make('status', { DATA_DIR: restored, JSON: 1 }, checkout)).json, { running: false })
    assert.deepInclude((await command('upgrade', { TO: `v${ADDING}` })).json, { status: 'up to date', version: ADDING })
  })

  it('fills ClickHouse first where a command is run before the service', async () => {
    const filing = join(checkout, 'filing.txt')
    writeFileSync(filing, submissionText({ accession: '0001999009-26-000001', acceptedAt: '20261106163000' }))
    const { json, stderr } = await command('ingest', { DATA_DIR: restored, FROM: filing })
    assert.deepInclude(json, { ok: true, ingested: 1 }, stderr)
    assert.include(stderr, 'ClickHouse has the tables of another version of this service: filling it again first\n')
  })
})
