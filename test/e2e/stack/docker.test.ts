// A Docker stack as users run it by make: started, filled, queried, its active container killed, stopped. Skipped, with
// the reason in its name, if no Docker engine answers or an image is neither present nor named.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { assert } from 'chai'
import { Webhook } from 'standardwebhooks'
import { until } from '../../support/service/alerts.ts'
import { wholeFeed } from '../../support/http/answers.ts'
import { call } from '../../support/http/contract-client.ts'
import { docker, imagesHere, ofTheEngine, words } from '../../support/service/tools/docker-images.ts'
import { writeInventedDataSet } from '../../support/edgar/invented/data-set.ts'
import { submissionText } from '../../support/filings/filing-builder.ts'
import { copyBuild, copyOfCheckout } from '../../support/service/tools/checkout-copy.ts'
import { make as makeIn, stackOfTest, type Made, type StackOfTest } from '../../support/make.ts'

/** With characters that an env file gives a meaning. */
const AGENT = `O'Neil & "Sons" \\ ops@example.com`
/** Any address of this machine but the loopback one is reached from a container. */
function thisMachine(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)!.address
}

const STORES = { clickhouse: 1, postgres: 1, redis: 1 }
const images = imagesHere()
const suite = typeof images === 'string' ? describe.skip : describe

suite(`the stack in Docker${typeof images === 'string' ? ` (skipped: ${images})` : ''}`, function () {
  this.timeout(600_000)
  // Each step stands on those before it.
  this.bail(true)
  let stack: StackOfTest
  let project: string | undefined
  let variables: Record<string, string | number>
  let receiver: Server
  const receipts: { headers: Record<string, string>; body: string }[] = []
  let key: { id: string; key: string; webhookSecret: string }

  let other: StackOfTest | undefined
  const removeAll = async (of: StackOfTest, name: string | undefined) => {
    await of.remove()
    if (name)
      for (const volume of words('volume', 'ls', '-q', '--filter', `label=com.docker.compose.project=${name}`))
        docker('volume', 'rm', volume)
  }
  const make = (target: string, more: Record<string, string | number> = {}) =>
    stack.make(target, { ...variables, ...more })
  const ids = (service: string) =>
    words(
      'ps',
      '-q',
      '--filter',
      `label=com.docker.compose.project=${project}`,
      '--filter',
      `label=com.docker.compose.service=${service}`,
    )
  const feedAt = async (address: string) => (await call(address, 'GET', '/v1/feed?limit=100')).body.data.transactions
  const logOf = (id: string) => {
    const { stdout, stderr } = docker('logs', id)
    return stdout + stderr
  }
  const secretOf = (name: string) => readFileSync(join(stack.dataDir, 'secrets', name), 'utf8').trim()
  const succeeded = ({ status, json, stderr }: Made) => (assert.strictEqual(status, 0, stderr), json!)

  before(async () => {
    stack = await stackOfTest()
    // An image that can't be pulled does no harm where no Prometheus is asked for.
    const PROMETHEUS_IMAGE = 'no.such.registry.invalid/prometheus:1'
    variables = {
      ...ofTheEngine(images as Record<string, string>),
      PROMETHEUS_IMAGE,
      PORT: stack.port,
      WEBHOOK_ALLOW_HTTP: 1,
      // Set where nothing is followed, so that no request leaves.
      EDGAR_BASE_URL: 'http://127.0.0.1:9',
      EDGAR_USER_AGENT: AGENT,
      WEBHOOK_ALLOW_HOSTS: thisMachine(),
    }
    receiver = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      receipts.push({ headers: request.headers as Record<string, string>, body })
      response.writeHead(204).end()
    })
    await new Promise<void>((done) => {
      receiver.listen(0, '0.0.0.0', done)
    })
  })

  after(async () => {
    receiver.close()
    await removeAll(stack, project)
    await other?.remove()
  })

  it('starts the requested number of containers of each role, and issues a key', async () => {
    const up = succeeded(await make('up', { STACK: 'docker', API: 2, INGEST: 2, DELIVER: 2 }))
    project = up.project
    assert.deepInclude(up, {
      status: 'started',
      containers: { front: 1, api: 2, ingest: 2, deliver: 2, ...STORES },
    })
    assert.strictEqual((await fetch(`${up.address}/readyz`)).status, 200)
    key = up.developmentKey
    assert.strictEqual(statSync(join(stack.dataDir, 'secrets')).mode & 0o777, 0o700)
    assert.deepInclude(succeeded(await make('status')), {
      running: true,
      stack: 'docker',
      address: up.address,
      project,
    })
  })

  it('reports a failed build below its output', async () => {
    // An image without Node.
    const { status, json, stderr } = await make('up', { NODE_IMAGE: variables.REDIS_IMAGE! })

    assert.notStrictEqual(status, 0)
    assert.match(json!.error, /^the containers could not be started: /)
    // By the shell, or by env where npm has a registry of its own.
    assert.match(stderr, /npm: not found|npm.: No such file/)
    succeeded(await make('up', { NODE_IMAGE: variables.NODE_IMAGE! }))
  })

  it('can be used by Compose directly, with the env file of DATA_DIR', () => {
    const words = ['compose', '--env-file', join(stack.dataDir, 'docker.env')]
    assert.strictEqual(docker(...words, 'config', '-q').status, 0)
    const services = docker(...words, 'ps', '--services')
      .stdout.trim()
      .split('\n')
    assert.sameMembers(services, ['api', 'clickhouse', 'deliver', 'front', 'ingest', 'postgres', 'redis'])
    assert.strictEqual(statSync(join(stack.dataDir, 'docker.env')).mode & 0o777, 0o600)
    const agent = JSON.parse(docker(...words, 'config', '--format', 'json').stdout).services.api.environment
    assert.strictEqual(agent.EDGAR_USER_AGENT, AGENT)
  })

  it('runs its roles as an unprivileged user, on a read-only file system', () => {
    for (const id of ['api', 'ingest', 'deliver'].flatMap(ids)) {
      const asked = docker(
        'exec',
        id,
        'sh',
        '-c',
        'id -u; grep -E "^(CapEff|NoNewPrivs)" /proc/self/status; touch /app/x 2>&1',
      )
      assert.match(asked.stdout, /^1000\n/)
      assert.match(asked.stdout, /CapEff:\t0+\n/)
      assert.match(asked.stdout, /NoNewPrivs:\t1\n/)
      assert.match(asked.stdout, /Read-only file system/)
      assert.notStrictEqual(asked.status, 0)
    }
  })

  it('ingests files of this machine by the usual commands, including private ones', async () => {
    const counts = { rejected: 1, notOwnershipDocuments: 1, transactions: 8 }
    const relative = succeeded(await make('ingest', { FROM: 'test/fixtures/filings' }))
    assert.deepInclude(relative, { ok: true, ingested: 7, alreadyKnown: 0, ...counts })
    assert.strictEqual(relative.rejects[0].file, 'test/fixtures/filings/cut-short.txt')
    const folder = join(dirname(stack.dataDir), 'private filings')
    cpSync('test/fixtures/filings', folder, { recursive: true })
    const absolute = await make('ingest', { FROM: folder, JSON: 0 })
    assert.include(absolute, { status: 0 }, absolute.stderr)
    assert.include(absolute.stdout, `rejected ${folder}/cut-short.txt: `)
    assert.include(absolute.stdout, 'already known 7, rejected 1')
    const nowhere = await make('ingest', { FROM: '/no/such/folder' })
    assert.deepEqual(nowhere.json, { ok: false, error: 'no such file or folder: /no/such/folder' })
    assert.notStrictEqual(nowhere.status, 0)
  })

  it('answers the same from every api container', async () => {
    const { address } = succeeded(await make('status'))
    // The front hands requests to each in turn.
    const feeds = await Promise.all([feedAt(address), feedAt(address), feedAt(address)])
    assert.isAbove(feeds[0].length, 5)
    for (const feed of feeds) assert.deepEqual(feed, feeds[0])
  })

  it('sends a test event to an address of the watchlist', async () => {
    const url = `http://${variables.WEBHOOK_ALLOW_HOSTS}:${(receiver.address() as AddressInfo).port}/alerts`
    const { address } = succeeded(await make('status'))
    const headers = { authorization: `Bearer ${key.key}` }
    const watched = await call(address, 'POST', '/v1/watchlist', { headers, body: { ticker: 'EXWI', webhookUrl: url } })
    assert.strictEqual(watched.status, 201, JSON.stringify(watched.body))
    assert.lengthOf(succeeded(await make('test-event', { KEY_ID: key.id })).attempts, 1)
    assert.lengthOf(receipts, 1)
    new Webhook(key.webhookSecret).verify(receipts[0]!.body, receipts[0]!.headers)
  })

  it('fails over to the other ingest container when the active one is killed', async () => {
    const active = ids('ingest').find((id) => logOf(id).includes('"ingesting"'))!
    const [other] = ids('ingest').filter((id) => id !== active)
    words('kill', active)
    await until(
      () => logOf(other!).includes('"ingesting"'),
      () => logOf(other!),
      60_000,
    )
    const stamp = new Date(Date.now() - 3_600_000).toLocaleString('sv-SE', { timeZone: 'America/New_York' })
    const fresh = join(dirname(stack.dataDir), 'fresh.txt')
    const date = stamp.slice(0, 10)
    writeFileSync(
      fresh,
      submissionText({ accession: '0001999001-26-000777', acceptedAt: stamp.replace(/\D/g, ''), rows: [{ date }] }),
    )
    assert.include(succeeded(await make('ingest', { FROM: fresh })), { ingested: 1 })
    const { address } = succeeded(await make('status'))
    assert.strictEqual((await feedAt(address))[0].id, '0001999001-26-000777-nd-1')
    const alert = () => receipts.find(({ body }) => body.includes('0001999001-26-000777'))
    await until(
      () => alert() !== undefined,
      () => receipts.length,
      60_000,
    )
    new Webhook(key.webhookSecret).verify(alert()!.body, alert()!.headers)
  })

  it('is repaired by another make up, and changed to its settings', async () => {
    assert.include(succeeded(await make('status')).services.ingest, { running: 1, stopped: 1 })
    assert.deepInclude(succeeded(await make('up', { DELIVER: 1 })), {
      status: 'restarted',
      containers: { front: 1, api: 2, ingest: 2, deliver: 1, ...STORES },
    })
    const again = succeeded(await make('up'))
    assert.include(again, { status: 'already running' })
    assert.notProperty(again, 'developmentKey')
  })

  it('uses signal rules from a file that containers can read', async () => {
    const file = join(dirname(stack.dataDir), 'own-rules.json')
    writeFileSync(file, '{"cluster_buy":{"persons":4}}', { mode: 0o600 })
    const persons = async (address: string) => {
      const { data } = (await call(address, 'GET', '/v1/signals/rules')).body
      return data.rules.find(({ type }: { type: string }) => type === 'cluster_buy').thresholds.persons
    }
    assert.include((await make('up', { SIGNAL_RULES: file })).json!.error, `${file} is closed to other users`)
    chmodSync(file, 0o644)
    assert.strictEqual(await persons(succeeded(await make('up', { SIGNAL_RULES: file })).address), 4)
    // What is not named stays as it is; without a value it goes back to its default.
    assert.strictEqual(await persons(succeeded(await make('up')).address), 4)
    assert.strictEqual(await persons(succeeded(await make('up', { SIGNAL_RULES: '' })).address), 3)
  })

  it('reports impossible requests in one line', async () => {
    const wrong: [target: string, more: Record<string, string | number>, words: RegExp][] = [
      ['up', { STACK: 'embedded' }, /has its data in a stack that is docker: name another DATA_DIR/],
      ['up', { PROMETHEUS_PORT: variables.PORT! }, /^PORT and PROMETHEUS_PORT are both \d+/],
      ['up', { RATE_LIMIT: 'a lot' }, /^RATE_LIMIT must look like 600\/min/],
      ['up', { SECRETS_KEY: '0'.repeat(64) }, /^SECRETS_KEY differs from /],
      ['up', { DATABASE_URL: 'postgres://somewhere/x' }, /has stores of its own/],
      ['up', { API: 0 }, /^API must be 1 to 100 containers/],
      ['up', { SERVICE_IMAGE: 'no.such.registry.invalid/image:1' }, /^the containers could not be started: /],
    ]
    for (const [target, more, words] of wrong) {
      const { status, json } = await make(target, more)
      assert.match(json!.error, words, JSON.stringify(more))
      assert.notStrictEqual(status, 0)
    }
    assert.notInclude(readFileSync(join(stack.dataDir, 'docker.env'), 'utf8'), 'no.such.registry.invalid/image')
    assert.include(succeeded(await make('status')), { running: true, ready: true })
  })

  it("can't be used by another checkout while it runs", async () => {
    const checkout = copyOfCheckout()
    try {
      copyBuild(checkout)
      const here = { ...variables, DATA_DIR: stack.dataDir, JSON: 1 }
      const { status, json } = await makeIn('up', here, checkout)
      assert.match(json!.error, /run from another checkout, by .*docker\/compose\.yml: make down first$/)
      assert.notStrictEqual(status, 0)
    } finally {
      rmSync(checkout, { recursive: true, force: true })
    }
  })

  it('is not confused with a project that variables of Compose name', async () => {
    const others = { COMPOSE_PROJECT_NAME: 'another', COMPOSE_FILE: '/no/such/file', SECRETS_DIR: '/no/such/folder' }
    assert.include(succeeded(await make('status', others)), { running: true, project })
  })

  it('shows its containers and the last lines of their logs', async () => {
    const { containers } = succeeded(await make('ps'))
    assert.includeMembers(
      containers.map(({ service }: { service: string }) => service),
      ['front', 'api', 'migrate', 'redis'],
    )
    const { logs } = succeeded(await make('logs', { LINES: 3 }))
    for (const service of ['front', 'api', 'ingest', 'postgres'])
      assert.isTrue(
        logs.some((line: string) => line.startsWith(service)),
        service,
      )
    assert.isAtMost(logs.length, 6 * containers.length)
  })

  it('can be restored from a backup as another stack, including private files and history', async () => {
    const private_ = mkdtempSync(join(dirname(stack.dataDir), 'sets-'))
    const { path: zip } = await writeInventedDataSet({
      folder: private_,
      quarter: '2024q3',
      rows: 400,
      seed: 3,
      issuers: 10,
    })
    chmodSync(private_, 0o755)
    chmodSync(zip, 0o600)
    assert.include((await make('backfill', { SETS: zip })).json!.error, `${zip} is closed to other users`)
    chmodSync(zip, 0o644)
    succeeded(await make('backfill', { SETS: zip }))
    const backup = join(dirname(stack.dataDir), 'backup')
    const { tables, rows } = succeeded(await make('backup', { TO: backup }))
    assert.strictEqual(statSync(backup).mode & 0o777, 0o700)
    const expected = await wholeFeed(stack.address)
    // The service's user reads it.
    spawnSync('chmod', ['-R', 'o+rX', backup])
    other = await stackOfTest()
    const more = { ...variables, PORT: other.port, SECRETS_KEY: secretOf('secrets_key') }
    assert.deepInclude(succeeded(await other.make('restore', { ...more, STACK: 'docker', FROM: backup })), {
      ok: true,
      tables,
      rows,
    })
    const up = succeeded(await other.make('up', more))
    assert.notProperty(up, 'developmentKey')
    assert.deepEqual(await wholeFeed(up.address), expected)
    assert.include((await other.make('restore', { ...more, FROM: backup })).json!.error, 'a service runs')
    succeeded(await other.make('rebuild', more))
    assert.deepEqual(await wholeFeed(up.address), expected)
    await removeAll(other, up.project)
  })

  it('leaves nothing but its volumes after make down', async () => {
    assert.deepEqual(succeeded(await make('down')).stopped, [
      'front',
      'api',
      'ingest',
      'deliver',
      'redis',
      'postgres',
      'clickhouse',
    ])
    const label = `label=com.docker.compose.project=${project}`
    assert.deepEqual(words('ps', '-aq', '--filter', label), [])
    assert.deepEqual(words('network', 'ls', '-q', '--filter', label), [])
    for (const name of ['clickhouse', 'postgres', 'redis', 'data'])
      assert.include(words('volume', 'ls', '-q', '--filter', label), `${project}_${name}`)
    assert.match((await make('keys')).json!.error, /don't run: make up/)
    assert.deepEqual(succeeded(await make('down')).stopped, [])
  })

  it('has its data after the next make up', async () => {
    const { address } = succeeded(await make('up'))
    assert.strictEqual((await feedAt(address))[0].id, '0001999001-26-000777-nd-1')
  })
})
