// What a server may send in answer to one request: counted on the connection, so that nothing is left out of the count.
import { once } from 'node:events'
import http, { type ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { assert } from 'chai'
import { limitAnswer } from '../../../src/infrastructure/answer-limits.ts'
import {
  CHUNK_EXTENSIONS,
  CONTINUES,
  HEADERS,
  LONG_HINTS,
  pour,
  TINY_CHUNKS,
  TRAILERS,
  type Flood,
} from '../../support/stores/floods.ts'
import { answerOf, rawReceiver, type RawReceiver } from '../../support/webhooks/raw-receiver.ts'

const BODY_BYTES = 20_480
/** A read of node's. */
const READ_BYTES = 65_536

interface Ended {
  code: string | null
  status: number | null
  informational: number
  body: number
  read: number
}

describe('limits of an answer', () => {
  let there: RawReceiver
  let agent: http.Agent
  beforeEach(() => {
    agent = new http.Agent({ keepAlive: true })
  })
  afterEach(async () => {
    agent.destroy()
    await there.close()
  })

  /** Sends a request and reads its answer to the end, or until it is cut. */
  async function ask(): Promise<Ended> {
    const request: ClientRequest = http.request(there.url, { agent, method: 'POST' })
    const ended: Ended = { code: null, status: null, informational: 0, body: 0, read: 0 }
    const fault = (error: NodeJS.ErrnoException) => {
      ended.code ??= error.code!
    }
    let socket: Socket
    let before = 0
    limitAnswer(request, BODY_BYTES)
    request.on('socket', (given) => {
      socket = given
      before = given.bytesRead
    })
    request.on('information', () => {
      ended.informational += 1
    })
    request.on('response', (response) => {
      ended.status = response.statusCode!
      response
        .on('data', (chunk) => {
          ended.body += chunk.length
        })
        .on('error', () => {})
    })
    request.on('error', fault)
    const closed = new Promise((resolve) => {
      request.once('close', resolve)
    })
    request.end('{}')
    await closed
    return { ...ended, read: socket!.bytesRead - before }
  }
  const endless = async (flood: Flood) => {
    there = await rawReceiver((socket) => pour(socket, flood))
    const ended = await ask()
    await there.allClosed()
    // No more than was on its way when the limit was reached.
    assert.isAtMost(ended.read, 2 * READ_BYTES)
    await there.close()
    return ended
  }

  it('are 16 informational answers, of which the parser gets hardly more', async () => {
    const { code, informational } = await endless(CONTINUES)
    assert.strictEqual(code, 'TOO_MANY_INFORMATIONAL')
    assert.isAtMost(informational, 16 + 1024 / CONTINUES.again.length)
  })

  it('leave those alone that a server may send', async () => {
    there = await rawReceiver((socket) =>
      socket.write(`${'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(16)}${answerOf(200, 'ok')}`),
    )
    for (let count = 0; count < 3; count += 1) {
      const { read: _read, ...ended } = await ask()
      assert.deepEqual(ended, { code: null, status: 200, informational: 16, body: 2 })
    }
    assert.strictEqual(there.connections, 1, 'the connection is kept')
  })

  it('are 32 KiB before the body, whatever they are', async () => {
    const { code, informational } = await endless(LONG_HINTS)
    assert.strictEqual(code, 'TOO_LONG_BEFORE_BODY')
    assert.strictEqual(informational, 2)
  })

  it('end a head without end, by their own count or by that of Node', async () => {
    assert.include(['TOO_LONG_BEFORE_BODY', 'HPE_HEADER_OVERFLOW'], (await endless(HEADERS)).code)
  })

  it('count extensions of chunks, sizes of chunks and trailers as body', async () => {
    const extended = await endless(CHUNK_EXTENSIONS)
    assert.strictEqual(extended.status, 200)
    assert.isAtMost(extended.body, 2)
    const tiny = await endless(TINY_CHUNKS)
    assert.strictEqual(tiny.status, 200)
    assert.isAtMost(tiny.body, (BODY_BYTES + 1024) / TINY_CHUNKS.again.length)
    assert.strictEqual((await endless(TRAILERS)).status, 200)
  })

  it('leave a body of that size alone, in one piece and in chunks, on a kept connection', async () => {
    const whole = answerOf(200, 'b'.repeat(BODY_BYTES))
    const body = `400\r\n${'c'.repeat(1024)}\r\n`.repeat(19)
    const chunks = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}0\r\n\r\n`
    there = await rawReceiver((socket, _, number) => socket.write(number % 2 === 0 ? whole : chunks))
    for (const bytes of [19 * 1024, BODY_BYTES, 19 * 1024, BODY_BYTES]) {
      const { code, body } = await ask()
      assert.deepEqual([code, body], [null, bytes])
    }
    assert.strictEqual(there.connections, 1)
  })

  it('end a connection that keeps sending once its answer is whole', async () => {
    let sending: Socket
    there = await rawReceiver((socket) => {
      sending = socket
      socket.write(answerOf(200))
    })
    assert.strictEqual((await ask()).status, 200)
    const [socket] = Object.values(agent.freeSockets).flat() as Socket[]
    pour(sending!, CONTINUES)
    await once(socket!, 'close')
    assert.isAtMost(socket!.bytesRead, 2 * READ_BYTES)
  })
})
