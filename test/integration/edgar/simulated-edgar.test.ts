// The simulated EDGAR must be trusted before anything is tested against it: its feed and indexes, read here by a few
// plain patterns, name exactly what was published, in the layout of real answers where these are at hand.
import { assert } from 'chai'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { filingTime } from '../../../src/domain/filings/acceptance-time.ts'
import { parseCompanyList } from '../../../src/infrastructure/edgar/listings/company-list.ts'
import { readDocument } from '../../../src/infrastructure/edgar/documents/read-document.ts'
import { filingOf, submissionText, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { filingDay, inventedFiling, type InventedFiling } from '../../support/edgar/invented/filings.ts'
import { INVENTED_COMPANIES, inventedListings } from '../../support/edgar/invented/world.ts'
import { atNewYork, newYork } from '../../support/edgar/simulator/new-york.ts'
import {
  AGENT,
  ask,
  documentPath,
  feedPath,
  indexPath,
  publishInvented,
  textAt,
} from '../../support/edgar/checks/plain-client.ts'
import { entriesIn, formLayout, linesIn, skeletonOf, type Entry } from '../../support/edgar/checks/plain-reading.ts'
import {
  startSimulatedEdgar,
  type SimulatedEdgar,
  type SimulatedEdgarOptions,
} from '../../support/edgar/simulator/simulated-edgar.ts'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
const REAL = join(PROJECT, '../shared/edgar')
const REAL_PAGE = join(REAL, 'atom/getcurrent-type4-20251212T1803ET-start200-http200.atom')
const REAL_INDEX = join(REAL, 'index/form.20200318.idx')
const withoutReal = (path: string): string => (existsSync(path) ? '' : ' (skipped: no real one here)')

/** What `spec` must show as: one per party, owners as often as the issuer. */
function partiesOf({ issuer, owners }: FilingSpec): string[] {
  return [...owners!.map((owner) => `${owner.cik} Reporting`), `${issuer!.cik} Issuer`]
}

describe('simulated EDGAR', () => {
  let edgar: SimulatedEdgar
  const start = async (options: SimulatedEdgarOptions = {}): Promise<void> => {
    edgar = await startSimulatedEdgar({ clock: '2026-03-12 18:00:00', stopped: true, rate: { most: null }, ...options })
  }
  const startWith = (options: SimulatedEdgarOptions): Promise<void> => edgar.close().then(() => start(options))
  beforeEach(() => start())
  afterEach(() => edgar.close())
  const get = (path: string, headers?: Record<string, string>): Promise<Response> => ask(edgar, path, headers)
  const text = (path: string): Promise<string> => textAt(edgar, path)
  const feed = (from = 0): Promise<string> => text(feedPath(from))
  const publish = (count: number): InventedFiling[] => publishInvented(edgar, count)
  const pathOf = ({ accession, spec }: InventedFiling): string => documentPath(accession, spec.issuer!.cik!)
  const published = (): InventedFiling & { path: string } =>
    publish(1).map((each) => ({ ...each, path: pathOf(each) }))[0]!

  it('keeps New York time through both changes of the clock', () => {
    const at = (iso: string): string => Object.values(newYork(Date.parse(iso))).join(' ')
    assert.strictEqual(at('2025-12-12T23:03:57Z'), '2025-12-12 18:03:57 20251212 20251212180357 -05:00 EST Fri Dec')
    assert.strictEqual(at('2026-06-11T04:00:00Z'), '2026-06-11 00:00:00 20260611 20260611000000 -04:00 EDT Thu Jun')
    for (let hour = 0; hour < 24 * 366; hour += 5) {
      const instant = Date.UTC(2026, 0, 1, hour)
      assert.strictEqual(atNewYork(newYork(instant).stamp), instant)
    }
  })

  describe('the feed', () => {
    it('writes an entry as EDGAR does, to the byte', async () => {
      edgar.publish(
        submissionText({
          accession: '0009900001-26-000007',
          acceptedAt: '20260312175802',
          issuer: { cik: '0009100001', name: 'Société "Ω" & Sons\' Co' },
          owners: [{ cik: '0009200001', name: 'SAMPLE Ada' }],
        }),
      )
      const page = await feed()
      const response = await get(feedPath())
      const bytes = Buffer.from(await response.arrayBuffer())
      assert.strictEqual(response.headers.get('content-type'), 'application/atom+xml')
      assert.match(response.headers.get('cache-control')!, /no-cache/)
      assert.include(bytes.toString('latin1'), 'Société &quot;&#937;&quot; &amp; Sons&#39; Co')
      const folder = 'https://www.sec.gov/Archives/edgar/data/9200001/000990000126000007'
      const [, first] = page.split('</author>\n')[1]!.split('<entry>\n')
      assert.strictEqual(
        first,
        `<title>4 - SAMPLE Ada (0009200001) (Reporting)</title>
<link rel="alternate" type="text/html" href="${folder}/0009900001-26-000007-index.htm"/>
<summary type="html">
 &lt;b&gt;Filed:&lt;/b&gt; 2026-03-12 &lt;b&gt;AccNo:&lt;/b&gt; 0009900001-26-000007 &lt;b&gt;Size:&lt;/b&gt; 3 KB
</summary>
<updated>2026-03-12T17:58:02-04:00</updated>
<category scheme="https://www.sec.gov/" label="form type" term="4"/>
<id>urn:tag:sec.gov,2008:accession-number=0009900001-26-000007</id>
</entry>
`,
      )
      assert.include(page, '<title>Latest Filings - Thu, 12 Mar 2026 18:00:00 EDT</title>')
    })
    it(`has the lines of a real page${withoutReal(REAL_PAGE)}`, async function () {
      if (!existsSync(REAL_PAGE)) return this.skip()
      publish(200)
      assert.deepEqual(skeletonOf(await feed()), skeletonOf(readFileSync(REAL_PAGE, 'latin1')))
    })
    it('lists exactly what was published, newest first, once per party', async () => {
      const filings = publish(300)
      const found: Entry[] = []
      for (let page: Entry[] = []; (page = entriesIn(await feed(found.length))).length > 0;) found.push(...page)
      const ours = found.filter(({ form }) => form === '4' || form === '4/A')
      assert.sameMembers(
        ours.map(({ accession, form, cik, role }) => `${accession} ${form} ${cik} ${role}`),
        filings.flatMap(({ spec }) => partiesOf(spec).map((party) => `${spec.accession} ${spec.formType} ${party}`)),
      )
      assert.deepEqual(
        [...new Set(ours.map((each) => each.accession))],
        filings.map((each) => each.accession).reverse(),
      )
      for (const { accession, cik, link, updated, filed } of ours) {
        const { spec } = filings.find((each) => each.accession === accession)!
        assert.include(link, `/data/${Number(cik)}/${accession.replaceAll('-', '')}/${accession}-index.htm`)
        assert.strictEqual(updated.replace(/\D/g, '').slice(0, 14), spec.acceptedAt)
        assert.strictEqual(filed.replaceAll('-', ''), spec.filedAsOf)
      }
    })
    it('returns by the prefix what was not asked for, and no more', async () => {
      publish(200)
      const pages = await Promise.all([0, 100, 200, 300].map((from) => feed(from)))
      const forms = new Set(pages.flatMap(entriesIn).map((each) => each.form))
      for (const form of ['4', '4/A', '424B2', '497', '425', '40-APP/A']) assert.include([...forms], form)
      assert.isEmpty([...forms].filter((form) => !form.startsWith('4')))
      const only = entriesIn(await text(feedPath(0, 'only'))).map((each) => each.form)
      assert.sameMembers([...new Set(only)], ['4', '4/A'])
    })
    it('gives 100 entries at most, and nothing beyond start 5000', async () => {
      publish(60)
      for (const [asked, given] of [
        ['10', 10],
        ['1000', 100],
        ['', 40],
      ] as const) {
        const page = await text(`/cgi-bin/browse-edgar?action=getcurrent&type=4&count=${asked}&output=atom`)
        assert.lengthOf(entriesIn(page), given)
      }
      assert.isEmpty(entriesIn(await feed(5000)))
      const refused = await get(feedPath(5100))
      assert.match(
        `${refused.status}${await refused.text()}`,
        /^503\n<!DOCTYPE html>[^]*<title>SEC.gov \| File Unavailable/,
      )
    })
    it('shows a filing when the clock comes to it, also between those that are known', async () => {
      const one = (accession: string, acceptedAt: string): void =>
        void edgar.publish(submissionText({ accession, acceptedAt }))
      one('0009900001-26-000001', '20260312180001')
      assert.isEmpty(entriesIn(await feed()))
      edgar.clock.advance(2)
      one('0009900001-26-000002', '20260312175959')
      const shown = entriesIn(await feed()).map((each) => each.accession.slice(-1))
      assert.deepEqual([...new Set(shown)], ['1', '2'])
      assert.throws(() => one('0009900001-26-000002', '20260312175959'), /already/)
    })
  })

  describe('documents', () => {
    it('come under every party and in both places, whole, and are read as what they were made of', async () => {
      for (const { accession, text: made, spec } of publish(120)) {
        const plain = accession.replaceAll('-', '')
        const ciks = [spec.issuer!.cik!, ...spec.owners!.map((owner) => owner.cik!)].map(Number)
        const copies = await Promise.all(
          ciks.flatMap((cik) => [documentPath(accession, cik), documentPath(`${plain}/${accession}`, cik)]).map(text),
        )
        assert.deepEqual([...new Set(copies)], [made])
        const reading = readDocument(Buffer.from(copies[0]!), '')
        assert.deepEqual(reading, { kind: 'filing', filing: filingOf(spec) })
        const time = reading.kind === 'filing' && filingTime(reading.filing, Date.now() / 1000)
        assert.deepEqual(time, {
          at: atNewYork(spec.acceptedAt!) / 1000,
          basis: 'accepted',
          day: filingDay(atNewYork(spec.acceptedAt!)),
        })
      }
    })
    it('come compressed where that is accepted, and only changed where a version is known', async () => {
      const { path, text: made } = published()
      const zipped = await get(path)
      assert.strictEqual(zipped.headers.get('content-encoding'), 'gzip')
      assert.strictEqual(zipped.headers.get('content-type'), 'text/plain')
      const plain = await get(path, { ...AGENT, 'accept-encoding': 'identity' })
      assert.strictEqual(plain.headers.get('content-length'), String(Buffer.byteLength(made)))
      assert.strictEqual((await get(path, { ...AGENT, 'if-none-match': plain.headers.get('etag')! })).status, 304)
    })
    it('are absent for strangers, before their time, after removal', async () => {
      const { accession, path } = published()
      assert.strictEqual((await get(documentPath(accession, 1))).status, 404)
      assert.strictEqual((await get(path.replace('.txt', '9.txt'))).status, 404)
      const zeros = await get(path.replace('/data/', '/data/000'))
      assert.deepEqual([zeros.status, zeros.headers.get('location')], [301, path])
      edgar.withdraw(accession, { listed: true })
      assert.match(await (await get(path)).text(), /NoSuchKey/)
      assert.isNotEmpty(entriesIn(await feed()).filter((each) => each.accession === accession))
      edgar.withdraw(accession)
      assert.isEmpty(entriesIn(await feed()).filter((each) => each.accession === accession))
      await startWith({ unknown: 403 })
      assert.strictEqual((await get(path)).status, 403)
    })
  })

  describe('indexes', () => {
    it('list in every layout exactly what was filed on the day, once per party', async () => {
      const filings = publish(150)
      edgar.clock.set('2026-03-12 22:00:00')
      const expected = filings.flatMap(({ spec }) =>
        [spec.issuer!, ...spec.owners!].map(({ cik }) => `${spec.formType}|${Number(cik)}|${spec.accession}`),
      )
      for (const kind of ['form', 'master', 'company', 'crawler'] as const) {
        const index = await text(indexPath(kind, '20260312'))
        const lines = linesIn(kind, index)
        assert.sameMembers(
          lines.filter((line) => /^4(\/A)?\|/.test(line)),
          expected,
          kind,
        )
        assert.isAbove(new Set(lines.map((line) => line.split('|')[0])).size, 8, 'other forms too')
        assert.match(index, /^Last Data Received: {4}Mar 12, 2026$/m)
      }
    })
    it(`are laid out as real ones${withoutReal(REAL_INDEX)}`, async function () {
      if (!existsSync(REAL_INDEX)) return this.skip()
      await startWith({ clock: '2020-03-18 18:00:00' })
      publish(100)
      edgar.clock.set('2020-03-18 23:00:00')
      const ours = formLayout(await text(indexPath('form', '20200318')))
      const real = formLayout(readFileSync(REAL_INDEX, 'latin1'))
      assert.strictEqual(ours.head, real.head)
      for (const line of [...ours.lines, ...real.lines]) {
        // Lines of other forms may be of earlier days; Form 4s never are.
        assert.deepEqual([line?.[0].length, line?.[0].slice(86, 98).trim()], [150, line?.[4]])
        if (line![1]!.startsWith('4 ')) assert.strictEqual(line![4], '20200318')
      }
      for (const column of [ours, real].map(({ lines }) => lines.map((line) => line![1]! + line![2]!))) {
        assert.deepEqual(column, [...column].sort())
      }
    })
    it('appear at 22:00 New York, on business days and in their quarter', async () => {
      publish(3)
      const day = indexPath('form', '20260312')
      const expect = async (path: string, status: number, why = path): Promise<void> =>
        assert.strictEqual((await get(path)).status, status, why)
      await expect(day, 403)
      edgar.clock.set('2026-03-12 21:59:59')
      await expect(day, 403)
      edgar.clock.advance(1)
      await expect(day, 200)
      await expect(indexPath('form', '20260311'), 200, 'nothing filed, header only')
      await expect(indexPath('form', '20260308'), 403, 'a Sunday')
      await expect(indexPath('form', '20260216'), 403, "Washington's birthday")
      await expect(day.replace('QTR1', 'QTR2'), 403)
      await expect('/Archives/edgar/daily-index/2026/QTR2/index.json', 403)
      const listing = JSON.parse(await text('/Archives/edgar/daily-index/2026/QTR1/index.json'))
      const names = listing.directory.item.map((item: { name: string }) => item.name)
      assert.include(names, 'master.20260312.idx')
      assert.notInclude(names, 'form.20260308.idx')
    })
  })

  it('serves company lists, submissions and data sets', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'data-sets-'))
    writeFileSync(join(folder, '2024q3_form345.zip'), 'PK not really')
    await startWith({ companies: inventedListings(), dataSets: folder })
    const filings = publish(40)
    const listed = parseCompanyList(await text('/files/company_tickers_exchange.json'))
    assert.deepEqual(listed, inventedListings())
    const plainer = parseCompanyList(await text('/files/company_tickers.json'))
    assert.deepEqual(
      plainer,
      listed.map((each) => ({ ...each, exchange: null })),
    )
    edgar.list(inventedListings().slice(0, 2))
    assert.lengthOf(parseCompanyList(await text('/files/company_tickers_exchange.json')), 2)
    const sets = '/files/structureddata/data/insider-transactions-data-sets'
    assert.strictEqual(await text(`${sets}/2024q3_form345.zip`), 'PK not really')
    assert.strictEqual((await get(`${sets}/2024q4_form345.zip`)).status, 404)
    rmSync(folder, { recursive: true })
    const submissions = JSON.parse(await text(`/submissions/CIK${filings[0]!.spec.issuer!.cik}.json`))
    const { accessionNumber, acceptanceDateTime, form } = submissions.filings.recent
    const at = accessionNumber.indexOf(filings[0]!.accession)
    assert.strictEqual(form[at], '4')
    assert.strictEqual(Date.parse(acceptanceDateTime[at]), atNewYork(filings[0]!.spec.acceptedAt!))
    assert.strictEqual((await get('/submissions/CIK0000000001.json')).status, 404)
  })

  describe('refusals', () => {
    it('turns away who gives no contact', async () => {
      const refused = await get('/files/company_tickers.json', { 'user-agent': 'curl/8' })
      assert.match(`${refused.status}${await refused.text()}`, /^403\n<!DOCTYPE html>[^]*Undeclared Automated Tool/)
      assert.strictEqual(edgar.requests()[0]!.fault, 'agent')
    })
    it('refuses a client for a while after more than ten requests in a second, and counts its requests', async () => {
      let statuses: number[]
      let last: string
      // Again where they came within more than a second, on a machine that stood still.
      do {
        await startWith({ rate: { blockedMilliseconds: 1300 } })
        const asked = Array.from({ length: 13 }, async () => (await get('/files/company_tickers.json')).status)
        statuses = await Promise.all(asked)
        last = await (await get('/files/company_tickers.json')).text()
      } while (edgar.requests().at(-1)!.at - edgar.requests()[0]!.at >= 1000)
      assert.deepEqual(statuses.sort(), [...Array(10).fill(200), ...Array(3).fill(403)])
      assert.match(last, /Request Rate Threshold Exceeded/)
      assert.strictEqual(edgar.mostInAnySecond(), 14)
      assert.strictEqual(
        [...edgar.perSecond().values()].reduce((sum, count) => sum + count, 0),
        14,
      )
      assert.lengthOf(
        edgar.requests().filter((each) => each.fault === 'rate'),
        4,
      )
      await delay(1400)
      await text('/files/company_tickers.json')
    })
  })

  describe('faults', () => {
    it('come as scripted, each in its kind, and then no more', async () => {
      const { path } = published()
      const whole = await text(path)
      type Script = Parameters<SimulatedEdgar['faults']['next']>
      const after = async (...fault: Script): Promise<[number, string, Headers]> => {
        edgar.faults.next(...fault)
        const response = await get(path)
        return [response.status, await response.text(), response.headers]
      }
      for (const [kind, answer] of [
        ['forbidden', /^403,.*AccessDenied/s],
        ['missing', /^404,.*NoSuchKey/s],
        ['blocked', /^403,.*Request Rate Threshold Exceeded/s],
        ['unavailable', /^503,.*<!DOCTYPE html>/s],
        ['page', /^200,.*<!DOCTYPE html>/s],
      ] as const)
        assert.match((await after(kind)).slice(0, 2).map(String).join(), answer)
      const [status, , headers] = await after('too-many', 1, { retryAfter: 7 })
      assert.deepEqual([status, headers.get('retry-after')], [429, '7'])
      const [, cut] = await after('cut-silently')
      assert.isTrue(whole.startsWith(cut) && !cut.includes('</SEC-DOCUMENT>'), 'no end')
      assert.strictEqual(readDocument(Buffer.from(cut), '').kind, 'rejected')
      for (const kind of ['cut', 'reset'] as const) {
        assert.instanceOf(await after(kind).catch((error) => error), TypeError, kind)
      }
      const before = Date.now()
      assert.strictEqual((await after('slow', 1, { milliseconds: 120 }))[1], whole)
      assert.isAtLeast(Date.now() - before, 110)
      assert.strictEqual(await text(path), whole)
      assert.deepEqual(Object.values(edgar.faults.given()), Array(10).fill(1))
    })
    it('fit only what they are for', async () => {
      const [filing] = publish(30) as [InventedFiling]
      edgar.faults.next('missing')
      edgar.faults.next('unavailable', 2, { of: /daily-index/ })
      const plain = entriesIn(await feed())
      assert.strictEqual((await get(pathOf(filing))).status, 404)
      edgar.faults.next('repeated')
      const repeated = entriesIn(await feed()).map((each) => `${each.accession} ${each.cik}`)
      const known = new Set(plain.map((each) => `${each.accession} ${each.cik}`))
      assert.isAbove(repeated.length, new Set(repeated).size)
      assert.isTrue(repeated.every((each) => known.has(each)))
      assert.deepEqual(edgar.faults.given(), { missing: 1, repeated: 1 })
    })
    it('come by chance in their share, the same for the same seed', async () => {
      const runs: string[] = []
      for (const seed of [5, 5, 6]) {
        await startWith({ seed })
        edgar.faults.some('unavailable', 0.3)
        const statuses = []
        for (let index = 0; index < 150; index += 1) statuses.push((await get('/files/company_tickers.json')).status)
        runs.push(statuses.join())
      }
      assert.strictEqual(runs[0], runs[1])
      assert.notStrictEqual(runs[0], runs[2])
      assert.approximately(runs[0]!.split('503').length - 1, 45, 18)
    })
    it('let the feed run ahead of the archive, and documents go for good', async () => {
      edgar.faults.lag(0.5, 30)
      edgar.faults.remove(0.2)
      const filings = publish(60)
      const absent = async (): Promise<number> =>
        (await Promise.all(filings.map((each) => get(pathOf(each))))).filter(({ status }) => status === 404).length
      edgar.clock.advance(29)
      const late = await absent()
      edgar.clock.advance(86_400)
      const gone = await absent()
      assert.approximately(gone, 12, 9)
      assert.approximately(late - gone, 24, 14)
      const listed = (await Promise.all([0, 100].map((from) => text(feedPath(from, 'only'))))).flatMap(entriesIn)
      assert.strictEqual(new Set(listed.map((each) => each.accession)).size, 60)
    })
  })
})

describe('invented filings', () => {
  const invention = { seed: 3, acceptedAt: (number: number) => atNewYork('2026-03-02 09:00:00') + number * 90_000 }
  let some: InventedFiling[]
  before(() => {
    some = Array.from({ length: 2500 }, (_, index) => inventedFiling(index + 1, invention))
  })

  it('are the same for the same seed and number, whatever came before', () => {
    assert.deepEqual(inventedFiling(777, invention), some[776])
    assert.notStrictEqual(inventedFiling(777, { ...invention, seed: 4 }).accession, some[776]!.accession)
    assert.strictEqual(new Set(some.map((each) => each.accession)).size, some.length)
  })

  it('hold codes in the shares of real ones', () => {
    const codes = some.flatMap(({ spec }) => spec.rows ?? []).map((row) => row.code!)
    const share = (code: string): number => codes.filter((each) => each === code).length / codes.length
    const real = { S: 0.23, A: 0.22, F: 0.18, P: 0.15, M: 0.14, G: 0.03 }
    for (const [code, part] of Object.entries(real)) assert.approximately(share(code), part, 0.04, code)
    assert.approximately(some.filter(({ spec }) => spec.owners!.length > 1).length / some.length, 0.05, 0.03)
    assert.isAbove(new Set(some.map(({ spec }) => spec.issuer!.cik)).size, 40)
    assert.strictEqual(new Set(INVENTED_COMPANIES.map(({ ticker }) => ticker)).size, INVENTED_COMPANIES.length)
  })

  it('amend earlier ones of the same issuer and owners, by the day these were filed', () => {
    const amending = some.filter(({ amends }) => amends !== null)
    assert.approximately(amending.length / some.length, 0.022, 0.012)
    for (const { spec, amends } of amending) {
      const original = some[amends! - 1]!.spec
      assert.deepEqual([spec.formType, original.formType], ['4/A', '4'])
      assert.deepEqual([spec.issuer, spec.owners], [original.issuer, original.owners])
      assert.strictEqual(spec.dateOfOriginalSubmission!.replaceAll('-', ''), original.filedAsOf)
    }
  })

  it('are dated as EDGAR dates: traded before filed, filed on a business day', () => {
    assert.strictEqual(filingDay(atNewYork('2026-03-13 21:59:59')), '2026-03-13')
    assert.strictEqual(filingDay(atNewYork('2026-03-13 22:00:00')), '2026-03-16')
    const day = (date: string): number => Number(date.replaceAll('-', ''))
    for (const { spec } of some) assert.isAtMost(day(spec.periodOfReport!), day(spec.filedAsOf!))
  })
})

describe('the simulated EDGAR of make demo', () => {
  it('says where it is and publishes until it is stopped', async () => {
    const words = ['--import', 'tsx', 'test/demo/demo-edgar.ts', '--per-minute', '1200']
    const child = spawn(process.execPath, words, { cwd: PROJECT })
    const ended = once(child, 'exit')
    const { url } = JSON.parse(String((await once(child.stdout, 'data'))[0]).split('\n')[0]!)
    let entries: Entry[] = []
    let readAt = 0
    while (new Set(entries.map((each) => each.accession)).size <= 5) {
      await delay(200)
      entries = entriesIn(await (await fetch(url + feedPath(), { headers: AGENT })).text())
      readAt = Date.now()
    }
    child.kill('SIGTERM')
    assert.strictEqual((await ended)[0], 0)
    assert.isBelow(Math.abs(Date.parse(entries[0]!.updated) - readAt), 5000)
  })
})
