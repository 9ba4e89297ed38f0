// The client of EDGAR asking for the SIC of a company, which comes from the SEC's JSON host and behind all other
// requests.
import { existsSync, readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { EdgarClient, type EdgarOptions } from '../../../src/infrastructure/edgar/client/client.ts'
import { answeringServer, text } from '../../support/edgar/simulator/answering-server.ts'
import { manualTimer, type ManualTimer } from '../../support/manual-timer.ts'

const FILING = {
  accession: '0001999001-26-000005',
  path: 'edgar/data/1999001/000199900126000005/0001999001-26-000005.txt',
}
const SUBMISSION = `<SEC-DOCUMENT>${FILING.accession}.txt : 20261106
<TEXT>An invented filing.</TEXT>
</SEC-DOCUMENT>
`
const APPLE =
  '{"cik":"320193","entityType":"operating","sic":"3571","name":"Apple Inc.","filings":{"recent":{},"files":[]}}'
const REAL_SUBMISSIONS = new URL('../../../../shared/edgar/json/submissions-CIK0000320193.json', import.meta.url)
const RATE = '\n<!DOCTYPE html>\n<html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head></html>'

describe('the SIC of a company at EDGAR', () => {
  const server = answeringServer()
  let timer: ManualTimer

  beforeEach(() => {
    timer = manualTimer()
  })

  const open = (options: Partial<EdgarOptions> = {}): EdgarClient =>
    new EdgarClient({
      baseUrl: server.url(),
      userAgent: 'Example Co someone@example.com',
      timeoutMs: 2000,
      timer,
      ...options,
    })

  it('is asked for at the address of the JSON, behind all else', async () => {
    server.answer = text(404, '')
    const edgar = open({ baseUrl: 'http://localhost.invalid', dataUrl: `${server.url()}/data/` })
    await edgar.sicOf('0000320193')
    assert.deepEqual(
      server.asked.map(({ path }) => path),
      ['/data/submissions/CIK0000320193.json'],
    )
    const shared = open()
    const all = [
      shared.dailyIndex('2026-11-06'),
      shared.sicOf('0000320193'),
      shared.dailyIndex('2026-11-06'),
      shared.submission(FILING, 'live'),
    ]
    for (const one of [0, 3, 2, 1]) {
      await all[one]
      await timer.advance(126)
    }
    assert.deepEqual(
      server.asked.slice(1).map(({ path }) => path.split('/')[3] ?? path),
      ['daily-index', 'data', 'daily-index', '/submissions/CIK0000320193.json'],
    )
  })

  it('is read, and that a company has none', async () => {
    const edgar = open()
    const sics: [json: string, sic: string | null][] = [
      [APPLE, '3571'],
      [APPLE.replace('"320193"', '320193').replace('"3571"', '3571'), '3571'],
      [APPLE.replace('"320193"', '"0000320193"').replace('3571', '100'), '0100'],
      ...['""', '"0000"', 'null', '[]', '{"a":1}', 'true', '"35711"', '"see notes"'].map((sic): [string, null] => [
        APPLE.replace('"3571"', sic),
        null,
      ]),
      [APPLE.replace('"sic":"3571",', ''), null],
    ]
    for (const [json, sic] of sics) {
      server.answer = text(200, json)
      assert.deepEqual(await edgar.sicOf('0000320193'), { kind: 'ok', value: sic }, json)
      await timer.advance(126)
    }
  })

  it('is read from what EDGAR really says of Apple (skipped without ../shared)', async function () {
    if (!existsSync(REAL_SUBMISSIONS)) this.skip()
    server.answer = text(200, gzipSync(readFileSync(REAL_SUBMISSIONS)), { 'content-encoding': 'gzip' })
    assert.deepEqual(await open().sicOf('0000320193'), { kind: 'ok', value: '3571' })
  })

  it('pauses all requests while the address is blocked or too fast, and none if only the JSON host fails', async () => {
    const pauses: [first: RequestListener, milliseconds: number][] = [
      [text(503, ''), 126],
      [
        ({ socket }) => {
          socket.resetAndDestroy()
        },
        126,
      ],
      [text(429, RATE), 1_000],
      [text(403, RATE), 600_000],
    ]
    for (const [first, milliseconds] of pauses) {
      timer = manualTimer()
      const edgar = open()
      server.answer = first
      await edgar.sicOf('0000320193')
      server.answer = text(200, SUBMISSION)
      server.asked = []
      const next = edgar.submission(FILING, 'live')
      await timer.advance(milliseconds - 2)
      assert.isEmpty(server.asked)
      await timer.advance(3)
      await next
      assert.lengthOf(server.asked, 1)
    }
  })
})
