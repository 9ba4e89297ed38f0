// Stores that a newer version has migrated, used by this one: additions are tolerated; anything else is refused with
// one line that says what to do. The newer version is this one with an additional migration.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { backUp, restore } from '../../../src/infrastructure/postgres/backup.ts'
import { migratePostgres } from '../../../src/infrastructure/postgres/migrate.ts'
import { openPool, rows, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import { stores } from '../../support/stores/stores.ts'

const OWN = join(import.meta.dirname, '../../../src/infrastructure')
const ADDS = '-- A table more.\nCREATE TABLE later_notes (name text);\n'
const BREAKS = '-- Ids of another form.\n-- breaking: trades have other ids\nDROP TABLE later_notes;\n'

/** What is recorded of this version's migrations where none had a mark. */
const unmarked = (store: 'postgres' | 'clickhouse') =>
  readdirSync(join(OWN, store, 'migrations'))
    .sort()
    .map((name) => ({ name, breaking: null }))

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => assert.fail('it was not refused'),
    (error: Error) => error.message,
  )

describe('a store of a newer version', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'insider-migrations-'))
  /** Returns a folder with this version's migrations and others. */
  const newer = (store: 'postgres' | 'clickhouse', name: string, more: Record<string, string>): string => {
    const target = join(folder, store, name)
    cpSync(join(OWN, store, 'migrations'), target, { recursive: true })
    for (const [file, text] of Object.entries(more)) writeFileSync(join(target, file), text)
    return target
  }
  after(() => rmSync(folder, { recursive: true, force: true }))

  describe('in PostgreSQL', () => {
    let pool: Pool
    before(async () => {
      pool = openPool({ url: (await stores()).databaseUrl, name: 'test' })
    })
    after(() => pool?.end())

    it('is used where it was only added to', async () => {
      const target = newer('postgres', 'adds', { '0901_add_notes.sql': ADDS })
      assert.deepEqual(await migratePostgres(pool, target), ['0901_add_notes.sql'])
      assert.deepEqual(await migratePostgres(pool), [])
      assert.deepEqual(await migratePostgres(pool, target), [])
    })

    it('is refused after a breaking migration, with what to do', async () => {
      const more = { '0901_add_notes.sql': ADDS, '0902_change_ids.sql': BREAKS }
      const target = newer('postgres', 'breaks', more)
      assert.deepEqual(await migratePostgres(pool, target), ['0902_change_ids.sql'])
      assert.deepEqual(await migratePostgres(pool, target), [])
      assert.strictEqual(
        await messageOf(migratePostgres(pool)),
        'PostgreSQL was changed by a newer version of this service, and this one can no longer use it: run that ' +
          'version again, or restore a backup that this version made into a new DATA_DIR or database ' +
          '(0902_change_ids.sql: trades have other ids)',
      )
    })

    it('gives a backup that this version restores without what was added, unless that is breaking', async () => {
      const [older, current] = await Promise.all(
        [0, 1].map(async () => openPool({ url: (await stores()).databaseUrl, name: 'test' })),
      )
      const add = `${ADDS}ALTER TABLE watchlist ADD COLUMN note text NOT NULL DEFAULT 'x''\ty';\n`
      try {
        await migratePostgres(older!, newer('postgres', 'columns', { '0901_add_notes.sql': add }))
        await rows(older!, "INSERT INTO later_notes VALUES ('one')")
        await rows(older!, "INSERT INTO api_keys (id, name, secret_hash, webhook_secret) VALUES ('k', 'k', 'h', 's')")
        await rows(older!, "INSERT INTO watchlist (key_id, ticker) VALUES ('k', 'EXWI')")
        const backup = join(folder, 'backup')
        mkdirSync(backup)
        await backUp(older!, backup, () => {})
        const { leftOut } = await restore(current!, backup, () => {})
        assert.deepEqual(leftOut, ['table later_notes (1 rows)', 'column note of table watchlist'])
        const [entry] = await rows<object>(current!, 'SELECT * FROM watchlist')
        assert.deepInclude(entry, { ticker: 'EXWI' })
        assert.notProperty(entry, 'note')
        await rows(older!, "UPDATE migrations SET breaking = 'other ids' WHERE name = '0901_add_notes.sql'")
        const broken = join(folder, 'broken')
        mkdirSync(broken)
        await backUp(older!, broken, () => {})
        assert.strictEqual(
          await messageOf(restore(current!, broken, () => {})),
          "the backup was made by a newer version of this service, and this one can't use it: restore it with that " +
            'version (0901_add_notes.sql: other ids)',
        )
      } finally {
        await older!.end()
        await current!.end()
      }
    })

    it('refuses a backup made before a breaking migration, with what to do', async () => {
      const [older, current] = await Promise.all(
        [0, 1].map(async () => openPool({ url: (await stores()).databaseUrl, name: 'test' })),
      )
      try {
        const more = { '0901_add_notes.sql': ADDS, '0902_change_ids.sql': BREAKS }
        await migratePostgres(older!)
        await migratePostgres(current!, newer('postgres', 'since', more))
        const backup = join(folder, 'before')
        mkdirSync(backup)
        await backUp(older!, backup, () => {})
        assert.strictEqual(
          await messageOf(restore(current!, backup, () => {})),
          'the backup was made by an older version: restore it with that version, then upgrade ' +
            '(0902_change_ids.sql: trades have other ids)',
        )
      } finally {
        await older!.end()
        await current!.end()
      }
    })

    it('of a time when migrations had no mark gets one', async () => {
      const other = openPool({ url: (await stores()).databaseUrl, name: 'test' })
      try {
        await rows(other, 'ALTER TABLE migrations DROP COLUMN breaking')
        assert.deepEqual(await migratePostgres(other), [])
        assert.deepEqual(await rows(other, 'SELECT name, breaking FROM migrations ORDER BY name'), unmarked('postgres'))
      } finally {
        await other.end()
      }
    })
  })
})
