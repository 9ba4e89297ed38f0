// The load of many callers at once, run as a process of its own: of each hundred requests 80 for the newest page, 15
// for a company by popularity, 5 for the next page of a walk through the feed that the connection is on. Takes JSON on
// stdin, prints answers per second and how long each kind took.
import { connect, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { zipf } from '../reads/cold-service.ts'
import { quantile } from '../support/measure.ts'

interface Load {
  port: number
  connections: number
  seconds: number
  hot: string
  /** Without a cursor. */
  walk: string
  /** The most popular first. */
  companies: string[]
}
const KINDS = ['hot', 'company', 'walk'] as const
type Kind = (typeof KINDS)[number]

const load = (await json(process.stdin)) as Load
const requestFor = (path: string) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
const hot = requestFor(load.hot)
const company = zipf(load.companies.map(requestFor))
const times: Record<Kind, number[]> = { hot: [], company: [], walk: [] }

const begun = performance.now()
const end = begun + load.seconds * 1_000
await Promise.all(Array.from({ length: load.connections }, () => call()))
const took = (performance.now() - begun) / 1_000
const answers = KINDS.reduce((sum, kind) => sum + times[kind].length, 0)
const spread = (kind: Kind) => ({
  answers: times[kind].length,
  p50: quantile(times[kind], 0.5),
  p99: quantile(times[kind], 0.99),
})
process.stdout.write(
  JSON.stringify({ perSecond: answers / took, ms: Object.fromEntries(KINDS.map((kind) => [kind, spread(kind)])) }),
)

/** Sends the requests of one connection, one after the other. */
function call(): Promise<void> {
  return new Promise((resolve, reject) => {
    let socket: Socket
    let kind: Kind = 'hot'
    let [asked, cursor] = [0, '']
    const ask = () => {
      if (performance.now() >= end) {
        socket.removeAllListeners('close').destroy()
        return resolve()
      }
      const draw = Math.random()
      kind = draw < 0.8 ? 'hot' : draw < 0.95 ? 'company' : 'walk'
      asked = performance.now()
      if (kind === 'walk') socket.write(requestFor(`${load.walk}${cursor && `&cursor=${cursor}`}`))
      else socket.write(kind === 'hot' ? hot : company())
    }
    const answered = (body: Buffer, isLast: boolean) => {
      times[kind].push(performance.now() - asked)
      if (kind === 'walk') cursor = /"nextCursor":"([^"]+)"/.exec(body.toString('latin1', body.length - 500))?.[1] ?? ''
      if (!isLast) return ask()
      socket.removeAllListeners('close').destroy()
      open()
    }
    const open = () => {
      const opened = connect(load.port, '127.0.0.1', () => {
        socket = opened.setNoDelay(true)
        answersOf(opened, answered, reject)
        ask()
      })
      opened.once('error', reject)
    }
    open()
  })
}

/** Calls `answered` with the body of each answer and whether the connection ends with it. */
function answersOf(socket: Socket, answered: (body: Buffer, isLast: boolean) => void, failed: (error: Error) => void) {
  let received: Buffer[] = []
  let [size, whole, start, isLast] = [0, 0, 0, false]
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk)
    size += chunk.length
    if (whole === 0) {
      const first = received.length === 1 ? chunk : Buffer.concat(received)
      const at = first.indexOf('\r\n\r\n')
      if (at < 0) return
      const head = first.toString('latin1', 0, at)
      if (!head.startsWith('HTTP/1.1 200')) return failed(new Error(head.slice(0, 200)))
      start = at + 4
      whole = start + Number(/content-length: (\d+)/i.exec(head)![1])
      isLast = /connection: close/i.test(head)
    }
    if (size < whole) return
    const body = (received.length === 1 ? chunk : Buffer.concat(received)).subarray(start)
    received = []
    size = whole = 0
    answered(body, isLast)
  })
  socket.once('close', () => failed(new Error('the connection was closed before its answer')))
}
