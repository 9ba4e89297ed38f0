// The status on real stores: what it reports in each state, and nothing else.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { makeIsPopulated } from '../../../src/application/queries/analytics-ready.ts'
import { FILLING, makeStatusQueries, OTHER_SOURCE } from '../../../src/application/queries/service-status.ts'
import { newestFilingAt } from '../../../src/infrastructure/clickhouse/queries/newest-filing.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { isCurrent } from '../../../src/infrastructure/clickhouse/stores/generation.ts'
import { tryAcquire } from '../../../src/infrastructure/postgres/coordination/leader-lock.ts'
import { serviceStatus } from '../../../src/infrastructure/postgres/queries/service-status.ts'
import { schemaFaults } from '../../support/http/contract-client.ts'
import { testService, type TestService } from '../../support/service/service.ts'

/** 11:00 in New York on a business day. */
const NOW = Date.parse('2026-03-04T16:00:00Z')

describe('the status of the service', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService(() => NOW)
  })
  afterEach(() => service.close())

  /** As a process that has just started, held against the contract. */
  async function status() {
    const { container, pool, store } = service
    const { status: ask } = makeStatusQueries({
      recorded: () => serviceStatus(pool),
      newestFilingAt: () => newestFilingAt(store),
      isPopulated: makeIsPopulated(
        container.get(TYPES.analytics),
        container.get(TYPES.ledger),
        container.get(TYPES.dataSetRegistry),
      ),
      isCurrent: () => isCurrent(store),
      clock: () => NOW,
      monotonic: () => 0,
    })
    const found = await ask()
    const whole = { version: '1.0.0', revision: null, contract: '1.0.0', ...found }
    assert.deepEqual(schemaFaults('/components/schemas/ServiceStatus', JSON.parse(JSON.stringify(whole))), [])
    return found
  }

  it('has no values for empty stores', async () => {
    assert.deepEqual(await status(), {
      follows: false,
      invented: false,
      newestFilingAt: null,
      lagSeconds: null,
      silent: false,
      historyFrom: null,
      days: [],
      filling: null,
      upgrade: null,
      jobs: [],
    })
  })

  it('reports the newest filing, and the lag over those that came live', async () => {
    const accession = '0001999001-26-000001'
    await service.container.get(TYPES.fetchQueue).add([{ accession, formType: '4', path: 'x' }], 'live')
    await service.take({ accession, acceptedAt: '20260302163000' })
    await service.pool.query(`UPDATE filings SET projected_at = accepted_at + interval '90 s'`)

    const { newestFilingAt: newest, lagSeconds, filling } = await status()

    assert.strictEqual(newest, '2026-03-02T21:30:00Z')
    assert.deepEqual(lagSeconds, { p50: 90, p95: 90 })
    assert.isNull(filling)
  })

  it('reports EDGAR as followed while a process holds the lock, and as silent after two open hours without filings', async () => {
    const accession = '0001999001-26-000001'
    await service.container.get(TYPES.fetchQueue).add([{ accession, formType: '4', path: 'x' }], 'live')
    await service.take({ accession, acceptedAt: '20260303163000' })
    assert.deepInclude(await status(), { follows: false, silent: false })

    const lock = await tryAcquire(service.databaseUrl, 'edgar')
    assert.deepInclude(await status(), { follows: true, silent: true })
    await service.pool.query(`UPDATE filings SET accepted_at = '2026-03-04T15:10:00Z'`)
    assert.deepInclude(await status(), { follows: true, silent: false })
    await lock!.release()

    assert.deepInclude(await status(), { follows: false, silent: false })
  })

  it('says for good that filings came from another source than EDGAR', async () => {
    await service.container.get(TYPES.sourceProgress).move(OTHER_SOURCE, '')
    assert.isTrue((await status()).invented)
  })

  it('lists the newest ten days with a daily index, newest first, with the filings listed and recorded', async () => {
    const progress = service.container.get(TYPES.sourceProgress)
    for (let day = 10; day < 24; day += 1)
      await progress.checked(
        `2026-02-${day}`,
        { 4: { listed: 390 + day, known: 395 }, '4/A': { listed: 10, known: 5 }, 3: { listed: 7, known: 6 } },
        {},
      )

    const { days, historyFrom } = await status()

    assert.deepEqual(
      days,
      Array.from({ length: 10 }, (_, index) => ({
        date: `2026-02-${23 - index}`,
        filed: 423 - index,
        listed: 400,
        forms: [
          { form: '3', filed: 7, listed: 6 },
          { form: '4', filed: 413 - index, listed: 395 },
          { form: '4/A', filed: 10, listed: 5 },
        ],
      })),
    )
    assert.strictEqual(historyFrom, '2026-02-10')
  })

  it('has history from the first quarter without a gap up to the newest loaded one', async () => {
    const sets = service.container.get(TYPES.dataSetRegistry)
    await service.container.get(TYPES.sourceProgress).checked('2026-02-10', { 4: { listed: 1, known: 1 } }, {})
    for (const quarter of ['2006q1', '2025q2', '2025q3', '2025q4', '2026q1']) {
      await sets.begin(quarter, 'sha', 'folder/of/this/machine.zip')
      if (quarter !== '2026q1') await sets.finish(quarter, {})
    }

    assert.strictEqual((await status()).historyFrom, '2025-04-01')
  })

  it('lists unfinished jobs in their order with their progress, without their arguments', async () => {
    const jobs = service.container.get(TYPES.jobs)
    await jobs.queue('sectors')
    await jobs.queue('backfill', { quarters: ['2024q1'], folder: '/secret/folder' })
    await jobs.queue('companies')
    const running = (await jobs.next())!
    const pace = { phase: 'write', rows: 4, totalRows: 19, rowsPerSecond: 3, secondsLeft: 5 }
    await jobs.progress(running.id, 5, 20, pace)
    const failed = await jobs.queue('rebuild')
    await jobs.fail(failed, 'a reason')

    assert.deepEqual((await status()).jobs, [
      { kind: 'backfill', status: 'running', done: 5, total: 20, pace },
      { kind: 'companies', status: 'queued', done: 0, total: null, pace: null },
      { kind: 'sectors', status: 'queued', done: 0, total: null, pace: null },
    ])
    assert.notInclude(JSON.stringify(await status()), 'secret')
    for (let more = 0; more < 30; more += 1) await jobs.queue('companies')
    assert.lengthOf((await status()).jobs, 20)
  })

  it('shows the rebuild after an upgrade, and what waits for it', async () => {
    await service.take({ accession: '0001999001-26-000001', acceptedAt: '20260302163000' })
    assert.deepInclude(await status(), { upgrade: null })
    await service.store.command(sql`INSERT INTO store_version (schema, rules, tables)
      SELECT 'of another version', rules, tables FROM store_version`)
    assert.deepInclude(await status(), { upgrade: { done: 0, total: null, pace: null, waits: ['rules'] } })

    const jobs = service.container.get(TYPES.jobs)
    await jobs.queue('rebuild')
    const { id } = (await jobs.next())!
    await jobs.progress(id, 42, 100)
    assert.deepInclude(await status(), { upgrade: { done: 42, total: 100, pace: null, waits: ['rules'] } })
    const pace = { phase: 'signals', rows: 30, totalRows: 100, rowsPerSecond: null, secondsLeft: null }
    await jobs.progress(id, 50, 100, pace)
    assert.deepInclude(await status(), { upgrade: { done: 50, total: 100, pace, waits: ['rules'] } })
  })

  it('shows the progress of a rebuild until it is done', async () => {
    await service.take({ accession: '0001999001-26-000001', acceptedAt: '20260302163000' })
    for (const table of [sql`directory`, sql`trades`, sql`transaction_lists`, sql`signals`, sql`signal_list`])
      await service.store.command(sql`TRUNCATE TABLE ${table}`)
    assert.deepInclude(await status(), { filling: { done: 0, total: null, pace: null }, newestFilingAt: null })

    await service.container.get(TYPES.sourceProgress).move(FILLING, JSON.stringify({ done: 31, total: 100 }))
    assert.deepEqual((await status()).filling, { done: 31, total: 100, pace: null })
    const pace = { phase: 'stage', rows: 40, totalRows: 90, rowsPerSecond: 8, secondsLeft: 20 }
    await service.container.get(TYPES.sourceProgress).move(FILLING, JSON.stringify({ done: 31, total: 100, pace }))
    assert.deepEqual((await status()).filling, { done: 31, total: 100, pace })

    await service.container.get(TYPES.rebuild)(() => {})
    assert.isNull((await status()).filling)
  })
})
