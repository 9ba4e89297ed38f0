// Settings of an embedded stack, by make as an operator runs it: applied to what runs, kept for the next start, refused before
// anything is stopped.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { freePort } from '../../../src/infrastructure/embedded/ports.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { make, stackOfTest, type Made, type StackOfTest } from '../../support/make.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

type Variables = Record<string, string | number>

describe('settings of an embedded stack', function () {
  this.timeout(180_000)
  let stack: StackOfTest
  let edgar: SimulatedEdgar
  let folder: string

  /** Without PORT, as an operator repeats it. */
  const up = (more: Variables = {}) => make('up', { DATA_DIR: stack.dataDir, JSON: 1, ...more })
  const status = async () => (await make('status', { DATA_DIR: stack.dataDir, JSON: 1 })).json!
  const kept = () => JSON.parse(readFileSync(join(stack.dataDir, 'settings.json'), 'utf8')) as Record<string, string>
  const isFollowed = async () => {
    for (
      const from = edgar.requests().length, end = performance.now() + 20_000;
      performance.now() < end;
      await sleep(50)
    ) {
      if (edgar.requests().length > from) return true
    }
    return false
  }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'insider-settings-'))
    edgar = await startSimulatedEdgar()
    stack = await stackOfTest()
    expect((await stack.make('up')).status).to.equal(0)
  })
  after(async () => {
    await stack.remove()
    await edgar.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('take effect on the running service, and on nothing else of the stack', async () => {
    const before = await status()
    const { json, stderr } = await up({
      EDGAR_BASE_URL: edgar.url,
      EDGAR_USER_AGENT: 'Example Tests tests@example.com',
      EDGAR_POLL_SECONDS: 1,
    })
    expect(json, stderr).to.deep.include({ status: 'restarted', address: stack.address })
    expect(json!.changed.map(({ name }: { name: string }) => name)).to.deep.equal([
      'EDGAR_BASE_URL',
      'EDGAR_POLL_SECONDS',
      'EDGAR_USER_AGENT',
    ])
    const after = await status()
    expect(after.pid).not.to.equal(before.pid)
    expect(after).to.deep.include({ ready: true, address: stack.address, stores: before.stores })
    expect(await isFollowed(), 'EDGAR is asked').to.equal(true)
  })

  it('that are not given stay as they are; the same ones again change nothing', async () => {
    const { pid } = await status()
    for (const again of [
      {},
      { PORT: stack.port },
      { EDGAR_POLL_SECONDS: '1.0' },
      { LOG_LEVEL: 'INFO' },
    ] as Variables[]) {
      expect((await up(again)).json, JSON.stringify(again)).to.deep.include({
        status: 'already running',
        address: stack.address,
        pid,
        changed: [],
      })
    }
    expect(kept()).to.have.all.keys('EDGAR_BASE_URL', 'EDGAR_POLL_SECONDS', 'EDGAR_USER_AGENT', 'PORT')
    expect(statSync(join(stack.dataDir, 'settings.json')).mode & 0o077).to.equal(0)
  })

  it('change while a request is under way, which is answered', async () => {
    const { key } = (await make('key', { DATA_DIR: stack.dataDir, JSON: 1, NAME: 'under way' })).json!
    const body = JSON.stringify({ ticker: 'EXWI' })
    const socket = connect(stack.port, '127.0.0.1')
    const answer = allOf(socket)
    socket.write(
      [
        'POST /v1/watchlist HTTP/1.1',
        'Host: test',
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
        '',
        body.slice(0, 5),
      ].join('\r\n'),
    )
    await sleep(300)
    const changing = up({ LOG_LEVEL: 'debug' })
    const log = join(stack.dataDir, 'logs/service.log')
    const stops = () => readFileSync(log, 'utf8').split('"msg":"stopping"').length
    for (const from = stops(); stops() === from; await sleep(20)) {
      /* until it is told to stop */
    }
    socket.write(body.slice(5))
    expect(await answer).to.match(/^HTTP\/1\.1 201 /)
    expect((await changing).json).to.deep.include({
      status: 'restarted',
      changed: [{ name: 'LOG_LEVEL', from: null, to: 'debug' }],
    })
  })

  it('say in words what changed', async () => {
    const { stdout } = await up({ RATE_LIMIT: '600/min', LOG_LEVEL: '', JSON: 0 })
    expect(stdout.split('\n').slice(0, 2)).to.deep.equal([
      `ready at ${stack.address}`,
      'changed: LOG_LEVEL from debug to the default, RATE_LIMIT from the default to 600/min',
    ])
  })

  it('that hold no water are refused before anything is stopped, and forgotten', async () => {
    const { pid } = await status()
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const { port } = taken.address() as { port: number }
    writeFileSync(join(folder, 'wrong.json'), '{"cluster_buy": {"personen": 4}}')
    const refusals: [Variables, RegExp][] = [
      [{ SIGNAL_RULES: join(folder, 'none.json') }, /^SIGNAL_RULES .*none\.json: can't be read \(ENOENT\)/],
      [{ SIGNAL_RULES: join(folder, 'wrong.json') }, /^SIGNAL_RULES .*wrong\.json: .*personen/],
      [{ RATE_LIMIT: 'often' }, /^RATE_LIMIT must look like 600\/min/],
      [{ EDGAR_USER_AGENT: 'foo' }, /^EDGAR_USER_AGENT must have a contact, .*you@example\.com/],
      [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of/],
      [{ PORT: port }, /^port \d+ on 127\.0\.0\.1 is taken/],
      [{ HOST: '192.0.2.1' }, /^can't listen on 192\.0\.2\.1 /],
      [{ REDIS_URL: 'redis://127.0.0.1:1' }, /^REDIS_URL: nothing answers/],
      [{ CLICKHOUSE_URL: 'http://127.0.0.1:1' }, /^CLICKHOUSE_URL: nothing answers/],
      [
        { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/db' },
        /^DATABASE_URL can't be set for .*make backup TO=.*make restore/,
      ],
      [{ STACK: 'docker' }, /has its data in a stack that is embedded/],
    ]
    try {
      for (const [variables, message] of refusals) {
        const made = await up(variables)
        expect(made.status, JSON.stringify(variables)).not.to.equal(0)
        expect(made.json!.error).to.match(message)
        expect(made.stdout + made.stderr).not.to.contain('hunter2')
      }
    } finally {
      taken.close()
    }
    expect((await up()).json).to.deep.include({ status: 'already running', pid })
  })

  it('come back with the next start, which prints them without secrets', async () => {
    const secret = 'ab'.repeat(32)
    const other = await stackOfTest()
    try {
      expect((await other.make('up', { SECRETS_KEY: secret, ALERT_WINDOW_HOURS: 24 })).status).to.equal(0)
      await make('down', { DATA_DIR: other.dataDir })
      const made = await make('up', { DATA_DIR: other.dataDir })
      expect(made.stdout.split('\n').slice(0, 2)).to.deep.equal([
        `ready at ${other.address}`,
        `with settings that differ from the defaults: ALERT_WINDOW_HOURS=24, PORT=${other.port}, SECRETS_KEY=(secret)`,
      ])
      expect(existsSync(join(other.dataDir, 'secrets.key')), 'a key of its own').to.equal(false)
      // Commands go by them as well: this one encrypts a secret.
      expect((await make('key', { DATA_DIR: other.dataDir, NAME: 'kept', JSON: 1 })).status).to.equal(0)
      expect(existsSync(join(other.dataDir, 'secrets.key')), 'a key of its own').to.equal(false)
      const log = readFileSync(join(other.dataDir, 'logs/service.log'), 'utf8')
      expect(made.stdout + made.stderr + log).not.to.contain(secret)
    } finally {
      await other.remove()
    }
  })

  it('move to another port', async () => {
    const port = await freePort()
    expect((await up({ PORT: port })).json).to.deep.include({
      status: 'restarted',
      port,
      address: `http://127.0.0.1:${port}`,
    })
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).to.equal(200)
    expect((await up({ PORT: stack.port })).json).to.deep.include({ status: 'restarted', address: stack.address })
  })

  it('notice that the file of the rules has other contents', async () => {
    const path = join(folder, 'rules.json')
    writeFileSync(path, '{"cluster_buy": {"persons": 4}}')
    expect((await up({ SIGNAL_RULES: path })).json).to.deep.include({ status: 'restarted' })
    writeFileSync(path, '{"cluster_buy": {"persons": 5}}')
    const { json } = await up()
    expect(json).to.deep.include({ status: 'restarted', changed: [] })
    const rules = await (await fetch(`${stack.address}/v1/signals/rules`)).text()
    expect(rules).to.match(/"persons":5/)
    rmSync(path)
    await make('down', { DATA_DIR: stack.dataDir })
    expect((await up()).json!.error).to.match(/^SIGNAL_RULES .*rules\.json: can't be read/)
    expect((await up({ SIGNAL_RULES: '' })).json).to.deep.include({ status: 'started' })
  })

  it('are those of the running service where their file is lost', async () => {
    const before = kept()
    rmSync(join(stack.dataDir, 'settings.json'))
    const { json } = await up(process.platform === 'linux' ? {} : before)
    expect(json).to.deep.include({ status: 'already running', changed: [] })
    expect(kept()).to.deep.equal(before)
  })

  it('are told where their file is damaged', async () => {
    const before = kept()
    writeFileSync(join(stack.dataDir, 'settings.json'), '{"PORT": 90')
    expect((await up()).json!.error).to.match(/settings\.json, the settings of the last start, is not JSON.*DEFAULTS=1/)
    writeFileSync(join(stack.dataDir, 'settings.json'), JSON.stringify({ ...before, RATE_LIMIT: '5/s', PORT: 'x' }))
    expect((await up()).json!.error).to.match(
      /^PORT must be .* \(kept in .*settings\.json; PORT= goes back to the default\)$/,
    )
    writeFileSync(join(stack.dataDir, 'settings.json'), JSON.stringify(before))
  })

  it('are all forgotten with DEFAULTS=1', async () => {
    const { json } = await up({ DEFAULTS: 1, PORT: stack.port })
    expect(json).to.deep.include({ status: 'restarted', settings: { PORT: String(stack.port) } })
    expect(json!.changed.map(({ to }: { to: string | null }) => to)).to.deep.equal([null, null, null, null])
    expect(kept()).to.deep.equal({ PORT: String(stack.port) })
  })
})

describe('newer code under a running stack', function () {
  this.timeout(300_000)
  let stack: StackOfTest
  let checkout: string
  const up = (): Promise<Made> => make('up', { DATA_DIR: stack.dataDir, PORT: stack.port, JSON: 1 }, checkout)
  const change = (text: string) => {
    const path = join(checkout, 'src/cli/commands/migrate.ts')
    writeFileSync(path, `${readFileSync(path, 'utf8')}\n${text}\n`)
  }

  before(async () => {
    checkout = mkdtempSync(join(tmpdir(), 'insider-checkout-'))
    const parts = [
      'src',
      'openapi',
      'docker',
      'Makefile',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      '.npmrc',
    ]
    for (const part of parts) cpSync(join(root, part), join(checkout, part), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
    stack = await stackOfTest()
    expect((await up()).status).to.equal(0)
  })
  after(async () => {
    await make('down', { DATA_DIR: stack.dataDir }, checkout)
    await stack.remove()
    rmSync(checkout, { recursive: true, force: true })
  })

  it('is noticed, and served from then on', async () => {
    const mainOf = () => JSON.parse(readFileSync(join(stack.dataDir, 'service.json'), 'utf8')).main as string
    const before = mainOf()
    change('// Newer.')
    const { json, stderr } = await up()
    expect(json, stderr).to.deep.include({ status: 'restarted', changed: [] })
    expect(stderr).to.contain('its program is not the present one')
    expect(dirname(mainOf())).not.to.equal(dirname(before))
  })

  it('that does not compile leaves the stack as it is', async () => {
    const { pid } = (await make('status', { DATA_DIR: stack.dataDir, JSON: 1 })).json!
    change('const broken: number = "text"')
    expect((await up()).json!.error).to.match(/^build failed/)
    expect((await make('status', { DATA_DIR: stack.dataDir, JSON: 1 })).json).to.deep.include({ pid, ready: true })
  })

  it('that does not start is told, and the service runs again as before', async () => {
    const path = join(checkout, 'src/cli/commands/migrate.ts')
    writeFileSync(path, readFileSync(path, 'utf8').replace(/const broken.*\n/, ''))
    const serve = join(checkout, 'src/cli/commands/serve.ts')
    const text = readFileSync(serve, 'utf8')
    const broken = text.replace(
      /(export async function run\([^)]*\): Promise<void> \{\n)/,
      '$1  if (args) throw new Error(`does not start`)\n',
    )
    expect(broken).not.to.equal(text)
    writeFileSync(serve, broken)
    const before = JSON.parse(readFileSync(join(stack.dataDir, 'service.json'), 'utf8')).main as string
    const { json, stderr } = await up()
    expect(json!.error).to.match(/the service ended while it started.*does not start/, json!.error)
    expect(stderr).to.contain('the service runs again with the settings it had')
    expect((await fetch(`${stack.address}/readyz`)).status).to.equal(200)
    expect(JSON.parse(readFileSync(join(stack.dataDir, 'service.json'), 'utf8')).main).to.equal(before)
  })
})

function allOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket
      .on('data', (chunk) => {
        text += chunk
      })
      .once('error', reject)
      .once('close', () => resolve(text))
  })
}
