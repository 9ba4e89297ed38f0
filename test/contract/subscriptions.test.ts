// The feed and the signals as Atom and CSV over HTTP. Atom is parsed by another XML library than the service uses, and
// checked against RFC 4287; CSV is checked against RFC 4180.
import { assert } from 'chai'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import type { components } from '../../src/contract.ts'
import { JsonText } from '../../src/application/queries/json-text.ts'
import type { Queries } from '../../src/application/queries/queries.ts'
import { atomXml } from '../../src/infrastructure/http/atom.ts'
import { call } from '../support/http/contract-client.ts'
import { parseCsv } from '../support/http/csv.ts'
import {
  asked,
  example,
  exampleQueries,
  startExampleService,
  type ExampleService,
} from '../support/http/example-service.ts'
import { textPage } from '../support/service/parsed-queries.ts'

type Transaction = components['schemas']['Transaction']
type Page = components['schemas']['FeedPage']

interface Element {
  name: string
  attributes: Record<string, string>
  text: string
  children: Element[]
}

const ATOM = 'http://www.w3.org/2005/Atom'

/** Parses a document with namespaces. Throws where it is not well-formed. */
function parseXml(xml: string): Element {
  const root: Element = { name: '', attributes: {}, text: '', children: [] }
  const open = [root]
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ local, uri, attributes }) => {
    assert.strictEqual(uri, ATOM)
    const own = Object.entries(attributes).map(([name, { value }]) => [name, value])
    const element = { name: local, attributes: Object.fromEntries(own), text: '', children: [] }
    open.at(-1)!.children.push(element)
    open.push(element)
  })
  parser.on('text', (text) => {
    open.at(-1)!.text += text
  })
  parser.on('closetag', () => {
    open.pop()
  })
  parser.write(xml).close()
  return root.children[0]!
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const named = ({ children }: Element, name: string) => children.filter((child) => child.name === name)
const only = (element: Element, name: string): string => {
  assert.lengthOf(named(element, name), 1, `${element.name} has one ${name}`)
  return named(element, name)[0]!.text
}

/** Throws where a feed breaks a MUST of RFC 4287, section 4. */
function expectAtom(feed: Element): void {
  assert.strictEqual(feed.name, 'feed')
  const of = (element: Element, allowed: string[]) => {
    for (const { name, children, attributes } of element.children) {
      assert.include(allowed, name)
      // Text constructs are text alone; the type is text where none is said.
      if (['title', 'summary', 'id', 'updated'].includes(name)) assert.deepEqual([children, attributes], [[], {}])
    }
    assert.notEqual(only(element, 'title').trim(), '')
    assert.match(only(element, 'updated'), INSTANT)
    // RFC 4151: authority, date, specific; and an IRI has no space.
    assert.match(only(element, 'id'), /^tag:[a-z0-9.-]+,\d{4}(-\d\d){0,2}:\S+$/)
    for (const { attributes } of named(element, 'link')) {
      assert.include(['self', 'alternate', 'related', 'next'], attributes.rel)
      assert.isOk(URL.canParse(attributes.href!, 'https://service.example/v1/'), attributes.href)
      assert.match(attributes.href!, /^[\x21-\x7e]+$/)
    }
    const alternates = named(element, 'link').filter(({ attributes }) => attributes.rel === 'alternate')
    assert.isAtMost(alternates.length, 1)
    for (const { attributes } of named(element, 'category')) assert.isOk(attributes.term)
    return alternates.length
  }
  of(feed, ['id', 'title', 'updated', 'author', 'link', 'entry'])
  assert.lengthOf(named(feed, 'author'), 1)
  assert.isNotEmpty(only(named(feed, 'author')[0]!, 'name'))
  assert.lengthOf(
    named(feed, 'link').filter(({ attributes }) => attributes.rel === 'self'),
    1,
  )
  const entries = named(feed, 'entry')
  for (const entry of entries) {
    // Without content there must be an alternate.
    assert.strictEqual(of(entry, ['id', 'title', 'updated', 'summary', 'category', 'link']), 1)
    assert.isAtMost(named(entry, 'summary').length, 1)
  }
  assert.lengthOf(new Set(entries.map((entry) => only(entry, 'id'))), entries.length)
}

const link = (entry: Element, rel: string) =>
  named(entry, 'link').find(({ attributes }) => attributes.rel === rel)?.attributes.href

describe('subscriptions', function () {
  this.timeout(20_000)
  let service: ExampleService
  before(async () => {
    service = await startExampleService({ publicUrl: 'https://insider.example.com/below' })
  })
  after(() => service.close())
  const ask = (path: string, headers = {}, at = service) => call(at.url, 'GET', path, { headers })
  async function withTransactions(
    transactions: Transaction[],
    act: (service: ExampleService) => Promise<void>,
  ): Promise<void> {
    const feed: Queries['feed'] = async () => ({ ...textPage({ transactions, hasMore: false }), unknown: [] })
    const own = await startExampleService({ queries: { ...exampleQueries, feed } })
    try {
      await act(own)
    } finally {
      await own.close(0)
    }
  }

  it('/v1/feed.atom has the page of the feed as entries', async () => {
    const { status, headers, body } = await ask('/v1/feed.atom')
    assert.strictEqual(status, 200)
    assert.strictEqual(headers['content-type'], 'application/atom+xml; charset=utf-8')
    assert.strictEqual(headers['access-control-allow-origin'], '*')
    const feed = parseXml(body)
    expectAtom(feed)
    const { transactions } = example('feed-page').data
    const entries = named(feed, 'entry')
    assert.deepEqual(
      entries.map((entry) => only(entry, 'id').replace(/^.*:transaction\//, '')),
      transactions.map(({ id }: Transaction) => id),
    )
    assert.strictEqual(only(feed, 'updated'), transactions[0].filingDate)
    const [first] = entries
    assert.strictEqual(only(first!, 'title'), 'CEO Pat Q. Placeholder bought $1.2M of EXMP')
    assert.include(
      only(first!, 'summary'),
      '25,000 shares at $48.1275, $1.2M (Example Widgets Inc). Significance: critical',
    )
    assert.match(link(first!, 'alternate')!, /^https:\/\/insider\.example\.com\/below\/#\/company\/CIK\d{10}$/)
    assert.match(link(first!, 'related')!, /^https:\/\/www\.sec\.gov\/Archives\//)
    assert.strictEqual(link(feed, 'self'), 'https://insider.example.com/below/v1/feed.atom?limit=20')
    assert.match(link(feed, 'next')!, /^https:\/\/insider\.example\.com\/below\/v1\/feed\.atom\?limit=20&cursor=/)
    assert.strictEqual(only(feed, 'id'), 'tag:insider-trading-data-service,2026:feed')
  })

  it('/v1/signals.atom has the page of the signals as entries', async () => {
    const { body } = await ask('/v1/signals.atom?minSeverity=high&limit=100')
    const feed = parseXml(body)
    expectAtom(feed)
    const { signals } = example('signal-page').data
    const [first] = named(feed, 'entry')
    assert.strictEqual(only(first!, 'id'), `tag:insider-trading-data-service,2026:signal/${signals[0].id}`)
    assert.strictEqual(only(first!, 'summary'), signals[0].description)
    assert.strictEqual(only(first!, 'updated'), signals[0].detectedAt)
    assert.strictEqual(only(first!, 'title'), 'ceo trade at EXMP (high)')
    assert.deepInclude(asked.signals, { minSeverity: 'high', limit: 100 })
  })

  it('accept and refuse the same parameters as their lists', async () => {
    const query = '?filter=buys&tickers=exmp,NOSUCH&roles=ceo&minValue=10.50&tradedTo=2026-01-31&limit=100'
    await ask(`/v1/feed${query}&detail=full`)
    const list = asked.feed
    for (const [path, more] of [
      ['/v1/feed.atom', ''],
      ['/v1/feed.csv', '&detail=full'],
    ] as const) {
      const { headers } = await ask(path + query + more)
      assert.deepEqual(asked.feed, list, path)
      assert.strictEqual(headers['x-unknown-tickers'], 'NOSUCH')
      for (const [wrong, name] of [
        ['limit=101', 'limit'],
        ['nosuch=1', 'nosuch'],
        ['minValue=-1', 'minValue'],
        ['roles=boss', 'roles'],
        ['sort=price', 'sort'],
        ['format=csv', 'format'],
      ]) {
        const { status, body } = await ask(`${path}?${wrong}`)
        assert.deepEqual([status, body.error.details[0].path], [400, `query.${name}`])
      }
      assert.strictEqual((await ask(`${path}?cursor=x%20y`)).body.error.code, 'invalid_cursor')
    }
    assert.strictEqual((await ask('/v1/signals.atom?detectedFrom=yesterday')).status, 400)
    assert.strictEqual((await ask('/v1/feed.atom?detail=full')).status, 400)
  })

  it('have a strong ETag, and answer 304 if nothing has changed', async () => {
    for (const path of ['/v1/feed.atom', '/v1/signals.atom', '/v1/feed.csv?limit=5']) {
      const { headers } = await ask(path)
      assert.match(headers.etag!, /^"[^"]+"$/)
      const again = await ask(path, { 'if-none-match': headers.etag! })
      assert.deepEqual([again.status, again.body], [304, undefined])
      assert.strictEqual((await call(service.url, 'HEAD', path)).headers.etag, headers.etag)
      assert.strictEqual((await ask(path)).headers.etag, headers.etag)
    }
  })

  it('link to EDGAR, and to themselves by relative links, if PUBLIC_URL is not set', async () => {
    await withTransactions(
      [{ ...example('feed-page').data.transactions[0], detail: { issuerCik: '0000320193', url: null } }],
      async (own) => {
        const feed = parseXml((await ask('/v1/feed.atom?tickers=EXMP', {}, own)).body)
        expectAtom(feed)
        assert.strictEqual(link(feed, 'self'), 'feed.atom?tickers=EXMP&limit=20')
        assert.match(only(feed, 'id'), /:feed\?tickers=EXMP$/)
        assert.isUndefined(link(feed, 'next'))
        const [entry] = named(feed, 'entry')
        assert.match(link(entry!, 'alternate')!, /^https:\/\/www\.sec\.gov\/.*CIK=0000320193/)
        assert.isUndefined(link(entry!, 'related'))
      },
    )
    await withTransactions([], async (own) => {
      const feed = parseXml((await ask('/v1/feed.atom', {}, own)).body)
      expectAtom(feed)
      assert.lengthOf(named(feed, 'entry'), 0)
    })
  })

  it('are well-formed whatever filers type', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(']]>', '<script>', '&amp;', '"', '\u0000\u000b', '\ud800', '\ufffe', '\r\n', '<!--'),
    )
    fc.assert(
      fc.property(text, text, (title, summary) => {
        const entry = {
          ...{ id: 'x', title: `t${title}`, updated: '2030-01-01T00:00:00Z', summary, categories: [`c${title}`] },
          links: [{ rel: 'alternate' as const, href: 'https://x.example/?a=1&b="' }],
        }
        const xml = atomXml({ id: 'f', title: 'F', links: [{ rel: 'self', href: 'f' }], entries: [entry] })
        const [read] = named(parseXml(xml), 'entry')
        const kept = (whole: string) =>
          whole.replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')
        assert.strictEqual(only(read!, 'title'), kept(`t${title}`))
        assert.strictEqual(only(read!, 'summary'), kept(summary))
        assert.strictEqual(link(read!, 'alternate'), 'https://x.example/?a=1&b="')
      }),
      { numRuns: 300 },
    )
  })

  it('/v1/feed.csv has the page with a header, a line for each transaction', async () => {
    const { status, headers, body } = await ask('/v1/feed.csv')
    assert.deepEqual([status, headers['content-type']], [200, 'text/csv; charset=utf-8; header=present'])
    const { transactions } = example('feed-page').data
    const [names, ...lines] = parseCsv(body)
    assert.deepEqual(names, Object.keys(transactions[0]))
    assert.deepEqual(
      lines,
      transactions.map((each: Transaction) =>
        (Object.values(each) as (string | number | string[])[]).map((value) =>
          Array.isArray(value) ? value.join('; ') : String(value),
        ),
      ),
    )
    const detailed = parseCsv((await ask('/v1/feed.csv?detail=full')).body)
    assert.include(detailed[0]!, 'accessionNumber')
    for (const line of detailed) assert.lengthOf(line, detailed[0]!.length)
  })

  it('/v1/feed.csv has amounts with all their digits, as the JSON of the store has them', async () => {
    const [first] = example('feed-page').data.transactions
    const row = JSON.stringify({ ...first, totalValue: 1, detail: { sharesOwnedAfter: 2 } })
      .replace('"totalValue":1', '"totalValue":123456712339999995.12')
      .replace('"sharesOwnedAfter":2', '"sharesOwnedAfter":98765432109876543.2100')
    const page = new JsonText<Page>(`{"transactions":[${row}],"hasMore":false}`)
    const feed: Queries['feed'] = async () => ({ page, unknown: [] })
    const own = await startExampleService({ queries: { ...exampleQueries, feed } })
    try {
      const [names, line] = parseCsv((await ask('/v1/feed.csv?detail=full', {}, own)).body)
      assert.strictEqual(line![names!.indexOf('totalValue')], '123456712339999995.12')
      assert.strictEqual(line![names!.indexOf('sharesOwnedAfter')], '98765432109876543.2100')
    } finally {
      await own.close(0)
    }
  })
})
