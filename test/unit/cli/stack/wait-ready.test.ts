// What make up prints about work that continues after the start, and how make status reads /readyz.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert } from 'chai'
import { askReadiness, readinessText, rebuildLines } from '../../../../src/cli/stack/wait-ready.ts'

describe('the readiness that make status shows', () => {
  const redis = { ok: false, ms: 1, error: 'unreachable' }
  const postgres = { ok: false, ms: 1000, error: 'timeout' }
  const cases: [what: string, status: number, body: unknown, state: string, text: string][] = [
    ['ready', 200, { status: 'ready', checks: { redis: { ok: true, ms: 1 } } }, 'ready', 'ready'],
    [
      'two stores away',
      503,
      { status: 'unavailable', checks: { postgres, redis, clickhouse: { ok: true, ms: 1 } } },
      'unready',
      'not ready (postgres timeout, redis unreachable)',
    ],
    [
      'being filled, and how far that is',
      503,
      {
        status: 'unavailable',
        checks: { clickhouse: { ok: false, ms: 1, error: 'being filled' } },
        data: { filling: { done: 31, total: 73 } },
      },
      'filling',
      'not ready (clickhouse being filled, 42 %)',
    ],
    [
      'being filled',
      503,
      { status: 'unavailable', checks: { clickhouse: { ok: false, ms: 1, error: 'being filled' } } },
      'filling',
      'not ready (clickhouse being filled)',
    ],
    ['stopping', 503, { status: 'stopping', checks: {} }, 'unready', 'not ready (stopping)'],
    ['another server', 404, {}, 'unready', 'not ready (HTTP 404)'],
    ['no JSON', 502, null, 'unready', 'not ready (no answer)'],
  ]

  for (const [what, status, body, state, text] of cases)
    it(`names the cause: ${what}`, async () => {
      const server = createServer((_, response) => {
        response.writeHead(status).end(body === null ? '<h1>Bad gateway</h1>' : JSON.stringify(body))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      try {
        const readiness = await askReadiness(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
        assert.deepEqual([readiness.state, readinessText(readiness)], [state, text])
      } finally {
        server.close()
      }
    })

  it('is not ready where nothing listens', async () => {
    const readiness = await askReadiness('http://127.0.0.1:1')
    assert.deepEqual([readiness.state, readinessText(readiness)], ['unready', 'not ready (no answer)'])
  })
})

describe('the line of make up about a rebuild', () => {
  it('is printed once if one waits or runs, and not for other jobs', () => {
    const line = 'a rebuild writes all rows again in the background: see make status'
    assert.deepEqual(rebuildLines([{ kind: 'exports' }, { kind: 'rebuild' }, { kind: 'rebuild' }]), [line])
    assert.deepEqual(rebuildLines([{ kind: 'exports' }, { kind: 'backfill' }]), [])
    assert.deepEqual(rebuildLines([]), [])
  })
})
