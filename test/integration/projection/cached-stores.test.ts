// What the projection remembers of an issuer is what the store has, whatever happens to either.
import { assert } from 'chai'
import fc from 'fast-check'
import type { Cik } from '../../../src/domain/shared/identifiers.ts'
import { makeProjectSignals } from '../../../src/application/projection/project-signals.ts'
import { makeProjector } from '../../../src/application/projection/project-filings.ts'
import { makeCachedAnalyticsStore } from '../../../src/application/projection/cached-analytics-store.ts'
import { makeCachedSignalStore } from '../../../src/application/projection/cached-signal-store.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { ClickHouseAnalyticsStore } from '../../../src/infrastructure/clickhouse/stores/analytics-store.ts'
import { ClickHouseSignalStore } from '../../../src/infrastructure/clickhouse/stores/signal-store.ts'
import { packedSql } from '../../../src/infrastructure/clickhouse/stores/trade-rows.ts'
import { Sql, sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { ChangeTracker } from '../../../src/application/changes/change-tracker.ts'
import { DEFAULT_RULES } from '../../../src/domain/signals/rule-thresholds.ts'
import { ownershipXml, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import type { AnalyticsStore } from '../../../src/application/ports/analytics.ts'
import { volume } from '../../support/volume.ts'

const ISSUERS: Cik[] = ['0001999001', '0001999002']
type Document = FilingSpec | { path: string; text: string }

// Few values, so that amendments find their originals, rows repeat each other and symbols come and go.
const owner = fc.record({
  cik: fc.constantFrom('0000000005', '0000000006', '0000000007'),
  isDirector: fc.boolean(),
  isTenPercentOwner: fc.boolean(),
})
const row = fc.record({
  shares: fc.constantFrom('100', '200', '.5', '7.00'),
  price: fc.constantFrom('10', '11.1250', null, '1000', '3000000'),
  code: fc.constantFrom('P', 'S', 'A'),
  acquiredDisposed: fc.constantFrom('A' as const, 'D' as const),
})
const filing = fc
  .record({
    number: fc.integer({ min: 1, max: 10 }),
    issuer: fc.nat(ISSUERS.length - 1),
    form: fc.constantFrom('4', '4', '4', '4/A', '3'),
    tickerRaw: fc.constantFrom('EXWI', 'EXNEW', 'NONE', ''),
    owners: fc.uniqueArray(owner, { minLength: 1, maxLength: 2, selector: ({ cik }) => cik }),
    rows: fc.array(row, { minLength: 1, maxLength: 3 }),
    bare: fc.integer({ max: 3, min: 0 }).map((sides) => sides === 0),
  })
  .map(({ number, issuer, form, tickerRaw, bare, ...spec }): Document => {
    const accession = `0001999001-25-${String(number).padStart(6, '0')}`
    const full: FilingSpec = {
      ...spec,
      accession,
      formType: form,
      acceptedAt: `202503${10 + (number % 9)}120000`,
      issuer: { cik: ISSUERS[issuer]!, tickerRaw },
      ...(form === '4/A' && { dateOfOriginalSubmission: `2025-03-${10 + (number % 5)}` }),
    }
    return bare ? { path: `${accession}.xml`, text: ownershipXml(full) } : full
  })
const event = fc.oneof(
  { weight: 8, arbitrary: fc.array(filing, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom('project all again', 'load a list', 'load an empty list', 'rebuild') },
)

async function happen(service: TestService, what: Document[] | string): Promise<void> {
  const { container } = service
  if (typeof what !== 'string') await service.record(...what)
  else if (what === 'project all again')
    await service.pool.query("UPDATE filings SET pending = true WHERE status = 'projected'")
  else if (what === 'rebuild') await container.get(TYPES.rebuild)(() => {})
  else {
    const listed = what === 'load a list' ? [{ ticker: 'EXWA', cik: ISSUERS[0]!, name: 'EXAMPLE', exchange: null }] : []
    await container.get(TYPES.companyList).replace(listed, 'test', Buffer.alloc(32))
    await container.get(TYPES.refreshCompanies)(() => {})
  }
}

async function known(analytics: AnalyticsStore) {
  const [trades, newest] = await Promise.all([analytics.trades(ISSUERS), analytics.newestSymbols(ISSUERS, [])])
  const below = await analytics.newestSymbols(
    ISSUERS,
    [...newest.values()].map(({ accession }) => accession),
  )
  return {
    trades: new Map(trades.map((trade) => [trade.id, trade])),
    count: trades.length,
    newest,
    below,
    symbols: await symbolsOf(analytics),
  }
}

/** Returns the symbols that an issuer's filing was the last to type. */
async function symbolsOf(analytics: AnalyticsStore) {
  const typed = await analytics.typedSymbols(ISSUERS)
  const last = await analytics.lastIssuers([...typed.values()].flat())
  return ISSUERS.map((issuer) => (typed.get(issuer) ?? []).filter((symbol) => last.get(symbol) === issuer).toSorted())
}

describe('cached analytics', () => {
  let service: TestService
  let stored: AnalyticsStore
  beforeEach(async () => {
    service = await testService()
    stored = new ClickHouseAnalyticsStore(service.store)
  })
  afterEach(() => service.close())
  const cached = () => service.container.get(TYPES.analytics)

  it('equal the store and lead to the same rows, whatever comes, also with room for little', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 2, maxLength: 7 }), async (events) => {
        const [usual, forgetful, small] = [await testService(), await testService(), await testService()]
        try {
          const { container } = small
          const little = makeCachedAnalyticsStore(new ClickHouseAnalyticsStore(small.store), new ChangeTracker(), 5)
          const withLittle = makeProjector({
            read: container.get(TYPES.readDocument),
            ledger: container.get(TYPES.ledger),
            analytics: little,
            listings: container.get(TYPES.listings),
          })
          const signalsWithLittle = makeProjectSignals({
            store: makeCachedSignalStore(new ClickHouseSignalStore(small.store), little, new ChangeTracker()),
            queue: container.get(TYPES.signalQueue),
            rules: DEFAULT_RULES,
            nextVersion: container.get(TYPES.nextVersion),
          })
          for (const each of events) {
            forgetful.container.get(TYPES.analytics).invalidate()
            for (const one of [usual, forgetful, small]) await happen(one, each)
            if (each === 'rebuild' || each === 'load a list' || each === 'load an empty list') little.invalidate()
            await Promise.all([usual.project(), forgetful.project(), withLittle.projectPending()])
            forgetful.container.get(TYPES.analytics).invalidate()
            await Promise.all([
              usual.detectSignals(),
              forgetful.detectSignals(),
              signalsWithLittle.pending((_, error) => {
                throw error
              }),
            ])
            assert.deepEqual(
              await known(usual.container.get(TYPES.analytics)),
              await known(new ClickHouseAnalyticsStore(usual.store)),
            )
          }
          const dump = await forgetful.dump()
          assert.deepEqual(await usual.dump(), dump)
          assert.deepEqual(await small.dump(), dump)
        } finally {
          await Promise.all([usual.close(), forgetful.close(), small.close()])
        }
      }),
      { numRuns: volume('random histories of cached stores', 1, 12), endOnFailure: true },
    )
  }).timeout(120_000)

  it('do not ask for what they remember', async () => {
    await service.take({ issuer: { cik: ISSUERS[0]! } })
    const before = await known(cached())
    await service.store.command(sql`TRUNCATE TABLE trades`)
    await service.store.command(sql`TRUNCATE TABLE directory`)
    assert.strictEqual(before.count, 1)
    cached().invalidate([ISSUERS[1]!])
    const { trades, newest } = await known(cached())
    assert.deepEqual({ trades, newest }, { trades: before.trades, newest: before.newest })
    cached().invalidate([ISSUERS[0]!])
    assert.strictEqual((await known(cached())).count, 0)
  })

  it('are read once where they were expected, and again where something was written since', async () => {
    const [issuer, other] = ISSUERS as [Cik, Cik]
    await service.take({ accession: '0001999001-25-000001', issuer: { cik: issuer, tickerRaw: 'EXWI' } })
    const read: Cik[][] = []
    const counted = new Proxy(stored, {
      get: (store, name: keyof AnalyticsStore) => {
        const method = store[name].bind(store) as (...args: unknown[]) => Promise<unknown>
        if (name !== 'trades' && name !== 'newestSymbols') return method
        return (issuers: Cik[], ...others: unknown[]) => {
          read.push(issuers)
          return method(issuers, ...others)
        }
      },
    })
    const store = makeCachedAnalyticsStore(counted, new ChangeTracker())
    store.expect(issuer, true)
    assert.deepEqual(read, [[issuer], [issuer]])
    const [trade] = await store.trades([issuer, other])
    assert.deepEqual((await store.newestSymbols([issuer], [])).get(issuer)?.symbols, ['EXWI'])
    assert.deepEqual(read.slice(2), [[other]])

    store.invalidate([issuer])
    store.expect(issuer, false)
    await stored.isEmpty()
    const nothing = { goneTrades: [], entries: [], goneEntries: [], goneDetails: [] }
    await store.write({ ...nothing, trades: [{ ...trade!, ticker: 'EXNEW' }] }, 1_000)
    assert.deepEqual(
      (await store.trades([issuer])).map(({ ticker }) => ticker),
      ['EXNEW'],
    )
    assert.lengthOf(read, 5)
  })

  it('are those of the issuers expected last, also after many that were never asked for', async () => {
    await service.take({ issuer: { cik: ISSUERS[0]! } })
    const reading: Promise<unknown>[] = []
    const noted = new Proxy(stored, {
      get: (of, name: keyof AnalyticsStore) => {
        const method = of[name].bind(of) as (...args: unknown[]) => Promise<unknown>
        return (...args: unknown[]) => {
          const found = method(...args)
          reading.push(found)
          return found
        }
      },
    })
    const store = makeCachedAnalyticsStore(noted, new ChangeTracker())
    for (let number = 0; number < 200; number += 1) store.expect(String(number).padStart(10, '0'), false)
    store.expect(ISSUERS[0]!, false)
    await Promise.all(reading)
    await service.store.command(sql`TRUNCATE TABLE trades`)
    assert.lengthOf(await store.trades([ISSUERS[0]!]), 1)
  })

  it('are read when asked for, where reading them before failed', async () => {
    await service.take({ issuer: { cik: ISSUERS[0]! } })
    let hasFailed = false
    const failing = new Proxy(stored, {
      get: (store, name: keyof AnalyticsStore) => {
        const method = store[name].bind(store) as (issuers: Cik[]) => Promise<unknown>
        return async (issuers: Cik[]) => {
          if (!hasFailed && (hasFailed = true)) throw new Error('unavailable')
          return method(issuers)
        }
      },
    })
    const store = makeCachedAnalyticsStore(failing, new ChangeTracker())
    store.expect(ISSUERS[0]!, false)
    assert.lengthOf(await store.trades([ISSUERS[0]!]), 1)
  })

  it('let go of the symbols of a bare document when its submission comes without any', async () => {
    await service.take({ path: 'form4.xml', text: ownershipXml({ issuer: { tickerRaw: 'EXOLD' } }) })
    assert.deepEqual((await known(cached())).newest.get(ISSUERS[0]!)?.symbols, ['EXOLD'])
    await service.take({ issuer: { tickerRaw: '' } })
    assert.strictEqual((await known(cached())).newest.size, 0)
    assert.deepEqual(await known(cached()), await known(stored))
  })

  it('are those of the issuers used last, as many as there is room for', async () => {
    const filings = ISSUERS.map((cik, index) => ({ accession: `0001999001-25-00000${index}`, issuer: { cik } }))
    await service.take(...filings)
    const little = makeCachedAnalyticsStore(stored, new ChangeTracker(), 3)
    for (const issuer of ISSUERS) await little.trades([issuer])
    await service.store.command(sql`TRUNCATE TABLE trades`)
    assert.lengthOf(await little.trades([ISSUERS[1]!]), 1)
    assert.lengthOf(await little.trades([ISSUERS[0]!]), 0)
  })

  const group = { isTenPercentOwner: true }
  const first = { accession: '0001999001-25-000001', owners: [{ cik: '0000000005', ...group }] }
  const repeated = {
    accession: '0001999001-25-000002',
    acceptedAt: '20250315120000',
    owners: [{ cik: '0000000006', ...group }],
  }

  it('are read again after a rebuild', async () => {
    await service.take(first)
    await service.pool.query("UPDATE filings SET status = 'rejected'")
    await service.container.get(TYPES.rebuild)(() => {})
    await service.take(repeated)
    assert.deepEqual(await service.listed(), [`${repeated.accession}-nd-1`])
  })

  it('are read again when another process has held the lock for writing', async () => {
    await service.take(repeated)
    const { container } = service
    const other = makeProjector({
      read: container.get(TYPES.readDocument),
      ledger: container.get(TYPES.ledger),
      analytics: stored,
      listings: container.get(TYPES.listings),
    })
    await service.record(first)
    await other.projectPending()
    const report = { projected: () => {}, filling: () => {}, job: () => {}, failed: () => {} }
    await container.get(TYPES.projectionLoop).run(AbortSignal.abort(), async () => {}, report)
    await service.take({ ...repeated, accession: '0001999001-25-000003', acceptedAt: '20250316120000' })
    assert.deepEqual(await service.listed(), [`${first.accession}-nd-1`])
    assert.deepEqual(await known(cached()), await known(stored))
  })

  it('are read again after a write that failed', async () => {
    await service.take(first)
    await known(cached())
    const [trade] = await stored.trades([ISSUERS[0]!])
    const entry = {
      accession: trade!.accession,
      form: '4' as const,
      filedAt: Number.NaN,
      issuerCik: ISSUERS[0]!,
      companyName: 'Example',
      symbols: [],
      sic: null,
      office: null,
      sector: 'Unknown',
      isEstimated: false,
      ...{ originalDate: null, period: null, amendmentWords: [] },
      owners: [],
    }
    const halfBroken = {
      trades: [{ ...trade!, ticker: 'EXNEW' }],
      goneTrades: [],
      entries: [entry],
      goneEntries: [],
      goneDetails: [],
    }
    const failure = await cached()
      .write(halfBroken, 1_000)
      .then(() => null, String)
    assert.match(failure!, /Cannot parse input/)
    assert.strictEqual((await stored.trades([ISSUERS[0]!]))[0]!.ticker, 'EXNEW')
    assert.deepEqual(await known(cached()), await known(stored))
  })

  it('stop between two batches on the signal', async () => {
    const accessions = Array.from({ length: 1_001 }, (_, index) => `0001999001-25-${String(index).padStart(6, '0')}`)
    await service.record(...accessions.map((accession) => ({ accession })))
    assert.strictEqual(
      await service.container.get(TYPES.projector).projectPending(undefined, AbortSignal.abort()),
      1_000,
    )
    assert.strictEqual(await service.project(), 1)
  })

  it("are the same from a row's columns, from the text packed here and from that packed by the engine", async () => {
    await service.take(
      {
        ...first,
        formType: '4/A',
        dateOfOriginalSubmission: '2025-03-11',
        rows: [{ price: null }, { date: '2035-01-01' }],
      },
      {
        ...repeated,
        issuer: { tickerRaw: 'EXWI, EX"Q\\' },
        aff10b5One: true,
        rows: [{ shares: '999999999999.9999', price: '0.0001', securityTitle: 'Ünits "A"\\\n' }],
      },
    )
    const packedHere = await known(stored)
    assert.strictEqual(packedHere.count, 3)
    const again = (whole: Sql) =>
      service.store.command(sql`INSERT INTO trades
      SELECT * REPLACE (${whole} AS whole, version + 1 AS version) FROM trades FINAL WHERE path = 'issuer'`)
    await again(sql`''`)
    assert.deepEqual(await known(stored), packedHere)
    await again(packedSql((column) => new Sql(column)))
    const filled = sql`SELECT count() AS n FROM trades FINAL WHERE path = 'issuer' AND whole != ''`
    assert.deepEqual(await service.store.rows(filled), [{ n: 3 }])
    assert.deepEqual(await known(stored), packedHere)
  })
})
