// Settings kept from one start to the next: which they are, how they are compared, and that secrets are not shown.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import {
  changeLines,
  changesOf,
  settingFields,
  settingLines,
  settingsNow,
} from '../../../../src/cli/stack/kept-settings.ts'
import { settingNames, type Environment } from '../../../../src/config.ts'
import { readSettings, settingsPath, writeSettings } from '../../../../src/infrastructure/embedded/settings-file.ts'
import { configVariables } from '../../../support/config-variables.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const now = (env: Environment) => settingsNow('embedded', env, '/somewhere')

describe('kept settings of a stack', () => {
  const at = temporaryFolder()

  it('are all variables of the configuration, except those that name the stack or are for one command', () => {
    const ofOneCommand = ['DATA_DIR', 'STACK', 'JSON', 'DEFAULTS', 'SECRETS_KEY_LOST', 'REDIS_INSTALL']
    const expected = configVariables().filter((name) => !ofOneCommand.includes(name))
    assert.includeMembers(settingNames('docker'), [...new Set(expected)])
    assert.includeMembers(settingNames('embedded'), ['PORT', 'RATE_LIMIT', 'SECRETS_KEY', 'DATABASE_URL'])
    assert.notIncludeMembers(settingNames('embedded'), ['API'])
    assert.notIncludeMembers(settingNames('embedded'), ofOneCommand)
    assert.includeMembers(settingNames('docker'), ['API', 'SERVICE_IMAGE', 'CLICKHOUSE_MEMORY'])
  })

  it('are those that differ from the defaults, with absolute paths', () => {
    assert.deepEqual(
      now({
        PORT: '8080',
        HOST: '',
        LOG_LEVEL: 'INFO',
        RATE_LIMIT: ' 600/min ',
        SIGNAL_RULES: 'rules.json',
        HOME: '/root',
      }),
      { RATE_LIMIT: '600/min', SIGNAL_RULES: '/somewhere/rules.json' },
    )
    assert.deepEqual(settingsNow('docker', { API: '1', INGEST: '2', POSTGRES_MEMORY: '1g' }, '/'), {
      INGEST: '2',
      POSTGRES_MEMORY: '1g',
    })
    assert.hasAllKeys(now({ CLICKHOUSE_URL: 'http://ch:8123', CLICKHOUSE_CLUSTER: 'insider' }), [
      'CLICKHOUSE_URL',
      'CLICKHOUSE_CLUSTER',
    ])
  })

  it('that are invalid are reported with the variable to change, and the stack can still be stopped', function () {
    this.timeout(60_000)
    const folder = at()
    const main = (command: string) =>
      spawnSync(process.execPath, ['--import', 'tsx', 'src/main.ts', command], {
        cwd: join(import.meta.dirname, '../../../..'),
        env: { PATH: process.env.PATH, DATA_DIR: folder },
        encoding: 'utf8',
      })
    writeSettings(folder, { SECRETS_KEY_FILE: join(folder, 'gone') })
    const keys = main('keys')
    assert.strictEqual(keys.status, 1)
    assert.include(keys.stderr, 'SECRETS_KEY_FILE= goes back to the default')
    for (const damage of [() => {}, () => writeFileSync(settingsPath(folder), '{')]) {
      damage()
      for (const command of ['down', 'ps', 'logs']) {
        const { status, stderr } = main(command)
        assert.strictEqual(status, 0, `${command}: ${stderr}`)
        assert.match(stderr, /^ignoring the settings of the last start: .*settings\.json/m)
      }
    }
  })

  it('have absolute paths of secret files, and a secret itself replaces its file', () => {
    const folder = at()
    writeFileSync(join(folder, 'password'), 'hunter2')
    const files = settingsNow('embedded', { DATABASE_PASSWORD_FILE: 'password' }, folder)
    assert.deepEqual(files, { DATABASE_PASSWORD_FILE: join(folder, 'password') })
    writeSettings(folder, { ...files, REDIS_URL: 'redis://r' })
    const script = `import { environment } from './src/config.ts'
      const { DATABASE_PASSWORD, DATABASE_PASSWORD_FILE, REDIS_URL, REDIS_URL_FILE } = environment()
      console.log(JSON.stringify({ DATABASE_PASSWORD, DATABASE_PASSWORD_FILE, REDIS_URL, REDIS_URL_FILE }))`
    const with_ = (more: Environment) =>
      JSON.parse(
        execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
          cwd: join(import.meta.dirname, '../../../..'),
          env: { PATH: process.env.PATH, DATA_DIR: folder, ...more },
          encoding: 'utf8',
        }),
      )
    assert.deepEqual(with_({}), { ...files, REDIS_URL: 'redis://r' })
    assert.deepEqual(with_({ DATABASE_PASSWORD: 'other', REDIS_URL_FILE: '/x' }), {
      DATABASE_PASSWORD: 'other',
      REDIS_URL_FILE: '/x',
    })
  })

  it('are compared by what they mean', () => {
    assert.deepEqual(
      changesOf({ LOG_LEVEL: 'WARN', PORT: '9000' }, { LOG_LEVEL: 'warn', PORT: '9001', RATE_LIMIT: '5/s' }),
      [
        { name: 'PORT', from: '9000', to: '9001' },
        { name: 'RATE_LIMIT', from: null, to: '5/s' },
      ],
    )
    assert.deepEqual(changeLines(changesOf({ PORT: '9000' }, {})), ['changed: PORT from 9000 to the default'])
    assert.deepEqual(changeLines([]).concat(settingLines({})), [])
  })

  it('show no secret in any form, and no control characters', () => {
    const secrets = {
      SECRETS_KEY: 'a'.repeat(64),
      DATABASE_URL: 'postgres://me:hunter2@pg:5433/db?password=hunter2',
      REDIS_URL: 'redis://:hunter2@r:6379',
      EDGAR_USER_AGENT: 'Ex\u001b[2J\u202eample a@b.example',
    }
    const others = { ...secrets, SECRETS_KEY: 'b'.repeat(64), REDIS_URL: 'redis://:other@r:6379' }
    const changes = changesOf(secrets, others)
    assert.deepEqual(
      changes.map(({ name }) => name),
      ['REDIS_URL', 'SECRETS_KEY'],
    )
    const all = JSON.stringify([
      changes,
      changeLines(changesOf({}, secrets)),
      settingLines(secrets),
      settingFields(secrets, changes),
    ])
    assert.include(all, 'postgres://pg:5433/db')
    assert.include(all, 'with another secret')
    assert.notMatch(all, /hunter2|other@|aaaa|bbbb/)
    assert.notMatch(all, /\\u001b|\u202e/)
  })

  describe('in their file', () => {
    it('are read back as written, are closed to other users, and the file is removed with the last one', () => {
      assert.deepEqual(readSettings(at()), {})
      writeSettings(at(), { PORT: '9000', HOST: '::1' })
      assert.deepEqual(readSettings(at()), { HOST: '::1', PORT: '9000' })
      assert.strictEqual(statSync(settingsPath(at())).mode & 0o777, 0o600)
      writeSettings(at(), {})
      assert.throws(() => readFileSync(settingsPath(at())), /ENOENT/)
    })

    for (const text of ['', '{"PORT": ', '[]', 'null', '{"PORT": 9000}']) {
      it(`are refused where they read ${JSON.stringify(text)}`, () => {
        writeFileSync(settingsPath(at()), text)
        assert.throws(() => readSettings(at()), /settings\.json, the settings of the last start, is not .*DEFAULTS=1/)
      })
    }
  })
})
