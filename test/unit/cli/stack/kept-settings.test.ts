// Settings kept from one start to the next: which they are, how they are compared, and that none that is secret is shown.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
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

const now = (env: Environment) => settingsNow('embedded', env, '/somewhere')

describe('kept settings', () => {
  it('are all variables of the configuration but those that name the stack or say what one command does', () => {
    const ofOneCommand = ['DATA_DIR', 'STACK', 'JSON', 'DEFAULTS', 'SECRETS_KEY_LOST', 'REDIS_INSTALL']
    const expected = configVariables().filter((name) => !ofOneCommand.includes(name))
    expect(settingNames('docker')).to.include.members([...new Set(expected)])
    expect(settingNames('embedded')).to.include.members(['PORT', 'RATE_LIMIT', 'SECRETS_KEY', 'DATABASE_URL'])
    expect(settingNames('embedded')).not.to.include.members(['API']).and.not.include.members(ofOneCommand)
    expect(settingNames('docker')).to.include.members(['API', 'SERVICE_IMAGE', 'CLICKHOUSE_MEMORY'])
  })

  it('are those that differ from the defaults, with whole paths', () => {
    expect(
      now({
        PORT: '8080',
        HOST: '',
        LOG_LEVEL: 'INFO',
        RATE_LIMIT: ' 600/min ',
        SIGNAL_RULES: 'rules.json',
        HOME: '/root',
      }),
    ).to.deep.equal({ RATE_LIMIT: '600/min', SIGNAL_RULES: '/somewhere/rules.json' })
    expect(settingsNow('docker', { API: '1', INGEST: '2', POSTGRES_MEMORY: '1g' }, '/')).to.deep.equal({
      INGEST: '2',
      POSTGRES_MEMORY: '1g',
    })
    expect(now({ CLICKHOUSE_URL: 'http://ch:8123', CLICKHOUSE_CLUSTER: 'insider' })).to.have.all.keys(
      'CLICKHOUSE_URL',
      'CLICKHOUSE_CLUSTER',
    )
  })

  it('with a fault are told by the variable that mends it, and the stack can still be ended', function () {
    this.timeout(60_000)
    const folder = mkdtempSync(join(tmpdir(), 'settings-'))
    try {
      const main = (command: string) =>
        spawnSync(process.execPath, ['--import', 'tsx', 'src/main.ts', command], {
          cwd: join(import.meta.dirname, '../../../..'),
          env: { PATH: process.env.PATH, DATA_DIR: folder },
          encoding: 'utf8',
        })
      writeSettings(folder, { SECRETS_KEY_FILE: join(folder, 'gone') })
      const keys = main('keys')
      expect(keys.status).to.equal(1)
      expect(keys.stderr).to.contain('SECRETS_KEY_FILE= goes back to the default')
      for (const damage of [() => {}, () => writeFileSync(settingsPath(folder), '{')]) {
        damage()
        for (const command of ['down', 'ps', 'logs']) {
          const { status, stderr } = main(command)
          expect(status, `${command}: ${stderr}`).to.equal(0)
          expect(stderr).to.match(/^going on without the settings of the last start: .*settings\.json/m)
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('name the files of secrets by whole paths, which a secret that is given takes the place of', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'))
    try {
      writeFileSync(join(folder, 'password'), 'hunter2')
      const files = settingsNow('embedded', { DATABASE_PASSWORD_FILE: 'password' }, folder)
      expect(files).to.deep.equal({ DATABASE_PASSWORD_FILE: join(folder, 'password') })
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
      expect(with_({})).to.deep.equal({ ...files, REDIS_URL: 'redis://r' })
      expect(with_({ DATABASE_PASSWORD: 'other', REDIS_URL_FILE: '/x' })).to.deep.equal({
        DATABASE_PASSWORD: 'other',
        REDIS_URL_FILE: '/x',
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('are compared by what they mean', () => {
    expect(
      changesOf({ LOG_LEVEL: 'WARN', PORT: '9000' }, { LOG_LEVEL: 'warn', PORT: '9001', RATE_LIMIT: '5/s' }),
    ).to.deep.equal([
      { name: 'PORT', from: '9000', to: '9001' },
      { name: 'RATE_LIMIT', from: null, to: '5/s' },
    ])
    expect(changeLines(changesOf({ PORT: '9000' }, {}))).to.deep.equal(['changed: PORT from 9000 to the default'])
    expect(changeLines([]).concat(settingLines({}))).to.deep.equal([])
  })

  it('show no secret in any form, and nothing that a terminal acts upon', () => {
    const secrets = {
      SECRETS_KEY: 'a'.repeat(64),
      DATABASE_URL: 'postgres://me:hunter2@pg:5433/db?password=hunter2',
      REDIS_URL: 'redis://:hunter2@r:6379',
      EDGAR_USER_AGENT: 'Ex\u001b[2J\u202eample a@b.example',
    }
    const others = { ...secrets, SECRETS_KEY: 'b'.repeat(64), REDIS_URL: 'redis://:other@r:6379' }
    const changes = changesOf(secrets, others)
    expect(changes.map(({ name }) => name)).to.deep.equal(['REDIS_URL', 'SECRETS_KEY'])
    const all = JSON.stringify([
      changes,
      changeLines(changesOf({}, secrets)),
      settingLines(secrets),
      settingFields(secrets, changes),
    ])
    expect(all).to.contain('postgres://pg:5433/db').and.to.contain('with another secret')
    expect(all).not.to.match(/hunter2|other@|aaaa|bbbb/)
    expect(all).not.to.match(/\\u001b|\u202e/)
  })

  describe('in their file', () => {
    let dataDir: string
    beforeEach(() => {
      dataDir = mkdtempSync(join(tmpdir(), 'settings-'))
    })
    afterEach(() => rmSync(dataDir, { recursive: true }))

    it('come back as they were, closed to others, and are gone with the last of them', () => {
      expect(readSettings(dataDir)).to.deep.equal({})
      writeSettings(dataDir, { PORT: '9000', HOST: '::1' })
      expect(readSettings(dataDir)).to.deep.equal({ HOST: '::1', PORT: '9000' })
      expect(statSync(settingsPath(dataDir)).mode & 0o777).to.equal(0o600)
      writeSettings(dataDir, {})
      expect(() => readFileSync(settingsPath(dataDir))).to.throw(/ENOENT/)
    })

    for (const text of ['', '{"PORT": ', '[]', 'null', '{"PORT": 9000}']) {
      it(`are refused where they read ${JSON.stringify(text)}`, () => {
        writeFileSync(settingsPath(dataDir), text)
        expect(() => readSettings(dataDir)).to.throw(
          /settings\.json, the settings of the last start, is not .*DEFAULTS=1/,
        )
      })
    }
  })
})
