// The stack in Docker while it is changed: what the front makes of api containers that come, go and fail, what callers
// see meanwhile, and which containers a setting concerns. Skipped with the reason in its name where there is nothing to
// run it with.
import { execFileSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { freePort } from '../../support/ports.ts'
import { until } from '../../support/service/alerts.ts'
import { docker, imagesHere, ofTheEngine, words } from '../../support/service/tools/docker-images.ts'
import { stackOfTest, type Made, type StackOfTest } from '../../support/make.ts'
import { whileAsking } from '../../support/http/steady-requests.ts'

const images = imagesHere()
const suite = typeof images === 'string' ? describe.skip : describe

suite(`the front in Docker${typeof images === 'string' ? ` (skipped: ${images})` : ''}`, function () {
  this.timeout(600_000)
  this.bail(true)
  let stack: StackOfTest
  let project: string | undefined
  let variables: Record<string, string | number>
  const made: string[] = []

  // Once a stack runs, it is given only what is to change.
  const make = (target: string, more: Record<string, string | number> = {}) => stack.make(target, more)
  const succeeded = ({ status, json, stderr }: Made) => (assert.strictEqual(status, 0, stderr), json!)
  const up = async (more: Record<string, string | number>) => succeeded(await make('up', more))
  const ids = (service: string) =>
    words(
      'ps',
      '-q',
      '--no-trunc',
      '--filter',
      `label=com.docker.compose.project=${project}`,
      '--filter',
      `label=com.docker.compose.service=${service}`,
    ).toSorted()
  const inspected = (service: string) => ids(service).flatMap((id) => JSON.parse(docker('inspect', id).stdout))
  const asked = () => [`${stack.address}/v1/feed?limit=5`, `${stack.address}/healthz`]
  const get = (path: string, headers = {}, address = stack.address) =>
    fetch(address + path, { headers: { connection: 'close', ...headers } })
  /** The service's image with something on top. */
  const imageWith = (name: string, lines: string): string => {
    const [
      {
        Config: { Image },
      },
    ] = inspected('api')
    const image = `insider-test/${name}:${process.pid}`
    execFileSync('docker', ['build', '-q', '-t', image, '-'], {
      input: `FROM ${Image}\n${lines}\n`,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    made.push(image)
    return image
  }
  /** Every request was answered with 200, and there were enough to tell. */
  const noneFailed = async (work: () => Promise<unknown>) => {
    const { answered, failed } = await whileAsking(asked(), work)
    assert.deepEqual(failed, [])
    assert.isAbove(answered, 100)
  }

  before(async () => {
    stack = await stackOfTest()
    variables = { ...ofTheEngine(images as Record<string, string>), PORT: stack.port }
    project = (await up({ ...variables, STACK: 'docker' })).project
    succeeded(await make('ingest', { FROM: 'test/fixtures/filings' }))
  })

  after(async () => {
    await stack.remove()
    if (project)
      for (const volume of words('volume', 'ls', '-q', '--filter', `label=com.docker.compose.project=${project}`))
        docker('volume', 'rm', volume)
    for (const image of made) docker('image', 'rm', image)
  })

  it('fails no request while the api is scaled from 1 to 3 and back', async () => {
    await noneFailed(() => up({ API: 3 }))
    assert.lengthOf(ids('api'), 3)
    await noneFailed(() => up({ API: 1 }))
    assert.lengthOf(ids('api'), 1)
  })

  it('fails no request while a new build rolls over two api containers', async () => {
    await up({ API: 2 })
    const before = ids('api')
    await noneFailed(() => up({ SERVICE_IMAGE: imageWith('next', 'LABEL build=next') }))
    assert.lengthOf(ids('api'), 2)
    assert.notIncludeMembers(ids('api'), before.slice(0, 1))
    assert.notIncludeMembers(ids('api'), before.slice(1))
    for (const { Config } of inspected('api')) assert.strictEqual(Config.Labels.build, 'next')
  })

  it('keeps the old build, and fails no request, where a new one does not start', async () => {
    const before = ids('api')
    const broken = imageWith('broken', 'ENTRYPOINT ["sh", "-c", "echo no such luck >&2; exit 1"]')
    await noneFailed(async () => {
      const { status, json } = await make('up', { SERVICE_IMAGE: broken })
      assert.notStrictEqual(status, 0)
      assert.match(
        json!.error,
        /^the new api containers did not become ready, and the old ones keep running: .*no such luck/,
      )
    })
    assert.deepEqual(ids('api'), before)
    assert.deepEqual((await up({})).changed, [])
  })

  it('fails no request where an api container dies', async () => {
    await up({ API: 2 })
    await noneFailed(async () => {
      words('kill', ids('api')[0]!)
      await sleep(3_000)
    })
    assert.include((await up({})).containers, { api: 2 })
  })

  it('changes what a setting concerns and nothing else, and says what changed', async () => {
    const others = ['clickhouse', 'postgres', 'redis', 'front']
    const before = others.map(ids)
    assert.deepEqual((await up({ LOG_LEVEL: 'debug' })).changed, [{ name: 'LOG_LEVEL', from: null, to: 'debug' }])
    assert.deepEqual(others.map(ids), before)
    assert.deepInclude(await up({}), { status: 'already running', changed: [] })
    const port = await freePort()
    const api = ids('api')
    assert.strictEqual((await up({ PORT: port })).address, `http://127.0.0.1:${port}`)
    assert.deepEqual(ids('api'), api)
    assert.strictEqual((await get('/healthz', {}, `http://127.0.0.1:${port}`)).status, 200)
    await up({ PORT: stack.port, LOG_LEVEL: '' })
    for (const { Config } of inspected('api')) assert.include(Config.Env, 'LOG_LEVEL=info')
  })

  it("passes the caller's address to limits and logs, and ignores one that the caller makes up", async () => {
    const logged = (userAgent: string) =>
      ids('api')
        .flatMap((id) => docker('logs', id).stdout.split('\n'))
        .filter((line) => line.includes(`"${userAgent}"`))
        .map((line) => JSON.parse(line).address)
    // The limit is shared by Redis; where that is slow for a moment, each container counts alone.
    const untilLimited = async (statusOf: (turn: number) => Promise<number>): Promise<number> => {
      for (let turn = 1; turn <= 60; turn += 1) if ((await statusOf(turn)) === 429) return turn
      return Infinity
    }
    await up({ RATE_LIMIT: '5/h' })
    const [{ NetworkSettings }] = inspected('front')
    const [{ IPAddress: front, Gateway: gateway }] = Object.values<any>(NetworkSettings.Networks)
    const ask = async (address: string, userAgent: string) =>
      (await get('/v1/feed', { 'x-forwarded-for': address, 'user-agent': userAgent })).status
    const turns = await untilLimited((turn) => ask(`192.0.2.${turn}`, 'forger'))
    assert.isAtLeast(turns, 6)
    assert.isAtMost(turns, 60)
    await until(
      () => logged('forger').length === turns,
      () => logged('forger'),
    )
    for (const address of logged('forger')) {
      assert.strictEqual(address, gateway)
      assert.notStrictEqual(address, front)
    }
    await up({ TRUST_PROXY: 1, RATE_LIMIT: '3/h' })
    for (const address of ['203.0.113.7', '203.0.113.8']) {
      const requests = await untilLimited(() => ask(`198.51.100.9, ${address}`, 'behind'))
      assert.isAtLeast(requests, 4, address)
      assert.isAtMost(requests, 60, address)
    }
    assert.deepEqual(new Set(logged('behind')), new Set(['203.0.113.7', '203.0.113.8']))
    await up({ TRUST_PROXY: '', RATE_LIMIT: '' })
  })

  it('lets one address have so many connections and no more', async () => {
    await up({ CONNECTIONS_PER_ADDRESS: 20 })
    const agent = new Agent({ keepAlive: true, maxSockets: 30 })
    const statusOf = () =>
      new Promise<number>((done, failed) => {
        request(`${stack.address}/healthz`, { agent }, (response) => (response.resume(), done(response.statusCode!)))
          .once('error', failed)
          .end()
      })
    const statuses = await Promise.all(Array.from({ length: 30 }, statusOf))
    agent.destroy()
    assert.deepEqual(statuses.toSorted(), [...Array(20).fill(200), ...Array(10).fill(429)])
    await up({ CONNECTIONS_PER_ADDRESS: '' })
    assert.strictEqual((await get('/healthz')).status, 200)
  })

  it("passes on answers that need no store, and answers in the contract's form where no api is left", async () => {
    const [clickhouse] = ids('clickhouse')
    words('stop', clickhouse!)
    await until(
      async () => (await get('/readyz')).status === 503,
      () => 'ready without ClickHouse',
      60_000,
    )
    assert.strictEqual((await get('/healthz')).status, 200)
    assert.strictEqual(((await (await get('/v1/feed')).json()) as any).error.code, 'unavailable')
    assert.strictEqual((await get('/v1/watchlist')).status, 401)
    words('start', clickhouse!)
    await until(
      async () => (await get('/v1/feed')).status === 200,
      () => 'no feed',
      60_000,
    )
    const all = ids('api')
    words('stop', '-t', '0', ...all)
    const response = await get('/v1/feed')
    assert.strictEqual(response.status, 503)
    assert.strictEqual(response.headers.get('retry-after'), '5')
    const { success, error } = (await response.json()) as any
    assert.include(error, { code: 'unavailable', requestId: response.headers.get('x-request-id') })
    assert.strictEqual(success, false)
    words('start', ...all)
    await until(
      async () => (await get('/v1/feed')).status === 200,
      () => 'no feed',
      60_000,
    )
  })

  it('has a Prometheus that reaches every container, where it is asked for', async () => {
    const port = await freePort()
    const { prometheus } = await up({ PROMETHEUS_PORT: port, API: 2, INGEST: 2 })
    assert.strictEqual(prometheus, `http://127.0.0.1:${port}`)
    const targets = async (): Promise<string[]> => {
      const { data } = (await (await get('/api/v1/targets', {}, prometheus)).json()) as any
      return data.activeTargets.map(({ labels, health }: any) => `${labels.role ?? labels.job} ${health}`).toSorted()
    }
    const expected = ['api up', 'api up', 'deliver up', 'ingest up', 'ingest up', 'insider-trading-front up']
    let found: string[] = []
    await until(
      async () => (found = await targets().catch(() => [])).join() === expected.join(),
      () => found,
      90_000,
    )
    const { data } = (await (await get('/api/v1/rules', {}, prometheus)).json()) as any
    assert.isAbove(data.groups[0].rules.length, 10)
    assert.notProperty(await up({ PROMETHEUS_PORT: '', INGEST: '' }), 'prometheus')
    assert.deepEqual(ids('prometheus'), [])
  })

  it('holds every container to its limits, and shows none of its secrets', () => {
    for (const service of ['clickhouse', 'postgres', 'redis', 'front', 'api', 'ingest', 'deliver']) {
      const [{ HostConfig, Config }] = inspected(service)
      assert.isAbove(HostConfig.PidsLimit, 0, service)
      assert.include(HostConfig.SecurityOpt, 'no-new-privileges:true', service)
      assert.deepEqual(HostConfig.CapDrop, ['ALL'], service)
      assert.deepEqual(
        Config.Env.filter((line: string) => /(PASSWORD|_KEY)=|:\/\/[^@/]*:[^@/]+@/.test(line)),
        [],
        service,
      )
    }
  })

  it('forgets all settings with DEFAULTS=1, and starts with those of the last start', async () => {
    await up({ RATE_LIMIT: '600/min', API: 2 })
    succeeded(await make('down'))
    const again = await up({})
    assert.include(again.settings, { RATE_LIMIT: '600/min', PORT: String(stack.port) })
    assert.include(again.containers, { api: 2 })
    const fresh = await up({ ...variables, DEFAULTS: 1 })
    assert.hasAllKeys(
      fresh.settings,
      Object.keys(variables).filter((name) => name !== 'CLICKHOUSE_NOFILE' || variables[name] !== '262144'),
    )
    assert.include(fresh.containers, { api: 1 })
  })
})
