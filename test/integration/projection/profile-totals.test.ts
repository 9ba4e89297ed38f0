// Totals of lists that are stored for profiles: through everything that writes lists they are what plain JavaScript
// sums up of the rows, and profiles answer with them as they do without.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import { cikAsSymbol } from '../../../src/domain/shared/identifiers.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { goneTotalsRow } from '../../../src/infrastructure/clickhouse/stores/list-rows.ts'
import { tableInserts } from '../../../src/infrastructure/clickhouse/stores/table-inserts.ts'
import {
  isTotals,
  parseTotals,
  type ListTotals,
  type SideTotals,
} from '../../../src/infrastructure/clickhouse/queries/shared/list-totals.ts'
import { correctedFilings } from '../../support/edgar/invented/corrected-filings.ts'
import { documentsOf, inTwoQuarters, setsOf, tangledHistory } from '../../support/edgar/invented/related-trades.ts'
import { loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { testServices, type TestService } from '../../support/service/service.ts'
import { volume } from '../../support/volume.ts'

const SEEDS = volume('seeds of totals of profiles', [1], [1, 2, 3, 4, 5, 6])
const BATCHES = volume('batches of totals of profiles', 12, 80)

interface Row {
  key: string
  summed: string
  cik: number
  name: string
  title: string
  ticker: string
  type: string
  /** In dollars, 0 where it does not count. */
  value: string
  /** 1970-01-01 for one that is not known. */
  day: string
  late: boolean | null
}

/** Sums up the rows of a list, which come newest first. */
function totalsOf(rows: readonly Row[]): ListTotals {
  const sides = new Map<string, SideTotals>()
  const [late, due] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()]
  const [titles, filings] = [new Set<string>(), new Set<string>()]
  let newestFiling = ''
  for (const { key, summed, late: isLate, cik: number, name, title, ticker, type, value, day } of rows) {
    if (key.includes('#')) {
      newestFiling ||= key.slice(12, 20)
      filings.add(summed)
      continue
    }
    const cik = String(number).padStart(10, '0')
    if (key.startsWith('i')) titles.add(title)
    const first = {
      ...{ cik, name, title, ticker },
      ...{ buys: 0, sells: 0, cents: 0n, lastDay: null, late: 0, due: 0 },
    }
    const side = sides.get(cik) ?? first
    sides.set(cik, side)
    if (type === 'buy') side.buys += 1
    else if (type === 'sell') side.sells += 1
    side.cents += BigInt(Math.round(Number(value) * 100))
    for (const [filings, counts] of [
      [late, isLate === true],
      [due, isLate !== null],
    ] as const) {
      if (!filings.has(cik)) filings.set(cik, new Set())
      if (counts) filings.get(cik)!.add(key.slice(20, -9))
    }
    side.late = late.get(cik)!.size
    side.due = due.get(cik)!.size
    if (day !== '1970-01-01' && (side.lastDay === null || day > side.lastDay)) side.lastDay = day
  }
  const said = [...filings].map((text) => {
    const [name, symbols, sector, sic] = JSON.parse(text) as [string, string[], string, string]
    return { name, symbols, sector, sic }
  })
  const all = [...sides.values()]
  return {
    buys: all.reduce((sum, { buys }) => sum + buys, 0),
    sells: all.reduce((sum, { sells }) => sum + sells, 0),
    title: all[0]?.title ?? '',
    ...{ sides: all, titles: [...titles], filings: said, named: said, newestFiling },
  }
}

/** Asserts that the totals of all lists are stored and true, or none is; returns how many there are. */
async function assertTrue({ store }: TestService, when: string): Promise<number> {
  const rows = await store.rows<Row>(sql`
    SELECT
      key, summed, side_cik AS cik, side_name AS name, side_title AS title, ticker, toString(type) AS type, late,
      toString(if(credible AND type IN ('buy', 'sell'), total_value, 0)) AS value, trade_day AS day
    FROM transaction_lists FINAL
    WHERE (key >= 'c' AND key < 'd') OR (key >= 'i' AND key < 'j')
    ORDER BY key DESC`)
  const rowsOf = Map.groupBy(
    rows.filter(({ key }) => !isTotals(key)),
    ({ key }) => key.slice(0, 11),
  )
  const stored = rows.filter(({ key }) => isTotals(key))
  for (const { key, summed } of stored) {
    const list = key.slice(0, -1)
    const { titles, ...totals } = parseTotals(summed)
    const { titles: expected, ...others } = totalsOf(rowsOf.get(list) ?? [])
    assert.deepEqual(totals, others, `${key} ${when}`)
    if (list.startsWith('i')) assert.deepEqual(titles, expected, `${key} ${when}`)
  }
  if (stored.length > 0)
    assert.sameMembers(
      stored.map(({ key }) => key.slice(0, -1)),
      [...rowsOf.keys()],
      when,
    )
  return stored.length
}

/** Returns what is answered of every company and insider. */
async function answersOf({ store, queries }: TestService): Promise<string[]> {
  const found = await store.rows<{ kind: string; cik: string }>(sql`
    SELECT DISTINCT substring(key, 1, 1) AS kind, substring(key, 2, 10) AS cik
    FROM transaction_lists FINAL
    WHERE (key >= 'c' AND key < 'd') OR (key >= 'i' AND key < 'j')
    ORDER BY kind, cik`)
  const ciks = (kind: string) => found.filter((each) => each.kind === kind).map(({ cik }) => cik)
  const answers: unknown[] = [await queries.companies(ciks('c').map((cik) => ({ ticker: null, cik })))]
  for (const detail of [false, true]) {
    for (const cik of ciks('c')) answers.push(await queries.company(cikAsSymbol(cik), detail))
    for (const cik of ciks('i')) answers.push(await queries.insider(cik, detail))
  }
  return answers.map((answer) => JSON.stringify(answer))
}

async function removeTotals({ store, container }: TestService): Promise<void> {
  const stored = await store.rows<{ key: string }>(sql`
    SELECT key
    FROM transaction_lists FINAL
    WHERE endsWith(key, '=')`)
  const version = await container.get(TYPES.nextVersion)()
  const rows = stored.map(({ key }) => goneTotalsRow(key.slice(0, -1), version))
  for (const lines of tableInserts('placed_rows', rows).inserts) await store.insertLines('placed_rows', lines)
}

describe('totals of profiles', function () {
  this.timeout(240_000)
  const fresh = testServices()

  for (const seed of SEEDS)
    it(`are true whatever is written, and answer as the rows do (${seed})`, async () => {
      const service = await fresh()
      const next = correctedFilings(seed)
      let checked = 0
      const check = async (when: string) => (checked += await assertTrue(service, when))
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const documents = next(6).map(({ path, bytes }) => ({ path, text: bytes.toString('latin1') }))
        await service.take(...documents)
        await check(`after batch ${batch}`)
        if (batch % 3 === 0) await service.detectSignals()
        await check(`after signals of batch ${batch}`)
      }
      const history = inTwoQuarters(tangledHistory(seed, 60))
      const [first, ...others] = setsOf(history)
      const documents = documentsOf(history)
      await loadSets(service, [first!])
      await check('after a data set')
      await service.take(...documents.slice(0, documents.length / 2))
      await check('after documents of a data set')
      await loadSets(service, others)
      await check('after another data set')
      await service.take(...documents.slice(documents.length / 2))
      await service.detectSignals()
      await check('after all')
      assert.isAbove(checked, 100)

      const answers = await answersOf(service)
      assert.isAbove(answers.length, 30)
      await removeTotals(service)
      assert.strictEqual(await assertTrue(service, 'after all were removed'), 0)
      assert.deepEqual(await answersOf(service), answers)

      await service.container.get(TYPES.rebuild)(() => {})
      assert.isAbove(await assertTrue(service, 'after a rebuild'), 10)
      assert.deepEqual(await answersOf(service), answers)
    })
})
