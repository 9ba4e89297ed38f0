// Settings of an embedded stack, by make as an operator runs it: applied to what runs, kept for the next start, refused
// before anything is stopped.
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { freePort } from '../../support/ports.ts'
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
    assert.strictEqual((await stack.make('up')).status, 0)
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
    assert.deepInclude(json, { status: 'restarted', address: stack.address }, stderr)
    assert.deepEqual(
      json!.changed.map(({ name }: { name: string }) => name),
      ['EDGAR_BASE_URL', 'EDGAR_POLL_SECONDS', 'EDGAR_USER_AGENT'],
    )
    const after = await status()
    assert.notStrictEqual(after.pid, before.pid)
    assert.deepInclude(after, { ready: true, address: stack.address, stores: before.stores })
    assert.strictEqual(await isFollowed(), true, 'EDGAR is asked')
  })

  it('that are not given stay as they are; the same ones again change nothing', async () => {
    const { pid } = await status()
    for (const again of [
      {},
      { PORT: stack.port },
      { EDGAR_POLL_SECONDS: '1.0' },
      { LOG_LEVEL: 'INFO' },
    ] as Variables[]) {
      assert.deepInclude(
        (await up(again)).json,
        {
          status: 'already running',
          address: stack.address,
          pid,
          changed: [],
        },
        JSON.stringify(again),
      )
    }
    assert.hasAllKeys(kept(), ['EDGAR_BASE_URL', 'EDGAR_POLL_SECONDS', 'EDGAR_USER_AGENT', 'PORT'])
    assert.strictEqual(statSync(join(stack.dataDir, 'settings.json')).mode & 0o077, 0)
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
    assert.match(await answer, /^HTTP\/1\.1 201 /)
    assert.deepInclude((await changing).json, {
      status: 'restarted',
      changed: [{ name: 'LOG_LEVEL', from: null, to: 'debug' }],
    })
  })

  it('say in words what changed', async () => {
    const { stdout } = await up({ RATE_LIMIT: '600/min', LOG_LEVEL: '', JSON: 0 })
    assert.deepEqual(stdout.split('\n').slice(0, 2), [
      `ready at ${stack.address} (open it in a browser)`,
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
        assert.notStrictEqual(made.status, 0, JSON.stringify(variables))
        assert.match(made.json!.error, message)
        assert.notInclude(made.stdout + made.stderr, 'hunter2')
      }
    } finally {
      taken.close()
    }
    assert.deepInclude((await up()).json, { status: 'already running', pid })
  })

  it('come back with the next start, which prints them without secrets', async () => {
    const secret = 'ab'.repeat(32)
    const other = await stackOfTest()
    try {
      assert.strictEqual((await other.make('up', { SECRETS_KEY: secret, ALERT_WINDOW_HOURS: 24 })).status, 0)
      await make('down', { DATA_DIR: other.dataDir })
      const made = await make('up', { DATA_DIR: other.dataDir })
      assert.deepEqual(made.stdout.split('\n').slice(0, 2), [
        `ready at ${other.address} (open it in a browser)`,
        `with settings that differ from the defaults: ALERT_WINDOW_HOURS=24, PORT=${other.port}, SECRETS_KEY=(secret)`,
      ])
      assert.strictEqual(existsSync(join(other.dataDir, 'secrets.key')), false, 'a key of its own')
      // Commands go by them as well: this one encrypts a secret.
      assert.strictEqual((await make('key', { DATA_DIR: other.dataDir, NAME: 'kept', JSON: 1 })).status, 0)
      assert.strictEqual(existsSync(join(other.dataDir, 'secrets.key')), false, 'a key of its own')
      const log = readFileSync(join(other.dataDir, 'logs/service.log'), 'utf8')
      assert.notInclude(made.stdout + made.stderr + log, secret)
    } finally {
      await other.remove()
    }
  })

  it('move to another port', async () => {
    const port = await freePort()
    assert.deepInclude((await up({ PORT: port })).json, {
      status: 'restarted',
      port,
      address: `http://127.0.0.1:${port}`,
    })
    assert.strictEqual((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200)
    assert.deepInclude((await up({ PORT: stack.port })).json, { status: 'restarted', address: stack.address })
  })

  it('notice that the file of the rules has other contents', async () => {
    const path = join(folder, 'rules.json')
    writeFileSync(path, '{"cluster_buy": {"persons": 4}}')
    assert.deepInclude((await up({ SIGNAL_RULES: path })).json, { status: 'restarted' })
    writeFileSync(path, '{"cluster_buy": {"persons": 5}}')
    const { json } = await up()
    assert.deepInclude(json, { status: 'restarted', changed: [] })
    const rules = await (await fetch(`${stack.address}/v1/signals/rules`)).text()
    assert.match(rules, /"persons":5/)
    rmSync(path)
    await make('down', { DATA_DIR: stack.dataDir })
    assert.match((await up()).json!.error, /^SIGNAL_RULES .*rules\.json: can't be read/)
    assert.deepInclude((await up({ SIGNAL_RULES: '' })).json, { status: 'started' })
  })

  it('are those of the running service where their file is lost', async () => {
    const before = kept()
    rmSync(join(stack.dataDir, 'settings.json'))
    const { json } = await up(process.platform === 'linux' ? {} : before)
    assert.deepInclude(json, { status: 'already running', changed: [] })
    assert.deepEqual(kept(), before)
  })

  it('are reported where their file is damaged', async () => {
    const before = kept()
    writeFileSync(join(stack.dataDir, 'settings.json'), '{"PORT": 90')
    assert.match((await up()).json!.error, /settings\.json, the settings of the last start, is not JSON.*DEFAULTS=1/)
    writeFileSync(join(stack.dataDir, 'settings.json'), JSON.stringify({ ...before, RATE_LIMIT: '5/s', PORT: 'x' }))
    assert.match(
      (await up()).json!.error,
      /^PORT must be .* \(kept in .*settings\.json; PORT= goes back to the default\)$/,
    )
    writeFileSync(join(stack.dataDir, 'settings.json'), JSON.stringify(before))
  })

  it('are all forgotten with DEFAULTS=1', async () => {
    const { json } = await up({ DEFAULTS: 1, PORT: stack.port })
    assert.deepInclude(json, { status: 'restarted', settings: { PORT: String(stack.port) } })
    assert.deepEqual(
      json!.changed.map(({ to }: { to: string | null }) => to),
      [null, null, null, null],
    )
    assert.deepEqual(kept(), { PORT: String(stack.port) })
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
    // As copying tools leave it: a new file with an old time.
    utimesSync(path, 0, 0)
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
      'LICENSE',
      '.npmrc',
    ]
    for (const part of parts) cpSync(join(root, part), join(checkout, part), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
    stack = await stackOfTest()
    const { status, stderr } = await up()
    assert.strictEqual(status, 0, stderr)
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
    assert.deepInclude(json, { status: 'restarted', changed: [] }, stderr)
    assert.include(stderr, 'since it runs another build')
    assert.notStrictEqual(dirname(mainOf()), dirname(before))
  })

  it('that does not compile leaves the stack as it is', async () => {
    const { pid } = (await make('status', { DATA_DIR: stack.dataDir, JSON: 1 })).json!
    change('const broken: number = "text"')
    assert.match((await up()).json!.error, /^build failed/)
    assert.deepInclude((await make('status', { DATA_DIR: stack.dataDir, JSON: 1 })).json, { pid, ready: true })
  })

  it('that does not start is reported, and the service runs again as before', async () => {
    const path = join(checkout, 'src/cli/commands/migrate.ts')
    writeFileSync(path, readFileSync(path, 'utf8').replace(/const broken.*\n/, ''))
    const serve = join(checkout, 'src/cli/commands/serve.ts')
    const text = readFileSync(serve, 'utf8')
    const broken = text.replace(
      /(export async function run\([^)]*\): Promise<void> \{\n)/,
      '$1  if (args) throw new Error(`does not start`)\n',
    )
    assert.notStrictEqual(broken, text)
    writeFileSync(serve, broken)
    const before = JSON.parse(readFileSync(join(stack.dataDir, 'service.json'), 'utf8')).main as string
    const { json, stderr } = await up()
    assert.match(json!.error, /the service ended while it started.*does not start/, json!.error)
    assert.include(stderr, 'the service runs again with its previous settings')
    assert.strictEqual((await fetch(`${stack.address}/readyz`)).status, 200)
    assert.strictEqual(JSON.parse(readFileSync(join(stack.dataDir, 'service.json'), 'utf8')).main, before)
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
