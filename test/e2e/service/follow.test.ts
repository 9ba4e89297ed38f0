// Following a simulated EDGAR: nothing is lost or duplicated, whatever it answers and however often the service is
// killed. FAULT_KILLS sets how often (make test-faults: 50).
import { assert } from 'chai'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { previousBusinessDay } from '../../../src/domain/shared/edgar-hours.ts'
import { call } from '../../support/http/contract-client.ts'
import { expectAgreement } from '../../support/edgar/checks/agreement.ts'
import { ownershipXml } from '../../support/filings/filing-builder.ts'
import { followedStack, type FollowedStack } from '../../support/edgar/checks/followed-stack.ts'
import { newYorkDay } from '../../../src/domain/shared/new-york-time.ts'
import { volume } from '../../support/volume.ts'

/** Of its filings there is only a document without the header that has the SIC. */
const BARE = { cik: '0001999077', name: 'Example Bare Inc' }
/** Requests that the service may have under way: fetches of filings, the feed, the index of a day, a list, a SIC. */
const UNDER_WAY = 8
const KILLS = Number(process.env.FAULT_KILLS ?? volume('kills while EDGAR is followed', 1, 3))

describe('following EDGAR', function () {
  this.timeout(300_000 + KILLS * 10_000)
  const today = newYorkDay(Date.now() / 1000)
  const yesterday = previousBusinessDay(today)
  let followed: FollowedStack

  before(async () => {
    followed = await followedStack({
      seed: 7,
      clock: `${yesterday} 11:00:00`,
      companies: [{ ...BARE, ticker: 'EXBR', exchange: 'NYSE', sic: '3571' }],
    })
    followed.publish(12)
    followed.edgar.clock.set(Date.now())
    followed.publish(30)
    await followed.up()
  })
  after(() => followed?.close())

  /**
   * Never more than 8 a second, over any time. What was under way when this process stalled comes at once, from so many
   * services, one after the other.
   */
  const expectPace = (services: number) => {
    let least = Infinity
    for (const [number, { at, path }] of followed.edgar.requests().entries()) {
      const ahead = number - (8 * at) / 1000
      least = Math.min(least, ahead)
      assert.isAtMost(ahead - least, services * UNDER_WAY, `too many requests up to ${path}, number ${number}`)
    }
  }

  describe('after a pause', () => {
    it('catches up by the daily index, and says how complete each day is', async () => {
      await followed.settled(120)
      const made = await followed.stack.make('catch-up', { FROM: yesterday })
      assert.deepInclude(made.json, { ok: true, fetched: 0 }, made.stderr)
      assert.deepEqual(made.json!.days, [
        { day: yesterday, listed: 12, known: 12, missing: 0, forms: { 4: { listed: 12, known: 12 } } },
      ])
      const metrics = (await call(followed.stack.address, 'GET', '/metrics')).body as string
      assert.include(metrics, `ingestion_day_filings{day="${yesterday}",count="known"} 12`)
      assert.include(metrics, `ingestion_day_form_filings{day="${yesterday}",form="4",count="listed"} 12`)
      await expectAgreement(followed)
    })
  })

  describe('on a calm day', () => {
    it("has what was there before it started, then what comes, under the SEC's limit", async () => {
      await followed.settled(120)
      for (let turn = 0; turn < 10; turn += 1) {
        followed.publish(5)
        await sleep(300)
      }
      await followed.settled(120)
      await expectAgreement(followed)
      expectPace(1)
      assert.lengthOf(
        followed.edgar.requests().filter((request) => request.path.includes('/Archives/edgar/data/')),
        92,
      )
    })

    it('reports how far behind it is, in /readyz and /metrics', async () => {
      const readiness = async () => (await call(followed.stack.address, 'GET', '/readyz')).body
      for (const end = performance.now() + 60_000; (await readiness()).status !== 'ready'; await sleep(200))
        assert.isBelow(performance.now(), end, 'it is not ready')
      const { ingestion } = await readiness()
      assert.deepInclude(ingestion, { follows: true, silent: false })
      assert.typeOf(ingestion.lagSeconds.p50, 'number')
      const metrics = (await call(followed.stack.address, 'GET', '/metrics')).body as string
      assert.match(metrics, /^ingestion_lag_seconds\{since="seen",quantile="0.95"\} /m)
      assert.match(metrics, /^ingestion_backlog\{state="fetch"\} 0$/m)
    })

    it('reports in /v1/status that it follows, and that its source is not EDGAR', async () => {
      const { body } = await call(followed.stack.address, 'GET', '/v1/status')
      assert.deepInclude(body.data, { follows: true, invented: true, silent: false, filling: null })
      assert.typeOf(body.data.lagSeconds.p50, 'number')
    })
  })

  describe(`killed ${KILLS} times while EDGAR answers all kinds of things`, () => {
    it('ends in exactly what was published', async () => {
      const { faults } = followed.edgar
      for (const kind of [
        'too-many',
        'unavailable',
        'page',
        'missing',
        'cut',
        'cut-silently',
        'reset',
        'repeated',
      ] as const) {
        faults.some(kind, 0.04)
      }
      faults.lag(0.1, 2)
      for (let kill = 0; kill < KILLS; kill += 1) {
        for (let turn = 0; turn < 4; turn += 1) {
          followed.publish(3)
          await sleep(100 + Math.random() * 400)
        }
        await followed.kill()
        followed.publish(2)
        await followed.up()
      }
      faults.clear()
      await followed.settled(120)
      await expectAgreement(followed)
      expectPace(2)
    })
  })

  describe('what EDGAR takes away or mends', () => {
    it('is kept: a filing gone from EDGAR stays here, one that never comes waits and blocks nothing', async () => {
      const [kept] = followed.publish()
      await followed.settled(120)
      followed.edgar.withdraw(kept!, { listed: true })
      const [never] = followed.publish()
      followed.edgar.withdraw(never!, { listed: true })
      followed.published.pop()
      const [next] = followed.publish()
      await followed.settled(120)
      const ledger = await followed.query<{ accession: string }>(
        `SELECT accession FROM filings WHERE status = 'projected'`,
      )
      assert.sameMembers(
        ledger.map((row) => row.accession),
        followed.published,
      )
      assert.includeMembers(followed.published, [kept, next])
      for (const end = performance.now() + 60_000; performance.now() < end; await sleep(200)) {
        // Three days of 404 say that it was taken away; an attempt under way may have seen it younger.
        await followed.query(
          `UPDATE fetches
           SET found_at = now() - interval '73 hours', next_attempt_at = now()
           WHERE accession = '${never}'
             AND status <> 'gone'`,
        )
        const [fetch] = await followed.query<{ status: string; problem: string }>(
          `SELECT status, problem FROM fetches WHERE accession = '${never}'`,
        )
        if (fetch?.status === 'gone') return assert.match(fetch.problem, /404/)
      }
      throw new Error('the filing is not marked gone')
    })
  })

  describe('a company whose filing shows no SIC', () => {
    it('gets its sector from EDGAR within a minute, and /metrics counts it', async () => {
      const file = join(followed.stack.dataDir, 'bare.xml')
      writeFileSync(file, ownershipXml({ issuer: { ...BARE, tickerRaw: 'EXBR' } }))
      const ingested = await followed.stack.make('ingest', { FROM: file })
      assert.strictEqual(ingested.status, 0, ingested.stderr)
      const sector = async () =>
        (await call(followed.stack.address, 'GET', '/v1/companies/EXBR')).body.data.sector as string
      for (const end = performance.now() + 60_000; (await sector()) === 'Unknown' && performance.now() < end;)
        await sleep(500)
      assert.strictEqual(await sector(), 'Technology')
      assert.match(
        (await call(followed.stack.address, 'GET', '/metrics')).body,
        /^issuers_without_sic\{state="found"\} 1$/m,
      )
      const asked = followed.edgar.requests().filter(({ path }) => path.startsWith('/submissions/'))
      assert.deepEqual(
        asked.map(({ path, userAgent }) => `${path} ${userAgent}`),
        [`/submissions/CIK${BARE.cik}.json Example Tests tests@example.com`],
      )
    })
  })

  describe('what could not be read', () => {
    it('is listed, and read again on retry', async () => {
      assert.deepInclude((await followed.stack.make('ingest', { FROM: 'test/fixtures/filings' })).json, {
        rejected: 1,
      })
      const { rejected } = (await followed.stack.make('rejected')).json!
      assert.lengthOf(rejected, 1)
      assert.include(rejected[0].reason, 'truncated')
      assert.deepInclude((await followed.stack.make('retry')).json, { ingested: 0, rejected: 1 })
      // As a reader that has learned to read it would: the document is whole now.
      await followed.query(`UPDATE filings
        SET document = (SELECT document FROM filings WHERE accession = '0001999001-26-000004')
        WHERE accession = '${rejected[0].accession}'`)
      await followed.query(`DELETE FROM filings WHERE accession = '0001999001-26-000004'`)
      assert.deepInclude((await followed.stack.make('retry')).json, { ingested: 1, rejected: 0 })
    })
  })
})
