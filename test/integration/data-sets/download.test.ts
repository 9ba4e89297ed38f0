// Downloading a quarter's data set, from the simulated EDGAR with its faults and from a worse server. Whatever happens,
// a file under the final name is complete.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { ZipFile } from 'yazl'
import { EdgarClient } from '../../../src/infrastructure/edgar/client/client.ts'
import { sha256OfFile, unpackDataSet } from '../../../src/infrastructure/edgar/data-sets/unzip.ts'
import type { FaultKind, FaultOptions } from '../../support/edgar/simulator/faults.ts'
import { startSimulatedEdgar, type SimulatedEdgar } from '../../support/edgar/simulator/simulated-edgar.ts'
import { CONTINUES, pour } from '../../support/stores/floods.ts'
import { manualTimer, type ManualTimer } from '../../support/manual-timer.ts'

const QUARTER = '2024q3'
const NAME = `${QUARTER}_form345.zip`
const PATH = `/files/structureddata/data/insider-transactions-data-sets/${NAME}`

/** Large enough to come in many pieces. */
async function quarterZip(): Promise<Buffer> {
  const zip = new ZipFile()
  const noise = randomBytes(400_000).toString('hex')
  for (const table of ['SUBMISSION', 'REPORTINGOWNER', 'NONDERIV_TRANS']) {
    zip.addBuffer(Buffer.from(`ACCESSION_NUMBER\t${table}_SK\n${noise}\t1\n`), `${table}.tsv`)
  }
  zip.end()
  return buffer(zip.outputStream)
}

describe('the download of a data set', () => {
  let zip: Buffer
  let folder: string
  let toPath: string
  let timer: ManualTimer
  before(async () => {
    zip = await quarterZip()
  })
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'data-set-download-'))
    mkdirSync(join(folder, 'kept'))
    toPath = join(folder, 'kept', NAME)
    timer = manualTimer()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const open = (baseUrl: string, timeoutMs = 20_000): EdgarClient =>
    new EdgarClient({ baseUrl, userAgent: 'Example Co someone@example.com', timeoutMs, timer })
  const kept = (): string[] => readdirSync(join(folder, 'kept'))

  describe('from the simulated EDGAR', () => {
    let server: SimulatedEdgar
    beforeEach(async () => {
      mkdirSync(join(folder, 'sets'))
      writeFileSync(join(folder, 'sets', NAME), zip)
      server = await startSimulatedEdgar({ dataSets: join(folder, 'sets') })
    })
    afterEach(() => server.close())

    it('saves it whole, reports progress, and it can be unpacked', async () => {
      const told: [come: number, announced: number | null][] = []
      const answer = await open(server.url).dataSet(QUARTER, toPath, (come, announced) => told.push([come, announced]))
      const sha256 = createHash('sha256').update(zip).digest('hex')
      assert.deepEqual(answer, { kind: 'ok', value: { bytes: zip.length, sha256 } })
      assert.strictEqual(await sha256OfFile(toPath), sha256)
      assert.deepEqual(kept(), [NAME])
      assert.isAbove(told.length, 3)
      assert.deepEqual(told.at(-1), [zip.length, zip.length])
      assert.deepEqual(
        told,
        told.toSorted(([a], [b]) => a - b),
      )
      assert.strictEqual((await unpackDataSet(toPath, join(folder, 'unpacked'))).SUBMISSION.lines, 1)
    })

    it('reports a quarter that is not published', async () => {
      const answer = await open(server.url).dataSet('2024q4', toPath)
      assert.strictEqual(answer.kind, 'missing')
      assert.isEmpty(kept())
    })

    const faults: [fault: FaultKind, kind: string, options?: FaultOptions][] = [
      ['forbidden', 'missing'],
      ['missing', 'missing', { of: /form345/ }],
      ['cut', 'pending'],
      ['cut-silently', 'pending', { of: /form345/ }],
      ['page', 'unavailable'],
      ['unavailable', 'unavailable'],
      ['too-many', 'unavailable'],
      ['reset', 'unavailable'],
      ['blocked', 'blocked'],
    ]
    for (const [fault, kind, options] of faults) {
      it(`${fault}: ${kind}, and keeps what is there until it has a whole one`, async () => {
        writeFileSync(toPath, 'an older one')
        server.faults.next(fault, 1, options)
        const edgar = open(server.url)
        const answer = await edgar.dataSet(QUARTER, toPath)
        assert.deepEqual(server.faults.given(), { [fault]: 1 })
        assert.strictEqual(answer.kind, kind, JSON.stringify(answer))
        assert.deepEqual(kept(), [NAME])
        assert.strictEqual(readFileSync(toPath, 'utf8'), 'an older one')
        const again = edgar.dataSet(QUARTER, toPath)
        await timer.advance('pauseMs' in answer ? answer.pauseMs - 1 : 125)
        await new Promise((resolve) => {
          setTimeout(resolve, 30)
        })
        assert.lengthOf(server.requests(), 1)
        await timer.advance(1)
        assert.strictEqual((await again).kind, 'ok')
        assert.isTrue(readFileSync(toPath).equals(zip))
      })
    }
  })

  describe('from a server on its own', () => {
    let server: Server
    let answer: RequestListener
    let asked: { path: string; headers: IncomingHttpHeaders }[]
    before(async () => {
      server = createServer((request, response) => {
        asked.push({ path: request.url!, headers: request.headers })
        answer(request, response)
      })
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve)
      })
    })
    after(() => {
      server.closeAllConnections()
      server.close()
    })
    beforeEach(() => {
      asked = []
    })
    const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const gives =
      (body: () => string | Buffer, headers: Record<string, string> = {}): RequestListener =>
      (_request, response) =>
        response.writeHead(200, headers).end(body())

    it('sends the contact, asks for no compression, and yields to live requests', async () => {
      answer = gives(() => zip)
      const edgar = open(`${url()}/mirror`)
      await edgar.dailyIndex('2026-11-06')
      const set = edgar.dataSet(QUARTER, toPath)
      const live = edgar.submission({ accession: '0001999001-26-000005', path: 'edgar/data/1.txt' }, 'live')
      await timer.advance(126)
      await live
      await timer.advance(126)
      assert.strictEqual((await set).kind, 'ok')
      assert.deepEqual(
        asked.slice(1).map(({ path }) => path),
        ['/mirror/Archives/edgar/data/1.txt', `/mirror${PATH}`],
      )
      const { headers } = asked[2]!
      assert.strictEqual(headers['user-agent'], 'Example Co someone@example.com')
      assert.strictEqual(headers['accept-encoding'], 'identity')
    })

    it('follows a redirect within the host, and takes a body without announced length in any pieces', async () => {
      answer = (request, response) => {
        const moved = request.url!.startsWith('/moved')
        if (!moved) return response.writeHead(301, { location: `/moved${PATH}` }).end('gone')
        response.write(zip.subarray(0, 1), () => {
          setTimeout(() => response.end(zip.subarray(1)), 50)
        })
      }
      const announced: (number | null)[] = []
      const set = open(url()).dataSet(QUARTER, toPath, (_come, all) => announced.push(all))
      while (asked.length < 2) {
        await timer.advance(126)
        await new Promise((resolve) => {
          setTimeout(resolve, 5)
        })
      }
      assert.strictEqual((await set).kind, 'ok')
      assert.isTrue(readFileSync(toPath).equals(zip))
      assert.deepEqual([...new Set(announced)], [null])
    })

    const chunkedCut: RequestListener = (_request, response) => {
      response.write(zip.subarray(0, zip.length / 2), () => {
        setTimeout(() => response.destroy(), 20)
      })
    }
    const stalled: RequestListener = (_request, response) => {
      response.write(zip.subarray(0, 100_000))
    }
    const html =
      '<!DOCTYPE html><html><head><title>SEC.gov | ' +
      'Your Request Originates from an Undeclared Automated Tool</title></head></html>'
    const endless: RequestListener = (_request, response) => {
      const drip = setInterval(() => response.write(Buffer.alloc(50_000, 'x')), 2)
      response.once('close', () => clearInterval(drip))
    }
    const cases: [what: string, answer: RequestListener, kind: string, reason: RegExp][] = [
      ['a chunked body whose last chunk is missing', chunkedCut, 'pending', /^cut: /],
      ['a body that stops coming', stalled, 'pending', /^cut: .*Timeout awaiting 'socket'/],
      [
        'a body announced as larger than any data set',
        gives(() => zip, { 'content-length': '3000000000' }),
        'pending',
        /^too-large: larger than 2147483648 bytes$/,
      ],
      ['something else than a zip', gives(() => 'ACCESSION_NUMBER\t'), 'pending', /^no zip: begins with "ACCESSION_N/],
      ['something else without end', endless, 'pending', /^no zip: begins with "xxx/],
      ['a zip packed once more', gives(() => gzipSync(zip), { 'content-encoding': 'gzip' }), 'pending', /^no zip: /],
      ['nothing', gives(() => ''), 'pending', /^no zip: nothing$/],
      ['a single byte of a zip', gives(() => 'P'), 'pending', /^no zip: begins with "P"$/],
      ['a beginning alone', gives(() => 'PK\x03\x04'), 'pending', /^cut: the zip has no end$/],
      ['an undeclared tool, with status 200', gives(() => html), 'blocked', /Undeclared/],
      [
        '1xx answers without end',
        ({ socket }) => pour(socket, CONTINUES),
        'unavailable',
        /^unreachable: more than 16 1xx/,
      ],
      ['a zip with another status', (_request, response) => response.writeHead(203).end(zip), 'unavailable', /^203/],
      ['a 404 that is a zip', (_request, response) => response.writeHead(404).end(zip), 'missing', /^404/],
    ]
    for (const [what, behaviour, kind, reason] of cases) {
      it(`${what}: ${kind}, and nothing is left`, async () => {
        answer = behaviour
        const got = await open(url(), behaviour === stalled ? 400 : undefined).dataSet(QUARTER, toPath)
        assert.strictEqual(got.kind, kind, JSON.stringify(got))
        assert.match((got as { reason: string }).reason, reason)
        assert.isEmpty(kept())
      })
    }

    it('may take longer than its timeout while bytes arrive', async () => {
      answer = (_request, response) => {
        response.writeHead(200, { 'content-length': zip.length })
        let from = 0
        const drip = setInterval(() => {
          response.write(zip.subarray(from, (from += zip.length / 10)))
          if (from >= zip.length) response.end()
        }, 400)
        response.once('close', () => clearInterval(drip))
      }
      const timeoutMs = 3_000
      const begun = performance.now()
      assert.strictEqual((await open(url(), timeoutMs).dataSet(QUARTER, toPath)).kind, 'ok')
      assert.isAbove(performance.now() - begun, timeoutMs)
    })

    it('can be cancelled before and during the transfer, and leaves nothing', async () => {
      answer = stalled
      const leaving = new AbortController()
      const edgar = open(url())
      const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
        promise.then(
          () => 'answered',
          (reason) => reason,
        )
      const set = reasonOf(edgar.dataSet(QUARTER, toPath, () => leaving.abort('stopping'), leaving.signal))
      const waiting = reasonOf(edgar.dataSet(QUARTER, `${toPath}.other`, undefined, leaving.signal))
      assert.deepEqual(await Promise.all([set, waiting]), ['stopping', 'stopping'])
      assert.lengthOf(asked, 1)
      assert.isEmpty(kept())
    })

    it("fails without a request if the file can't be written or there is no such quarter", async () => {
      answer = gives(() => zip)
      const error = (promise: Promise<unknown>): Promise<string> =>
        promise.then(
          () => 'answered',
          (reason: Error) => reason.message,
        )
      assert.match(await error(open(url()).dataSet(QUARTER, join(folder, 'none', NAME))), /ENOENT/)
      assert.match(await error(open(url()).dataSet('../2024q3', toPath)), /"\.\.\/2024q3" must be a quarter/)
      assert.isEmpty(asked)
      const full = (): void => {
        throw new Error('no space')
      }
      assert.strictEqual(await error(open(url()).dataSet(QUARTER, toPath, full)), 'no space')
      assert.isEmpty(kept())
      assert.isFalse(existsSync(join(folder, 'none')))
    })
  })
})
