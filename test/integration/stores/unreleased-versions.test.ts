// Stores and backups of versions before 1.0.0: stores are refused with one line that says what to do; a backup of the
// last of these versions can be restored. test/fixtures/former-backup is one, of invented filings, with that version's
// answers (answers.json).
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { restore } from '../../../src/infrastructure/postgres/backup.ts'
import { migratePostgres } from '../../../src/infrastructure/postgres/migrate.ts'
import { openPool, rows } from '../../../src/infrastructure/postgres/pool.ts'
import { listChanges } from '../../../src/infrastructure/postgres/queries/list-changes.ts'
import { asFormerly, FORMER_BACKUP, formerAnswers, GAINED_BY_DELIVERIES } from '../../support/stores/former-backup.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { stores } from '../../support/stores/stores.ts'

const answers = formerAnswers

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => assert.fail('it was not refused'),
    (error: Error) => error.message,
  )

describe('a store of a version before 1.0.0', function () {
  this.timeout(60_000)

  it('is refused by PostgreSQL with what to do', async () => {
    const pool = openPool({ url: (await stores()).databaseUrl, name: 'test' })
    try {
      await rows(pool, 'DELETE FROM migrations')
      await rows(pool, "INSERT INTO migrations (name) VALUES ('0001_create_ledger.sql')")
      const message = await messageOf(migratePostgres(pool))
      assert.match(
        message,
        /^PostgreSQL has tables of a version before 1\.0\.0: restore a backup .+ or load everything/,
      )
      assert.deepEqual(await rows(pool, 'SELECT name FROM migrations'), [{ name: '0001_create_ledger.sql' }])
    } finally {
      await pool.end()
    }
  })
})

describe('a backup of the last version before 1.0.0', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
    assert.deepEqual(await restore(service.pool, FORMER_BACKUP, () => {}), { tables: 22, rows: 74, leftOut: [] })
    cpSync(join(FORMER_BACKUP, 'history'), service.container.get(TYPES.historyDir), { recursive: true })
    await service.container.get(TYPES.rebuild)(() => {})
    await service.detectSignals()
  })
  after(() => service?.close())

  it('gives the same answers about filings', async () => {
    const { queries } = service
    const { companies, feed, signals, filings, insider, withdrawn } = answers
    assert.deepEqual(asFormerly(await queries.feed({ limit: 100, detail: true })), feed)
    for (const [ticker, company] of Object.entries(companies))
      assert.deepEqual(asFormerly(await queries.company(ticker, true)), company)
    assert.deepEqual(asFormerly(await queries.insider('1999150', true)), insider)
    assert.deepEqual(await queries.signals({ limit: 100 }), signals)
    assert.deepEqual(JSON.parse((await queries.filings({ limit: 100 })).page.text), filings)
    assert.deepEqual(asFormerly(await queries.filing(withdrawn.accessionNumber)), withdrawn)
  })

  it('gives the same answers to the holder of a key', async () => {
    const keyQueries = service.container.get(TYPES.keyQueries)
    const keyId = /^itd_([^_]+)_/.exec(answers.key)![1]!
    assert.deepEqual(await keyQueries.watchlist(keyId), answers.watchlist.companies)
    assert.deepEqual(
      (await keyQueries.deliveries(keyId, { limit: 100 })).deliveries,
      answers.deliveries.deliveries.map((each: object) => ({ ...each, ...GAINED_BY_DELIVERIES })),
    )
    assert.deepEqual(await keyQueries.delivery(keyId, answers.delivery.id), {
      ...answers.delivery,
      ...GAINED_BY_DELIVERIES,
    })
  })

  it('keeps the changes that were reported, and reports the restore', async () => {
    const sectors = async () => () => 'Unknown' as const
    const { value } = await listChanges(service.pool, { sectors })({ after: 0, limit: 1_000 })
    const changes = value.changes.slice(0, answers.changes.changes.length)
    assert.deepEqual(asFormerly(changes), answers.changes.changes)
    const [next] = value.changes.slice(changes.length)
    assert.deepEqual([next?.type, next?.data], ['dataset.changed', { reason: 'restore' }])
  })

  it('of an earlier version is refused with what to do', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'insider-backup-'))
    const pool = openPool({ url: (await stores()).databaseUrl, name: 'test' })
    try {
      const manifest = {
        ...JSON.parse(readFileSync(join(FORMER_BACKUP, 'backup.json'), 'utf8')),
        migrations: ['0001_x.sql'],
      }
      writeFileSync(join(folder, 'backup.json'), JSON.stringify(manifest))
      assert.match(await messageOf(restore(pool, folder, () => {})), /^the backup was made long before 1\.0\.0: /)
    } finally {
      await pool.end()
      rmSync(folder, { recursive: true })
    }
  })
})
