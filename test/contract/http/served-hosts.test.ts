// Which hosts a service answers for. A web page can have its own name lead to 127.0.0.1; what it then asks of a service
// on loopback has that name as Host, by which it is refused.
import type { AddressInfo } from 'node:net'
import { assert } from 'chai'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { ChangeTracker } from '../../../src/application/changes/change-tracker.ts'
import { withDependencies } from '../../../src/application/changes/data-dependencies.ts'
import { loadDocument } from '../../../src/infrastructure/http/openapi/document.ts'
import { AnswerCache } from '../../../src/infrastructure/http/cache/answer-cache.ts'
import { createProbeServer } from '../../../src/infrastructure/http/server.ts'
import { protocolAnswers } from '../../../src/infrastructure/mcp/http.ts'
import { loadConfig } from '../../../src/config.ts'
import { ownNames } from '../../../src/service/settings.ts'
import { contractFaults } from '../../support/http/contract-client.ts'
import {
  EXAMPLE_KEY,
  example,
  exampleQueries,
  startExampleService,
  type ExampleService,
} from '../../support/http/example-service.ts'
import { bodyOf, rawExchange, statusOf } from '../../support/http/raw-http.ts'
import { jsonText } from '../../support/service/parsed-queries.ts'

/** As configured by these settings. */
const namesOf = (env: Record<string, string>) => ownNames(loadConfig(env, { cwd: '/' }))
const names = namesOf({ PUBLIC_URL: 'https://Insider.Example.com:8443/below', MCP_HOSTS: 'tools.example.com' })

const OWN = [
  ...['localhost', 'localhost:8080', 'LocalHost:1', 'localhost.', 'insider.localhost:9000', 'a.b.localhost'],
  ...['127.0.0.1', '127.0.0.1:8080', '127.1.2.3', '[::1]', '[::1]:8080', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]'],
  ...['insider.example.com', 'INSIDER.example.com:443', 'insider.example.com.', 'tools.example.com'],
]
const OTHERS = [
  ...['rebound.example', 'rebound.example:8080', 'localhost.rebound.example', 'insider.example.com.rebound.example'],
  ...['notlocalhost', 'xinsider.example.com', 'www.insider.example.com', 'localhost..', '.localhost.x'],
  ...[
    '10.0.0.7',
    '0.0.0.0',
    '127.0.0.1.rebound.example',
    '128.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
  ],
  ...['[::2]', '[fe80::1]', '[::ffff:10.0.0.7]', '[::]'],
]

describe('the hosts that a service answers for', function () {
  this.timeout(30_000)
  let service: ExampleService
  const cache = () => new AnswerCache({ maxBytes: 1 << 20, changes: new ChangeTracker(), clock: Date.now })
  const start = (host?: string) =>
    startExampleService(
      {
        names,
        cache: cache(),
        queries: {
          ...exampleQueries,
          company: async () => withDependencies(jsonText<any>(example('company').data), { parts: ['signals'] }),
        },
        protocol: {
          load: async () => protocolAnswers({ version: '1.0.0', hosts: names, origins: [], onFailure: () => {} }),
        },
      },
      host,
    )
  const ask = (port: number, host: string | null, target: string, method = 'GET', version = '1.1') =>
    rawExchange(
      port,
      [
        `${method} ${target} HTTP/${version}`,
        ...(host === null ? [] : [`Host: ${host}`]),
        ...[`Authorization: Bearer ${EXAMPLE_KEY}`, 'Connection: close', '', ''],
      ].join('\r\n'),
    )
  afterEach(() => service?.close())

  it('on loopback are this machine and its own names, on any port', async () => {
    service = await start()
    for (const host of OWN) {
      for (const path of ['/metrics', '/v1/companies/EXMP'])
        assert.strictEqual(statusOf(await ask(service.port, host, path)), 200, `${host} ${path}`)
      const listed = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      const asking = [
        ...['POST /mcp HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json', 'Connection: close'],
        ...['Accept: application/json, text/event-stream', `Content-Length: ${listed.length}`, '', listed],
      ].join('\r\n')
      if (/^(insider|tools)\.example\.com$|^localhost$|^\[::1\]$/.test(host))
        assert.strictEqual(statusOf(await rawExchange(service.port, asking)), 200, host)
    }
    // No web page leaves it out.
    assert.strictEqual(statusOf(await ask(service.port, '', '/metrics')), 200)
    assert.strictEqual(statusOf(await ask(service.port, null, '/metrics', 'GET', '1.0')), 200)
  })

  it('on loopback are no others, which get 421 with what to do, on every path and from memory too', async () => {
    service = await start()
    assert.strictEqual(statusOf(await ask(service.port, 'localhost', '/v1/companies/EXMP')), 200)
    const paths = loadDocument().paths.map(({ template }) => template.replaceAll(/\{\w+\}/g, 'EXMP'))
    const all = [...paths, '/', '/docs/', '/nothing']
    assert.includeMembers(all, ['/metrics', '/mcp', '/healthz', '/readyz', '/openapi.json', '/docs', '/v1/feed'])
    for (const path of all) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await ask(service.port, 'rebound.example:8080', path, method)
        assert.strictEqual(statusOf(answer), 421, `${method} ${path}`)
        const body = bodyOf(answer)
        assert.strictEqual(body.error.message, example('errors/misdirected-request').error.message)
        const own = { 'cache-control': 'no-store', 'content-type': 'application/json' }
        const headers = { 'x-request-id': body.error.requestId, ...own }
        assert.deepEqual(contractFaults(method, path, { status: 421, headers, body }), [], `${method} ${path}`)
      }
    }
    for (const host of OTHERS) {
      for (const path of ['/metrics', '/v1/companies/EXMP'])
        assert.strictEqual(statusOf(await ask(service.port, host, path)), 421, `${host} ${path}`)
    }
    assert.deepInclude(service.log.at(-1), { status: 421, errorCode: 'misdirected_request' })
  })

  it('are also those of absolute targets', async () => {
    service = await start()
    for (const [target, status] of [
      ['http://localhost:8080/metrics', 200],
      ['https://insider.example.com/metrics', 200],
      ['http://me@localhost/metrics', 200],
      ['http://rebound.example/metrics', 421],
      ['http://localhost@rebound.example/metrics', 421],
      ['HTTP://rebound.example:8080', 421],
    ] as const) {
      assert.strictEqual(statusOf(await ask(service.port, 'localhost', target)), status, target)
      assert.strictEqual(statusOf(await ask(service.port, 'rebound.example', target)), 421, target)
    }
  })

  it('are any on other addresses, and where no names are given', async () => {
    for (const other of [await start('0.0.0.0'), await startExampleService()]) {
      for (const host of [...OWN, ...OTHERS])
        assert.strictEqual(statusOf(await ask(other.port, host, '/metrics')), 200, host)
      await other.close()
    }
  })

  it('are the same of a process that only serves probes', async () => {
    const { server, close } = createProbeServer({
      health: { ready: async () => ({ checks: {} }) },
      registry: new Registry(),
      log: pino({ level: 'silent' }),
      names: namesOf({ HOST: 'localhost' }),
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      for (const path of ['/healthz', '/metrics']) {
        assert.strictEqual(statusOf(await ask(port, 'localhost:9090', path)), 200)
        assert.strictEqual(statusOf(await ask(port, 'rebound.example', path)), 421)
        assert.strictEqual(statusOf(await ask(port, 'insider.example.com', path)), 421)
      }
    } finally {
      await close(1_000)
    }
  })

  it('have the name that HOST gives, the host of PUBLIC_URL and those of MCP_HOSTS', () => {
    assert.deepEqual(names, ['127.0.0.1', 'insider.example.com', 'tools.example.com'])
    assert.deepEqual(namesOf({ HOST: 'box.internal', PUBLIC_URL: 'http://[2001:DB8::1]:80' }), [
      'box.internal',
      '[2001:db8::1]',
    ])
  })
})
