// The environment's variables: defaults, faults all at once, and nothing secret in the summary.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ConfigError, describeConfig, loadConfig, type Environment } from '../../src/config.ts'

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
    expect(load({})).to.deep.include({
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
    expect(load({ PORT: '', HOST: '  ', DATA_DIR: '', DATABASE_URL: '', JSON: '' })).to.deep.equal(load({}))
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
    expect(config).to.deep.include({
      port: 9000,
      host: '::1',
      logLevel: 'warn',
      rateLimit: '600/min',
      trustProxy: 2,
      json: true,
    })
  })

  it('lets a start install Redis unless told otherwise', () => {
    expect(load({}).redisInstall).to.equal(true)
    expect(load({ REDIS_INSTALL: '0' }).redisInstall).to.equal(false)
    expect(faultsOf({ REDIS_INSTALL: 'never' })).to.have.length(1)
  })

  it('asks no data of the SEC where filings come from elsewhere', () => {
    expect(load({}).edgarDataUrl).to.equal('https://data.sec.gov')
    expect(load({ EDGAR_BASE_URL: 'http://127.0.0.1:9' }).edgarDataUrl).to.equal('http://127.0.0.1:9')
    expect(load({ EDGAR_BASE_URL: 'http://127.0.0.1:9', EDGAR_DATA_URL: 'http://127.0.0.1:8' }).edgarDataUrl).to.equal(
      'http://127.0.0.1:8',
    )
  })

  it('takes up to 15 seconds for a balancer to notice a stop', () => {
    for (const [text, seconds] of [
      ['0', 0],
      ['2.5', 2.5],
      ['15', 15],
    ] as const)
      expect(load({ DRAIN_SECONDS: text }).drainSeconds).to.equal(seconds)
    for (const text of ['16', '-1', 'soon']) expect(faultsOf({ DRAIN_SECONDS: text }), text).to.have.length(1)
  })

  it('takes 1 to 10,000 connections of an address', () => {
    expect(load({}).connectionsPerAddress).to.equal(1_000)
    for (const text of ['1', '10000'])
      expect(load({ CONNECTIONS_PER_ADDRESS: text }).connectionsPerAddress).to.equal(Number(text))
    for (const text of ['0', '10001', '1.5', '1e3', 'many'])
      expect(faultsOf({ CONNECTIONS_PER_ADDRESS: text }), text).to.have.length(1)
  })

  it('keeps the addresses of servers as given', () => {
    const urls = {
      CLICKHOUSE_URL: 'http://u:p@ch:8123',
      DATABASE_URL: 'postgres://u:p%40@pg/db?sslmode=require',
      REDIS_URL: 'rediss://:p@r:6380/1',
    }
    expect(load(urls)).to.include({
      clickhouseUrl: urls.CLICKHOUSE_URL,
      databaseUrl: urls.DATABASE_URL,
      redisUrl: urls.REDIS_URL,
    })
  })

  it('takes the name of a ClickHouse cluster only with the address of a node', () => {
    expect(load({})).to.include({ clickhouseCluster: null })
    expect(load({ CLICKHOUSE_URL: 'http://ch:8123', CLICKHOUSE_CLUSTER: 'insider-1' })).to.include({
      clickhouseCluster: 'insider-1',
    })
    expect(faultsOf({ CLICKHOUSE_CLUSTER: 'insider' }).join()).to.match(/^CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL/)
    for (const name of ["a'b", 'a b', '{cluster}', 'a\\b']) {
      expect(faultsOf({ CLICKHOUSE_URL: 'http://ch:8123', CLICKHOUSE_CLUSTER: name }), name).to.have.length(1)
    }
  })

  it('tells every fault at once, each with its variable', () => {
    const faults = faultsOf({
      PORT: '80a',
      HOST: 'a b',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://x',
      TRUST_PROXY: 'true',
      JSON: 'maybe',
    })
    expect(faults.map((fault) => fault.split(' ')[0])).to.have.members([
      'PORT',
      'HOST',
      'LOG_LEVEL',
      'DATABASE_URL',
      'TRUST_PROXY',
      'JSON',
    ])
  })

  for (const port of ['0', '65536', '-1', '8080.5', '0x50', '1e3', '８０']) {
    it(`refuses the port ${port}`, () => expect(faultsOf({ PORT: port })).to.have.length(1))
  }

  it('never repeats a server address in a fault, because it may hold a password', () => {
    expect(faultsOf({ REDIS_URL: 'redsi://:hunter2@host' }).join())
      .to.match(/^REDIS_URL/)
      .and.not.include('hunter2')
  })

  it('takes the file of the rules of signals from the working folder on', () => {
    expect(load({}).signalRules).to.equal(null)
    expect(load({ SIGNAL_RULES: 'my/rules.json' }).signalRules).to.equal('/somewhere/my/rules.json')
    expect(load({ SIGNAL_RULES: '/etc/rules.json' }).signalRules).to.equal('/etc/rules.json')
  })

  it('takes a key for secrets as base64 or hex of 32 bytes, and shows it nowhere', () => {
    const key = Buffer.alloc(32, 7)
    for (const text of [key.toString('base64'), key.toString('hex'), key.toString('hex').toUpperCase()]) {
      expect(load({ SECRETS_KEY: text }).secretsKey).to.deep.equal(key)
      const shown = JSON.stringify(describeConfig(load({ SECRETS_KEY: text })))
      expect(shown).to.include('"secretsKey":"set"').and.not.include(text)
    }
    expect(describeConfig(load({}))).to.include({ secretsKey: 'file' })
    for (const wrong of [
      'hunter2',
      'a'.repeat(63),
      'a'.repeat(65),
      Buffer.alloc(31).toString('base64'),
      Buffer.alloc(33).toString('base64'),
    ]) {
      expect(faultsOf({ SECRETS_KEY: wrong }).join(), wrong)
        .to.match(/^SECRETS_KEY must be 32 bytes/)
        .and.not.include(wrong)
    }
  })

  it('takes a name with a contact for EDGAR, as a header can carry it', () => {
    for (const text of ['Example Fund ops@example.com', 'ops@example.com', 'Exämple Fund (ops@mail.example.com)']) {
      expect(load({ EDGAR_USER_AGENT: text }).edgarUserAgent).to.equal(text)
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
      expect(faultsOf({ EDGAR_USER_AGENT: text }), text).to.have.length(1)
    }
    for (const text of ['Fund\nX: y ops@example.com', 'Fünd 日本 ops@example.com'])
      expect(faultsOf({ EDGAR_USER_AGENT: text })).to.have.length(1)
  })

  it('sends alerts to public https addresses only, unless told otherwise', () => {
    expect(load({})).to.deep.include({ webhookAllowHttp: false, webhookAllowHosts: [], alertWindowHours: 72 })
    const told = {
      WEBHOOK_ALLOW_HTTP: '1',
      WEBHOOK_ALLOW_HOSTS: 'Receiver.test, 127.0.0.1,[::1]',
      ALERT_WINDOW_HOURS: '168',
    }
    expect(load(told)).to.deep.include({
      webhookAllowHttp: true,
      webhookAllowHosts: ['receiver.test', '127.0.0.1', '::1'],
      alertWindowHours: 168,
    })
    for (const hosts of ['a b', 'http://x', 'x:80', 'a,,b', '*'])
      expect(faultsOf({ WEBHOOK_ALLOW_HOSTS: hosts }), hosts).to.have.length(1)
    for (const hours of ['0', '169', '-1', 'day'])
      expect(faultsOf({ ALERT_WINDOW_HOURS: hours }), hours).to.have.length(1)
  })

  it('says in a fault whether JSON was asked for', () => {
    expect(() => load({ PORT: 'x', JSON: '1' }))
      .to.throw(ConfigError)
      .with.property('json', true)
  })

  it('shows servers without user, password and query', () => {
    const config = load({
      DATABASE_URL: 'postgres://me:hunter2@pg:5433/db?password=hunter2',
      REDIS_URL: 'redis://:hunter2@r',
    })
    expect(describeConfig(config)).to.include({
      databaseUrl: 'postgres://pg:5433/db',
      redisUrl: 'redis://r',
      clickhouseUrl: 'embedded',
    })
    expect(JSON.stringify(describeConfig(config))).not.to.include('hunter2')
  })

  describe('DATA_DIR', () => {
    let folder: string
    beforeEach(() => {
      folder = realpathSync(mkdtempSync(join(tmpdir(), 'config-')))
    })
    afterEach(() => rmSync(folder, { recursive: true }))

    it('starts at the working folder', () => {
      expect(load({ DATA_DIR: 'my data' }, folder).dataDir).to.equal(join(folder, 'my data'))
    })

    it('has one name by whatever link it is reached, also before it exists', () => {
      mkdirSync(join(folder, 'real'))
      symlinkSync('real', join(folder, 'link'))
      expect(load({ DATA_DIR: 'link/new/data' }, folder).dataDir).to.equal(join(folder, 'real/new/data'))
      expect(load({ DATA_DIR: join(folder, 'link') }).dataDir).to.equal(join(folder, 'real'))
    })
  })
})
