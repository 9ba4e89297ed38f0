// The command that undoes an upgrade, for each kind of stack and migration; test/e2e/stack/upgrade.test.ts runs two of
// them.
import { spawnSync } from 'node:child_process'
import { assert } from 'chai'
import { wayBack } from '../../../../../src/cli/stack/upgrade/way-back.ts'
import type { NewMigration } from '../../../../../src/cli/stack/upgrade/releases.ts'

type Upgraded = Parameters<typeof wayBack>[0]

const migration = (breaking: string | null): NewMigration => ({ name: '0002_change.sql', breaking })
const UPGRADED: Upgraded = {
  from: { ref: 'v1.1.0', version: '1.1.0' },
  changes: { releases: [], migrations: [], isRefilled: true, isLockChanged: false },
  backup: '/srv/.data/backups/1.1.0-20270101T000000Z',
  stack: 'embedded',
  dataDir: '/srv/.data',
  isDefaultDir: true,
  servers: { postgres: false, clickhouse: false },
  kept: ['secrets.key'],
}
const after = (more: Partial<Upgraded>, ...migrations: NewMigration[]) =>
  wayBack({ ...UPGRADED, ...more, changes: { ...UPGRADED.changes, ...more.changes, migrations } })
const isLockChanged = { changes: { ...UPGRADED.changes, isLockChanged: true } }

describe('the way back from an upgrade', () => {
  it('checks out the former release if migrations only add', () => {
    assert.strictEqual(after({}), 'git checkout v1.1.0 && make up')
    assert.strictEqual(after({}, migration(null)), 'git checkout v1.1.0 && make up')
    assert.strictEqual(
      after({ isDefaultDir: false, dataDir: "/srv/it's here" }),
      String.raw`git checkout v1.1.0 && make up DATA_DIR='/srv/it'\''s here'`,
    )
  })

  it('begins with make down if the dependencies differ, except in Docker', () => {
    assert.strictEqual(after(isLockChanged), 'make down && git checkout v1.1.0 && make up')
    assert.strictEqual(after({ ...isLockChanged, stack: 'docker' }), 'git checkout v1.1.0 && make up')
  })

  it('restores the backup if migrations of PostgreSQL are breaking', () => {
    assert.strictEqual(
      after({}, migration('other ids')),
      'make down && git checkout v1.1.0 && ' +
        'make restore FROM=/srv/.data/backups/1.1.0-20270101T000000Z DATA_DIR=/srv/.data-1.1.0 && ' +
        'cp -p /srv/.data/secrets.key /srv/.data-1.1.0 && make up DATA_DIR=/srv/.data-1.1.0',
    )
    assert.strictEqual(
      after({ stack: 'docker' }, migration('other ids')),
      'make down && git checkout v1.1.0 && SECRETS_KEY_FILE=/srv/.data/secrets/secrets_key ' +
        'make restore FROM=/srv/.data/backups/1.1.0-20270101T000000Z STACK=docker DATA_DIR=/srv/.data-1.1.0 && ' +
        'make up DATA_DIR=/srv/.data-1.1.0',
    )
    const ofServers = after({ servers: { postgres: true, clickhouse: true } }, migration('other ids'))
    assert.include(ofServers, ' DATABASE_URL="$EMPTY_DATABASE_URL" CLICKHOUSE_URL="$EMPTY_CLICKHOUSE_URL" && ')
    const { EMPTY_DATABASE_URL: _, ...env } = process.env
    const { status, stderr } = spawnSync('sh', ['-c', ofServers!], { env, encoding: 'utf8', cwd: '/' })
    assert.notStrictEqual(status, 0)
    assert.match(stderr.trim(), /^[^\n]*EMPTY_DATABASE_URL: set it to an empty database$/)
  })

  it('does not exist if migrations of PostgreSQL are breaking and there is no backup', () => {
    assert.isNull(after({ backup: null }, migration('other ids')))
  })
})
