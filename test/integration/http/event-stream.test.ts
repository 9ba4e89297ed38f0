// Streams of server-sent events to a reader that takes them in turns, over real HTTP.
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert } from 'chai'
import type { Request, Response } from 'express'
import { Registry } from 'prom-client'
import type { StreamSink } from '../../../src/application/changes/change-streams.ts'
import { EventStreams } from '../../../src/infrastructure/http/event-stream.ts'
import { beginRequest } from '../../../src/infrastructure/http/request-context.ts'

const PAGES = 15
const PAGE = 'x'.repeat(2_000_000)

describe('a stream of events', () => {
  it('waits for its reader after each page, and leaves no listener of a wait that is over', async () => {
    const streams = new EventStreams({ streams: 1, perCaller: 1 }, 0, new Registry())
    const listeners: number[] = []
    const write = async (sink: StreamSink, response: Response) => {
      for (let page = 0; page < PAGES; page += 1) {
        sink.write(PAGE)
        await sink.drained()
        assert.strictEqual(sink.unsent(), 0)
        listeners.push(response.listenerCount('close') + response.listenerCount('drain'))
      }
      sink.end('left')
    }
    const server = createServer((request, plain) => {
      const response = plain as Response
      const stream = (sink: StreamSink) => {
        void write(sink, response)
        return { close: () => {} }
      }
      streams.send(Object.assign(request as Request, { context: beginRequest(request, null) }), response, {
        status: 200,
        stream,
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const [answer] = (await once(
        get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }),
        'response',
      )) as [IncomingMessage]
      let bytes = 0
      for await (const chunk of answer) bytes += (chunk as Buffer).length
      assert.strictEqual(bytes, PAGES * PAGE.length)
      assert.deepEqual(
        listeners,
        listeners.map(() => listeners[0]),
      )
      assert.lengthOf(listeners, PAGES)
    } finally {
      server.close()
    }
  })
})
