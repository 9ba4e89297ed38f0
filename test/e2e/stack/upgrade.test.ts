// Stores that an earlier version wrote: this version opens them, answers as from stores of its own, and continues.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { call } from '../../support/http/contract-client.ts'
import { make, stackOfTest, type StackOfTest } from '../../support/make.ts'
import { volume } from '../../support/volume.ts'

const root = join(import.meta.dirname, '../../..')
/** The last commit with the first tables only. */
const EARLIER = '1ab3ef8'
const FILINGS = 'test/fixtures/filings'
const REAL_FILINGS = join(root, '../shared/filings/documents')
const PATHS = [
  '/v1/feed?limit=100',
  '/v1/feed?limit=100&detail=full',
  '/v1/feed?filter=high&limit=100',
  '/v1/companies/EXWI',
  '/v1/companies/EXGD?detail=full',
  '/v1/insiders/1999101',
  '/v1/signals?limit=100',
  '/v1/signals/rules',
]

describe('an upgrade', function () {
  this.timeout(400_000)
  const folder = mkdtempSync(join(tmpdir(), 'earlier-version-'))
  let upgraded: StackOfTest
  let fresh: StackOfTest
  let key: string
  const realFilings = mkdtempSync(join(tmpdir(), 'real-filings-'))
  let sources: string[]

  before(function () {
    if (spawnSync('git', ['cat-file', '-e', `${EARLIER}^{commit}`], { cwd: root }).status === 0) return
    process.stdout.write(`      skipped: the history of this clone does not reach back to ${EARLIER}\n`)
    this.skip()
  })
  before(async () => {
    checkOut(folder)
    sources = foldersOfFilings(realFilings)
    ;[upgraded, fresh] = await Promise.all([stackOfTest(), stackOfTest()])
    const earlier = (target: string, more = {}) =>
      make(target, { DATA_DIR: upgraded.dataDir, PORT: upgraded.port, JSON: 1, ...more }, folder)
    const started = await earlier('up')
    assert.strictEqual(started.status, 0, started.stderr)
    key = started.json!.developmentKey.key
    await watch(upgraded, key)
    for (const from of sources) assert.strictEqual((await earlier('ingest', { FROM: from })).status, 0)
    assert.strictEqual((await earlier('down')).status, 0)
  })
  after(async () => {
    await upgraded?.remove()
    await fresh?.remove()
    for (const each of [folder, realFilings]) rmSync(each, { recursive: true, force: true })
  })

  it('answers from the stores of before as from stores of its own', async () => {
    assert.strictEqual((await fresh.make('up')).status, 0)
    for (const from of sources) assert.strictEqual((await fresh.make('ingest', { FROM: from })).status, 0)

    const started = await upgraded.make('up')

    assert.strictEqual(started.status, 0, started.stderr)
    const log = readFileSync(join(upgraded.dataDir, 'logs/service.log'), 'utf8')
    assert.include(log, 'a rebuild writes rows of the earlier version again; GET /v1/status shows its progress')
    await expectAsOf(upgraded)
    const expected = await answers(fresh)
    // What is decided by newer rules is brought up to date in the background.
    for (let tries = 0; tries < 120 && JSON.stringify(await answers(upgraded)) !== JSON.stringify(expected); tries += 1)
      await sleep(500)
    assert.deepEqual(await answers(upgraded), expected)
    for (let tries = 0; tries < 120 && (await expectAsOf(upgraded)) !== 200; tries += 1) await sleep(500)
    assert.isNull((await call(upgraded.address, 'GET', '/v1/status')).body.data.upgrade)
    assert.strictEqual(await expectAsOf(upgraded), 200)
  })

  it('keeps keys and watchlists, and takes in what comes next', async () => {
    const listed = await call(upgraded.address, 'GET', '/v1/watchlist', { headers: { authorization: `Bearer ${key}` } })
    assert.deepEqual(
      listed.body.data.companies.map(({ ticker }: { ticker: string }) => ticker),
      ['EXWI'],
    )

    const again = await upgraded.make('ingest', { FROM: FILINGS })
    assert.deepInclude(again.json, { ingested: 0 })
    assert.strictEqual((await upgraded.make('rebuild')).status, 0)
    assert.deepEqual(await answers(upgraded), await answers(fresh))
  })
})

/** Asks as of an instant: answered, or refused with the reason and when to ask again. Returns the status. */
async function expectAsOf({ address }: StackOfTest): Promise<number> {
  const { status, headers, body } = await call(address, 'GET', '/v1/feed?asOf=2026-11-20T00:00:00Z')
  if (status === 200) return status
  assert.strictEqual(status, 503)
  assert.match(headers['retry-after'] ?? '', /^[0-9]+$/)
  assert.lengthOf(body.error.details, 1)
  assert.strictEqual(body.error.details[0].path, 'query.asOf')
  assert.match(
    body.error.details[0].message,
    /^waits for the rebuild that follows an upgrade(, of which \d+ % is done)?: see upgrade in GET \/v1\/status$/,
  )
  return status
}

/** Checks the earlier version out, with the dependencies of this one where it needs no other versions of them. */
function checkOut(folder: string): void {
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', root, folder])
  execFileSync('git', ['checkout', '--quiet', EARLIER], { cwd: folder })
  const versions = (path: string) =>
    (JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, { version?: string }> }).packages
  const present = versions(join(root, 'node_modules/.package-lock.json'))
  const isThere = ([path, { version }]: [string, { version?: string }]) =>
    path === '' || !present[path] || present[path].version === version
  if (Object.entries(versions(join(folder, 'package-lock.json'))).every(isThere)) {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  }
  if (existsSync(join(root, '.node'))) symlinkSync(join(root, '.node'), join(folder, '.node'))
}

/** Returns the folders of filings: the invented ones, and where they are there real ones, linked into a new folder. */
function foldersOfFilings(folder: string): string[] {
  if (!existsSync(REAL_FILINGS)) return [FILINGS]
  const distance = volume('upgrade of real filings, one of', 24, 1)
  const names = readdirSync(REAL_FILINGS).sort()
  for (const name of names.filter((_, index) => index % distance === 0))
    symlinkSync(join(REAL_FILINGS, name), join(folder, name))
  return [FILINGS, folder]
}

async function watch({ address }: StackOfTest, key: string): Promise<void> {
  await call(address, 'POST', '/v1/watchlist', {
    headers: { authorization: `Bearer ${key}` },
    body: { ticker: 'EXWI' },
  })
}

async function answers({ address }: StackOfTest): Promise<[string, unknown][]> {
  return Promise.all(
    PATHS.map(async (path): Promise<[string, unknown]> => [path, (await call(address, 'GET', path)).body]),
  )
}
