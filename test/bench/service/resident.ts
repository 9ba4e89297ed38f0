// The HTTP layer's memory after REQUESTS requests of all kinds, no two alike, against a tenth of them: parameters,
// paths, headers, Content-Types and ids at random, with answers kept in memory. Whatever is kept by what callers
// choose would grow. REQUESTS=1000000. One JSON line, and progress on stderr.
import { connect } from 'node:net'
import { printBench } from '../support/measure.ts'
import { startHttpService } from '../support/sides.ts'

const REQUESTS = Number(process.env.REQUESTS ?? 1_000_000)
const CONNECTIONS = 16
/** Requests that are sent without waiting for answers. A connection ends after a thousand of them. */
const BATCH = 25
const MAX_BATCHES = 40
const ANSWER = 'HTTP/1.1 '

const whole = (below: number) => Math.floor(Math.random() * below)
const word = (length = 8) => Array.from({ length }, () => String.fromCharCode(97 + whole(26))).join('')
const oneOf = <T>(...choices: T[]): T => choices[whole(choices.length)]!

const targets: (() => string)[] = [
  () => `/v1/feed?limit=${whole(120)}&filter=${oneOf('buys', 'sells', 'high', 'ceo_cfo', word())}`,
  () => `/v1/feed?cursor=${word(40)}`,
  () => `/v1/feed?${word()}=${word()}`,
  () => '/v1/feed',
  () => `/v1/companies/${word(4).toUpperCase()}?detail=${oneOf('full', 'summary', word())}`,
  () => `/v1/companies/${word(20)}`,
  () => `/v1/insiders/${whole(10_000_000)}`,
  () => `/v1/signals?severity=${oneOf('low', 'high', 'critical', word())}&limit=${1 + whole(100)}`,
  () => `/v1/signals/ceo_trade-${whole(9_999_999)}-${whole(9_999_999)}-2026-10-30-buy`,
  () => `/v1/watchlist/${word(4).toUpperCase()}`,
  () => `/${word()}/${word()}`,
  () => oneOf('/healthz', '/openapi.json', '/metrics', '/docs', '/v1/signals/rules'),
]

function request(): string {
  const method = Math.random() < 0.85 ? 'GET' : oneOf('HEAD', 'POST', 'DELETE', 'PUT', 'OPTIONS')
  const body = method === 'POST' && Math.random() < 0.5 ? JSON.stringify({ [word()]: word() }) : ''
  const headers = [
    `Host: ${word()}.test`,
    `User-Agent: ${word()}/${whole(1_000)}`,
    `X-Request-Id: ${word(16)}`,
    `X-Forwarded-For: ${whole(250)}.${whole(250)}.${whole(250)}.${whole(250)}`,
    `Content-Type: ${oneOf('application', word())}/${oneOf('json', word())}; charset=${word(5)}`,
    `Accept-Encoding: ${oneOf('gzip', 'br', `gzip;q=0.${whole(1_000)}`, word())}`,
    `If-None-Match: "${word(27)}"`,
    `${word()}: ${word()}`,
    ...(Math.random() < 0.2 ? [`Authorization: Bearer itd_${word(40)}`] : []),
    ...(body ? [`Content-Length: ${body.length}`] : []),
  ]
  const path = method === 'POST' ? '/v1/watchlist' : oneOf(...targets)()
  return `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`
}

/** Sends requests over one connection after the other until `next` says there are none left. */
async function caller(port: number, next: () => boolean): Promise<void> {
  for (let isOpen = next(); isOpen;) {
    isOpen = await new Promise<boolean>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let [awaited, batches, tail, more] = [0, 0, '', true]
      const send = () => {
        awaited += BATCH
        batches += 1
        socket.write(Array.from({ length: BATCH }, request).join(''))
      }
      socket.setEncoding('latin1')
      socket.on('data', (text: string) => {
        const received = tail + text
        awaited -= received.split(ANSWER).length - 1
        tail = received.slice(1 - ANSWER.length)
        if (awaited > 0) return
        more = next()
        if (more && batches < MAX_BATCHES) send()
        else socket.end()
      })
      socket.once('error', reject)
      socket.once('close', () => resolve(more))
      send()
    })
  }
}

// Without Redis each address would be remembered for the minute that its requests are counted for.
const service = await startHttpService({ CACHE_MEMORY: String(16 * 1_048_576), UNLIMITED: '1' })
const begun = performance.now()
let left = REQUESTS / BATCH
/** Sends all up to this share of the requests, and returns the memory after them. */
async function memoryAfter(share: number): Promise<number> {
  const end = (REQUESTS / BATCH) * (1 - share)
  const next = () => {
    if (left <= end) return false
    left -= 1
    if (left % 1_000 === 0) process.stderr.write(`bench resident: ${REQUESTS - left * BATCH} requests\n`)
    return true
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, () => caller(service.port, next)))
  return service.rssMiB()
}

try {
  const [tenth, all] = [await memoryAfter(0.1), await memoryAfter(1)]
  printBench('resident', {
    requests: REQUESTS,
    requestsPerSecond: REQUESTS / ((performance.now() - begun) / 1_000),
    rssMiB: { tenth, all },
    ratios: { millionToHundredThousand: all / tenth },
  })
} finally {
  service.stop()
}
