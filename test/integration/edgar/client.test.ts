// The client of EDGAR against a server on localhost that misbehaves in every way the real one has been seen to.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { EdgarClient, type EdgarOptions } from '../../../src/infrastructure/edgar/client/client.ts'
import { answeringServer, text } from '../../support/edgar/simulator/answering-server.ts'
import { CHUNK_EXTENSIONS, CONTINUES, pour } from '../../support/stores/floods.ts'
import { manualTimer, type ManualTimer } from '../../support/manual-timer.ts'

const FILING = {
  accession: '0001999001-26-000005',
  path: 'edgar/data/1999001/000199900126000005/0001999001-26-000005.txt',
}
const SUBMISSION =
  `<SEC-DOCUMENT>${FILING.accession}.txt : 20261106\n<SEC-HEADER>\n</SEC-HEADER>\n<DOCUMENT>\n` +
  `<TEXT>${'An invented filing. '.repeat(200)}</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n`
const FEED =
  '<?xml version="1.0" encoding="ISO-8859-1" ?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n<entry>\n' +
  '<title>4 - EXEMPLAR CLARA (0001999101) (Reporting)</title>\n<category label="form type" term="4"/>\n' +
  `<id>urn:tag:sec.gov,2008:accession-number=${FILING.accession}</id>\n</entry>\n</feed>\n`
const INDEX =
  `Form Type   Company Name      File Name\n${'-'.repeat(80)}\n` + `4           EXEMPLAR CLARA    ${FILING.path}\n`
const APPLE =
  '{"cik":"320193","entityType":"operating","sic":"3571","name":"Apple Inc.","filings":{"recent":{},"files":[]}}'
const htmlPage = (title: string): string =>
  `\n<!DOCTYPE html>\n<html><head><title>SEC.gov | ${title}</title></head></html>`
const RATE = htmlPage('Request Rate Threshold Exceeded')
const DENIED =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>'

describe('the EDGAR client', () => {
  const server = answeringServer()
  let timer: ManualTimer

  beforeEach(() => {
    timer = manualTimer()
  })

  const open = (options: Partial<EdgarOptions> = {}): EdgarClient =>
    new EdgarClient({
      baseUrl: server.url(),
      userAgent: 'Example Co someone@example.com',
      timeoutMs: 20_000,
      timer,
      ...options,
    })
  /** Resolves once it is so; where it never is, the test's own limit ends it. */
  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo())
      await new Promise((resolve) => {
        setTimeout(resolve, 5)
      })
  }
  /** Lets the next request's turn come. */
  async function after126ms<T>(promise: Promise<T>): Promise<T> {
    await timer.advance(126)
    return promise
  }
  const ask: Record<string, (edgar: EdgarClient) => Promise<{ kind: string; reason?: string; pauseMs?: number }>> = {
    feed: (edgar) => edgar.currentFeed(0),
    submission: (edgar) => edgar.submission(FILING, 'live'),
    index: (edgar) => edgar.dailyIndex('2026-11-06'),
    companies: (edgar) => edgar.companyList(null),
    sic: (edgar) => edgar.sicOf('0000320193'),
  }

  describe('asks', () => {
    it("with contact and gzip only, at EDGAR's addresses", async () => {
      server.answer = text(200, FEED)
      const edgar = open({ baseUrl: `${server.url()}/mirror` })
      await edgar.currentFeed(100)
      for (const one of ['submission', 'index', 'companies']) await after126ms(ask[one]!(edgar))
      assert.deepEqual(
        server.asked.map(({ path }) => path),
        [
          '/mirror/cgi-bin/browse-edgar?action=getcurrent&type=4&owner=only&count=100&start=100&output=atom',
          `/mirror/Archives/${FILING.path}`,
          '/mirror/Archives/edgar/daily-index/2026/QTR4/form.20261106.idx',
          '/mirror/files/company_tickers_exchange.json',
        ],
      )
      for (const { headers } of server.asked) {
        assert.strictEqual(headers['user-agent'], 'Example Co someone@example.com')
        assert.strictEqual(headers['accept-encoding'], 'gzip')
      }
    })

    it('at its rate at most, live before catch-up', async () => {
      server.answer = text(404, '')
      const edgar = open({ maxPerSecond: 4 })
      const all = [ask['index']!(edgar), ask['index']!(edgar), ask['submission']!(edgar)]
      await timer.advance(251)
      await all[2]
      assert.deepEqual(server.asked.map(({ path }) => path.split('/')[3]).sort(), ['daily-index', 'data'])
      await timer.advance(251)
      await Promise.all(all)
      assert.lengthOf(server.asked, 3)
    })

    it('only with a User-Agent, a rate and an address that can be used', () => {
      for (const userAgent of ['', '  ', 'Example\r\nHost: evil', 'Ex\u00E4mple']) {
        assert.throws(() => open({ userAgent }), /User-Agent/)
      }
      assert.throws(() => open({ maxPerSecond: 11 }), RangeError)
      assert.throws(() => open({ baseUrl: 'www.sec.gov' }))
    })
  })

  describe('reads', () => {
    it('what is whole, packed or not', async () => {
      const bodies: [ask: string, body: string][] = [
        ['feed', FEED],
        ['submission', SUBMISSION],
        ['index', INDEX],
        ['companies', '{"fields":[],"data":[]}'],
        ['sic', APPLE],
      ]
      for (const [one, body] of bodies) {
        server.answer = text(200, body)
        const edgar = open()
        const plain = await ask[one]!(edgar)
        assert.strictEqual(plain.kind, 'ok', one)
        server.answer = text(200, gzipSync(body), { 'content-encoding': 'gzip' })
        assert.deepEqual(await after126ms(ask[one]!(edgar)), plain)
      }
    })

    it('filings from feed and index, bytes of a submission', async () => {
      server.answer = text(200, SUBMISSION)
      const edgar = open()
      assert.deepEqual(await edgar.submission(FILING, 'live'), { kind: 'ok', value: Buffer.from(SUBMISSION) })
      server.answer = text(200, FEED)
      const feed = await after126ms(edgar.currentFeed(0))
      assert.deepEqual(feed.kind === 'ok' && feed.value.filings.map(({ path }) => path), [
        FILING.path.replace('1999001/', '1999101/'),
      ])
      server.answer = text(200, INDEX)
      const index = await after126ms(edgar.dailyIndex('2026-11-06'))
      const filings = [{ ...FILING, formType: '4', cik: '0001999001' }]
      assert.deepEqual(index, { kind: 'ok', value: { filings, entries: 1, unreadable: 0 } })
    })

    it('a submission in a mail envelope of old', async () => {
      const old =
        `-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nProc-Type: 2001,MIC-CLEAR\n\n${SUBMISSION}` +
        `-----END PRIVACY-ENHANCED MESSAGE-----\n`
      server.answer = text(200, old)
      assert.strictEqual((await open().submission(FILING, 'live')).kind, 'ok')
    })

    it('the company list only where it has changed', async () => {
      const version = { etag: '"v1"', lastModified: 'Fri, 20 Nov 2026 12:00:00 GMT' }
      server.answer = (request: IncomingMessage, response: ServerResponse) => {
        const known = request.headers['if-none-match'] === '"v1"'
        const headers = { etag: '"v1"', 'last-modified': version.lastModified }
        response.writeHead(known ? 304 : 200, headers).end(known ? undefined : '{"data":[]}')
      }
      const edgar = open()
      const list = { bytes: Buffer.from('{"data":[]}'), version }
      assert.deepEqual(await edgar.companyList(null), { kind: 'ok', value: list })
      assert.deepEqual(await after126ms(edgar.companyList(version)), { kind: 'unchanged' })
      assert.strictEqual(server.asked[1]!.headers['if-modified-since'], version.lastModified)
      server.answer = text(304, '')
      assert.strictEqual((await after126ms(edgar.companyList(null))).kind, 'unavailable')
    })

    it('nothing deeper than the feed goes', async () => {
      server.answer = text(200, FEED)
      assert.strictEqual((await open().currentFeed(5100)).kind, 'missing')
      assert.isEmpty(server.asked)
    })
  })

  describe('tells apart', () => {
    const cut =
      (body: Buffer, headers: Record<string, string> = {}): RequestListener =>
      (_request, response) => {
        response.writeHead(200, { ...headers, 'content-length': body.length })
        response.write(body.subarray(0, body.length / 2), () => {
          setTimeout(() => response.destroy(), 20)
        })
      }
    const chunkedCut: RequestListener = (_request, response) => {
      response.write(SUBMISSION, () => {
        setTimeout(() => response.destroy(), 20)
      })
    }
    const packed = (body: Buffer): RequestListener => text(200, body, { 'content-encoding': 'gzip' })
    const zipped = gzipSync(SUBMISSION)
    const reset: RequestListener = (request) => {
      request.socket.resetAndDestroy()
    }
    const silent: RequestListener = () => {}
    const dripping: RequestListener = (_request, response) => {
      const drip = setInterval(() => response.write('<SEC-DOCUMENT>'), 50)
      response.once('close', () => clearInterval(drip))
    }
    const elsewhere = text(302, '', { location: 'http://localhost.invalid/Archives/x' })

    const cases: [what: string, asked: string, answer: RequestListener, kind: string, reason: RegExp][] = [
      [
        'a submission not there yet',
        'submission',
        text(404, htmlPage('Not Found')),
        'pending',
        /^404, the HTML page "SEC.gov \| Not Found"$/,
      ],
      ['a submission the store denies', 'submission', text(403, DENIED), 'pending', /^403, begins with/],
      ['a submission that is gone', 'submission', text(410, ''), 'missing', /^410/],
      [
        'a submission without its end',
        'submission',
        text(200, SUBMISSION.replace('</SEC-DOCUMENT>', '')),
        'pending',
        /^cut short: no <\/SEC-DOCUMENT>$/,
      ],
      ['a submission shorter than announced', 'submission', cut(Buffer.from(SUBMISSION)), 'pending', /^cut: /],
      [
        'a packed one shorter than announced',
        'submission',
        cut(zipped, { 'content-encoding': 'gzip' }),
        'pending',
        /^cut: /,
      ],
      ['a chunked one whose last chunk is missing', 'submission', chunkedCut, 'pending', /^cut: /],
      [
        'gzip that breaks off',
        'submission',
        packed(zipped.subarray(0, -20)),
        'pending',
        /^cut: gzip: unexpected end of file$/,
      ],
      [
        'gzip that is none',
        'submission',
        packed(Buffer.from(SUBMISSION)),
        'pending',
        /^cut: gzip: incorrect header check$/,
      ],
      [
        'br, never asked for',
        'submission',
        text(200, 'x', { 'content-encoding': 'br' }),
        'pending',
        /^cut: packed as br/,
      ],
      [
        'a gzip bomb',
        'submission',
        packed(gzipSync(Buffer.alloc(64 * 1024 * 1024))),
        'pending',
        /^too-large: larger than 20971520 bytes$/,
      ],
      ['a body without end', 'feed', text(200, Buffer.alloc(5 * 1024 * 1024, 32)), 'pending', /^too-large/],
      [
        'another submission',
        'submission',
        text(200, SUBMISSION.replace('-000005', '-000006')),
        'pending',
        /^another submission: 0001999001-26-000006$/,
      ],
      ['an empty answer', 'submission', text(200, ''), 'pending', /^no submission: nothing$/],
      [
        'XML for a submission',
        'submission',
        text(200, '<?xml version="1.0"?><ownershipDocument/>'),
        'pending',
        /^no submission: begins with/,
      ],
      ['a feed cut short', 'feed', text(200, FEED.slice(0, -10)), 'pending', /^no whole Atom feed/],
      ['a company list cut short', 'companies', text(200, '{"fields":[],"da'), 'pending', /^cut short/],
      ['a slow body', 'submission', dripping, 'pending', /^cut: .*Timeout/],
      ['an index not written yet (403)', 'index', text(403, DENIED), 'missing', /^403/],
      ['an index not written yet (403, HTML)', 'index', text(403, htmlPage('Forbidden')), 'missing', /^403/],
      ['an index not written yet (404)', 'index', text(404, ''), 'missing', /^404/],
      [
        'HTML with status 200 as feed',
        'feed',
        text(200, htmlPage('File Unavailable')),
        'unavailable',
        /^200, the HTML page "SEC.gov \| File Unavailable"$/,
      ],
      ['HTML with status 200 as index', 'index', text(200, htmlPage('File Unavailable')), 'unavailable', /^200/],
      ['HTML with status 200 as submission', 'submission', text(200, htmlPage('File Unavailable')), 'pending', /^200/],
      ['503', 'feed', text(503, htmlPage('File Unavailable')), 'unavailable', /^503/],
      ['500', 'index', text(500, ''), 'unavailable', /^500, nothing$/],
      ['a feed that is not there', 'feed', text(404, ''), 'unavailable', /^404/],
      ['429 of the rate', 'submission', text(429, RATE), 'unavailable', /^429/],
      ['a connection reset', 'feed', reset, 'unavailable', /^unreachable: /],
      ['silence', 'submission', silent, 'unavailable', /^unreachable: .*Timeout/],
      [
        '1xx answers without end',
        'feed',
        ({ socket }) => pour(socket, CONTINUES),
        'unavailable',
        /^unreachable: more than 16 1xx/,
      ],
      [
        'extensions of chunks without end',
        'feed',
        ({ socket }) => pour(socket, CHUNK_EXTENSIONS),
        'pending',
        /^cut: more than 4456448 bytes after the head$/,
      ],
      ['a redirect to another host', 'submission', elsewhere, 'unavailable', /^302 to http:\/\/localhost\.invalid/],
      ['403 for the feed', 'feed', text(403, htmlPage('Forbidden')), 'blocked', /^403/],
      ['403 of the store for the feed', 'feed', text(403, DENIED), 'blocked', /^403/],
      ['403 for a submission', 'submission', text(403, ''), 'blocked', /^403/],
      ['the rate exceeded, asking for an index', 'index', text(403, RATE), 'blocked', /Threshold/],
      ['a company that is not there (404)', 'sic', text(404, DENIED), 'missing', /^404/],
      ['a company that is not there (403)', 'sic', text(403, DENIED), 'missing', /^403/],
      ['a company behind a 403 of any kind', 'sic', text(403, htmlPage('Forbidden')), 'missing', /^403/],
      [
        'another company',
        'sic',
        text(200, APPLE.replace('320193', '320194')),
        'pending',
        /^no submissions of 0000320193/,
      ],
      ['JSON that breaks off', 'sic', text(200, APPLE.slice(0, -3)), 'pending', /^no submissions of 0000320193/],
      ['JSON that is no object', 'sic', text(200, '[1]'), 'pending', /^no submissions/],
      ['JSON of a million brackets', 'sic', text(200, '['.repeat(1_000_000)), 'pending', /^no submissions/],
      [
        'submissions above 4 MB',
        'sic',
        packed(gzipSync(Buffer.alloc(5 * 1024 * 1024, 32))),
        'pending',
        /^too-large: larger than 4194304 bytes$/,
      ],
      ['HTML with status 200 for a company', 'sic', text(200, htmlPage('File Unavailable')), 'unavailable', /^200/],
      ['the rate exceeded, asking for a company', 'sic', text(403, RATE), 'blocked', /Threshold/],
      [
        'an undeclared tool, with status 200',
        'companies',
        text(200, htmlPage('Your Request Originates from an Undeclared Automated Tool')),
        'blocked',
        /Undeclared/,
      ],
    ]
    for (const [what, one, behaviour, kind, reason] of cases) {
      it(`${what}: ${kind}`, async () => {
        server.answer = behaviour
        const got = await ask[one]!(open(behaviour === silent || behaviour === dripping ? { timeoutMs: 400 } : {}))
        assert.strictEqual(got.kind, kind, got.reason)
        assert.match(got.reason!, reason)
        assert.strictEqual(got.pauseMs, kind === 'blocked' ? 600_000 : kind === 'unavailable' ? 1000 : undefined)
      })
    }

    it('connection refused: unavailable', async () => {
      const closed = createServer()
      await new Promise<void>((resolve) => {
        closed.listen(0, '127.0.0.1', resolve)
      })
      const baseUrl = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
      await new Promise((resolve) => {
        closed.close(resolve)
      })
      const got = await open({ baseUrl }).currentFeed(0)
      assert.strictEqual(got.kind, 'unavailable')
    })
  })

  describe('leaves the server alone', () => {
    /** What was asked at which instant of the timer, a second one waiting meanwhile. */
    async function waitedAfter(first: RequestListener, one: string, ms: number): Promise<void> {
      server.answer = first
      const edgar = open()
      await ask[one]!(edgar)
      server.answer = text(200, SUBMISSION)
      const next = ask['submission']!(edgar)
      await timer.advance(ms - 1)
      await new Promise((resolve) => {
        setTimeout(resolve, 30)
      })
      assert.lengthOf(server.asked, 1)
      await timer.advance(1)
      assert.strictEqual((await next).kind, 'ok')
    }

    it('10 minutes after a 403, whatever was asked', () => waitedAfter(text(403, RATE), 'index', 600_000))
    it('as long as Retry-After says', () => waitedAfter(text(429, RATE, { 'retry-after': '7' }), 'feed', 7000))
    it('until the date in Retry-After', async () => {
      server.answer = text(503, '', { 'retry-after': 'Fri, 20 Nov 2026 12:00:45 GMT' })
      const got = await ask['feed']!(open({ clock: () => Date.UTC(2026, 10, 20, 12, 0, 0) }))
      assert.strictEqual(got.pauseMs, 45_000)
    })
    it('1 second after a reset', () =>
      waitedAfter(
        (request) => {
          request.socket.resetAndDestroy()
        },
        'feed',
        1000,
      ))
    it('no longer than a turn after an index that is missing', () => waitedAfter(text(403, DENIED), 'index', 126))
    it('no longer than a turn after a submission not there yet', () => waitedAfter(text(404, ''), 'submission', 126))

    it('doubling up to a minute, and from the start after an answer', async () => {
      server.answer = text(503, '')
      const edgar = open()
      const pauses: unknown[] = []
      for (let failure = 0; failure < 8; failure += 1) {
        const asking = edgar.currentFeed(0)
        await timer.advance(60_000)
        const got = await asking
        pauses.push('pauseMs' in got && got.pauseMs)
      }
      assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
      server.answer = text(404, '')
      await Promise.all([edgar.submission(FILING, 'live'), timer.advance(60_000)])
      server.answer = text(503, '')
      const [got] = await Promise.all([edgar.currentFeed(0), timer.advance(60_000)])
      assert.strictEqual('pauseMs' in got && got.pauseMs, 1000)
    })
  })

  describe('redirects', () => {
    it('within the host are followed, each for a turn of its own', async () => {
      server.answer = (request, response) => {
        if (request.url!.startsWith('/moved/')) return response.end(SUBMISSION)
        response.writeHead(301, { location: `/moved${request.url}` }).end()
      }
      const asking = open().submission(FILING, 'live')
      await until(() => timer.alarms() > 0)
      assert.lengthOf(server.asked, 1)
      await timer.advance(126)
      assert.strictEqual((await asking).kind, 'ok')
      assert.deepEqual(
        server.asked.map(({ path }) => path),
        [`/Archives/${FILING.path}`, `/moved/Archives/${FILING.path}`],
      )
    })

    it('in a circle end after three', async () => {
      server.answer = (request, response) => response.writeHead(302, { location: request.url! }).end()
      const asking = open().submission(FILING, 'live')
      for (let turn = 0; turn < 3; turn += 1) {
        await until(() => timer.alarms() > 0)
        await timer.advance(126)
      }
      assert.strictEqual((await asking).kind, 'unavailable')
      assert.lengthOf(server.asked, 4)
    })
  })

  describe('can be called off', () => {
    const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
      promise.then(
        () => 'answered',
        (reason) => reason,
      )
    it('while waiting for a turn, while waiting for an answer, and before', async () => {
      server.answer = () => {}
      const leaving = new AbortController()
      const edgar = open()
      const sent = reasonOf(edgar.currentFeed(0, leaving.signal))
      const waiting = reasonOf(edgar.submission(FILING, 'live', leaving.signal))
      await until(() => server.asked.length === 1)
      leaving.abort('stopping')
      assert.deepEqual(await Promise.all([sent, waiting, reasonOf(edgar.companyList(null, leaving.signal))]), [
        'stopping',
        'stopping',
        'stopping',
      ])
      assert.lengthOf(server.asked, 1)
      assert.strictEqual(timer.alarms(), 0)
    })

    it('while the body comes', async () => {
      server.answer = (_request, response) => {
        response.write('<SEC-DOCUMENT>')
      }
      const leaving = new AbortController()
      const sent = reasonOf(open().submission(FILING, 'live', leaving.signal))
      await until(() => server.asked.length === 1)
      await new Promise((resolve) => {
        setTimeout(resolve, 50)
      })
      leaving.abort('stopping')
      assert.strictEqual(await sent, 'stopping')
    })
  })
})
