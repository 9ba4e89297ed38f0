// Settings of an embedded stack by make: applied to the running service, kept for the next start, and refused before
// anything is stopped. Also newer code under a running stack. All with one stack, from a copy of the checkout.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { freePort } from '../../support/ports.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { make, stackOfTest, type StackOfTest } from '../../support/make.ts'
import { copyBuild, copyOfCheckout } from '../../support/service/tools/checkout-copy.ts'

/** The stack's own, given with its first start. */
const SECRETS_KEY = 'ab'.repeat(32)

type Variables = Record<string, string | number>

describe('settings of an embedded stack', function () {
  this.timeout(180_000)
  let stack: StackOfTest
  let edgar: SimulatedEdgar
  let folder: string
  let checkout: string
  let moved: number

  /** Without PORT, as an operator repeats it. */
  const up = (more: Variables = {}) => make('up', { DATA_DIR: stack.dataDir, JSON: 1, ...more }, checkout)
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
    checkout = copyOfCheckout()
    copyBuild(checkout)
    stack = await stackOfTest()
    const { status, stderr } = await up({ PORT: stack.port, SECRETS_KEY, ALERT_WINDOW_HOURS: 24 })
    assert.strictEqual(status, 0, stderr)
  })
  after(async () => {
    await make('down', { DATA_DIR: stack.dataDir }, checkout)
    await stack.remove()
    await edgar.close()
    for (const each of [folder, checkout]) rmSync(each, { recursive: true, force: true })
  })

  it('take effect on the running service, and leave the rest of the stack alone', async () => {
    const before = await status()
    const { json, stderr } = await up({
      EDGAR_BASE_URL: edgar.url,
      EDGAR_USER_AGENT: 'Example Tests tests@example.com',
      EDGAR_POLL_SECONDS: 1,
    })
    assert.deepInclude(json, { status: 'restarted', address: stack.address }, stderr)
    assert.deepEqual(json!.changed, [
      { name: 'EDGAR_BASE_URL', from: null, to: edgar.url },
      { name: 'EDGAR_POLL_SECONDS', from: null, to: '1' },
      { name: 'EDGAR_USER_AGENT', from: null, to: "'Example Tests tests@example.com'" },
    ])
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
    assert.hasAllKeys(kept(), [
      ...['ALERT_WINDOW_HOURS', 'EDGAR_BASE_URL', 'EDGAR_POLL_SECONDS', 'EDGAR_USER_AGENT', 'PORT', 'SECRETS_KEY'],
    ])
    assert.strictEqual(statSync(join(stack.dataDir, 'settings.json')).mode & 0o077, 0)
  })

  it('change while a request is answered completely, and the output lists the changes', async () => {
    const { key } = (await make('key', { DATA_DIR: stack.dataDir, JSON: 1, NAME: 'under way' })).json!
    const body = JSON.stringify({ ticker: 'EXWI' })
    const begin = () => {
      const socket = connect(stack.port, '127.0.0.1')
      const answer = allOf(socket)
      answer.catch(() => {})
      socket.write(
        [
          'POST /v1/watchlist HTTP/1.1',
          'Host: localhost',
          `Authorization: Bearer ${key}`,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
          'Connection: close',
          '',
          body.slice(0, 5),
        ].join('\r\n'),
      )
      return { socket, answer, since: performance.now() }
    }
    let [older, newer] = [begin(), begin()]
    await sleep(300)
    const log = join(stack.dataDir, 'logs/service.log')
    const stops = () => readFileSync(log, 'utf8').split('"msg":"stopping"').length
    const from = stops()
    const changing = up({ RATE_LIMIT: '600/min', EDGAR_POLL_SECONDS: '', JSON: 0 })
    for (; stops() === from; await sleep(20)) {
      // The service waits for the rest of a request 15 s at most.
      if (performance.now() - newer.since < 5_000) continue
      older.socket.destroy()
      ;[older, newer] = [newer, begin()]
    }
    // The newer one may have come too late.
    newer.socket.destroy()
    older.socket.write(body.slice(5))
    assert.match(await older.answer, /^HTTP\/1\.1 201 /)
    assert.deepEqual((await changing).stdout.split('\n').slice(0, 2), [
      `ready at ${stack.address} (open it in a browser)`,
      'changed: EDGAR_POLL_SECONDS from 1.0 to the default, RATE_LIMIT from the default to 600/min',
    ])
  })

  it('that are invalid are refused before anything is stopped, and not saved', async () => {
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

  it('can change the port and the file of rules', async () => {
    moved = await freePort()
    writeFileSync(join(folder, 'rules.json'), '{"cluster_buy": {"persons": 4}}')
    assert.deepInclude((await up({ PORT: moved, SIGNAL_RULES: join(folder, 'rules.json') })).json, {
      status: 'restarted',
      port: moved,
      address: `http://127.0.0.1:${moved}`,
    })
    assert.strictEqual((await fetch(`http://127.0.0.1:${moved}/readyz`)).status, 200)
  })

  it('are applied again if the file of rules has changed', async () => {
    const path = join(folder, 'rules.json')
    writeFileSync(path, '{"cluster_buy": {"persons": 5}}')
    const { json } = await up()
    assert.deepInclude(json, { status: 'restarted', changed: [] })
    const rules = await (await fetch(`${json!.address}/v1/signals/rules`)).text()
    assert.match(rules, /"persons":5/)
    rmSync(path)
    await make('down', { DATA_DIR: stack.dataDir }, checkout)
    assert.match((await up()).json!.error, /^SIGNAL_RULES .*rules\.json: can't be read/)
  })

  it('are kept for the next start, which prints them without secrets', async () => {
    const made = await up({ SIGNAL_RULES: '', JSON: 0 })
    const settings = [
      'ALERT_WINDOW_HOURS=24',
      `EDGAR_BASE_URL=${edgar.url}`,
      "EDGAR_USER_AGENT='Example Tests tests@example.com'",
      `PORT=${moved}`,
      'RATE_LIMIT=600/min',
      'SECRETS_KEY=(secret)',
    ]
    assert.deepEqual(made.stdout.split('\n').slice(0, 2), [
      `ready at http://127.0.0.1:${moved} (open it in a browser)`,
      `with settings that differ from the defaults: ${settings.join(', ')}`,
    ])
    assert.strictEqual(existsSync(join(stack.dataDir, 'secrets.key')), false, 'a key of its own')
    // Commands go by them as well: this one encrypts a secret.
    assert.strictEqual((await make('key', { DATA_DIR: stack.dataDir, NAME: 'kept', JSON: 1 })).status, 0)
    assert.strictEqual(existsSync(join(stack.dataDir, 'secrets.key')), false, 'a key of its own')
    const log = readFileSync(join(stack.dataDir, 'logs/service.log'), 'utf8')
    assert.notInclude(made.stdout + made.stderr + log, SECRETS_KEY)
  })

  it('are taken from the running service if their file is lost', async () => {
    const before = kept()
    rmSync(join(stack.dataDir, 'settings.json'))
    const { json } = await up(process.platform === 'linux' ? {} : before)
    assert.deepInclude(json, { status: 'already running', changed: [] })
    assert.deepEqual(kept(), before)
  })

  it('are reported if their file is damaged', async () => {
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
    const given = { PORT: String(stack.port), SECRETS_KEY }
    const { json } = await up({ DEFAULTS: 1, ...given })
    assert.deepInclude(json, { status: 'restarted', settings: { ...given, SECRETS_KEY: '(secret)' } })
    assert.deepEqual(
      json!.changed.map(({ to }: { to: string | null }) => to),
      [null, null, null, String(stack.port), null],
    )
    assert.deepEqual(kept(), given)
  })

  describe('and newer code', () => {
    const mainOf = () => JSON.parse(readFileSync(join(stack.dataDir, 'service.json'), 'utf8')).main as string
    const change = (name: string, changed: (text: string) => string) => {
      const path = join(checkout, 'src/cli/commands', name)
      const text = readFileSync(path, 'utf8')
      assert.notStrictEqual(changed(text), text)
      writeFileSync(path, changed(text))
      // As copying tools leave it: a new file with an old time.
      utimesSync(path, 0, 0)
    }

    it('that does not compile leaves the stack as it is', async () => {
      const { pid } = await status()
      change('migrate.ts', (text) => `${text}\nconst broken: number = "text"\n`)
      assert.match((await up()).json!.error, /^build failed/)
      assert.deepInclude(await status(), { pid, ready: true })
      change('migrate.ts', (text) => text.replace(/\nconst broken.*\n/, ''))
    })

    it('that does not start is reported, and the service runs again as before', async () => {
      const obstacle = join(folder, 'obstacle')
      writeFileSync(obstacle, '')
      const isThere = `(await import('node:fs')).existsSync(${JSON.stringify(obstacle)})`
      change('serve.ts', (text) =>
        text.replace(
          /(export async function run\([^)]*\): Promise<void> \{\n)/,
          `$1  if (${isThere}) throw new Error('does not start')\n`,
        ),
      )
      const before = mainOf()
      const { json, stderr } = await up()
      assert.match(json!.error, /the service ended while it started.*does not start/, json!.error)
      assert.include(stderr, 'the service runs again with its previous settings')
      assert.strictEqual((await fetch(`${stack.address}/readyz`)).status, 200)
      assert.strictEqual(mainOf(), before)
      rmSync(obstacle)
    })

    it('is noticed, built and served', async () => {
      const before = mainOf()
      const { json, stderr } = await up()
      assert.deepInclude(json, { status: 'restarted', changed: [] }, stderr)
      assert.include(stderr, 'since it runs another build')
      assert.notStrictEqual(dirname(mainOf()), dirname(before))
    })
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
