// Random histories of one issuer, poor in persons and days so that windows, ties, sums at a threshold and reunions come
// up all the time. One shape per rule, because a mixture seldom meets any single rule's conditions.
import fc from 'fast-check'
import { addDays, addYears, dayNumber } from '../../../src/domain/shared/calendar.ts'
import type { Cik, DateText } from '../../../src/domain/shared/identifiers.ts'
import type { PriceStatus } from '../../../src/domain/trades/price-status.ts'
import type { SharesStatus } from '../../../src/domain/trades/shares-status.ts'
import type { Direction, JointFiling, SignalTrade } from '../../../src/domain/signals/signal.ts'
import {
  DEFAULT_RULES,
  type ClusterRule,
  type SignalRules,
  type Steps,
} from '../../../src/domain/signals/rule-thresholds.ts'
import { SEVERITIES } from '../../../src/domain/trades/significance.ts'

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
  /** The trade day after the first one, where the shape has few and it is not after the filing. */
  day: number | null
  direction: Direction
  contradictory: boolean
  cents: number
  priceStatus: PriceStatus
  sharesStatus: SharesStatus
  plan: SignalTrade['plan']
  duplicate: boolean
  impossible: boolean
}

/** `lost`: it takes nothing away and reports once more what others took away. */
type Brings = 'the same' | 'changed' | 'nothing' | 'its own' | 'lost'

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
  amends: { target: number; brings: Brings; onlyFirst: boolean; change: Partial<Row> } | null
}

/** Owner 0 is the issuer. */
const cikOf = (owner: number): Cik => (owner === 0 ? ISSUER : String(700 + owner).padStart(10, '0'))

/** The papers as the service would have taken them, in the order of acceptance. */
function historyOf(papers: Paper[]): History {
  const history: History = { trades: [], joint: [] }
  const inOrder = papers
    .map((paper, index) => ({ paper, accession: accessionOf(index), filedAt: acceptance(paper) }))
    .sort((a, b) => a.filedAt - b.filedAt || (a.accession < b.accession ? -1 : 1))
  for (const { paper, accession, filedAt } of inOrder) {
    const filedDay = addDays(FIRST_DAY, paper.filed)
    const lost = paper.amends?.brings === 'lost'
    const amendable = history.trades.filter((row) => (row.supersededBy !== '') === lost)
    const originals = [...new Set(amendable.map((row) => row.accession))]
    const original = paper.amends && originals[paper.amends.target % originals.length]
    const ofOriginal = amendable.filter((row) => row.accession === original)
    const amended = paper.amends?.onlyFirst ? ofOriginal.slice(0, 1) : ofOriginal
    const owners = amended[0]?.ownerCiks ?? paper.owners.map(cikOf)
    if (owners.length > 1) history.joint.push({ accession, filedAt, filedDay, ownerCiks: owners, isDayKnown: true })
    for (const row of lost ? [] : amended) Object.assign(row, { supersededBy: accession, supersededAt: filedAt })

    const insiderName = `${owners.at(-1)!.slice(-3)} ${paper.spelling}`
    const common = {
      accession,
      filedAt,
      filedDay,
      isDayKnown: true,
      ownerCiks: owners,
      insiderName,
      ...rolesOf(paper.role),
      byIssuer: owners.includes(ISSUER),
      supersededBy: '',
      supersededAt: 0,
      suspectUntil: 0,
    }
    broughtRows(paper, amended, filedDay).forEach((row, index) =>
      history.trades.push({
        ...common,
        ...row,
        id: `${accession}-nd-${index + 1}`,
        place: index + 1,
        duplicateOf: row.duplicateOf === '' ? '' : (history.trades[0]?.id ?? ''),
      }),
    )
  }
  return history
}

const accessionOf = (index: number): string => `0000000001-20-${String(index + 1).padStart(6, '0')}`

function acceptance({ filed, slot, evening, rows, amends }: Paper): number {
  // What takes rows away and brings none has no filing day but that of its acceptance.
  const early = evening && rows.length > 0 && amends === null
  return (dayNumber(FIRST_DAY) + filed - (early ? 1 : 0)) * 86_400 + NOON + (early ? 6 * 3600 : 0) + slot
}

type RowFacts = Pick<
  SignalTrade,
  | 'day'
  | 'direction'
  | 'directionByCode'
  | 'valueCents'
  | 'price'
  | 'priceStatus'
  | 'sharesStatus'
  | 'plan'
  | 'duplicateOf'
>

function broughtRows({ rows, amends, filed }: Paper, amended: SignalTrade[], filedDay: DateText): RowFacts[] {
  if (amends === null || amended.length === 0 || amends.brings === 'its own') {
    return rows.map((row) => rowFacts(row, filed, filedDay))
  }
  if (amends.brings === 'nothing') return []
  return amended.map((row) => {
    const { day, direction, directionByCode, valueCents, price, priceStatus, sharesStatus, plan } = row
    const values = { directionByCode, valueCents, price, priceStatus, sharesStatus, plan }
    const same = { day, direction, ...values, duplicateOf: '' }
    if (amends.brings !== 'changed') return same
    const { lag, day: _, ...change } = amends.change
    return { ...same, ...change, day: lag === undefined ? day : possible(filedDay, lag) }
  })
}

function rowFacts(row: Row, filed: number, filedDay: DateText): RowFacts {
  const { lag, day, direction, cents, priceStatus, sharesStatus, plan } = row
  const before = day === null || day > filed ? lag : filed - day
  return {
    day: row.impossible ? null : possible(filedDay, before),
    direction: row.contradictory ? null : direction,
    directionByCode: direction,
    valueCents: cents,
    price: cents / 100_000,
    priceStatus,
    sharesStatus,
    plan,
    duplicateOf: row.duplicate ? 'one' : '',
  }
}

/** Null beyond three years. */
function possible(filedDay: DateText, lag: number): DateText | null {
  const day = addDays(filedDay, -lag)
  return day < addYears(filedDay, -3) ? null : day
}

function rolesOf(role: Paper['role']) {
  return {
    insiderRole: role,
    standing: role === 'ten' ? ('ten_percent_owner' as const) : ('officer_or_director' as const),
    officer: role === 'officer' || role === 'cfo' || role === 'ceo',
    tenPercentOnly: role === 'ten',
    ceo: role === 'ceo',
    isCeoOrCfo: role === 'ceo' || role === 'cfo',
  }
}

// --- arbitraries ---

/** One of these, values or arbitraries, as often as its weight says. */
function weighted<T>(...choices: [weight: number, value: T | fc.Arbitrary<T>][]): fc.Arbitrary<T> {
  return fc.oneof(
    ...choices.map(([weight, value]) => ({
      weight,
      arbitrary: value instanceof fc.Arbitrary ? value : fc.constant(value),
    })),
  )
}

const dollars = (...amounts: number[]): fc.Arbitrary<number> =>
  fc.constantFrom(...amounts.map((amount) => Math.round(amount * 100)))
const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max })

interface Shape {
  filings: [least: number, most: number]
  persons: number
  /** Days after the first one. */
  filed: fc.Arbitrary<number>
  lag: fc.Arbitrary<number>
  day: fc.Arbitrary<number | null>
  cents: fc.Arbitrary<number>
  roles: fc.Arbitrary<Paper['role']>
  /** Per thousand, as all up to `pairs`. */
  buys: number
  plans: number
  amendments: number
  /** Rows that don't count, of each kind. */
  faulty: number
  /** Filings of two owners. */
  pairs: number
  /** Forms of several owners without trades. */
  forms: [least: number, most: number]
}

function papersOf(shape: Shape): fc.Arbitrary<Paper[]> {
  const { faulty, amendments } = shape
  const row: fc.Arbitrary<Row> = fc
    .record({
      lag: shape.lag,
      day: shape.day,
      direction: weighted<Direction>([shape.buys, 'buy'], [1000 - shape.buys, 'sell']),
      contradictory: weighted([1000, false], [faulty, true]),
      cents: weighted([1000, shape.cents], [faulty, 0]),
      priceStatus: weighted<PriceStatus>(
        [1000, 'as_filed'],
        [faulty, fc.constantFrom('suspect', 'foreign', 'other_unit', 'zero', 'footnote_only')],
      ),
      sharesStatus: weighted<SharesStatus>([1000, 'as_filed'], [faulty, 'suspect']),
      plan: weighted<Row['plan']>([700 - shape.plans, 'no'], [300, 'unknown'], [shape.plans, 'yes']),
      duplicate: weighted([1000, false], [faulty, true]),
      impossible: weighted([1000, false], [faulty, true]),
    })
    .map((each) => (each.priceStatus === 'zero' || each.priceStatus === 'footnote_only' ? { ...each, cents: 0 } : each))
  const one = between(1, shape.persons)
  const pair = fc.tuple(one, one).map(([a, b]) => [a, a === b ? (a % shape.persons) + 1 : b])
  const change: fc.Arbitrary<Partial<Row>> = fc.oneof(
    shape.cents.map((cents) => ({ cents })),
    shape.lag.map((lag) => ({ lag })),
    fc.constant({ plan: 'yes' as const }),
    fc.constant({ plan: 'no' as const }),
    fc.constant({ direction: 'buy' as const }),
    fc.constant({ direction: 'sell' as const }),
  )
  const paper: fc.Arbitrary<Paper> = fc.record({
    filed: shape.filed,
    slot: between(0, 1),
    evening: weighted([9, false], [1, true]),
    owners: weighted<number[]>([1000 - shape.pairs, one.map((owner) => [owner])], [shape.pairs, pair], [faulty, [0]]),
    role: shape.roles,
    spelling: fc.constantFrom('I', 'II'),
    rows: fc.array(row, { minLength: 1, maxLength: 3, size: 'max' }),
    amends: weighted<Paper['amends']>(
      [1000 - amendments, null],
      [
        amendments,
        fc.record({
          target: fc.nat(30),
          onlyFirst: fc.boolean(),
          change,
          brings: fc.constantFrom<Brings[]>('the same', 'changed', 'changed', 'nothing', 'its own', 'lost'),
        }),
      ],
    ),
  })
  const form: fc.Arbitrary<Paper> = fc.record({
    filed: fc.tuple(shape.filed, fc.constantFrom(0, 731, 745)).map(([day, before]) => day - before),
    slot: between(0, 1),
    evening: fc.constant(false),
    owners: pair,
    role: fc.constant('director' as const),
    spelling: fc.constant('I'),
    rows: fc.constant([]),
    amends: fc.constant(null),
  })
  const [least, most] = shape.filings
  const papers = fc.array(paper, { minLength: least, maxLength: most, size: 'max' })
  const forms = fc.array(form, { minLength: shape.forms[0], maxLength: shape.forms[1], size: 'max' })
  return fc.tuple(papers, forms).map((both) => both.flat())
}

const anyRole = fc.constantFrom<Paper['role'][]>('director', 'director', 'officer', 'cfo', 'ceo', 'ten')

const cluster: Shape = {
  filings: [7, 14],
  persons: 6,
  filed: between(0, 34),
  day: fc.constant(null),
  lag: weighted([6, 0], [4, between(1, 3)], [3, between(8, 20)]),
  cents: dollars(5000, 9999.99, 10_000, 10_000.01, 25_000, 33_333.33, 33_333.34, 99_999.99, 100_000),
  buys: 950,
  plans: 60,
  roles: anyRole,
  amendments: 200,
  faulty: 20,
  pairs: 60,
  forms: [0, 2],
}

const steady: Shape = {
  ...cluster,
  filings: [3, 4],
  plans: 0,
  faulty: 5,
  amendments: 0,
  forms: [0, 0],
  cents: dollars(10_000, 25_000, 50_000),
}

/** A cluster, then one of earlier days that runs into it, then amendments that end one and free its trades. */
const overlapping: Shape[] = [
  { ...steady, filed: between(32, 33), day: between(18, 28) },
  { ...steady, filed: fc.constant(34), day: between(8, 17) },
  {
    ...steady,
    filings: [3, 8],
    filed: between(35, 40),
    day: between(6, 32),
    amendments: 700,
    forms: [0, 1],
    cents: dollars(5000, 9999.99, 10_000, 50_000),
  },
]

const bosses: Partial<Shape> = {
  roles: fc.constantFrom<Paper['role'][]>('ceo', 'ceo', 'officer', 'director'),
  buys: 800,
  cents: dollars(10_000, 50_000, 100_000, 150_000, 1_000_000),
}

/** Persons who trade on the same days apart, then file together, and after two years are strangers again. */
const reunions: Shape[] = [
  { ...steady, ...bosses, filed: between(0, 1), day: between(-2, 0), persons: 2, pairs: 0 },
  {
    ...cluster,
    ...bosses,
    filings: [4, 9],
    persons: 3,
    filed: fc.oneof(between(1, 4), between(728, 736)),
    pairs: 250,
    forms: [1, 3],
    amendments: 250,
    day: weighted<number | null>([1, null], [4, between(-2, 1)], [1, between(727, 729)]),
  },
]

/** Days around whole years after the first ones. */
const yearsApart = (...years: number[]): fc.Arbitrary<number> =>
  fc.tuple(fc.constantFrom(...years), between(0, 10)).map(([year, more]) => Math.floor(year * 365.25) + more)

/** So many persons that few have traded before; small trades of three years, then some large ones among them. */
const percentile: Shape[] = [
  {
    ...steady,
    filings: [20, 34],
    persons: 100,
    filed: yearsApart(0, 2, 2.5, 3),
    lag: weighted([8, 0], [1, between(1, 3)]),
    plans: 60,
    cents: weighted([40, dollars(1000, 2000, 3000, 10_000)], [2, dollars(100_000)]),
  },
  {
    ...cluster,
    filings: [3, 7],
    persons: 100,
    filed: yearsApart(2.5, 3),
    lag: weighted([8, 0], [1, between(1, 3)]),
    cents: dollars(2000, 49_999.99, 50_000, 100_000, 100_000, 100_000.01, 1_000_000),
  },
]

const SHAPES = {
  cluster_buy: cluster,
  cluster_sell: {
    ...cluster,
    buys: 50,
    cents: dollars(49_999.99, 50_000, 99_999.99, 100_000, 100_000.01, 250_000, 5_000_000),
  },
  overlapping,
  /** One or two persons with many trades. */
  own_mean: {
    ...cluster,
    filings: [5, 10],
    persons: 2,
    filed: between(0, 60),
    buys: 700,
    plans: 100,
    faulty: 30,
    pairs: 50,
    cents: dollars(
      3000,
      5000,
      10_000,
      16_666.66,
      16_666.67,
      49_999.99,
      50_000,
      100_000,
      149_999.99,
      150_000,
      300_000,
      1_000_000,
    ),
  },
  percentile,
  ceo_trade: {
    ...cluster,
    filings: [2, 6],
    persons: 2,
    filed: between(0, 10),
    buys: 500,
    plans: 150,
    faulty: 40,
    pairs: 200,
    roles: fc.constantFrom<Paper['role'][]>('ceo', 'ceo', 'ceo', 'cfo', 'director', 'ten'),
    cents: dollars(
      12_500,
      24_999.99,
      25_000,
      50_000,
      99_999.99,
      100_000,
      500_000,
      999_999.99,
      1_000_000,
      4_999_999.99,
      5_000_000,
      9_999_999.99,
      10_000_000,
      50_000_000,
    ),
  },
  reversal: {
    ...cluster,
    filings: [5, 12],
    persons: 2,
    filed: yearsApart(0, 1, 1, 2, 2, 3),
    buys: 400,
    plans: 100,
    amendments: 150,
    lag: weighted([8, 0], [2, between(1, 3)], [1, between(360, 370)], [1, between(725, 735)]),
    cents: dollars(1000, 50_000, 333_333.34, 500_000, 999_999.99, 1_000_000),
  },
  reunions,
  everything: {
    ...cluster,
    filings: [10, 24],
    persons: 5,
    filed: fc.oneof(between(0, 20), yearsApart(0, 1, 2, 3)),
    buys: 600,
    plans: 100,
    pairs: 100,
    forms: [0, 3],
    faulty: 30,
    lag: weighted([6, between(0, 3)], [2, between(10, 20)], [1, between(360, 735)]),
    cents: dollars(
      5000,
      9999.99,
      10_000,
      25_000,
      49_999.99,
      50_000,
      99_999.99,
      100_000,
      150_000,
      1_000_000,
      5_000_000,
      10_000_000,
    ),
  },
} satisfies Record<string, Shape | Shape[]>

export type ShapeName = keyof typeof SHAPES
export const SHAPE_NAMES = Object.keys(SHAPES) as ShapeName[]

/** Histories of a shape, named for the rule that fires in most of them. */
export function histories(name: ShapeName): fc.Arbitrary<History> {
  const shape: Shape | Shape[] = SHAPES[name]
  return fc.tuple(...[shape].flat().map(papersOf)).map((parts) => historyOf(parts.flat()))
}

const severity = fc.constantFrom(...SEVERITIES)
const steps = (...from: number[]): fc.Arbitrary<Steps> =>
  fc.tuple(...from.map((each) => severity.map((one) => ({ from: each, severity: one }))))
const clusterRule: fc.Arbitrary<ClusterRule> = fc.record({
  persons: between(2, 4),
  minimum: fc.constantFrom(5000, 10_000, 100_000),
  days: between(3, 30),
  severities: steps(2, 4, 5),
  officersForHigh: between(1, 3),
  personsForCriticalWithChief: between(2, 5),
  lowBelow: fc.constantFrom(0, 50_000, 100_000),
  mediumBelow: fc.constantFrom(100_000, 250_000),
  highBelow: fc.constantFrom(250_000, 1_000_000, 5_000_000),
  stepsDown: between(0, 2),
})

/** Anything an operator may set that these histories can feel. */
export const otherRules: fc.Arbitrary<SignalRules> = fc.record({
  cluster_buy: clusterRule,
  cluster_sell: clusterRule,
  unusual_size: fc.record({
    minimum: fc.constantFrom(0, 10_000, 50_000),
    ratios: steps(1.1, 2.5, 3),
    earlierTrades: between(1, 4),
    percentile: fc.constantFrom(0.01, 0.5, 0.9, 0.975, 0.999, 1),
    companyTrades: between(1, 6),
    companyYears: between(1, 3),
    percentileSeverity: severity,
  }),
  ceo_trade: fc.record({ buy: steps(1, 25_000, 1_000_000), sell: steps(50_000, 5_000_000) }),
  reversal: fc.record({
    against: between(1, 3),
    againstMonths: between(1, 36),
    noneOwnMonths: between(0, 24),
    buy: severity,
    sell: severity,
    oppositeShare: fc.constantFrom(0.1, 0.3, 0.5, 0.7, 0.8, 1),
    lastTrades: between(1, 10),
    leastTrades: between(1, 5),
    stepUpFrom: fc.constantFrom(0, 50_000, 1_000_000),
  }),
  personMonths: between(0, 30),
  significance: fc.constant(DEFAULT_RULES.significance),
})

/** As it stood right after the filing accepted at (at, accession). */
export function knownBy({ trades, joint }: History, at: number, accession: string): History {
  const known = (filedAt: number, filing: string) => filedAt < at || (filedAt === at && filing <= accession)
  const standing = (row: SignalTrade): SignalTrade => ({
    ...row,
    ...(!known(row.supersededAt, row.supersededBy) && { supersededBy: '', supersededAt: 0 }),
    ...(row.suspectUntil > at && { priceStatus: 'suspect', suspectUntil: 0 }),
  })
  return {
    trades: trades.filter((row) => known(row.filedAt, row.accession)).map(standing),
    joint: joint.filter((filing) => known(filing.filedAt, filing.accession)),
  }
}
