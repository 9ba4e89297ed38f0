// An EDGAR of our own on localhost: the same addresses, shapes and refusals as the real one, so that following and
// catching up run end to end without the SEC, on any day and with any fault.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { answerTo, type Source } from './answers.ts'
import { archive } from './archive.ts'
import type { ListedCompany } from './company-files.ts'
import { faultDice, type Fault, type Faults } from './faults.ts'
import { simulatedClock, type SimulatedClock } from './new-york.ts'
import type { Published } from './published.ts'
import {
  forbidden,
  notFound,
  pageInstead,
  rateExceeded,
  tooMany,
  unavailable,
  undeclaredTool,
  type Answer,
} from './refusals.ts'
import { monotonicNow, requestLog, type LoggedRequest, type RateLimit } from './request-log.ts'

export interface SimulatedEdgarOptions {
  /** Default: any free one. */
  port?: number
  host?: string
  /** Decides chance. Default 1. */
  seed?: number
  /** Where the clock starts: milliseconds since 1970, or New York time such as `2026-03-12 16:30:00`. Default: now. */
  clock?: number | string
  /** The clock stands until it is moved. */
  stopped?: boolean
  /** What the company lists name. */
  companies?: ListedCompany[]
  rate?: RateLimit
  /** The host of the feed's links. Default `https://www.sec.gov`, as in the real feed: a client takes only the path. */
  linksTo?: string
  /** A folder with `2024q3_form345.zip` and so on. */
  dataSets?: string
  /** For documents that are not there. Default 404. */
  unknown?: 403 | 404
  /** New York time at which a day's indexes appear. Default `22:00:00`. */
  indexAt?: string
}

export interface SimulatedEdgar {
  url: string
  /**
   * A full submission, its SGML header first; everything said of it elsewhere is taken from that header. It shows in
   * feed and archive once the clock has come to its acceptance. Throws on an accession that was published before.
   */
  publish: (text: string | Buffer) => Published
  /** 404 permanently, and gone from feed and indexes, or with `listed` still named there. */
  withdraw: (accession: string, options?: { listed?: boolean }) => void
  published: () => number
  /** From now on the company lists name these. */
  list: (companies: ListedCompany[]) => void
  requests: () => LoggedRequest[]
  /** Requests by whole second since 1970, refused ones included. */
  perSecond: () => Map<number, number>
  /** The most in any second, wherever it begins. */
  mostInAnySecond: () => number
  faults: Faults
  clock: SimulatedClock
  close: () => Promise<void>
}

export async function startSimulatedEdgar(options: SimulatedEdgarOptions = {}): Promise<SimulatedEdgar> {
  const clock = simulatedClock(options.clock, options.stopped)
  const library = archive(clock.now, options.indexAt ?? '22:00:00')
  const dice = faultDice(options.seed ?? 1)
  const log = requestLog(options.rate)
  const source: Source = {
    archive: library,
    now: clock.now,
    companies: options.companies ?? [],
    lagOf: dice.lagOf,
    linksTo: options.linksTo ?? 'https://www.sec.gov',
    dataSets: options.dataSets ?? null,
    unknown: options.unknown ?? 404,
  }
  const closing = new AbortController()

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const entry = logged(request, clock.now())
    log.add(entry)
    const refusal = refusalOf(entry, log.isRefused(entry.at))
    if (refusal) return send(request, response, refusal, entry)
    const fault = dice.draw(entry.path)
    entry.fault = fault?.kind ?? null
    if (fault?.kind === 'reset') return void request.socket.resetAndDestroy()
    if (fault?.kind === 'slow') await delay(fault.milliseconds ?? 300, undefined, { signal: closing.signal })
    const url = new URL(entry.path, 'http://edgar')
    const answer = instead(fault, url) ?? (await answerTo(url, source, fault?.kind === 'repeated'))
    send(request, response, answer, entry)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => {
      if (closing.signal.aborted) return response.destroy()
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`the simulator failed: ${error.stack}`)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve)
  })
  const { address, port } = server.address() as AddressInfo
  return {
    url: `http://${address}:${port}`,
    clock,
    faults: dice,
    publish: library.publish,
    withdraw: library.withdraw,
    published: library.count,
    list: (companies) => {
      source.companies = companies
    },
    requests: log.all,
    perSecond: log.perSecond,
    mostInAnySecond: log.mostInAnySecond,
    close: async () => {
      closing.abort()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function logged(request: IncomingMessage, clock: number): LoggedRequest {
  return {
    at: monotonicNow(),
    clock,
    method: request.method ?? '',
    path: request.url ?? '/',
    userAgent: request.headers['user-agent'] ?? '',
    status: 0,
    fault: null,
  }
}

/** The limit comes first, as it does at the SEC's edge; then who has not said who they are. */
function refusalOf(entry: LoggedRequest, overRate: boolean): Answer | null {
  const declared = /\S@\S/.test(entry.userAgent)
  entry.fault = overRate ? 'rate' : declared ? null : 'agent'
  return overRate ? rateExceeded() : declared ? null : undeclaredTool()
}

function instead(fault: Fault | null, { pathname }: URL): Answer | null {
  switch (fault?.kind) {
    case 'forbidden':
      return forbidden()
    case 'blocked':
      return rateExceeded()
    case 'too-many':
      return tooMany(fault.retryAfter ?? 1)
    case 'unavailable':
      return unavailable()
    case 'page':
      return pageInstead()
    case 'missing':
      return notFound(pathname)
    default:
      return null
  }
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer, entry: LoggedRequest): void {
  const whole = answer.body
  const content = entry.fault === 'cut-silently' ? whole.subarray(0, Math.floor(whole.length * 0.6)) : whole
  const zips = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '') && answer.type !== 'application/zip'
  const body = zips ? gzipSync(content, { level: 1 }) : content
  // The feed is made for each request; all else is a file, and a client that has it is answered 304.
  const version = answer.status === 200 && !answer.headers?.['cache-control'] ? versionOf(whole) : null
  const known = version !== null && entry.fault === null && request.headers['if-none-match'] === version
  entry.status = known ? 304 : answer.status
  const headers = { vary: 'Accept-Encoding', ...(version === null ? {} : { etag: version }), ...answer.headers }
  if (known) return void response.writeHead(304, headers).end()
  response.writeHead(answer.status, {
    'content-type': answer.type,
    'content-length': body.length,
    ...(zips ? { 'content-encoding': 'gzip' } : {}),
    ...headers,
  })
  if (entry.fault === 'cut') {
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.socket?.destroySoon())
  } else {
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}

function versionOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
}
