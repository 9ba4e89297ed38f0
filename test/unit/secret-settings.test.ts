// Secret settings by files: each of them, the faults, and nothing of a value in any message.
import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { assert } from 'chai'
import { ConfigError, describeConfig, loadConfig, type Environment } from '../../src/config.ts'
import { secretVariables } from '../support/config-variables.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const VALUES: Record<string, string> = {
  CLICKHOUSE_URL: 'http://clickhouse:8123',
  CLICKHOUSE_PASSWORD: 'hunter2',
  DATABASE_URL: 'postgres://me@pg/db',
  DATABASE_PASSWORD: 'hunter2',
  REDIS_URL: 'redis://redis:6379',
  REDIS_PASSWORD: 'hunter2',
  SECRETS_KEY: 'a'.repeat(64),
}

describe('secret settings', () => {
  const at = temporaryFolder()

  const load = (env: Environment) => loadConfig(env, { cwd: at() })
  const file = (name: string, text: string) => {
    const path = at(name)
    writeFileSync(path, text)
    return path
  }
  const faultsOf = (env: Environment): string[] => {
    try {
      load(env)
      return []
    } catch (error) {
      return (error as ConfigError).faults
    }
  }

  it('are all that hold an address of a server, a password or a key', () => {
    assert.deepEqual(secretVariables().toSorted(), Object.keys(VALUES).toSorted())
  })

  it('come from files as from variables, whatever ends the file', () => {
    for (const end of ['', '\n', '\r\n']) {
      const files = Object.entries(VALUES).map(([name, value]) => [`${name}_FILE`, file(name, value + end)])
      assert.deepEqual(load(Object.fromEntries(files)), load(VALUES))
    }
    file('relative', VALUES.DATABASE_URL!)
    assert.deepEqual(load({ DATABASE_URL_FILE: 'relative' }), load({ DATABASE_URL: VALUES.DATABASE_URL! }))
    assert.deepEqual(load({ DATABASE_URL_FILE: '' }), load({}))
  })

  it('put a password of any characters into an address that has none', () => {
    const password = 'p@ss:w/ör%d #1?'
    const { databaseUrl, clickhouseUrl, redisUrl } = load({
      DATABASE_URL: 'postgres://me@pg:5433/db?sslmode=require',
      DATABASE_PASSWORD: password,
      CLICKHOUSE_URL: 'http://clickhouse:8123',
      CLICKHOUSE_PASSWORD: password,
      REDIS_URL: 'redis://me:own@redis',
      REDIS_PASSWORD: password,
    })
    for (const url of [databaseUrl!, clickhouseUrl!])
      assert.strictEqual(decodeURIComponent(new URL(url).password), password)
    assert.match(databaseUrl!, /^postgres:\/\/me:[^@]+@pg:5433\/db\?sslmode=require$/)
    assert.strictEqual(redisUrl, 'redis://me:own@redis')
    assert.strictEqual(load({ REDIS_PASSWORD: password }).redisUrl, null)
  })

  it('are in no fault and no description', () => {
    for (const [name, value] of Object.entries(VALUES)) {
      assert.deepEqual(faultsOf({ [name]: value, [`${name}_FILE`]: file(name, value) }), [
        `${name} and ${name}_FILE are both set: leave one out`,
      ])
      const missing = at('missing')
      assert.deepEqual(faultsOf({ [`${name}_FILE`]: missing }), [`${name} can't be read from ${missing}: ENOENT`], name)
    }
    const told = faultsOf({ SECRETS_KEY_FILE: file('short', 'hunter2') }).join()
    assert.match(told, /^SECRETS_KEY must be 32 bytes/)
    assert.notInclude(told, 'hunter2')
    assert.notInclude(JSON.stringify(describeConfig(load(VALUES))), 'hunter2')
    assert.notInclude(JSON.stringify(describeConfig(load(VALUES))), VALUES.SECRETS_KEY!)
  })

  it('are no files that another user can have written', () => {
    const path = file('url', VALUES.DATABASE_URL!)
    for (const mode of [0o666, 0o620]) {
      chmodSync(path, mode)
      assert.deepEqual(faultsOf({ DATABASE_URL_FILE: path }), [
        `DATABASE_URL can't be read: ${path} is not used, since other users can write to it ` +
          `(mode 0${mode.toString(8)}): check what it holds, then chmod go-w ${path}`,
      ])
    }
    chmodSync(path, 0o444)
    assert.strictEqual(load({ DATABASE_URL_FILE: path }).databaseUrl, VALUES.DATABASE_URL)
  })

  it('are no folders, pipes, devices, large or empty files', () => {
    execFileSync('mkfifo', [at('pipe')])
    const wrong: [path: string, fault: RegExp][] = [
      [at(), /not a file$/],
      [at('pipe'), /not a file$/],
      ['/dev/zero', /not a file$/],
      [file('large', 'x'.repeat(20_000)), /more than 16384 bytes$/],
      [file('empty', '\n'), /is empty/],
    ]
    for (const [path, fault] of wrong) assert.match(faultsOf({ DATABASE_URL_FILE: path }).join(), fault, path)
  })
})
