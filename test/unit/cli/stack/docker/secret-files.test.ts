// The secrets of a Docker stack: created once and readable by their owner only.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { makeSecrets, secretsFolder } from '../../../../../src/cli/stack/docker/secret-files.ts'
import { loadConfig, type Config } from '../../../../../src/config.ts'

const NAMES = ['clickhouse_password', 'postgres_password', 'redis_password', 'secrets_key']

describe('secrets of a stack of Docker', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'insider-docker-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  const config = (env: Record<string, string> = {}): Config => loadConfig({ DATA_DIR: dataDir, ...env }, { cwd: '/' })
  const values = () => NAMES.map((name) => readFileSync(join(dataDir, 'secrets', name), 'utf8').trim())

  it('are made once, in a folder that is closed to others', () => {
    makeSecrets(config())
    const made = values()
    assert.strictEqual(new Set(made).size, 4)
    for (const value of made) assert.match(value, /^[0-9a-f]{48,64}$/)
    makeSecrets(config())
    assert.deepEqual(values(), made)
    assert.strictEqual(secretsFolder(config()), join(dataDir, 'secrets'))
    assert.strictEqual(statSync(join(dataDir, 'secrets')).mode & 0o777, 0o700)
    // Containers read them as users of their own.
    for (const name of NAMES) assert.strictEqual(statSync(join(dataDir, 'secrets', name)).mode & 0o777, 0o444, name)
    assert.deepEqual(readdirSync(dataDir), ['secrets'])
  })

  it('have the given key, and refuse another one later', () => {
    makeSecrets(config({ SECRETS_KEY: 'a'.repeat(64) }))
    assert.strictEqual(values()[3], 'a'.repeat(64))
    assert.throws(
      () => secretsFolder(config({ SECRETS_KEY: 'b'.repeat(64) })),
      /^SECRETS_KEY differs from .*leave it out$/,
    )
    rmSync(join(dataDir, 'secrets', 'redis_password'))
    assert.throws(() => secretsFolder(config()), /redis_password is missing, .*restore it from a copy$/)
  })
})
