// Filings of a few issuers over a year that have much to say about each other: 4/As of all kinds, the same event told
// by several, totals typed as prices, symbols that change. A filing comes by a data set, as its own document, or both
// ways.
import { addDays, dayNumber, nextBusinessDay } from '../../../../src/domain/shared/calendar.ts'
import type { Filing } from '../../../../src/domain/filings/filing.ts'
import {
  disseminationText,
  filingOf,
  submissionText,
  type FilingSpec,
  type RowSpec,
} from '../../filings/filing-builder.ts'
import { saidOfFiling, saidOfRow } from '../../filings/said-of-rows.ts'
import { dataSetOf, type Tables } from './data-set-files.ts'
import { hashOf, seeded } from './seeded.ts'

export interface ToldFiling {
  spec: FilingSpec
  /** Of its filing date. */
  quarter: string
  by: 'set' | 'document' | 'both'
  /** The document has no time of acceptance, so that its rows stand at the same instant as the set's. */
  undated: boolean
}

export const TANGLED_ISSUERS = ['0000000101', '0000000102', '0000000103', '0000000104']
const DAYS = [
  '2023-11-10',
  '2023-12-29',
  '2024-01-12',
  '2024-02-16',
  '2024-03-28',
  '2024-05-24',
  '2024-06-28',
  '2024-08-30',
  '2024-09-27',
]
const OWNERS = [
  { isDirector: true },
  { isOfficer: true, officerTitle: 'CEO' },
  { isTenPercentOwner: true },
  { isTenPercentOwner: true },
  { isOther: true, otherText: 'Member of a Group' },
  { isDirector: true },
].map((roles, index) => ({ cik: String(201 + index).padStart(10, '0'), name: `OWNER ${index}`, ...roles }))

export function tangledHistory(seed: number, count: number): ToldFiling[] {
  const chance = seeded(hashOf(seed, 'tangled'))
  const of = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!
  const row = (): RowSpec => {
    const shares = of(['100', '200', '300.5', '1000'])
    const directIndirect = of(['D', 'D', 'I'] as const)
    return {
      securityTitle: of(['Common Stock', 'Common Stock', 'COMMON  STOCK', 'Class A']),
      date: of(['2024-01-10', '2024-01-11', '2024-05-20']),
      code: of(['P', 'P', 'S', 'A', 'F']),
      acquiredDisposed: of(['A', 'A', 'D']),
      directIndirect,
      shares,
      price: of(['10', '10', '11', '10.125', '0', null, String(Number(shares) * 10), '120000', '2000000']),
      sharesAfter: of(['1000', '1000', '500', null]),
      ...saidOfRow(directIndirect, chance),
    }
  }
  const rows = () => Array.from({ length: of([0, 1, 1, 1, 2, 3]) }, row)
  const told: ToldFiling[] = []
  for (let number = 1; number <= count; number += 1) {
    const model = told.length > 0 && chance() < 0.75 ? of(told).spec : null
    const kind = model ? of(['amendment', 'amendment', 'amendment', 'chain', 'again'] as const) : 'new'
    const tickerRaw = of(['OLD', 'NEW', 'NEW', 'NONE'])
    const issuer = { cik: model?.issuer?.cik ?? of(TANGLED_ISSUERS), name: 'Example Tangles Inc', tickerRaw }
    const spec: FilingSpec = {
      accession: `0001999001-24-${String(number).padStart(6, '0')}`,
      issuer,
      owners: model?.owners ?? [of(OWNERS)],
      rows: model?.rows ?? rows(),
      formType: of(['4', '4', '4', '4', '4', '4', '5', '3'] as const),
      ...saidOfFiling(chance),
    }
    let day = chance() < 0.3 ? nextBusinessDay(of(DAYS)) : of(DAYS)
    if (kind === 'chain')
      Object.assign(spec, { owners: [of(OWNERS), ...(chance() < 0.2 ? [OWNERS[2]!] : [])], formType: '4' })
    if (kind === 'amendment') {
      const named = dayOf(model!)
      day = of([named, nextBusinessDay(named), ...DAYS.filter((each) => each >= named), day])
      const wrong = ['2024-02-30', '0024-02-10', '9999-12-31', '2024-04-01', null]
      const original = of([named, named, addDays(named, -1), addDays(named, -3), ...wrong])
      Object.assign(spec, {
        formType: '4/A',
        dateOfOriginalSubmission: original,
        rows: amendedRows(model!.rows!, row, chance),
      })
    }
    spec.owners = [...new Map(spec.owners!.map((owner) => [owner.cik, owner])).values()]
    Object.assign(spec, {
      acceptedAt: `${day.replaceAll('-', '')}${of(['093000', '163000', '210000'])}`,
      sic: null,
      office: null,
    })
    const by = of(['set', 'set', 'set', 'both', 'both', 'document'] as const)
    told.push({ spec, quarter: quarterOfDay(day), by, undated: chance() < 0.3 })
  }
  return told
}

/** Unchanged, changed in one place, with rows more or fewer. */
function amendedRows(before: RowSpec[], another: () => RowSpec, chance: () => number): RowSpec[] {
  const change = () => (chance() < 0.5 ? { shares: '250' } : { date: '2024-01-12', price: '10' })
  const rows = before.map((row) => (chance() < 0.5 ? row : { ...row, ...change() }))
  if (chance() < 0.25) rows.pop()
  if (chance() < 0.25) rows.push(another())
  return rows
}

const dayOf = ({ acceptedAt }: FilingSpec): string =>
  `${acceptedAt!.slice(0, 4)}-${acceptedAt!.slice(4, 6)}-${acceptedAt!.slice(6, 8)}`

function quarterOfDay(day: string): string {
  if (!Number.isInteger(dayNumber(day))) throw new Error(`not a day: ${day}`)
  return `${day.slice(0, 4)}q${Math.ceil(Number(day.slice(5, 7)) / 3)}`
}

/** Returns the history with its quarters put together in two, so that loading it takes half as many data sets. */
export function inTwoQuarters(history: ToldFiling[]): ToldFiling[] {
  return history.map((told) => ({ ...told, quarter: told.quarter < '2024q2' ? '2024q1' : '2024q3' }))
}

/** The quarters' data sets, oldest first. */
export function setsOf(history: ToldFiling[]): [quarter: string, tables: Tables][] {
  const bySet = Map.groupBy(
    history.filter(({ by }) => by !== 'document'),
    ({ quarter }) => quarter,
  )
  const tablesOf = (quarter: string, told: ToldFiling[]) =>
    dataSetOf(
      told.map(({ spec }): Filing => filingOf(spec)),
      { seed: Number(quarter[5]) },
    )
  return [...bySet].sort().map(([quarter, told]) => [quarter, tablesOf(quarter, told)])
}

/** The documents, as a service takes them. */
export function documentsOf(history: ToldFiling[]): { path: string; text: string }[] {
  return history
    .filter(({ by }) => by !== 'set')
    .map(({ spec, undated }) =>
      undated
        ? { path: `${spec.accession}.nc`, text: disseminationText(spec) }
        : { path: `${spec.accession}.txt`, text: submissionText(spec) },
    )
}
