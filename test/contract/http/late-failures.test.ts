// Faults after the head of an answer was sent, or after its line was logged: each is in the log once, with the id of its
// request, and the caller's connection ends.
import { once } from 'node:events'
import fs from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Transform } from 'node:stream'
import { assert } from 'chai'
import { ChangeStreams } from '../../../src/application/changes/change-streams.ts'
import { ServiceError } from '../../../src/application/errors.ts'
import type { LogReader } from '../../../src/application/ports/changes.ts'
import { EXAMPLE_KEY, exampleQueries, startExampleService } from '../../support/http/example-service.ts'

type Changes = Parameters<typeof startExampleService>[0]

const ID = 'late-1'
const headers = { 'x-request-id': ID, 'accept-encoding': 'identity', authorization: `Bearer ${EXAMPLE_KEY}` }

/** The log of the service that `faultsOf` asks. */
let log: any[] = []
const isLogged = () => log.some(({ msg, requestId }) => msg === 'request' && requestId === ID)

async function askByFetch(url: string, signal?: AbortSignal): Promise<void> {
  const answer = await fetch(url, { headers, ...(signal && { signal }) }).catch(() => null)
  await answer?.text().catch(() => {})
}

/** Asks, and resets the connection at the signal: one that only ends its side still gets its answer. */
async function askAndReset(url: string, signal?: AbortSignal): Promise<void> {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  signal!.addEventListener('abort', () => socket.resetAndDestroy())
  socket.on('error', () => {})
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${ID}\r\n\r\n`)
  await once(socket, 'close')
}

/** Asks, reads to the end or to a cut, and returns the lines about the request that name a fault. */
async function faultsOf(path: string, changes: Changes, signal?: AbortSignal, ask = askByFetch) {
  const service = await startExampleService(changes)
  log = service.log
  try {
    await ask(service.url + path, signal)
    // The line of the request is written as its connection ends; what comes later, soon after.
    for (const end = Date.now() + 1_000; service.log.every(({ err }) => !err) && Date.now() < end;) await sleep(20)
    while (!isLogged()) await sleep(20)
    await sleep(50)
  } finally {
    await service.close(0)
  }
  const own = service.log.filter(({ requestId }) => requestId === ID)
  assert.lengthOf(
    own.filter(({ msg }) => msg === 'request'),
    1,
  )
  const faulty = own.filter(({ err }) => err !== undefined)
  assert.deepEqual(
    faulty.map(({ level }) => level),
    faulty.map(() => 50),
  )
  return faulty.map(({ msg, err }) => `${msg}: ${err.message}`)
}

/** Streams over a log whose end can be read, and what `read` does of any other page. */
function streamsOver(read: LogReader['read'], sectors = exampleQueries.sectors): ChangeStreams {
  const page = { last: 9, pruned: 0, isSettled: true, entries: [], end: 9 }
  const streams = new ChangeStreams({
    reader: { read: async (after, limit) => (after === 0 ? read(after, limit) : page) },
    queries: { sectors },
    monotonic: () => performance.now(),
    random: () => 0,
  })
  void streams.run(
    () => sleep(20),
    () => {},
    AbortSignal.timeout(1_000),
  )
  return streams
}

describe('a fault after the head of an answer', function () {
  this.timeout(10_000)

  it('is logged with the id of its request, though its status is below 500', async () => {
    const streams = streamsOver(async () => assert.fail('nothing is read'))
    streams.open = () => {
      throw new ServiceError('cursor_expired', 'too old')
    }
    assert.deepEqual(await faultsOf('/v1/stream', { streams }), ['request: too old'])
  })

  it('is logged where a stream can not read the log of changes', async () => {
    const streams = streamsOver(() => Promise.reject(new Error('the log is away')))
    assert.deepEqual(await faultsOf('/v1/stream?after=0', { streams }), ['request: the log is away'])
  })

  it('is logged where a stream can not read the sectors that its filter names', async () => {
    let reads = 0
    const streams = streamsOver(
      () => assert.fail('nothing is read'),
      async () => {
        // The first is of the check before the head.
        if ((reads += 1) > 1) throw new ServiceError('unavailable', 'no sectors')
        return () => 'Energy'
      },
    )
    assert.deepEqual(await faultsOf('/v1/stream?sectors=Energy', { streams }), ['request: no sectors'])
  })

  it('is logged where a file can not be read to its end, and the caller sees the cut', async () => {
    const { createReadStream } = fs
    // Of a disk that fails after the first bytes.
    fs.createReadStream = ((...given: Parameters<typeof createReadStream>) => {
      const failing = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          this.push(chunk.subarray(0, 100))
          setTimeout(() => done(new Error('EIO: i/o error, read')), 50)
        },
      })
      return createReadStream(...given).pipe(failing)
    }) as unknown as typeof createReadStream
    try {
      const begun = Date.now()
      const path = '/v1/exports/transactions/2030-01.parquet'
      assert.deepEqual(await faultsOf(path, {}, AbortSignal.timeout(5_000)), ['request: EIO: i/o error, read'])
      assert.isBelow(Date.now() - begun, 4_000)
    } finally {
      fs.createReadStream = createReadStream
    }
  })

  it('is logged where an export fails halfway', async () => {
    const chunks = [async () => ['{}'], () => Promise.reject(new ServiceError('invalid_cursor', 'halfway'))]
    const feedExport = async () => ({ next: () => chunks.shift()!(), unknown: [] })
    const queries = { ...exampleQueries, feedExport }
    assert.deepEqual(await faultsOf('/v1/feed/export', { queries }), ['request: halfway'])
  })

  it('is logged in a line of its own where the caller has left before', async () => {
    const left = new AbortController()
    const feed = async () => {
      left.abort()
      while (!isLogged()) await sleep(10)
      throw new Error('the store failed')
    }
    const queries = { ...exampleQueries, feed }
    const faults = await faultsOf('/v1/feed', { queries }, left.signal, askAndReset)
    assert.deepEqual(faults, ['request failed after its end: the store failed'])
  })

  it('is none where a caller leaves in the middle of a file', async () => {
    const left = new AbortController()
    const { createReadStream } = fs
    fs.createReadStream = ((...given: Parameters<typeof createReadStream>) => {
      const slow = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          this.push(chunk.subarray(0, 100))
          setTimeout(() => left.abort(), 50)
          setTimeout(done, 200)
        },
      })
      return createReadStream(...given).pipe(slow)
    }) as unknown as typeof createReadStream
    try {
      assert.deepEqual(await faultsOf('/v1/exports/transactions/2030-01.parquet', {}, left.signal), [])
    } finally {
      fs.createReadStream = createReadStream
    }
  })
})
