// The stack in containers as a user runs it by make: brought up, fed, asked, its active container killed, taken down. Skipped
// with the reason in its name where no Docker engine answers or an image is neither here nor named.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { parse } from 'yaml'
import { freePort, whyNotListen } from '../../src/infrastructure/embedded/ports.ts'
import { until } from '../support/alerts.ts'
import { wholeFeed } from '../support/answers.ts'
import { configVariables } from '../support/config-variables.ts'
import { call } from '../support/contract-client.ts'
import { writeInventedDataSet } from '../support/edgar/invented-data-set.ts'
import { submissionText } from '../support/filing-builder.ts'
import { stackOfTest, type Made, type StackOfTest } from '../support/make.ts'

const composeFile = join(import.meta.dirname, '../../docker/compose.yml')
const docker = (...args: string[]) => spawnSync('docker', args, { encoding: 'utf8' })
const words = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8' }).split('\n').filter(Boolean)

const IMAGES = {
  CLICKHOUSE_IMAGE: ['stand-in/clickhouse', 'clickhouse/clickhouse-server:26.7'], POSTGRES_IMAGE: ['stand-in/postgres', 'postgres:18.1'],
  REDIS_IMAGE: ['stand-in/redis', 'redis:8.2'], NODE_IMAGE: ['stand-in/node', 'node:24-slim'],
}

/** The images to use; else why there is nothing to test with. */
function imagesHere(): Record<string, string> | string {
  if (process.env.TEST_STORES === 'embedded') return 'TEST_STORES=embedded'
  if (docker('version', '--format', '{{.Server.Version}}').status !== 0) return 'no Docker engine answers'
  if (docker('compose', 'version').status !== 0 && spawnSync('docker-compose', ['version']).status !== 0) return 'no Docker Compose'
  const chosen: Record<string, string> = {}
  for (const [variable, known] of Object.entries(IMAGES)) {
    const image = process.env[variable] ?? known.find((name) => docker('image', 'inspect', name).status === 0)
    if (image === undefined) return `no image ${known.join(' or ')}; ${variable} names another`
    chosen[variable] = image
  }
  return chosen
}

/** As compose.yml, but no more open files than this engine may give. */
function settings(images: Record<string, string>): Record<string, string> {
  const most = docker('run', '--rm', '--entrypoint', 'sh', images.NODE_IMAGE!, '-c', 'ulimit -Hn').stdout.trim()
  // Any address of this machine but the loopback one is reached from a container.
  const here = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []).find(({ family, internal }) => family === 'IPv4' && !internal)
  return { ...images, CLICKHOUSE_NOFILE: /^\d+$/.test(most) ? most : '262144', WEBHOOK_ALLOW_HTTP: '1', WEBHOOK_ALLOW_HOSTS: here!.address }
}

const images = imagesHere()
const suite = typeof images === 'string' ? describe.skip : describe

describe('docker/compose.yml', () => {
  const { services } = parse(readFileSync(composeFile, 'utf8'), { merge: true })

  it('hands every setting of the service to its containers', () => {
    // What is the same in every container, or is for make.
    const own = ['PORT', 'HOST', 'DATA_DIR', 'JSON', 'STACK', 'API', 'INGEST', 'DELIVER', 'SERVICE_IMAGE', 'NPM_REGISTRY', 'CLICKHOUSE_CLUSTER',
      'CLICKHOUSE_PASSWORD', 'DATABASE_PASSWORD', 'REDIS_PASSWORD']
    for (const service of ['migrate', 'api', 'ingest', 'deliver']) {
      const missing = configVariables().filter((name) => !own.includes(name) && !(name in services[service].environment))
      expect(missing, service).to.deep.equal([])
    }
  })

  it('publishes the api alone, on the loopback address unless told otherwise', () => {
    const published = Object.entries<any>(services).filter(([, service]) => service.ports).map(([name, { ports }]) => [name, ports])
    expect(published).to.deep.equal([['api', ['${HOST:-127.0.0.1}:${PORTS:-8080}:8080']]])
  })
})

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
    if (name) for (const volume of words('volume', 'ls', '-q', '--filter', `label=com.docker.compose.project=${name}`)) docker('volume', 'rm', volume)
  }
  const make = (target: string, more: Record<string, string | number> = {}) => stack.make(target, { ...variables, ...more })
  const ids = (service: string) => words('ps', '-q', '--filter', `label=com.docker.compose.project=${project}`,
    '--filter', `label=com.docker.compose.service=${service}`)
  const feedAt = async (address: string) => (await call(address, 'GET', '/v1/feed?limit=100')).body.data.transactions
  const logOf = (id: string) => { const { stdout, stderr } = docker('logs', id); return stdout + stderr }
  const succeeded = ({ status, json, stderr }: Made) => (expect(status, stderr).to.equal(0), json!)

  before(async () => {
    stack = await stackOfTest()
    let port = stack.port
    while (await whyNotListen(port + 1, '127.0.0.1') !== null) port = await freePort()
    variables = { ...settings(images as Record<string, string>), PORT: port }
    receiver = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      receipts.push({ headers: request.headers as Record<string, string>, body })
      response.writeHead(204).end()
    })
    await new Promise<void>((done) => { receiver.listen(0, '0.0.0.0', done) })
  })

  after(async () => {
    receiver.close()
    await removeAll(stack, project)
    await other?.remove()
  })

  it('comes up with as many containers of each role as were asked for, and issues a key', async () => {
    const up = succeeded(await make('up', { STACK: 'docker', API: 2, INGEST: 2, DELIVER: 2 }))
    project = up.project
    expect(up).to.deep.include({ status: 'started', containers: { api: 2, ingest: 2, deliver: 2, clickhouse: 1, postgres: 1, redis: 1 } })
    expect(up.addresses).to.have.length(2).and.to.include(up.address)
    for (const address of up.addresses) await until(async () => (await fetch(`${address}/readyz`)).status === 200, () => address)
    key = up.developmentKey
    expect(statSync(join(stack.dataDir, 'docker.env')).mode & 0o777).to.equal(0o600)
    expect(succeeded(await make('status'))).to.deep.include({ running: true, stack: 'docker', address: up.address, project })
  })

  it('shows the last lines of a build that failed', async () => {
    // An image without Node.
    const { status, json, stderr } = await make('up', { NODE_IMAGE: variables.REDIS_IMAGE! })
    expect(status).not.to.equal(0)
    expect(json!.error).to.match(/^the image of the service could not be built: .*; the log is .*docker-build\.log$/)
    expect(stderr).to.match(/npm: not found/)
  })

  it('has a file that Compose takes', () => {
    const words = docker('compose', 'version').status === 0 ? ['docker', 'compose'] : ['docker-compose']
    const args = [...words.slice(1), '-f', composeFile, '--env-file', join(stack.dataDir, 'docker.env'), 'config', '-q']
    expect(spawnSync(words[0]!, args, { encoding: 'utf8' })).to.include({ status: 0, stdout: '' })
  })

  it('runs its roles as nobody in particular, on a file system that they can\'t write', () => {
    for (const id of ['api', 'ingest', 'deliver'].flatMap(ids)) {
      const asked = docker('exec', id, 'sh', '-c', 'id -u; grep -E "^(CapEff|NoNewPrivs)" /proc/self/status; touch /app/x 2>&1')
      expect(asked.stdout).to.match(/^1000\n/).and.match(/CapEff:\t0+\n/).and.match(/NoNewPrivs:\t1\n/).and.match(/Read-only file system/)
      expect(asked.status).not.to.equal(0)
    }
  })

  it('takes in files of this machine by the same words as ever, private ones too', async () => {
    const counts = { rejected: 1, notOwnershipDocuments: 1, transactions: 8 }
    const relative = succeeded(await make('ingest', { FROM: 'test/fixtures/filings' }))
    expect(relative).to.deep.include({ ok: true, ingested: 7, alreadyKnown: 0, ...counts })
    expect(relative.rejects[0].file).to.equal('test/fixtures/filings/cut-short.txt')
    const folder = join(dirname(stack.dataDir), 'private filings')
    cpSync('test/fixtures/filings', folder, { recursive: true })
    const absolute = await make('ingest', { FROM: folder, JSON: 0 })
    expect(absolute, absolute.stderr).to.include({ status: 0 })
    expect(absolute.stdout).to.include(`rejected ${folder}/cut-short.txt: `).and.include('already known 7, rejected 1')
    const nowhere = await make('ingest', { FROM: '/no/such/folder' })
    expect(nowhere.json).to.deep.equal({ ok: false, error: 'no such file or folder: /no/such/folder' })
    expect(nowhere.status).not.to.equal(0)
  })

  it('answers the same from every api container', async () => {
    const { addresses } = succeeded(await make('status'))
    const feeds = await Promise.all(addresses.map(feedAt))
    expect(feeds[0]).to.have.length.greaterThan(5)
    expect(feeds[1]).to.deep.equal(feeds[0])
  })

  it('sends a test event to an address of the watchlist', async () => {
    const url = `http://${variables.WEBHOOK_ALLOW_HOSTS}:${(receiver.address() as AddressInfo).port}/alerts`
    const { address } = succeeded(await make('status'))
    const headers = { authorization: `Bearer ${key.key}` }
    const watched = await call(address, 'POST', '/v1/watchlist', { headers, body: { ticker: 'EXWI', webhookUrl: url } })
    expect(watched.status, JSON.stringify(watched.body)).to.equal(201)
    expect(succeeded(await make('test-event', { KEY_ID: key.id })).attempts).to.have.length(1)
    expect(receipts).to.have.length(1)
    new Webhook(key.webhookSecret).verify(receipts[0]!.body, receipts[0]!.headers)
  })

  it('goes on with the other ingest container when the active one is killed', async () => {
    const active = ids('ingest').find((id) => logOf(id).includes('"ingesting"'))!
    const [other] = ids('ingest').filter((id) => id !== active)
    words('kill', active)
    await until(() => logOf(other!).includes('"ingesting"'), () => logOf(other!), 60_000)
    const stamp = new Date(Date.now() - 3_600_000).toLocaleString('sv-SE', { timeZone: 'America/New_York' })
    const fresh = join(dirname(stack.dataDir), 'fresh.txt')
    const date = stamp.slice(0, 10)
    writeFileSync(fresh, submissionText({ accession: '0001999001-26-000777', acceptedAt: stamp.replace(/\D/g, ''), rows: [{ date }] }))
    expect(succeeded(await make('ingest', { FROM: fresh }))).to.include({ ingested: 1 })
    const { address } = succeeded(await make('status'))
    expect((await feedAt(address))[0].id).to.equal('0001999001-26-000777-nd-1')
    const alert = () => receipts.find(({ body }) => body.includes('0001999001-26-000777'))
    await until(() => alert() !== undefined, () => receipts.length, 60_000)
    new Webhook(key.webhookSecret).verify(alert()!.body, alert()!.headers)
  })

  it('is mended by up again, and changed by it to what is asked for', async () => {
    expect(succeeded(await make('status')).services.ingest).to.include({ running: 1, stopped: 1 })
    expect(succeeded(await make('up', { INGEST: 2 }))).to.deep.include({
      status: 'started', containers: { api: 1, ingest: 2, deliver: 1, clickhouse: 1, postgres: 1, redis: 1 },
    })
    const again = succeeded(await make('up', { INGEST: 2 }))
    expect(again).to.include({ status: 'already running' }).and.not.have.property('developmentKey')
  })

  it('goes by rules of signals in a private file, of which one copy is kept', async () => {
    const file = join(dirname(stack.dataDir), 'own-rules.json')
    writeFileSync(file, '{"cluster_buy":{"persons":4}}', { mode: 0o600 })
    const persons = async (address: string) => {
      const { data } = (await call(address, 'GET', '/v1/signals/rules')).body
      return data.rules.find(({ type }: { type: string }) => type === 'cluster_buy').thresholds.persons
    }
    const copies = () => readdirSync(stack.dataDir).filter((name) => name.endsWith('rules.json'))
    expect(await persons(succeeded(await make('up', { INGEST: 2, SIGNAL_RULES: file })).address)).to.equal(4)
    expect(copies()).to.have.length(1)
    expect(await persons(succeeded(await make('up', { INGEST: 2 })).address)).to.equal(3)
    expect(copies()).to.have.length(1)
  })

  it('says in one line what can\'t be', async () => {
    const wrong: [target: string, more: Record<string, string | number>, words: RegExp][] = [
      ['up', { STACK: 'embedded' }, /has its data in a stack that is docker: name another DATA_DIR/],
      ['up', { PORT: Number(variables.PORT) + 5 }, /^already running at .*make down first/],
      ['up', { SECRETS_KEY: '0'.repeat(64) }, /^SECRETS_KEY is another than that of /],
      ['up', { DATABASE_URL: 'postgres://somewhere/x' }, /has stores of its own/],
      ['up', { API: 0 }, /^API must be 1 to 100 containers/],
      ['up', { SERVICE_IMAGE: 'no.such.registry.invalid/image:1' }, /^the image no\.such\S+ can't be pulled: .+ SERVICE_IMAGE$/],
    ]
    for (const [target, more, words] of wrong) {
      const { status, json } = await make(target, more)
      expect(json!.error, JSON.stringify(more)).to.match(words)
      expect(status).not.to.equal(0)
    }
  })

  it('shows its containers and the ends of their logs', async () => {
    const { containers } = succeeded(await make('ps'))
    expect(containers.map(({ service }: { service: string }) => service)).to.include.members(['api', 'migrate', 'redis'])
    const { logs } = succeeded(await make('logs', { LINES: 3 }))
    for (const { lines } of logs) expect(lines).to.have.length.within(1, 6)
    expect(logs).to.have.length(containers.length)
  })

  it('is restored from a backup, private files and history too, as another stack', async () => {
    const private_ = mkdtempSync(join(dirname(stack.dataDir), 'sets-'))
    const { path: zip } = await writeInventedDataSet({ folder: private_, quarter: '2024q3', rows: 400, seed: 3, issuers: 10 })
    chmodSync(zip, 0o600)
    succeeded(await make('backfill', { SETS: zip }))
    const backup = join(dirname(stack.dataDir), 'backup')
    const { tables, rows } = succeeded(await make('backup', { TO: backup }))
    expect(statSync(backup).mode & 0o777).to.equal(0o700)
    const expected = await wholeFeed(stack.address)
    other = await stackOfTest()
    const secrets = readFileSync(join(stack.dataDir, 'docker.env'), 'utf8')
    const more = { ...variables, PORT: other.port, SECRETS_KEY: /^SECRETS_KEY=(.*)$/m.exec(secrets)![1]! }
    expect(succeeded(await other.make('restore', { ...more, STACK: 'docker', FROM: backup }))).to.deep.include({ ok: true, tables, rows })
    expect(readdirSync(join(other.dataDir, 'run')).filter((name) => name.startsWith('for-container'))).to.deep.equal([])
    const up = succeeded(await other.make('up', more))
    expect(up).not.to.have.property('developmentKey')
    expect(await wholeFeed(up.address)).to.deep.equal(expected)
    expect((await other.make('restore', { ...more, FROM: backup })).json!.error).to.contain('a service runs')
    succeeded(await other.make('rebuild', more))
    expect(await wholeFeed(up.address)).to.deep.equal(expected)
    await removeAll(other, up.project)
  })

  it('goes down with nothing left but its volumes', async () => {
    expect(succeeded(await make('down')).stopped).to.deep.equal(['api', 'ingest', 'deliver', 'redis', 'postgres', 'clickhouse'])
    const label = `label=com.docker.compose.project=${project}`
    expect(words('ps', '-aq', '--filter', label)).to.deep.equal([])
    expect(words('network', 'ls', '-q', '--filter', label)).to.deep.equal([])
    expect(words('volume', 'ls', '-q', '--filter', label)).to.have.length(4)
    expect((await make('keys')).json!.error).to.match(/don't run: make up/)
    expect(succeeded(await make('down')).stopped).to.deep.equal([])
  })

  it('has its data at the next up', async () => {
    const { address } = succeeded(await make('up'))
    expect((await feedAt(address))[0].id).to.equal('0001999001-26-000777-nd-1')
  })
})
