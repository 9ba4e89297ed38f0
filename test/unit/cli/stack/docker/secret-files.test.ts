// The secrets of a Docker stack: created once and readable by their owner only.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { assert } from 'chai'
import { makeSecrets, secretsFolder } from '../../../../../src/cli/stack/docker/secret-files.ts'
import { loadConfig, type Config } from '../../../../../src/config.ts'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'

const NAMES = ['clickhouse_password', 'postgres_password', 'redis_password', 'secrets_key']

describe('secrets of a stack of Docker', () => {
  const at = temporaryFolder()

  const config = (env: Record<string, string> = {}): Config => loadConfig({ DATA_DIR: at(), ...env }, { cwd: '/' })
  const values = () => NAMES.map((name) => readFileSync(at('secrets', name), 'utf8').trim())

  it('are made once, in a folder that is closed to others', () => {
    makeSecrets(config())
    const made = values()
    assert.strictEqual(new Set(made).size, 4)
    for (const value of made) assert.match(value, /^[0-9a-f]{48,64}$/)
    makeSecrets(config())
    assert.deepEqual(values(), made)
    assert.strictEqual(secretsFolder(config()), at('secrets'))
    assert.strictEqual(statSync(at('secrets')).mode & 0o777, 0o700)
    // Containers read them as users of their own.
    for (const name of NAMES) assert.strictEqual(statSync(at('secrets', name)).mode & 0o777, 0o444, name)
    assert.deepEqual(readdirSync(at()), ['secrets'])
  })

  it('have the given key, and refuse another one later', () => {
    makeSecrets(config({ SECRETS_KEY: 'a'.repeat(64) }))
    assert.strictEqual(values()[3], 'a'.repeat(64))
    assert.throws(
      () => secretsFolder(config({ SECRETS_KEY: 'b'.repeat(64) })),
      /^SECRETS_KEY differs from .*leave it out$/,
    )
    rmSync(at('secrets', 'redis_password'))
    assert.throws(() => secretsFolder(config()), /redis_password is missing, .*restore it from a copy$/)
  })
})
