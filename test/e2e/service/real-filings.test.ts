// The 181 real filings through make up and make ingest: every endpoint agrees with the known facts of each document,
// also after a kill in the middle and after a rebuild.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { allAnswers, company, evenly, insider, wholeFeed } from '../../support/http/answers.ts'
import { call } from '../../support/http/contract-client.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import {
  documentsFolder,
  expectedTrades,
  haveRealFilings,
  truth,
  type ExpectedTrade,
} from '../../support/filings/truth.ts'
import { nightly, volume } from '../../support/volume.ts'

/** Of companies, and of insiders; there are fewer than a thousand of each. */
const PROFILES = volume('profiles asked for', 60, 1_000)
const COMPARED = volume('profiles compared after a rebuild', 30, 1_000)

describe(`the real filings${haveRealFilings ? '' : ' (skipped: ../shared/filings is not here)'}`, function () {
  this.timeout(120_000)
  let stack: StackOfTest
  let expected: ExpectedTrade[]
  let owners: string[]

  before(async function () {
    if (!haveRealFilings) return this.skip()
    expected = expectedTrades()
    owners = [...new Set(Object.values(truth()).flatMap((filing) => filing.owners.map((owner) => owner.cik)))].sort()
    stack = await stackOfTest()
    const up = await stack.make('up')
    assert.strictEqual(up.status, 0, up.stderr)
  })
  after(() => stack?.remove())

  const byIssuer = () => [...Map.groupBy(expected, (trade) => trade.issuerCik)]

  it('are ingested once', async () => {
    const summary = {
      ingested: 181,
      alreadyKnown: 0,
      rejected: 0,
      notOwnershipDocuments: 0,
      transactions: expected.length,
    }
    assert.deepInclude((await stack.make('ingest', { FROM: documentsFolder })).json, { ok: true, ...summary })
    const again = await stack.make('ingest', { FROM: documentsFolder, JSON: 0 })
    assert.deepInclude(again, {
      status: 0,
      stdout: 'ingested 0, already known 181, rejected 0, not ownership documents 0; 0 transactions\n',
    })
  })

  it('stand in the feed, each transaction once, with its facts', async () => {
    const feed = await wholeFeed(stack.address)
    assert.lengthOf(feed, expected.length)
    const unmatched = new Set(feed)
    for (const trade of expected) {
      const found = [...unmatched].find((row) =>
        trade.id
          ? row.id === trade.id
          : row.id.endsWith(`-nd-${trade.place}`) &&
            row.id.startsWith('local-') &&
            row.companyName === trade.companyName &&
            row.shares === trade.shares &&
            row.pricePerShare === trade.pricePerShare &&
            row.insiderName === trade.insiderName,
      )
      assert.typeOf(found, 'object', `${trade.file} row ${trade.place}`)
      unmatched.delete(found!)
      const {
        file: _file,
        id: _id,
        place: _place,
        issuerCik: _issuer,
        ownerCiks: _owners,
        filingDate,
        ...facts
      } = trade
      assert.deepInclude(found as object, { ...facts, ...(filingDate && { filingDate }) }, trade.file)
    }
    const places = feed.map((row) => [row.filingDate, row.id.replace(/-nd-\d+$/, '')].join(' '))
    assert.deepEqual(places, places.toSorted().toReversed())
  })

  it('answer to the filters as the facts say', async () => {
    for (const [filter, type] of [
      ['buys', 'buy'],
      ['sells', 'sell'],
    ] as const) {
      const rows = await wholeFeed(stack.address, filter)
      assert.deepEqual(
        rows.map((row) => row.transactionType),
        rows.map(() => type),
      )
      assert.lengthOf(rows, expected.filter((trade) => trade.transactionType === type).length)
    }
    for (const row of await wholeFeed(stack.address, 'high')) assert.oneOf(row.significance, ['high', 'critical'])
  })

  it('are graded by the sum of each filing, so that plans and small trades stay low', async () => {
    const graded = async (filter?: string) => {
      const rows = await wholeFeed(stack.address, filter)
      return Object.fromEntries(
        [...Map.groupBy(rows, (row) => row.significance)].map(([grade, all]) => [grade, all.length]),
      )
    }
    assert.deepEqual(await graded('sells'), { low: 93, medium: 3, high: 5 })
    assert.deepEqual(await graded('buys'), { low: 5, medium: 11, high: 5, critical: 1 })
    assert.deepEqual(await graded(), { low: 174, medium: 14, high: 10, critical: 1 })
  })

  it('give each company its counts and each insider their own', async () => {
    const feed = await wholeFeed(stack.address)
    const count = (trades: ExpectedTrade[], type: string) =>
      trades.filter((trade) => trade.transactionType === type).length
    for (const [cik, trades] of evenly(byIssuer(), PROFILES)) {
      const { ticker } = feed.find(
        (row) => row.companyName === trades[0]!.companyName && row.shares === trades[0]!.shares,
      )!
      // A symbol that two issuers have typed (GOOG: Google Inc., then Alphabet) leads to the one with the newest
      // filing.
      const newest = feed.find((row) => row.ticker === ticker)!
      if (!trades.some((trade) => trade.companyName === newest.companyName)) continue
      const profile = await company(stack.address, ticker)
      assert.deepInclude(profile, { totalBuys: count(trades, 'buy'), totalSells: count(trades, 'sell') }, cik)
      assert.strictEqual(profile.netSentiment, profile.totalBuys - profile.totalSells)
      assert.lengthOf(profile.recentTransactions, Math.min(20, trades.length))
    }
    for (const cik of evenly(owners, PROFILES)) {
      const profile = await insider(stack.address, cik)
      const own = expected.filter((trade) => trade.ownerCiks.includes(cik))
      assert.deepEqual(profile.stats, { totalBuys: count(own, 'buy'), totalSells: count(own, 'sell') }, cik)
      assert.lengthOf(profile.recentTransactions, Math.min(20, own.length), cik)
    }
  })

  it("give each company by its CIK, also where its symbol is another's by now", async () => {
    const feed = await wholeFeed(stack.address)
    const bySymbol = Map.groupBy(feed, ({ ticker }) => ticker).values()
    const sharing = [...bySymbol].map((rows) => new Set(rows.map(({ companyName }) => companyName)))
    const names = new Set(sharing.filter(({ size }) => size > 1).flatMap((each) => [...each]))
    const others = byIssuer().filter(([, trades]) => names.has(trades[0]!.companyName))
    assert.isNotEmpty(others)

    for (const [cik, trades] of new Map([...evenly(byIssuer(), PROFILES), ...others])) {
      const { status, body } = await call(stack.address, 'GET', `/v1/companies/CIK${cik}?detail=full`)
      assert.strictEqual(status, 200, JSON.stringify(body))
      const { totalBuys, totalSells, recentTransactions } = body.data
      const count = (type: string) => trades.filter(({ transactionType }) => transactionType === type).length
      assert.deepEqual({ totalBuys, totalSells }, { totalBuys: count('buy'), totalSells: count('sell') }, cik)
      assert.deepEqual(
        recentTransactions.map((row: { detail: { issuerCik: string } }) => row.detail.issuerCik),
        Array(Math.min(20, trades.length)).fill(cik),
        cik,
      )
    }
  })

  it('answer the rest of the contract: signals, statistics, refusals', async () => {
    // Checked by hand against the filings: UnitedHealth's chairman and CEO, CFO and a director bought within three days
    // of May 2025; OneWater's CEO sold 1.3 million dollars, by no plan that the filing mentions.
    const { signals } = (await call(stack.address, 'GET', '/v1/signals')).body.data
    const told = signals.map((signal: Record<string, unknown>) =>
      [signal.type, signal.ticker, signal.severity, signal.insiderCount, signal.totalValue, signal.detectedAt].join(
        ' ',
      ),
    )
    assert.deepEqual(told, [
      'ceo_trade UNH critical 1 25019019 2025-05-17T02:00:00Z',
      'cluster_buy UNH high 3 30510724.42 2025-05-17T02:00:00Z',
      'ceo_trade ONEW low 1 1316510 2020-09-24T01:04:56Z',
    ])
    assert.deepEqual(
      signals.map((signal: { description: string }) => signal.description),
      [
        'CEO Stephen J. Hemsley bought $25 million of UnitedHealth Group (UNH) on the open market at $288.57 ' +
          'on 2025-05-16.',
        'CEO Stephen J. Hemsley, CFO John F. Rex and director Timothy P. Flynn bought $30.5 million of ' +
          'UnitedHealth Group (UNH) on the open market at $288.57 to $320.80 between 2025-05-14 and 2025-05-16.',
        'CEO Philip A. Singleton Jr. sold $1.3 million of OneWater Marine (ONEW) on the open market at $19.00 ' +
          'on 2020-09-22.',
      ],
    )
    for (const { id } of signals) {
      const { counted, leftOut } = (await call(stack.address, 'GET', `/v1/signals/${id}`)).body.data
      assert.strictEqual(counted.length, id.startsWith('cluster') ? 3 : 1, id)
      assert.deepEqual(leftOut, [], id)
    }
    assert.strictEqual((await call(stack.address, 'GET', '/v1/feed/stats')).status, 200)
    assert.strictEqual((await call(stack.address, 'GET', '/v1/companies/NOSUCH')).body.error.code, 'unknown_ticker')
    assert.strictEqual((await call(stack.address, 'GET', '/v1/insiders/1')).body.error.code, 'unknown_insider')
    const { transactions } = (await call(stack.address, 'GET', '/v1/feed?detail=full&limit=100')).body.data
    assert.include(
      transactions.map((row: { detail: { tradeDateStatus: string } }) => row.detail.tradeDateStatus),
      'impossible',
    )
    for (const path of ['/v1/companies/AAPL', '/v1/insiders/1214156']) {
      assert.typeOf(
        (await call(stack.address, 'GET', `${path}?detail=full`)).body.data.recentTransactions[0].detail,
        'object',
      )
    }
    const { nextCursor } = (await call(stack.address, 'GET', '/v1/feed?limit=5')).body.data
    assert.strictEqual(
      (await call(stack.address, 'GET', `/v1/feed?filter=buys&cursor=${nextCursor}`)).body.error.code,
      'invalid_cursor',
    )
    assert.strictEqual((await call(stack.address, 'GET', '/v1/watchlist')).status, 401)
  })

  it('say the same after a rebuild, also of a lost ClickHouse', async () => {
    const before = await allAnswers(stack.address, owners, COMPARED)
    assert.deepInclude((await stack.make('rebuild')).json, { ok: true, filings: 181, trades: expected.length })
    assert.deepEqual(await allAnswers(stack.address, owners, COMPARED), before)
    await stack.make('down')
    rmSync(join(stack.dataDir, 'clickhouse'), { recursive: true })
    assert.strictEqual((await stack.make('up')).status, 0)
    assert.deepEqual(await allAnswers(stack.address, owners, COMPARED), before)
  })

  nightly('say the same when the service was killed again and again during the ingest', async () => {
    const calm = await allAnswers(stack.address, owners)
    const killed = await stackOfTest()
    try {
      assert.strictEqual((await killed.make('up')).status, 0)
      let done = false
      const ingest = killed.make('ingest', { FROM: documentsFolder }).finally(() => {
        done = true
      })
      for (let kills = 0; kills < 3 && !done; kills += 1) {
        await sleep(150 + Math.random() * 700)
        process.kill(Number(readFileSync(join(killed.dataDir, 'service.pid'), 'utf8')), 'SIGKILL')
        const up = await killed.make('up')
        assert.strictEqual(up.status, 0, up.stderr)
      }
      const made = await ingest
      assert.strictEqual(made.status, 0, made.stderr)
      assert.deepEqual(await allAnswers(killed.address, owners), calm)
    } finally {
      await killed.remove()
    }
  })
})
