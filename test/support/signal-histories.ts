// Random histories of one issuer, poor in persons and days so that windows, ties, sums at a threshold and reunions are the
// rule. One shape per rule, because a mixture seldom meets any single rule's conditions.
import fc from 'fast-check'
import { addDays, addYears, dayNumber } from '../../src/domain/calendar.ts'
import type { Cik } from '../../src/domain/identifiers.ts'
import type { DateText } from '../../src/domain/filing.ts'
import type { PriceStatus } from '../../src/domain/price-status.ts'
import type { Direction, JointFiling, SignalTrade } from '../../src/domain/signal.ts'

export const ISSUER: Cik = '0000000700'

/** What all that one issuer's filings bring to its signals. */
export interface History {
  trades: SignalTrade[]
  joint: JointFiling[]
}

/** A leap day is near, for the ends of months and years. */
const FIRST_DAY = '2020-02-20'
const NOON = 17 * 3600

interface Row {
  /** Days between trade and filing. */
  lag: number
  direction: Direction
  contradictory: boolean
  cents: number
  priceStatus: PriceStatus
  plan: SignalTrade['plan']
  duplicate: boolean
  impossible: boolean
}

interface Paper {
  /** Days after the first. */
  filed: number
  slot: number
  /** After 17:30: accepted the evening before its filing day. */
  evening: boolean
  owners: number[]
  role: 'director' | 'officer' | 'cfo' | 'ceo' | 'ten'
  spelling: string
  rows: Row[]
  /** Which earlier filing it takes rows from, and what it brings instead. */
  amends: { target: number; brings: 'the same' | 'changed' | 'nothing' | 'its own'; onlyFirst: boolean; change: Partial<Row> } | null
}

/** Owner 0 is the issuer. */
const cikOf = (owner: number): Cik => (owner === 0 ? ISSUER : String(700 + owner).padStart(10, '0'))

/** The papers as they would have been judged, in the order of acceptance. */
function historyOf(papers: Paper[]): History {
  const history: History = { trades: [], joint: [] }
  const inOrder = papers.map((paper, index) => ({ paper, accession: `0000000001-20-${String(index + 1).padStart(6, '0')}`,
    filedAt: acceptance(paper) })).sort((a, b) => a.filedAt - b.filedAt || (a.accession < b.accession ? -1 : 1))
  for (const { paper, accession, filedAt } of inOrder) {
    const filedDay = addDays(FIRST_DAY, paper.filed)
    const open = history.trades.filter((row) => row.supersededBy === '' && row.filedAt <= filedAt)
    const originals = [...new Set(open.map((row) => row.accession))]
    const original = paper.amends && originals[paper.amends.target % originals.length]
    const superseded = open.filter((row) => row.accession === original).slice(0, paper.amends?.onlyFirst ? 1 : undefined)
    const owners = superseded[0]?.ownerCiks ?? paper.owners.map(cikOf)
    if (owners.length > 1) history.joint.push({ accession, filedAt, filedDay, ownerCiks: owners })
    for (const row of superseded) Object.assign(row, { supersededBy: accession, supersededAt: filedAt })

    const common = { accession, filedAt, filedDay, ownerCiks: owners, insiderName: `${owners.at(-1)!.slice(-3)} ${paper.spelling}`,
      ...rolesOf(paper.role), byIssuer: owners.includes(ISSUER), supersededBy: '', supersededAt: 0 }
    broughtRows(paper, superseded, filedDay).forEach((row, index) => history.trades.push({
      ...common, ...row, id: `${accession}-nd-${index + 1}`, place: index + 1,
      duplicateOf: row.duplicateOf === '' ? '' : history.trades[0]?.id ?? '',
    }))
  }
  return history
}

function acceptance({ filed, slot, evening, rows, amends }: Paper): number {
  // What takes rows away and brings none has no filing day but that of its acceptance.
  const early = evening && rows.length > 0 && amends === null
  return (dayNumber(FIRST_DAY) + filed - (early ? 1 : 0)) * 86_400 + NOON + (early ? 6 * 3600 : 0) + slot
}

type RowFacts = Pick<SignalTrade, 'day' | 'direction' | 'wanted' | 'cents' | 'priceStatus' | 'plan' | 'duplicateOf'>

function broughtRows({ rows, amends }: Paper, superseded: SignalTrade[], filedDay: DateText): RowFacts[] {
  if (amends === null || superseded.length === 0 || amends.brings === 'its own') return rows.map((row) => rowFacts(row, filedDay))
  if (amends.brings === 'nothing') return []
  return superseded.map((row) => {
    const { day, direction, wanted, cents, priceStatus, plan } = row
    const same = { day, direction, wanted, cents, priceStatus, plan, duplicateOf: '' }
    if (amends.brings === 'the same') return same
    const { lag, ...change } = amends.change
    return { ...same, ...change, day: lag === undefined ? day : possible(filedDay, lag) }
  })
}

function rowFacts({ lag, direction, contradictory, cents, priceStatus, plan, duplicate, impossible }: Row, filedDay: DateText): RowFacts {
  return { day: impossible ? null : possible(filedDay, lag), direction: contradictory ? null : direction, wanted: direction, cents,
    priceStatus, plan, duplicateOf: duplicate ? 'one' : '' }
}

/** Null beyond three years. */
function possible(filedDay: DateText, lag: number): DateText | null {
  const day = addDays(filedDay, -lag)
  return day < addYears(filedDay, -3) ? null : day
}

function rolesOf(role: Paper['role']) {
  return { officer: role === 'officer' || role === 'cfo' || role === 'ceo', tenPercentOnly: role === 'ten', ceo: role === 'ceo',
    chief: role === 'ceo' || role === 'cfo' }
}

// --- arbitraries ---

/** `weights` per thousand. */
function weighted<T>(...choices: [weight: number, value: T | fc.Arbitrary<T>][]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, value]) =>
    ({ weight, arbitrary: value instanceof fc.Arbitrary ? value : fc.constant(value) })))
}

const dollars = (...amounts: number[]): fc.Arbitrary<number> => fc.constantFrom(...amounts.map((amount) => Math.round(amount * 100)))
const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max })

interface Shape {
  filings: [least: number, most: number]
  persons: number
  /** The shares of filings by two persons, by one. */
  filed: fc.Arbitrary<number>
  lag: fc.Arbitrary<number>
  cents: fc.Arbitrary<number>
  buys: number
  plans: number
  roles: fc.Arbitrary<Paper['role']>
  /** Per thousand. */
  amendments: number
  /** Rows that don't count, per thousand of each kind. */
  faulty: number
  pairs: number
  /** Forms of several owners without trades. */
  forms: [least: number, most: number]
}

function papersOf(shape: Shape): fc.Arbitrary<Paper[]> {
  const { faulty, amendments } = shape
  const row: fc.Arbitrary<Row> = fc.record({
    lag: shape.lag,
    direction: weighted<Direction>([shape.buys, 'buy'], [1000 - shape.buys, 'sell']),
    contradictory: weighted([1000, false], [faulty, true]),
    cents: weighted([1000, shape.cents], [faulty, 0]),
    priceStatus: weighted<PriceStatus>([1000, 'as_filed'], [faulty, fc.constantFrom('suspect', 'foreign', 'zero', 'footnote_only')]),
    plan: weighted<Row['plan']>([700 - shape.plans, 'no'], [300, 'unknown'], [shape.plans, 'yes']),
    duplicate: weighted([1000, false], [faulty, true]),
    impossible: weighted([1000, false], [faulty, true]),
  }).map((each) => (each.priceStatus === 'zero' || each.priceStatus === 'footnote_only' ? { ...each, cents: 0 } : each))
  const one = between(1, shape.persons)
  const pair = fc.tuple(one, one).map(([a, b]) => [a, a === b ? (a % shape.persons) + 1 : b])
  const change: fc.Arbitrary<Partial<Row>> = fc.oneof(
    shape.cents.map((cents) => ({ cents })), shape.lag.map((lag) => ({ lag })), fc.constant({ plan: 'yes' as const }),
    fc.constant({ plan: 'no' as const }), fc.constantFrom({ direction: 'buy' as const }, { direction: 'sell' as const }),
  )
  const paper: fc.Arbitrary<Paper> = fc.record({
    filed: shape.filed, slot: between(0, 1), evening: weighted([9, false], [1, true]),
    owners: weighted<number[]>([1000 - shape.pairs, one.map((owner) => [owner])], [shape.pairs, pair], [faulty, [0]]),
    role: shape.roles,
    spelling: fc.constantFrom('I', 'II'),
    rows: fc.array(row, { minLength: 1, maxLength: 3, size: 'max' }),
    amends: weighted<Paper['amends']>([1000 - amendments, null], [amendments, fc.record({
      target: fc.nat(30), onlyFirst: fc.boolean(), change,
      brings: fc.constantFrom('the same', 'changed', 'changed', 'nothing', 'its own'),
    })]),
  })
  const form: fc.Arbitrary<Paper> = fc.record({
    filed: fc.oneof(shape.filed, shape.filed.map((day) => day - 731), shape.filed.map((day) => day - 745)), slot: between(0, 1),
    evening: fc.constant(false), owners: pair, role: fc.constant('director' as const), spelling: fc.constant('I'),
    rows: fc.constant([]), amends: fc.constant(null),
  })
  const [least, most] = shape.filings
  return fc.tuple(fc.array(paper, { minLength: least, maxLength: most, size: 'max' }),
    fc.array(form, { minLength: shape.forms[0], maxLength: shape.forms[1], size: 'max' })).map(([papers, forms]) => [...papers, ...forms])
}

const anyRole = fc.constantFrom<Paper['role'][]>('director', 'director', 'officer', 'cfo', 'ceo', 'ten')

const cluster: Shape = {
  filings: [7, 14], persons: 6, filed: between(0, 34), lag: weighted([6, 0], [4, between(1, 3)], [3, between(8, 20)]),
  cents: dollars(5000, 9999.99, 10_000, 10_000.01, 25_000, 33_333.33, 33_333.34, 99_999.99, 100_000),
  buys: 950, plans: 60, roles: anyRole, amendments: 200, faulty: 20, pairs: 60, forms: [0, 2],
}

/** Days around whole years after the first ones. */
const yearsApart = (...years: number[]): fc.Arbitrary<number> =>
  fc.tuple(fc.constantFrom(...years.map((year) => Math.floor(year * 365.25))), between(0, 10)).map(([day, more]) => day + more)

const SHAPES = {
  cluster_buy: cluster,
  cluster_sell: { ...cluster, buys: 50, cents: dollars(49_999.99, 50_000, 99_999.99, 100_000, 100_000.01, 250_000, 5_000_000) },
  /** Filed long after, in any order of their days, so that windows overlap. */
  overlapping: {
    ...cluster, filings: [9, 16], persons: 8, filed: between(32, 40), lag: between(0, 32), plans: 20, faulty: 5, amendments: 250, pairs: 40,
    cents: dollars(5000, 9999.99, 10_000, 50_000, 100_000), roles: fc.constantFrom<Paper['role'][]>('director', 'officer', 'cfo'),
  },
  /** One or two persons with many trades. */
  own_mean: {
    ...cluster, filings: [5, 10], persons: 2, filed: between(0, 60), buys: 700, plans: 100, faulty: 30, pairs: 50,
    cents: dollars(3000, 5000, 10_000, 16_666.66, 16_666.67, 49_999.99, 50_000, 100_000, 149_999.99, 150_000, 300_000, 1_000_000),
  },
  /** So many persons that few have traded before. */
  percentile: {
    ...cluster, filings: [26, 44], persons: 100, filed: fc.oneof({ weight: 1, arbitrary: yearsApart(0, 3) },
      { weight: 2, arbitrary: yearsApart(2, 2.5, 3) }), buys: 970, plans: 60, amendments: 80, faulty: 10, pairs: 30,
    lag: weighted([8, 0], [1, between(1, 3)]),
    cents: weighted([80, dollars(1000, 2000, 3000, 10_000, 30_000, 49_999.99)], [3, dollars(50_000, 50_000.01, 100_000, 1_000_000)]),
  },
  ceo_trade: {
    ...cluster, filings: [2, 6], persons: 2, filed: between(0, 10), buys: 500, plans: 150, faulty: 40, pairs: 200,
    roles: fc.constantFrom<Paper['role'][]>('ceo', 'ceo', 'ceo', 'cfo', 'director', 'ten'),
    cents: dollars(12_500, 24_999.99, 25_000, 50_000, 99_999.99, 100_000, 500_000, 999_999.99, 1_000_000, 4_999_999.99, 5_000_000,
      9_999_999.99, 10_000_000, 50_000_000),
  },
  reversal: {
    ...cluster, filings: [5, 12], persons: 2, filed: yearsApart(0, 1, 1, 2, 2, 3), buys: 400, plans: 100, faulty: 20, pairs: 60,
    amendments: 150, lag: weighted([8, 0], [2, between(1, 3)], [1, between(360, 370)], [1, between(725, 735)]),
    cents: dollars(1000, 50_000, 333_333.34, 500_000, 999_999.99, 1_000_000),
  },
  /** Persons who file together, trade on the same days apart, and after two years are strangers again. */
  reunions: {
    ...cluster, filings: [5, 12], persons: 3, filed: fc.oneof(between(0, 4), between(728, 736)), buys: 800, pairs: 200, forms: [1, 3],
    amendments: 250, lag: fc.oneof(between(0, 3), between(728, 734)), cents: dollars(10_000, 50_000, 100_000, 150_000, 1_000_000),
    roles: fc.constantFrom<Paper['role'][]>('ceo', 'officer', 'director'),
  },
  everything: {
    ...cluster, filings: [10, 24], persons: 5, filed: fc.oneof(between(0, 20), yearsApart(0, 1, 2, 3)), buys: 600, plans: 100,
    pairs: 100, forms: [0, 3], faulty: 30, lag: weighted([6, between(0, 3)], [2, between(10, 20)], [1, between(360, 735)]),
    cents: dollars(5000, 9999.99, 10_000, 25_000, 49_999.99, 50_000, 99_999.99, 100_000, 150_000, 1_000_000, 5_000_000, 10_000_000),
  },
} satisfies Record<string, Shape>

export type ShapeName = keyof typeof SHAPES
export const SHAPE_NAMES = Object.keys(SHAPES) as ShapeName[]

/** Histories of a shape, named for the rule that fires in most of them. */
export function histories(name: ShapeName): fc.Arbitrary<History> {
  return papersOf(SHAPES[name]).map(historyOf)
}

/** As it stood right after the filing accepted at (at, accession). */
export function knownBy({ trades, joint }: History, at: number, accession: string): History {
  const known = (filedAt: number, filing: string) => filedAt < at || (filedAt === at && filing <= accession)
  return {
    trades: trades.filter((row) => known(row.filedAt, row.accession))
      .map((row) => (row.supersededBy !== '' && !known(row.supersededAt, row.supersededBy) ? { ...row, supersededBy: '', supersededAt: 0 } : row)),
    joint: joint.filter((filing) => known(filing.filedAt, filing.accession)),
  }
}
