// The month files of states against answers as of instants, both ways, for worlds of filings in any order of arrival:
// transactions that are amended, repeated and labelled, signals that grow and end; the same bytes after a rebuild.
import { assert } from 'chai'
import type { DatasetName } from '../../../src/application/ports/exports.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { isEstimated } from '../../../src/domain/filings/acceptance-time.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { shuffle } from '../../support/edgar/invented/data-set-files.ts'
import { seeded } from '../../support/edgar/invented/seeded.ts'
import { arbitraryWorld, splitWorld } from '../../support/filings/arbitrary-world.ts'
import { filesOf, makeMonthFiles, rowsOf } from '../../support/service/month-files.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { volume } from '../../support/volume.ts'

const NOW = Date.UTC(2026, 0, 1)
const FILINGS = 60

type Row = Record<string, any>

/** Rows of all months, the newest month first, as within a month. */
const newestFirst = async (service: TestService, dataset: DatasetName): Promise<Row[]> =>
  rowsOf(service, (await filesOf(service, dataset)).toReversed())
const stamp = (at: Date) => `${at.toISOString().slice(0, 19)}Z`
const isKnownAt =
  (at: number) =>
  ({ knownFrom, knownTo }: Row) =>
    knownFrom !== null && knownFrom.getTime() / 1000 <= at && (knownTo === null || knownTo.getTime() / 1000 > at)

/** Returns a row of transactions as the API gives it with details. */
function transactionOf({ ownerCiks: _, roles: __, knownFrom: ___, knownTo: ____, ...row }: Row): Row {
  const { status: _____, duplicateOf: ______, supersededBy: _______, tradeDateAsFiled, tradeDate: day, ...own } = row
  assert.strictEqual(day?.toISOString().slice(0, 10) ?? null, tradeDateAsFiled.slice(0, 10))
  const previousBuyDate = own.previousBuyDate?.toISOString().slice(0, 10) ?? null
  // The reader of decimals adds digits behind the fourth place.
  const pricePerShare = Number(own.pricePerShare.toFixed(4))
  return { ...own, pricePerShare, previousBuyDate, tradeDate: tradeDateAsFiled, filingDate: stamp(own.filingDate) }
}

/** Returns a transaction of the API as a row. */
function rowOf({ detail, ...transaction }: Row): Row {
  const coOwners = detail.coOwners.map(
    (each: Row) => `${each.cik} ${[each.name, each.title].filter(Boolean).join(', ')}`,
  )
  return { ...transaction, ...detail, coOwners }
}

async function pagesOf(ask: (cursor?: string) => Promise<Row>, list: string): Promise<Row[]> {
  const found: Row[] = []
  for (let cursor: string | undefined; ;) {
    const page = await ask(cursor)
    found.push(...page[list])
    if (!page.hasMore) return found
    cursor = page.nextCursor
  }
}

for (const seed of volume('worlds in month files of states', [13], [6, 13, 17, 20]))
  describe(`month files of states (world ${seed})`, function () {
    this.timeout(300_000)
    const world = arbitraryWorld(seed, FILINGS)
    const instants = [...new Set(world.flatMap(({ at }) => [at - 1, at]))].concat(NOW / 1000)
    let service: TestService
    let versions: Row[]
    let signals: Row[]
    before(async () => {
      service = await testService(() => NOW)
      const arrived = shuffle([...world], seeded(seed))
      for (let from = 0; from < arrived.length; from += 20) {
        await service.take(...arrived.slice(from, from + 20).map(({ path, text }) => ({ path, text })))
        await service.detectSignals()
        // What is made early is replaced where later filings change the past.
        await makeMonthFiles(service)
      }
      versions = await newestFirst(service, 'transaction-versions')
      signals = await newestFirst(service, 'signals')
    })
    after(() => service.close())

    it('are the feed as of any instant', async () => {
      let compared = 0
      for (const asOf of instants) {
        const ask = (cursor?: string) =>
          service.queries.feed({ asOf, detail: true, limit: 100, ...(cursor !== undefined && { cursor }) })
        const listed = await pagesOf(ask, 'transactions')
        const rows = versions.filter(isKnownAt(asOf)).filter(({ status }) => status === 'listed')
        assert.deepEqual(rows.map(transactionOf), listed.map(rowOf), `as of ${asOf}`)
        compared += rows.length
      }
      assert.isAbove(compared, instants.length)
    })

    it('are the present feed where a state lasts, with what has no day on record', async () => {
      const ask = (cursor?: string) =>
        service.queries.feed({ detail: true, limit: 100, ...(cursor !== undefined && { cursor }) })
      const listed = await pagesOf(ask, 'transactions')
      const present = versions.filter(({ knownTo, status }) => knownTo === null && status === 'listed')
      assert.deepEqual(present.map(transactionOf), listed.map(rowOf))
      const owners = new Map(
        (await newestFirst(service, 'transactions')).map(({ id, ownerCiks, roles }) => [id, { ownerCiks, roles }]),
      )
      for (const { id, ownerCiks, roles } of present) assert.deepEqual({ ownerCiks, roles }, owners.get(id), id)
    })

    it('have each transaction, in states that neither overlap nor leave a gap', async () => {
      const stored = await service.store.rows<Record<string, string>>(sql`
        SELECT id, duplicate_of, superseded_by, filingDateBasis AS filed_basis
        FROM transactions FINAL`)
      const byId = Map.groupBy(versions, ({ id }) => id as string)
      assert.sameMembers(
        [...byId.keys()],
        stored.map(({ id }) => id),
      )
      for (const { id, duplicate_of, superseded_by, filed_basis } of stored) {
        const states = byId.get(id!)!
        assertJoined(states, superseded_by !== '')
        assert.strictEqual(states.at(-1)!.supersededBy, superseded_by || null, id)
        const isKnown = !isEstimated(filed_basis!)
        assert.deepEqual(states[0]!.knownFrom, isKnown ? states[0]!.filingDate : null, id)
        if (!isKnown) assert.lengthOf(states, 1, id)
        for (const { status, duplicateOf } of states)
          assert.deepEqual({ status, duplicateOf }, duplicateState(duplicate_of!), id)
        for (const { supersededBy } of states.slice(0, -1)) assert.isNull(supersededBy, id)
        const says = states.map(({ significance, signals: labels, priceStatus }) =>
          JSON.stringify([significance, labels, priceStatus]),
        )
        says.slice(1).forEach((each, place) => assert.notStrictEqual(each, says[place], id))
      }
    })
    const duplicateState = (of: string) => ({ status: of ? 'duplicate' : 'listed', duplicateOf: of || null })

    /** That each state begins where the one before it ends, and whether the last one has an end. */
    function assertJoined(states: Row[], isEnded: boolean): void {
      for (const [place, { id, knownFrom, knownTo }] of states.entries()) {
        const next = states[place + 1]
        if (next) assert.deepEqual(knownTo, next.knownFrom, id)
        else assert.strictEqual(knownTo !== null, isEnded, id)
        if (next) assert.isBelow(knownFrom.getTime(), knownTo.getTime(), id)
        else if (knownFrom !== null && knownTo !== null) assert.isAtMost(knownFrom.getTime(), knownTo.getTime(), id)
      }
    }

    it('are the signals as of any instant', async () => {
      let compared = 0
      for (const asOf of [...instants, NOW / 1000]) {
        const ask = (cursor?: string) =>
          service.queries.signals({ asOf, limit: 100, ...(cursor !== undefined && { cursor }) })
        const listed = await pagesOf(ask, 'signals')
        const rows = signals.filter(isKnownAt(asOf)).filter(({ holds }) => holds)
        assert.deepEqual(
          rows.map(({ knownFrom: _, knownTo: __, holds: ___, issuerCik, ...signal }) => {
            assert.include(signal.id, String(Number(issuerCik)))
            return { ...signal, detectedAt: stamp(signal.detectedAt) }
          }),
          listed,
          `as of ${asOf}`,
        )
        compared += rows.length
      }
      assert.isAbove(compared, instants.length)
    })

    it('have each signal, in states that neither overlap nor leave a gap', async () => {
      const byId = Map.groupBy(signals, ({ id }) => id as string)
      const stored = await service.store.rows<{ id: string }>(sql`
        SELECT id
        FROM signals FINAL
        WHERE path = 'issuer' AND JSONExtractRaw(whole, 'knownAt') != 'null'`)
      assert.sameMembers(
        [...byId.keys()],
        stored.map(({ id }) => id),
      )
      for (const [id, states] of byId) {
        assertJoined(states, false)
        assert.deepEqual(states[0]!.knownFrom, states[0]!.detectedAt, id)
        for (const { holds, ...state } of states)
          for (const name of ['severity', 'ticker', 'companyName', 'description', 'insiderCount', 'totalValue'])
            assert.strictEqual(state[name] !== null, holds, `${id} ${name}`)
      }
    })

    it('hold what makes such files worth having', () => {
      const counts = {
        superseded: versions.filter(({ supersededBy }) => supersededBy !== null).length,
        duplicates: versions.filter(({ status }) => status === 'duplicate').length,
        estimated: versions.filter(({ knownFrom }) => knownFrom === null).length,
        relabelled: versions.filter(({ knownTo, supersededBy }) => knownTo !== null && supersededBy === null).length,
        grown: signals.filter(({ knownTo, holds }) => knownTo !== null && holds).length,
        ended: signals.filter(({ holds }) => !holds).length,
      }
      for (const [what, count] of Object.entries(counts)) assert.isAbove(count, 0, what)
    })

    it('have the same bytes after a rebuild', async () => {
      const paths = async () =>
        [...(await filesOf(service, 'transaction-versions')), ...(await filesOf(service, 'signals'))].map(
          ({ path }) => path,
        )
      const before = await paths()
      assert.isNotEmpty(before)
      await service.container.get(TYPES.rebuild)(() => {})
      await makeMonthFiles(service)
      assert.deepEqual(await paths(), before)
    })
  })

describe('month files of a price that a later filing explains', function () {
  this.timeout(300_000)
  let service: TestService
  before(async () => {
    service = await testService(() => NOW)
    await service.take(...splitWorld().toReversed())
    await service.detectSignals()
    await makeMonthFiles(service)
  })
  after(() => service.close())

  it('have a suspect state until then, and are the feed as of any instant', async () => {
    const versions = await newestFirst(service, 'transaction-versions')
    const explained = versions.filter(({ accessionNumber }) => accessionNumber === '0001999009-24-000004')
    const states = explained.map((row) =>
      [
        row.id.slice(-1),
        row.priceStatus,
        row.significance,
        stamp(row.knownFrom),
        row.knownTo && stamp(row.knownTo),
      ].join(' '),
    )
    const [filed, shown, amended] = ['2024-03-19', '2024-04-05', '2024-04-10'].map((day) => `${day}T14:00:00Z`)
    assert.sameMembers(states, [
      `1 suspect low ${filed} ${shown}`,
      `1 as_filed high ${shown} ${amended}`,
      `2 suspect low ${filed} ${shown}`,
      `2 as_filed high ${shown} ${amended}`,
      `2 as_filed low ${amended} `,
    ])
    for (const asOf of splitWorld().flatMap(({ at }) => [at - 1, at])) {
      const { transactions } = await service.queries.feed({ asOf, detail: true, limit: 100 })
      const rows = versions.filter(isKnownAt(asOf)).filter(({ status }) => status === 'listed')
      assert.deepEqual(rows.map(transactionOf), transactions.map(rowOf), `as of ${asOf}`)
    }
    const present = await newestFirst(service, 'transactions')
    assert.isFalse(present.some(({ priceStatus }) => priceStatus === 'suspect'))
  })
})
