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
await Promise.all(Array.from({ length: load.connections }, call))
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

/** One connection's requests, one after the other. */
async function call(): Promise<void> {
  let socket = await connected()
  let cursor = ''
  while (performance.now() < end) {
    const draw = Math.random()
    const kind: Kind = draw < 0.8 ? 'hot' : draw < 0.95 ? 'company' : 'walk'
    const request =
      kind === 'hot' ? hot : kind === 'company' ? company() : requestFor(`${load.walk}${cursor && `&cursor=${cursor}`}`)
    const asked = performance.now()
    const answer = await exchange(socket, request)
    times[kind].push(performance.now() - asked)
    if (answer.isLast) {
      socket.destroy()
      socket = await connected()
    }
    if (kind === 'walk') cursor = /"nextCursor":"([^"]+)"/.exec(answer.body.toString('latin1'))?.[1] ?? ''
  }
  socket.destroy()
}

function connected(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(load.port, '127.0.0.1', () => resolve(socket.setNoDelay(true)))
    socket.once('error', reject)
  })
}

function exchange(socket: Socket, request: Buffer): Promise<{ body: Buffer; isLast: boolean }> {
  return new Promise((resolve, reject) => {
    let received: Buffer | null = null
    let [start, length, isLast] = [0, 0, false]
    const closed = () => reject(new Error('the connection was closed before its answer'))
    const take = (chunk: Buffer) => {
      received = received ? Buffer.concat([received, chunk]) : chunk
      if (start === 0) {
        const at = received.indexOf('\r\n\r\n')
        if (at < 0) return
        const head = received.toString('latin1', 0, at)
        if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head.slice(0, 200)))
        start = at + 4
        length = Number(/content-length: (\d+)/i.exec(head)![1])
        isLast = /connection: close/i.test(head)
      }
      if (received.length < start + length) return
      socket.off('data', take).off('close', closed)
      resolve({ body: received.subarray(start), isLast })
    }
    socket.on('data', take).once('close', closed)
    socket.write(request)
  })
}
