// The environment's variables: defaults, faults all at once, and nothing secret in the summary.
import { mkdirSync, symlinkSync } from 'node:fs'
import { assert } from 'chai'
import { ConfigError, describeConfig, loadConfig, type Config, type Environment } from '../../src/config.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const load = (env: Environment, cwd = '/somewhere') => loadConfig(env, { cwd })

function faultsOf(env: Environment): string[] {
  try {
    load(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('configuration', () => {
  it('has a default for everything', () => {
    assert.deepInclude(load({}), {
      host: '127.0.0.1',
      port: 8080,
      dataDir: '/somewhere/.data',
      clickhouseUrl: null,
      databaseUrl: null,
      redisUrl: null,
      logLevel: 'info',
      drainSeconds: 0,
      rateLimit: null,
      trustProxy: false,
      json: false,
    })
  })

  it('takes an empty or blank variable as unset', () => {
    assert.deepEqual(load({ PORT: '', HOST: '  ', DATA_DIR: '', DATABASE_URL: '', JSON: '' }), load({}))
  })

  it('reads what is set', () => {
    const config = load({
      PORT: '9000',
      HOST: '::1',
      LOG_LEVEL: 'WARN',
      RATE_LIMIT: '600/min',
      TRUST_PROXY: '2',
      JSON: '1',
    })
    assert.deepInclude(config, {
      port: 9000,
      host: '::1',
      logLevel: 'warn',
      rateLimit: '600/min',
      trustProxy: 2,
      json: true,
    })
  })

  const MIB = 1024 ** 2
  const LIMITED: [
    name: string,
    field: keyof Config,
    byDefault: unknown,
    taken: Record<string, unknown>,
    refused: string[],
  ][] = [
    ['REDIS_INSTALL', 'redisInstall', true, { 0: false }, ['never']],
    ['DASHBOARD', 'dashboard', true, { 0: false }, ['maybe']],
    ['DRAIN_SECONDS', 'drainSeconds', 0, { 0: 0, 2.5: 2.5, 15: 15 }, ['16', '-1', 'soon']],
    [
      'CACHE_MEMORY',
      'cacheMemory',
      64 * MIB,
      { 0: 0, 1000: 1_000, '512KiB': MIB / 2, '64MiB': 64 * MIB, '1GiB': 1024 * MIB },
      ['-1', '1.5MiB', '64MB', 'much', '64 MiB', '9999999999999'],
    ],
    [
      'CONNECTIONS_PER_ADDRESS',
      'connectionsPerAddress',
      1_000,
      { 1: 1, 10000: 10_000 },
      ['0', '10001', '1.5', '1e3', 'many'],
    ],
    ['CHANGES_DAYS', 'changesDays', 7, { 30: 30 }, ['0', '31', '1.5', '-1', 'week']],
    ['STREAMS', 'streams', 2_000, { 0: 0 }, ['-1', '10001', 'many']],
    ['STREAMS_PER_CALLER', 'streamsPerCaller', 10, { 1: 1 }, ['0', '10001', '1e3']],
    ['EXPORTS_AT_ONCE', 'exportsAtOnce', 4, {}, ['0', '101', 'all']],
    ['ALERT_WINDOW_HOURS', 'alertWindowHours', 72, { 168: 168 }, ['0', '169', '-1', 'day']],
    ['PORT', 'port', 8080, { 9000: 9000 }, ['0', '65536', '-1', '8080.5', '0x50', '1e3', '８０']],
  ]
  for (const [name, field, byDefault, taken, refused] of LIMITED)
    it(`takes ${name} within its limits`, () => {
      assert.strictEqual(load({})[field], byDefault)
      for (const [text, value] of Object.entries(taken)) assert.strictEqual(load({ [name]: text })[field], value, text)
      for (const text of refused) assert.lengthOf(faultsOf({ [name]: text }), 1, text)
    })

  it('requests no data from the SEC if filings come from elsewhere', () => {
    assert.strictEqual(load({}).edgarDataUrl, 'https://data.sec.gov')
    assert.strictEqual(load({ EDGAR_BASE_URL: 'http://127.0.0.1:9' }).edgarDataUrl, 'http://127.0.0.1:9')
    assert.strictEqual(
      load({ EDGAR_BASE_URL: 'http://127.0.0.1:9', EDGAR_DATA_URL: 'http://127.0.0.1:8' }).edgarDataUrl,
      'http://127.0.0.1:8',
    )
  })

  it('keeps the addresses of servers as given', () => {
    const urls = {
      CLICKHOUSE_URL: 'http://u:p@ch:8123',
      DATABASE_URL: 'postgres://u:p%40@pg/db?sslmode=require',
      REDIS_URL: 'rediss://:p@r:6380/1',
    }
    assert.include(load(urls), {
      clickhouseUrl: urls.CLICKHOUSE_URL,
      databaseUrl: urls.DATABASE_URL,
      redisUrl: urls.REDIS_URL,
    })
  })

  it('takes the name of a ClickHouse cluster only with the address of a node', () => {
    assert.include(load({}), { clickhouseCluster: null })
    assert.include(load({ CLICKHOUSE_URL: 'http://ch:8123', CLICKHOUSE_CLUSTER: 'insider-1' }), {
      clickhouseCluster: 'insider-1',
    })
    assert.match(faultsOf({ CLICKHOUSE_CLUSTER: 'insider' }).join(), /^CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL/)
    for (const name of ["a'b", 'a b', '{cluster}', 'a\\b']) {
      assert.lengthOf(faultsOf({ CLICKHOUSE_URL: 'http://ch:8123', CLICKHOUSE_CLUSTER: name }), 1, name)
    }
  })

  it('reports every fault at once, each with its variable', () => {
    const faults = faultsOf({
      PORT: '80a',
      HOST: 'a b',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://x',
      TRUST_PROXY: 'true',
      JSON: 'maybe',
    })
    assert.sameMembers(
      faults.map((fault) => fault.split(' ')[0]),
      ['PORT', 'HOST', 'LOG_LEVEL', 'DATABASE_URL', 'TRUST_PROXY', 'JSON'],
    )
  })

  it('never repeats a server address in a fault, because it may hold a password', () => {
    assert.match(faultsOf({ REDIS_URL: 'redsi://:hunter2@host' }).join(), /^REDIS_URL/)
    assert.notInclude(faultsOf({ REDIS_URL: 'redsi://:hunter2@host' }).join(), 'hunter2')
  })

  it('takes the file of the rules of signals from the working folder on', () => {
    assert.strictEqual(load({}).signalRules, null)
    assert.strictEqual(load({ SIGNAL_RULES: 'my/rules.json' }).signalRules, '/somewhere/my/rules.json')
    assert.strictEqual(load({ SIGNAL_RULES: '/etc/rules.json' }).signalRules, '/etc/rules.json')
  })

  it('takes a key for secrets as base64 or hex of 32 bytes, and shows it nowhere', () => {
    const key = Buffer.alloc(32, 7)
    for (const text of [key.toString('base64'), key.toString('hex'), key.toString('hex').toUpperCase()]) {
      assert.deepEqual(load({ SECRETS_KEY: text }).secretsKey, key)
      const shown = JSON.stringify(describeConfig(load({ SECRETS_KEY: text })))
      assert.include(shown, '"secretsKey":"set"')
      assert.notInclude(shown, text)
    }
    assert.include(describeConfig(load({})), { secretsKey: 'file' })
    for (const wrong of [
      'hunter2',
      'a'.repeat(63),
      'a'.repeat(65),
      Buffer.alloc(31).toString('base64'),
      Buffer.alloc(33).toString('base64'),
    ]) {
      assert.match(faultsOf({ SECRETS_KEY: wrong }).join(), /^SECRETS_KEY must be 32 bytes/, wrong)
      assert.notInclude(faultsOf({ SECRETS_KEY: wrong }).join(), wrong, wrong)
    }
  })

  it('takes a name with a contact for EDGAR, as a header can carry it', () => {
    for (const text of ['Example Fund ops@example.com', 'ops@example.com', 'Exämple Fund (ops@mail.example.com)']) {
      assert.strictEqual(load({ EDGAR_USER_AGENT: text }).edgarUserAgent, text)
    }
    for (const text of [
      'foo',
      'Example Fund',
      'a@b',
      '@example.com',
      'ops@',
      'a b@c .de',
      'x'.repeat(190) + ' ops@example.com',
    ]) {
      assert.lengthOf(faultsOf({ EDGAR_USER_AGENT: text }), 1, text)
    }
    for (const text of ['Fund\nX: y ops@example.com', 'Fünd 日本 ops@example.com'])
      assert.lengthOf(faultsOf({ EDGAR_USER_AGENT: text }), 1)
  })

  it('sends alerts to public https addresses only, by default', () => {
    assert.deepInclude(load({}), { webhookAllowHttp: false, webhookAllowHosts: [] })
    const told = { WEBHOOK_ALLOW_HTTP: '1', WEBHOOK_ALLOW_HOSTS: 'Receiver.test, 127.0.0.1,[::1]' }
    assert.deepInclude(load(told), {
      webhookAllowHttp: true,
      webhookAllowHosts: ['receiver.test', '127.0.0.1', '::1'],
    })
    for (const hosts of ['a b', 'http://x', 'x:80', 'a,,b', '*'])
      assert.lengthOf(faultsOf({ WEBHOOK_ALLOW_HOSTS: hosts }), 1, hosts)
    assert.strictEqual(load({}).publicUrl, null)
    assert.strictEqual(
      load({ PUBLIC_URL: 'https://Insider.example.com:8443/a/' }).publicUrl,
      'https://insider.example.com:8443/a',
    )
    for (const url of [
      'insider.example.com',
      'ftp://x',
      'https://u:p@x',
      'https://x/?a=1',
      'https://x/#a',
      'https://x/(a)',
    ])
      assert.lengthOf(faultsOf({ PUBLIC_URL: url }), 1, url)
  })

  it('shows servers without user, password and query', () => {
    const config = load({
      DATABASE_URL: 'postgres://me:hunter2@pg:5433/db?password=hunter2',
      REDIS_URL: 'redis://:hunter2@r',
    })
    assert.include(describeConfig(config), {
      databaseUrl: 'postgres://pg:5433/db',
      redisUrl: 'redis://r',
      clickhouseUrl: 'embedded',
    })
    assert.notInclude(JSON.stringify(describeConfig(config)), 'hunter2')
  })

  describe('DATA_DIR', () => {
    const at = temporaryFolder()

    it('is relative to the working folder', () => {
      assert.strictEqual(load({ DATA_DIR: 'my data' }, at()).dataDir, at('my data'))
    })

    it('has one name, whatever link leads to it, even before it exists', () => {
      mkdirSync(at('real'))
      symlinkSync('real', at('link'))
      assert.strictEqual(load({ DATA_DIR: 'link/new/data' }, at()).dataDir, at('real/new/data'))
      assert.strictEqual(load({ DATA_DIR: at('link') }).dataDir, at('real'))
    })
  })
})
