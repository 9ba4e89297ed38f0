// The client's stream against a server that follows a script, over real HTTP: nothing twice and nothing missed over
// lost, silent and refused connections.
import { getEventListeners } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert } from 'chai'
import { InsiderApiError, InsiderClient, type FollowOptions } from '../../../src/client/index.ts'

type Step = (response: ServerResponse) => void

const event = (id: number, type = 'signal.changed', data: object = { id: `event-${id}`, type, at: 'now', data: {} }) =>
  `event: ${type}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`
const ready = (id: number) => event(id, 'ready', {})
/** Sends a text in pieces of 7 bytes, then ends, or stays open and is given to `sent`. */
const stream =
  (text: string, sent?: (response: ServerResponse) => void): Step =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let at = 0; at < text.length; at += 7) response.write(text.slice(at, at + 7))
    if (sent) sent(response)
    else response.end()
  }
const stays = () => {}
const refusal =
  (status: number, code: string, retryAfter = '0'): Step =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': retryAfter })
    response.end(JSON.stringify({ success: false, error: { code, message: code, requestId: 'r' } }))
  }

describe('following with the client', function () {
  this.timeout(30_000)
  let server: Server
  let steps: Step[]
  let asked: { url: string; lastId: string | undefined }[]
  before(async () => {
    server = createServer(({ url, headers }, response) => {
      asked.push({ url: url!, lastId: headers['last-event-id'] as string | undefined })
      ;(steps.shift() ?? stream('', stays))(response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  beforeEach(() => {
    steps = []
    asked = []
  })
  after(() => void (server.closeAllConnections(), server.close()))

  /** Follows until `count` changes came, and returns their cursors. */
  const follow = async (count: number, options: FollowOptions = {}, query = {}, came = (_: string) => {}) => {
    const client = new InsiderClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    const cursors: string[] = []
    for await (const change of client.changes.follow(query, options)) {
      assert.strictEqual(change.id, `event-${change.cursor}`)
      cursors.push(change.cursor)
      came(change.cursor)
      if (cursors.length === count) break
    }
    return cursors
  }

  it('resumes by the last id, whether the stream ends or is cut within an event', async () => {
    let open: ServerResponse
    steps = [
      stream(ready(4) + event(5) + event(6)),
      stream(`${ready(6)}: a comment\n\n${event(9)}${event(11).slice(0, -2)}`, (response) => {
        open = response
      }),
      stream('id: 12\n\n' + event(13)),
    ]
    const cutAfter9 = (cursor: string) => {
      if (cursor === '9') open.destroy()
    }
    const cursors = await follow(4, {}, { types: ['signal.changed'], after: 4 }, cutAfter9)
    assert.deepEqual(cursors, ['5', '6', '9', '13'])
    assert.deepEqual(
      asked.map(({ lastId }) => lastId),
      ['4', '6', '9'],
    )
    assert.strictEqual(new Set(asked.map(({ url }) => url)).size, 1)
    assert.strictEqual(asked[0]!.url, '/v1/stream?types=signal.changed')
  })

  it('begins from now on without a position', async () => {
    steps = [stream(ready(20)), stream(event(21))]
    assert.deepEqual(await follow(1), ['21'])
    assert.deepEqual(
      asked.map(({ lastId }) => lastId),
      [undefined, '20'],
    )
  })

  it('resumes by the id of a heartbeat, after the changes before it', async () => {
    const heartbeat = (id: number) => `: 15\nid: ${id}\n\n`
    let open: ServerResponse
    steps = [
      stream(ready(4) + heartbeat(7) + heartbeat(9)),
      stream(ready(9) + event(10) + heartbeat(12), (response) => {
        open = response
      }),
      stream(ready(12) + event(13)),
    ]
    const cutAfter10 = (cursor: string) => {
      if (cursor === '10') setTimeout(() => open.destroy(), 100)
    }
    assert.deepEqual(await follow(2, {}, { after: 4 }, cutAfter10), ['10', '13'])
    assert.deepEqual(
      asked.map(({ lastId }) => lastId),
      ['4', '9', '12'],
    )
  })

  it('leaves a silent stream', async () => {
    steps = [stream(ready(1) + event(2), stays), ...Array.from({ length: 9 }, () => stream(event(3)))]
    assert.deepEqual(await follow(2, { silenceMs: 2_000 }), ['2', '3'])
  })

  it('waits out 503 and 429, and reports what state it is in', async () => {
    steps = [refusal(503, 'unavailable'), refusal(429, 'rate_limited'), stream(ready(1) + event(2)), stream(event(3))]
    const states: string[] = []
    assert.deepEqual(await follow(2, { onState: (state) => states.push(state) }), ['2', '3'])
    assert.deepEqual(states, ['away', 'away', 'live', 'away'])
  })

  it('leaves no listener on the signal that it was given, however often it came back', async () => {
    const { signal } = new AbortController()
    steps = [...Array.from({ length: 12 }, () => refusal(503, 'unavailable')), stream(ready(1) + event(2))]
    assert.deepEqual(await follow(1, { signal }), ['2'])
    assert.lengthOf(getEventListeners(signal, 'abort'), 0)
  })

  it('ends with the error of what stays refused', async () => {
    for (const [status, code] of [
      [410, 'cursor_expired'],
      [404, 'unknown_ticker'],
      [400, 'invalid_parameter'],
    ] as const) {
      steps = [refusal(status, code)]
      const error = await follow(1).catch((reason: unknown) => reason)
      assert.instanceOf(error, InsiderApiError)
      assert.strictEqual(error.code, code)
    }
    assert.lengthOf(asked, 3)
  })

  it('ends without an error when it is stopped, connected or waiting', async () => {
    const stop = new AbortController()
    steps = [stream(ready(1), stays)]
    assert.deepEqual(await follow(1, { signal: stop.signal, onState: () => stop.abort() }), [])
    const later = new AbortController()
    steps = [refusal(503, 'unavailable', '30')]
    assert.deepEqual(await follow(1, { signal: later.signal, onState: () => later.abort() }), [])
  })
})
