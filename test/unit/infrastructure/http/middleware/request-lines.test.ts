// Lines of the request log: those that are put together here are, but for their time, what pino writes of the same
// fields.
import { assert } from 'chai'
import { pino } from 'pino'
import { factsText, RequestLines } from '../../../../../src/infrastructure/http/middleware/request-lines.ts'
import { lineOf } from '../../../../../src/infrastructure/printable.ts'

const FACTS = {
  requestId: 'a-1',
  operationId: 'listFeed',
  method: 'GET',
  path: '/v1/feed',
  query: { tickers: 'EXMP', cursor: 'a"b\\' } as Record<string, string> | undefined,
  status: 200,
  errorCode: undefined as string | undefined,
}
const MEASURES = { durationMs: 1.25, bytes: 10, address: '192.0.2.1' as string | null, userAgent: 'curl/8' }

describe('lines of requests', () => {
  let written: string[] = []
  const log = pino(
    { hooks: { streamWrite: (line) => lineOf(line.trimEnd()) } },
    { write: (line: string) => void written.push(line) },
  )
  const lines = new RequestLines(log)
  const timeless = (line: string | undefined) => line?.replace(/"time":\d+/, '"time":0')
  beforeEach(() => {
    written = []
  })

  for (const [what, facts, measures] of [
    ['a usual request', {}, {}],
    ['a request without a query', { query: undefined }, {}],
    ['an error', { status: 429, errorCode: 'rate_limited' }, {}],
    ['a request for nothing that there is', { operationId: null, path: '/x', query: undefined }, {}],
    ['a key', {}, { keyId: 'abc123defg' }],
    ['a connection that has ended', {}, { address: null }],
    ['what would move a cursor', { path: '/\u009b31m' }, { userAgent: '\u001b[2J\u202e "x" \\ \n é' }],
    ['a method as long as a caller likes', { method: 'M-SEARCH' }, {}],
  ] as const) {
    it(`say of ${what} what pino says`, () => {
      const [first, then] = [
        { ...FACTS, ...facts },
        { ...MEASURES, ...measures },
      ]
      const { keyId, ...rest } = then as typeof then & { keyId?: string }
      const { durationMs, bytes, ...caller } = rest
      log.info({ ...first, durationMs, bytes, ...(keyId !== undefined && { keyId }), ...caller }, 'request')
      lines.write(factsText(first), then)
      lines.write(factsText(first), then)

      assert.lengthOf(written, 3)
      assert.strictEqual(timeless(written[1]), timeless(written[0]))
      assert.strictEqual(timeless(written[2]), timeless(written[0]))
      assert.strictEqual(JSON.parse(written[1]!).requestId, 'a-1')
    })
  }

  it('have the time at which they are written', () => {
    const before = Date.now()
    lines.write(factsText(FACTS), MEASURES)
    const { time } = JSON.parse(written[0]!)
    assert.isAtLeast(time, before)
    assert.isAtMost(time, Date.now())
  })

  it('are not written below their level', () => {
    log.level = 'warn'
    assert.isFalse(lines.isEnabled())
    log.level = 'info'
    assert.isTrue(lines.isEnabled())
  })

  it('differ for callers of one address', () => {
    for (const userAgent of ['one', 'other', 'one']) lines.write(factsText(FACTS), { ...MEASURES, userAgent })
    assert.deepEqual(
      written.map((line) => JSON.parse(line).userAgent),
      ['one', 'other', 'one'],
    )
  })
})
