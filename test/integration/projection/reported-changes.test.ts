// What callers are reported of changes, in the log: each filing and signal that changed, in the order of commits, and
// by extent what can't be reported row by row. Following the log gives what the feed lists.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { rows } from '../../../src/infrastructure/postgres/pool.ts'
import { ownershipXml, type FilingSpec, type RowSpec } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const NOW = Date.parse('2025-03-14T12:00:00Z')
const ISSUER = '0001999001'

const filed = (number: number, spec: FilingSpec = {}): FilingSpec => ({
  accession: `0001999001-25-${String(number).padStart(6, '0')}`,
  acceptedAt: `202503${10 + number}120000`,
  ...spec,
})

interface Reported {
  seq: number
  id: string
  type: string
  issuers: string[] | null
  data: any
}

describe('what is reported of changes', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService(() => NOW)
  })
  afterEach(() => service.close())

  const reported = async (): Promise<Reported[]> =>
    (
      await rows<Omit<Reported, 'data'> & { data: string }>(
        service.pool,
        'SELECT seq, id, type, issuer_ciks AS issuers, data FROM changes WHERE type IS NOT NULL ORDER BY seq',
      )
    ).map((entry) => ({ ...entry, data: JSON.parse(entry.data) }))

  it('names a filing with what it lists, as the feed shows it', async () => {
    await service.take(filed(1))

    const [entry, ...others] = await reported()
    const { transactions } = await service.queries.feed({ limit: 10 })
    assert.lengthOf(others, 0)
    assert.strictEqual(entry!.id, 'transaction.created/0001999001-25-000001')
    assert.deepEqual(entry!.issuers, [transactions[0]!.id.slice(0, 10)])
    assert.deepEqual(entry!.data.transactions, transactions)
    assert.strictEqual(entry!.data.ticker, transactions[0]!.ticker)
  })

  it('reports an amendment with what it supersedes, and of no row twice', async () => {
    await service.take(filed(1, { rows: [{ shares: '100' }, { shares: '200' }] }))
    await service.take(
      filed(2, {
        formType: '4/A',
        dateOfOriginalSubmission: '2025-03-11',
        rows: [{ shares: '101' }, { shares: '200' }],
      }),
    )

    const entries = await reported()
    assert.deepEqual(
      entries.map(({ id }) => id),
      ['transaction.created/0001999001-25-000001', 'transaction.amended/0001999001-25-000002'],
    )
    assert.lengthOf(entries[1]!.data.superseded, 2)
    assert.deepEqual(await followed(), await service.listed())
  })

  it('keeps what changes are filtered by: of rows listed, superseded and removed, and of signals', async () => {
    const owners = [{ cik: '0009900001', isOfficer: true, officerTitle: 'CEO' }]
    await service.take(filed(1, { owners, rows: [{ shares: '100' }, { shares: '60000', price: '20' }] }))
    await service.take(
      filed(2, { owners, formType: '4/A', dateOfOriginalSubmission: '2025-03-11', rows: [{ shares: '101' }] }),
    )
    await service.detectSignals()

    const entries = await rows<{ type: string; facts: any }>(
      service.pool,
      'SELECT type, facts FROM changes WHERE type IS NOT NULL ORDER BY seq',
    )
    const [created, amended] = entries
    assert.deepEqual(
      created!.facts.rows.map(({ shares }: any) => shares),
      ['100', '60000'],
    )
    assert.deepInclude(created!.facts.rows[1], {
      ...{ type: 'buy', code: 'P', roles: ['officer', 'ceo'], ownership: 'direct', totalValue: '1200000' },
      ...{ credible: true, insiders: ['0009900001'] },
    })
    assert.includeMembers(
      amended!.facts.rows.map(({ shares }: any) => shares),
      ['101', '100'],
    )
    for (const { type, facts } of entries.filter((entry) => entry.type.startsWith('signal.'))) {
      assert.deepEqual(facts.persons, ['0009900001'], type)
      assert.oneOf(facts.severity, ['low', 'medium', 'high', 'critical'])
    }
  })

  it('reports a price that a later filing explains as a change of its row alone', async () => {
    const by = (person: number, row: RowSpec): FilingSpec =>
      filed(person, { owners: [{ cik: `000990000${person}`, isDirector: true }], rows: [row] })
    await service.take(by(0, { shares: '1000', price: '0.40', sharesAfter: '100000' }))
    await service.take(by(1, { shares: '1000', price: '0.41', sharesAfter: '1000' }))
    await service.take(by(2, { shares: '1000', price: '0.42', sharesAfter: '1000' }))
    await service.take(by(3, { shares: '60000', price: '9', sharesAfter: '60000' }))
    const before = await reported()
    const award = { ...by(0, { code: 'A', shares: '500', price: null, sharesAfter: '5500' }), ...filed(4) }
    await service.take(award)

    const entries = (await reported()).slice(before.length)
    const shown = ({ data }: Reported) => data.transactions.map((row: any) => `${row.id.slice(-6)} ${row.significance}`)
    assert.deepEqual(
      [before.at(-1)!, ...entries].map((entry) => [entry.type, ...shown(entry)]),
      [
        ['transaction.created', '3-nd-1 low'],
        ['transaction.created', '4-nd-1 low'],
        ['transaction.changed', '3-nd-1 high'],
      ],
    )
    assert.isNull(entries[1]!.data.superseded ?? null)
    await service.detectSignals()
    assert.lengthOf(await reported(), before.length + 2, 'what was shown before is no change')
  })

  it('reports a second copy of a document as a change under a number, and the rows it removes', async () => {
    const bare = filed(1, { rows: [{ shares: '100' }, { shares: '200' }] })
    await service.take({ path: `${bare.accession}.xml`, text: ownershipXml(bare) })
    await service.take(filed(1, { rows: [{ shares: '300' }] }))
    await service.detectSignals()

    const [, again, removal, ...others] = await reported()
    assert.strictEqual(again!.type, 'transaction.changed')
    assert.strictEqual(again!.id, `transaction.changed/${again!.seq}`)
    assert.deepEqual(again!.data.removed, [])
    assert.deepEqual(removal!.data.removed, ['0001999001-25-000001-nd-2'])
    // Whether its rows were written by an attempt that was killed is not known.
    assert.deepEqual(
      others.map(({ data }) => data.reason),
      ['recovered'],
    )
    assert.deepEqual(await followed(), await service.listed())
  })

  it('reports a batch of old documents by their issuers', async () => {
    await service.take(filed(1, { acceptedAt: '20240110120000' }), filed(2, { acceptedAt: '20240111120000' }))

    assert.deepEqual(
      (await reported()).map(({ type, data }) => ({ type, data })),
      [{ type: 'dataset.changed', data: { reason: 'old_filings', issuerCiks: [(await reported())[0]!.issuers![0]] } }],
    )
  })

  it('reports signals when they are raised, and the labels that follow', async () => {
    for (const number of [1, 2, 3]) {
      const owner = { cik: `000990000${number}`, name: `SAMPLE ${number}`, isDirector: true }
      await service.take(
        filed(number, { owners: [owner], rows: [{ shares: '10000', price: '20', date: '2025-03-10' }] }),
      )
    }
    await service.detectSignals()
    const first = (await reported()).filter(({ type }) => !type.startsWith('transaction.created'))
    const { transactions } = await service.queries.feed({ limit: 10 })
    const { signals } = await service.queries.signals({ limit: 10 })

    assert.isNotEmpty(signals)
    assert.deepEqual(
      first.filter(({ type }) => type === 'signal.detected').map(({ data }) => data.signal.id),
      signals.map(({ id }) => id),
    )
    assert.notInclude(
      first.map(({ type }) => type),
      'signal.changed',
    )
    const labelled = first.filter(({ type }) => type === 'transaction.changed')
    assert.sameDeepMembers(
      labelled.flatMap(({ data }) => data.transactions),
      transactions.filter((each) => each.signals.length > 0),
    )

    // Detected again and found equal.
    await service.container.get(TYPES.signalQueue).requeueQuietly([ISSUER], 1_000)
    await service.detectSignals()
    assert.lengthOf(await reported(), first.length + 3)
  })

  it('reports issuers to resync when a process began, once their signals are done', async () => {
    await service.take(filed(1))
    const log = service.container.get(TYPES.changeLog)
    const toResync = await log.takeOver()
    assert.lengthOf(toResync, 1)

    service.container.get(TYPES.toResync).add(toResync)
    await service.detectSignals()

    assert.deepEqual((await reported()).at(-1)!.data, { reason: 'recovered', issuerCiks: toResync })
  })

  it('reports what is owed of work that never ended when another process begins', async () => {
    const log = service.container.get(TYPES.changeLog)
    const owed = { id: null, type: 'dataset.changed', issuerCiks: null, data: '{"reason":"rebuild"}' } as const
    await log.recordPending([owed])
    await log.flushPending(false)
    await log.recordPending([owed])
    await log.takeOver()
    await log.takeOver()

    assert.deepEqual(
      (await reported()).map(({ data }) => data),
      [{ reason: 'rebuild' }],
    )
  })

  /** Returns the ids that a reader of the log lists. */
  async function followed(): Promise<string[]> {
    const known = new Map<string, string>()
    for (const { data } of await reported()) {
      for (const { id, filingDate } of data.transactions ?? []) known.set(id, filingDate)
      for (const id of [...(data.superseded ?? []), ...(data.removed ?? [])]) known.delete(id)
    }
    const newestFirst = (a: string, b: string) => known.get(b)!.localeCompare(known.get(a)!) || (a < b ? 1 : -1)
    return [...known.keys()].toSorted(newestFirst)
  }
})
