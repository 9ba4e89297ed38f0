// Filings that the SEC has deleted: their rows are gone from the receipt of its record on, whatever comes before or
// after it, and the filing itself stays readable.
import { readFileSync } from 'node:fs'
import { assert } from 'chai'
import { makeLoadQuarters } from '../../../src/application/data-sets/load-quarters.ts'
import { DATASETS } from '../../../src/application/ports/exports.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import { dataSetOf, type Tables } from '../../support/edgar/invented/data-set-files.ts'
import { loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { deletionText, disseminationText, filingOf, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { testServices, type TestService } from '../../support/service/service.ts'
import { readParquet } from '../../support/service/tools/parquet.ts'

const NOW = Date.UTC(2025, 2, 20)
const LATER = NOW + 3_600_000
const [GONE, KEPT] = ['0001999009-25-000001', '0001999009-25-000002']
const OWNER = '0001999101'
const filed = (accession: string, spec: FilingSpec = {}): FilingSpec => ({
  accession,
  acceptedAt: '20250318163000',
  owners: [{ cik: OWNER, isDirector: true }],
  rows: [{ shares: accession === GONE ? '1000' : '2000', price: '100' }],
  ...spec,
})
const deletion = (accession = GONE) => ({ path: `pds/${accession}.nc`, text: deletionText(accession) })
const keptRows = [`${KEPT}-nd-1`]

describe('a filing that the SEC has deleted', function () {
  this.timeout(120_000)
  let now = NOW
  const open = testServices()
  const fresh = () => open(() => now)
  beforeEach(() => {
    now = NOW
  })

  /** Receives the record an hour after everything else. */
  const deleted = async (service: TestService) => {
    now = LATER
    return service.take(deletion())
  }
  const rebuilt = async (service: TestService) => {
    await service.container.get(TYPES.rebuild)(() => {})
  }
  const totals = async (service: TestService) => {
    const { totalBuys, totalBuyValue } = (await service.queries.insider(OWNER))!.stats as any
    return [totalBuys, totalBuyValue]
  }
  const listedAt = async (service: TestService, asOf: number) =>
    (await service.queries.feed({ limit: 10, asOf: asOf / 1000 })).transactions.map(({ id }) => id).sort()

  const filingsListed = async (service: TestService, ask: object = {}): Promise<string[]> => {
    const { page } = await service.textQueries.filings({ limit: 10, ...ask })
    return page.value.filings.map(({ accessionNumber }: any) => accessionNumber).sort()
  }

  it('is shown no more, and what is shown instead is as if it had never been filed', async () => {
    const service = await fresh()
    await service.take(filed(GONE), filed(KEPT))
    assert.lengthOf(await service.listed(), 2)
    const [recorded] = await deleted(service)
    assert.deepInclude(recorded, { outcome: 'ingested', accession: GONE, reason: null })
    const alone = await fresh()
    await alone.take(filed(KEPT))
    assert.deepEqual(await service.listed(), keptRows)
    assert.deepEqual(await totals(service), await totals(alone))
    assert.isNotNull((await totals(alone))[0])
  })

  it('never comes to be shown where the deletion came first', async () => {
    const service = await fresh()
    await service.take(deletion())
    now = LATER
    await service.take(filed(GONE), filed(KEPT))
    await service.detectSignals()
    assert.deepEqual(await service.listed(), keptRows)
    assert.deepEqual(await listedAt(service, LATER), keptRows)
  })

  it('is deleted once', async () => {
    const service = await fresh()
    await service.take(filed(GONE), filed(KEPT))
    await deleted(service)
    const before = await service.dump()
    now = LATER + 60_000
    const again = await service.take(deletion(), deletion())
    assert.deepEqual(
      again.map(({ outcome }) => outcome),
      ['known', 'known'],
    )
    assert.deepEqual(await service.dump(), before)
  })

  it('stays so after a rebuild, a copy of its document and its correction', async () => {
    const service = await fresh()
    await service.take(filed(GONE), filed(KEPT))
    await deleted(service)
    await service.detectSignals()
    const before = await service.dump()
    await rebuilt(service)
    assert.deepEqual(await service.dump(), before)
    await service.take(filed(GONE))
    assert.deepEqual(await service.listed(), keptRows)
  })

  it('is in answers as of the time before its deletion', async () => {
    const service = await fresh()
    await service.take(filed(GONE), filed(KEPT))
    await deleted(service)
    for (const _ of ['as projected', 'as rebuilt']) {
      assert.deepEqual(await listedAt(service, LATER - 1000), [`${GONE}-nd-1`, ...keptRows])
      assert.deepEqual(await listedAt(service, LATER), keptRows)
      await rebuilt(service)
    }
  })

  it('is reported as removed', async () => {
    const service = await fresh()
    await service.take(filed(GONE), filed(KEPT))
    const [{ last } = { last: 0 }] = await rows<{ last: number }>(service.pool, 'SELECT last FROM change_position')
    await deleted(service)
    const reported = await rows<{ type: string; data: any }>(
      service.pool,
      'SELECT type, data FROM changes WHERE seq > $1 AND type IS NOT NULL ORDER BY seq',
      [last],
    )
    assert.deepEqual(
      reported.map(({ type, data }) => [type, (typeof data === 'string' ? JSON.parse(data) : data).removed]),
      [['transaction.changed', [`${GONE}-nd-1`]]],
    )
  })

  it('can be read, and says that it is withdrawn', async () => {
    const service = await fresh()
    await service.take(filed(GONE))
    assert.isNull((await service.queries.filing(GONE))!.withdrawnAt)
    await deleted(service)
    const { withdrawnAt, amendedBy, nonDerivative } = (await service.queries.filing(GONE))!
    assert.strictEqual(withdrawnAt, '2025-03-20T01:00:00Z')
    assert.deepEqual(amendedBy, [])
    assert.deepInclude(nonDerivative[0]!.decision, { status: 'withdrawn', supersededBy: null, supersededAt: null })
  })

  it('ends the signal that it made', async () => {
    const service = await fresh()
    const buy = (number: number) =>
      filed(`0001999009-25-00000${number}`, { owners: [{ cik: `000199910${number}`, isDirector: true }] })
    await service.take(buy(1), buy(2), buy(3))
    await service.detectSignals()
    const signals = async () => (await service.queries.signals({ limit: 10 })).signals.map(({ type }) => type)
    assert.deepEqual(await signals(), ['cluster_buy'])
    await deleted(service)
    await service.detectSignals()
    assert.deepEqual(await signals(), [])
  })

  it('no longer changes its original if it was an amendment', async () => {
    const service = await fresh()
    const original = filed(KEPT)
    await service.take(
      original,
      filed(GONE, {
        formType: '4/A',
        acceptedAt: '20250319163000',
        dateOfOriginalSubmission: '2025-03-18',
        rows: [{ shares: '2500', price: '100' }],
      }),
    )
    assert.deepEqual(await service.listed(), [`${GONE}-nd-1`])
    await deleted(service)
    assert.deepEqual(await service.listed(), keptRows)
    assert.deepEqual((await service.queries.filing(GONE))!.amends, [])
  })

  describe('and that a data set has', () => {
    const tables: Tables = dataSetOf([filed(GONE), filed(KEPT)].map((spec) => filingOf(spec)))

    it('goes when the deletion comes later, and stays gone', async () => {
      const service = await fresh()
      await loadSets(service, [['2025q1', tables]])
      assert.lengthOf(await service.listed(), 2)
      await deleted(service)
      await service.detectSignals()
      assert.deepEqual(await service.listed(), keptRows)
      assert.strictEqual((await service.queries.filing(GONE))!.withdrawnAt, '2025-03-20T01:00:00Z')
      const before = await service.dump()
      await rebuilt(service)
      assert.deepEqual(await service.listed(), keptRows)
      assert.deepEqual((await service.dump()).trades, before.trades)
      await loadSets(service, [['2025q1', tables]])
      assert.deepEqual(await service.listed(), keptRows)
    })

    it('is not shown when the deletion came before', async () => {
      const service = await fresh()
      await service.take(deletion())
      await loadSets(service, [['2025q1', tables]])
      assert.deepEqual(await service.listed(), keptRows)
      await service.take(filed(GONE))
      assert.deepEqual(await service.listed(), keptRows)
    })
  })

  describe('leaves the lists of filings and the month files', () => {
    /** Both have rows of each kind: a transaction, a holding, and transactions and holdings of Table II. */
    const whole = (accession: string, spec: FilingSpec = {}) =>
      filed(accession, {
        rows: [{ shares: accession === GONE ? '1000' : '2000' }, { kind: 'holding' }],
        derivativeRows: [{}, { kind: 'holding' }],
        ...spec,
      })
    /** The accession numbers in each dataset that has them. */
    const inFiles = async (service: TestService) => {
      await service.container.get(TYPES.makeExports)(() => {})
      const folder = service.container.get(TYPES.exportFolder)
      const { datasets } = (await folder.manifest())!
      const found: Record<string, string[]> = {}
      for (const name of DATASETS) {
        const files = datasets.find((each) => each.name === name)!.files
        const all = await Promise.all(files.map(({ path }) => readParquet(readFileSync(folder.pathOf(path)))))
        const accessions = all.flat().flatMap((row: any) => row.accessionNumber ?? [])
        found[name] = [...new Set<string>(accessions)].sort()
      }
      return found
    }
    const LISTING = ['transactions', 'filings', 'derivatives', 'holdings', 'balances'] as const
    const assertIn = async (service: TestService, accessions: string[]) => {
      assert.deepEqual(await filingsListed(service), accessions)
      assert.deepEqual(await filingsListed(service, { insiderCiks: [OWNER] }), accessions)
      const files = await inFiles(service)
      for (const dataset of LISTING) assert.deepEqual(files[dataset], accessions, dataset)
      // Each of its states was shown.
      assert.deepEqual(files['transaction-versions'], [GONE, KEPT])
    }

    it('where its document is stored, as after a rebuild and a copy of the document', async () => {
      const service = await fresh()
      await service.take(whole(GONE), whole(KEPT))
      await assertIn(service, [GONE, KEPT])
      await deleted(service)
      await assertIn(service, [KEPT])
      await rebuilt(service)
      await assertIn(service, [KEPT])
      await service.take(whole(GONE))
      await assertIn(service, [KEPT])
      assert.isNotNull((await service.queries.filing(GONE))!.withdrawnAt)
    })

    it('where the deletion came first', async () => {
      const service = await fresh()
      await service.take(deletion())
      now = LATER
      await service.take(whole(GONE), whole(KEPT))
      await assertIn(service, [KEPT])
    })

    it('where its correction comes after the deletion', async () => {
      const service = await fresh()
      await service.take(whole(GONE), whole(KEPT))
      await deleted(service)
      const corrected = disseminationText(whole(GONE, { rows: [{ shares: '3000' }, { kind: 'holding' }] }))
      await service.take({ path: `pds/${GONE}.corr`, text: corrected })
      await assertIn(service, [KEPT])
    })

    it('where only a data set has it, whether the deletion comes before or after, and its document later', async () => {
      const tables = dataSetOf([whole(GONE), whole(KEPT)].map((spec) => filingOf(spec)))
      const [before, after] = [await fresh(), await fresh()]
      await before.take(deletion())
      await loadSets(before, [['2025q1', tables]])
      await assertIn(before, [KEPT])
      await loadSets(after, [['2025q1', tables]])
      await assertIn(after, [GONE, KEPT])
      await deleted(after)
      await assertIn(after, [KEPT])
      await rebuilt(after)
      await assertIn(after, [KEPT])
      await after.take(whole(GONE))
      await assertIn(after, [KEPT])
    })

    it('where it is a Form 3 of a data set, of which no transaction changes', async () => {
      const service = await fresh()
      const form3 = filed(GONE, { formType: '3', rows: [{ kind: 'holding' }] })
      await loadSets(service, [['2025q1', dataSetOf([filingOf(form3), filingOf(whole(KEPT))])]])
      assert.deepEqual(await filingsListed(service), [GONE, KEPT])
      await deleted(service)
      assert.deepEqual(await filingsListed(service), [KEPT])
      assert.deepEqual((await inFiles(service)).holdings, [KEPT])
    })

    it('with the symbol that it alone typed, of a company that the list of the SEC has not', async () => {
      const issuer = { cik: '0001999009', tickerRaw: 'WRNG' }
      const newer = whole(GONE, { issuer, acceptedAt: '20250319163000' })
      const service = await fresh()
      await service.take(whole(KEPT, { issuer: { ...issuer, tickerRaw: 'RGHT' } }), newer)
      const tickers = async () => {
        const { transactions } = await service.queries.feed({ limit: 10 })
        return transactions.map(({ ticker }) => ticker)
      }
      assert.deepEqual(await tickers(), ['WRNG', 'WRNG'])
      await deleted(service)
      assert.deepEqual(await tickers(), ['RGHT'])
      await inFiles(service)
      const folder = service.container.get(TYPES.exportFolder)
      const { datasets } = (await folder.manifest())!
      const [file] = datasets.find(({ name }) => name === 'symbols')!.files
      const symbols = (await readParquet(readFileSync(folder.pathOf(file!.path)))).map((row: any) => row.symbol)
      assert.deepEqual(symbols, ['RGHT'])
    })
  })

  describe('while a data set is loaded that has it', () => {
    /** Loads the quarter; returns what was listed after its rows were written and before the load was finished. */
    const loadedWatching = async (service: TestService, specs: FilingSpec[], meanwhile = async () => {}) => {
      const context = service.container.get(TYPES.dataSetContext)
      const seen: { rows: string[]; filings: string[] }[] = []
      const sets: typeof context.sets = {
        sets: () => context.sets.sets(),
        begin: (...args) => context.sets.begin(...args),
        replace: (...args) => context.sets.replace(...args),
        markWritten: (...args) => context.sets.markWritten(...args),
        forgetWritten: () => context.sets.forgetWritten(),
        quartersOf: (accessions) => context.sets.quartersOf(accessions),
        finish: async (...args) => {
          seen.push({ rows: await service.listed(), filings: await filingsListed(service) })
          await meanwhile()
          await context.sets.finish(...args)
        },
      }
      const load = makeLoadQuarters(
        { ...context, sets },
        service.container.get(TYPES.dataSets),
        () => 0,
        () => service.project(),
      )
      await loadSets(service, [['2025q1', dataSetOf(specs.map((spec) => filingOf(spec)))]], load)
      return seen
    }

    it('is never visible', async () => {
      const service = await fresh()
      await service.take(deletion())
      const seen = await loadedWatching(service, [filed(GONE), filed(KEPT)])
      assert.deepEqual(seen, [{ rows: keptRows, filings: [KEPT] }])
      assert.deepEqual(await service.listed(), keptRows)
    })

    it('does not stand before a row that repeats it', async () => {
      const service = await fresh()
      await service.take(deletion())
      const equal = { rows: [{ shares: '1000', price: '100', sharesAfter: '5000' }] }
      const amendment = filed(GONE, {
        ...equal,
        formType: '4/A',
        acceptedAt: '20250319163000',
        dateOfOriginalSubmission: '2025-03-18',
      })
      const seen = await loadedWatching(service, [filed(KEPT, equal), amendment])
      assert.deepEqual(seen, [{ rows: keptRows, filings: [KEPT] }])
    })

    it('goes when the deletion comes during the load', async () => {
      const service = await fresh()
      const other = '0001999009-25-000003'
      await service.take(deletion(other))
      const specs = [filed(GONE), filed(KEPT), filed(other)]
      await loadedWatching(service, specs, async () => void (await service.record(deletion())))
      await service.project()
      assert.deepEqual(await service.listed(), keptRows)
      assert.deepEqual(await filingsListed(service), [KEPT])
    })
  })

  describe('is not deleted by a record that', () => {
    const text = deletionText(GONE)
    const document = '<DOCUMENT>\n<TYPE>4\n</DOCUMENT>\n</SUBMISSION>'
    const cases: [string, string, 'rejected' | 'not-ownership', string][] = [
      ['names none', text.replace(/<ACC.*\n/, ''), 'rejected', 'deletion: no ACCESSION-NUMBER'],
      ['is cut off', text.replace('</SUBMISSION>', ''), 'rejected', 'submission: truncated: no </SUBMISSION>'],
      [
        'has a document',
        text.replace('</SUBMISSION>', document),
        'rejected',
        'deletion: a DOCUMENT, where none is allowed',
      ],
      [
        'is a correction too',
        text.replace('<DELETION>', '<CORRECTION>\n<DELETION>'),
        'rejected',
        'deletion: a CORRECTION as well',
      ],
      ['is of another form', text.replace('<TYPE>4', '<TYPE>8-K'), 'not-ownership', 'deletion of a form 8-K'],
    ]
    for (const [name, record, outcome, reason] of cases) {
      it(name, async () => {
        const service = await fresh()
        await service.take(filed(GONE))
        const [recorded] = await service.take({ path: 'pds/deleted.nc', text: record })
        assert.deepInclude(recorded, { outcome, reason })
        assert.deepEqual(await service.listed(), [`${GONE}-nd-1`])
      })
    }
  })
})
