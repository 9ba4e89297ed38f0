// Keeps a number of connections busy against one address, in a process of its own, so that it takes no time of the
// bench or of the service. Forked by loading.ts with a `Load` as its first message; ends automatically or at the
// message `stop`, and sends its figures. Reads of an answer no more than it needs: it is to cost less than the server.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile, zipf } from './measure.ts'

export interface Kind {
  /** Of the requests; those of all kinds are 1. */
  share: number
  /** Asked for in turn. A `*` stands for a random word. */
  paths: string[]
  /** Draws the first path twice as often as the second, three times as often as the third, and so on. */
  isByPopularity?: true
  /** Each connection asks for the page that follows its last one. */
  isWalk?: true
  /** As `X-Request-Id: *`. */
  headers?: string[]
  /** 200 where nothing else is given. */
  status?: number
}
export interface Load {
  address: string
  connections: number
  kinds: Record<string, Kind>
  /** Without either it continues until it is stopped. */
  seconds?: number
  requests?: number
  /** From an answer to the next request of its connection. */
  pauseMs?: number
}
export interface Figures {
  perSecond: number
  ms: Record<string, { answers: number; p50: number; p99: number }>
}

const WORD_LENGTH = 8

process.once('message', (load: Load) => void run(load).then((figures) => process.send!(figures, () => process.exit())))

async function run(load: Load): Promise<Figures> {
  const { hostname, port } = new URL(load.address)
  const kinds = Object.entries(load.kinds).map(([name, kind]) => ({ ...kind, name, draw: drawOf(kind) }))
  const times = new Map(kinds.map(({ name }): [string, number[]] => [name, []]))
  let left = load.requests ?? Infinity
  const begun = performance.now()
  const end = begun + (load.seconds ?? Infinity) * 1_000
  process.on('message', () => (left = 0))

  const caller = async () => {
    const connection = new Connection(hostname, Number(port))
    let cursor = ''
    while (left > 0 && performance.now() < end) {
      left -= 1
      const { name, draw, isWalk, headers = [], status = 200 } = kindBy(Math.random())
      const asked = performance.now()
      const path = draw() + (isWalk ? cursor : '')
      const answer = await connection.ask(requestOf(path, headers), status)
      times.get(name)!.push(performance.now() - asked)
      if (isWalk) {
        const next = /"nextCursor":"([^"]+)"/.exec(answer.toString('latin1', Math.max(0, answer.length - 500)))
        cursor = next ? `&cursor=${next[1]}` : ''
      }
      if (load.pauseMs !== undefined) await sleep(load.pauseMs)
    }
    connection.close()
  }
  const kindBy = (at: number) => {
    let sum = 0
    return kinds.find(({ share }) => (sum += share) > at) ?? kinds.at(-1)!
  }
  await Promise.all(Array.from({ length: load.connections }, caller))
  const seconds = (performance.now() - begun) / 1_000
  const answers = times.values().reduce((sum, { length }) => sum + length, 0)
  const ms = [...times].map(([name, each]) => [
    name,
    { answers: each.length, p50: quantile(each, 0.5), p99: quantile(each, 0.99) },
  ])
  return { perSecond: answers / seconds, ms: Object.fromEntries(ms) }
}

function drawOf({ paths, isByPopularity }: Kind): () => string {
  let next = 0
  return isByPopularity ? zipf(paths) : () => paths[next++ % paths.length]!
}

function requestOf(path: string, headers: string[]): string {
  const text = `GET ${path} HTTP/1.1\r\n${['Host: localhost', ...headers].join('\r\n')}\r\n\r\n`
  return text.includes('*') ? text.replaceAll('*', word) : text
}

function word(): string {
  const letter = () => String.fromCharCode(97 + Math.floor(Math.random() * 26))
  return Array.from({ length: WORD_LENGTH }, letter).join('')
}

/** Sends one request after the other, over a new connection where the server ends one. */
class Connection {
  #socket: Socket | null = null
  readonly #host: string
  readonly #port: number

  constructor(host: string, port: number) {
    this.#host = host
    this.#port = port
  }

  /** Returns the body of the answer, which must have a length and this status. */
  ask(request: string, status: number): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const socket = (this.#socket ??= connect(this.#port, this.#host).setNoDelay(true))
    let received: Buffer[] = []
    let [size, whole, start, isLast] = [0, Infinity, 0, false]
    const done = (settle: () => void) => {
      socket.removeAllListeners()
      if (isLast) this.close()
      settle()
    }
    const fail = (why: string) => done(() => reject(new Error(`${request.split('\r\n')[0]}: ${why}`)))
    socket.on('data', (chunk) => {
      received.push(chunk)
      size += chunk.length
      if (whole === Infinity) {
        const first = Buffer.concat(received)
        const at = first.indexOf('\r\n\r\n')
        if (at < 0) return
        received = [first]
        const head = first.toString('latin1', 0, at)
        if (!head.startsWith(`HTTP/1.1 ${status}`)) return fail(head)
        start = at + 4
        whole = start + Number(/content-length: (\d+)/i.exec(head)![1])
        isLast = /connection: close/i.test(head)
      }
      if (size >= whole) done(() => resolve(Buffer.concat(received).subarray(start)))
    })
    socket.once('error', ({ message }) => fail(message))
    socket.once('close', () => fail('the connection was closed before its answer'))
    socket.write(request)
    return promise
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
  }
}
