// A server on 127.0.0.1 that answers as a test says and remembers what it was asked, made for each file that calls for
// it.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AnsweringServer {
  url(): string
  answer: RequestListener
  /** Requests of the test that runs, in the order of their arrival. */
  asked: { path: string; headers: IncomingMessage['headers'] }[]
}

/** Starts and stops with the suite that calls it, and forgets before each test what was asked. */
export function answeringServer(): AnsweringServer {
  const server = createServer((request, response) => {
    answering.asked.push({ path: request.url!, headers: request.headers })
    answering.answer(request, response)
  })
  const answering: AnsweringServer = {
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (_request, response) => response.writeHead(404).end(),
    asked: [],
  }
  before(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    answering.asked = []
  })
  return answering
}

/** Returns a listener that always answers so. */
export const text =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body)
