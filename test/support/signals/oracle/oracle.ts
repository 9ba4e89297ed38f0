// The signal rules once more, slow and as close to their text as code can be, to hold the fast implementation against.
// At each event everything is worked out again from all that had been accepted by then; only the signals themselves and
// the first days of the live clusters are remembered from one event to the next.
import type { Cik, DateText } from '../../../../src/domain/shared/identifiers.ts'
import type { Direction, JointFiling, Signal, SignalTrade, SignalType } from '../../../../src/domain/signals/signal.ts'
import type { SignalRules } from '../../../../src/domain/signals/rule-thresholds.ts'
import {
  activeHistory,
  closureOf,
  compareMoments,
  compareTexts,
  dayTradesOf,
  inOrder,
  isAddedNow,
  isHistoryRow,
  isTakenAwayNow,
  meet,
  unique,
  type Event,
  type World,
} from './rows.ts'
import {
  clusterRule,
  clusterValues,
  countedPersons,
  inWindow,
  isEligible,
  singlePersonValues,
  SINGLE_PERSON_TYPES,
  type SinglePersonType,
  type Values,
} from './rules.ts'
import { newYorkDay } from '../../../../src/domain/shared/new-york-time.ts'

interface Cluster {
  signal: Signal
  start: DateText
}

/** What one event leaves to the next. */
interface Memory {
  signals: Signal[]
  /** Live clusters in the order of their opening. */
  live: { buy: Cluster[]; sell: Cluster[] }
}

/** All signals of one issuer in the order of (detectedAt, id). */
export function oracleSignals(
  issuerCik: Cik,
  trades: SignalTrade[],
  joint: JointFiling[],
  rules: SignalRules,
): Signal[] {
  const memory: Memory = { signals: [], live: { buy: [], sell: [] } }
  for (const event of eventsOf(trades, joint)) {
    const world: World = { issuerCik, trades, joint, rules, event, closures: new Map() }
    for (const direction of ['buy', 'sell'] as const) judgeClusters(direction, memory, world)
    judgeDayTrades(memory, world)
  }
  return memory.signals.toSorted((a, b) => a.detectedAt - b.detectedAt || compareTexts(a.id, b.id))
}

/** Every filing that brings rows or takes rows away, in the order of (acceptance, accession). */
function eventsOf(trades: SignalTrade[], joint: JointFiling[]): Event[] {
  const events: Event[] = []
  for (const { accession, filedAt, filedDay } of trades) events.push({ at: filedAt, accession, day: filedDay })
  for (const { supersededBy, supersededAt } of trades) {
    if (supersededBy === '' || events.some((event) => event.accession === supersededBy)) continue
    const filed = joint.find((filing) => filing.accession === supersededBy)
    events.push({ at: supersededAt, accession: supersededBy, day: filed?.filedDay ?? newYorkDay(supersededAt) })
  }
  const firstOfEach = events.filter(
    (event, at) => events.findIndex((other) => other.accession === event.accession) === at,
  )
  return firstOfEach.sort(compareMoments)
}

// --- clusters ---

/** Where each eligible row belongs: to the cluster opened first of those whose window it lies in. */
function clusterOf(row: SignalTrade, live: Cluster[], direction: Direction, world: World): Cluster | undefined {
  return live.find((cluster) => inWindow(row.day, cluster.start, clusterRule(direction, world)))
}

function judgeClusters(direction: Direction, memory: Memory, world: World): void {
  const rule = clusterRule(direction, world)
  const eligible = activeHistory(world).filter((row) => isEligible(row, direction))
  const added = eligible.filter((row) => isAddedNow(row, world))
  const history = world.trades.filter(isHistoryRow)
  const taken = history.filter((row) => isEligible(row, direction) && isTakenAwayNow(row, world))
  const before = memory.live[direction]

  for (const cluster of before) {
    const live = memory.live[direction]
    const touched =
      added.some((row) => clusterOf(row, live, direction, world) === cluster) ||
      taken.some((row) => clusterOf(row, before, direction, world) === cluster)
    if (!touched) continue
    const members = eligible.filter((row) => clusterOf(row, live, direction, world) === cluster)
    const counted = countedPersons(members, rule, world)
    if (counted.length >= rule.persons) {
      const elsewhere = (row: SignalTrade) => clusterOf(row, live, direction, world) !== cluster
      goOn(cluster.signal, clusterValues(counted, direction, cluster.start, elsewhere, world), world)
    } else {
      end(cluster.signal, world)
      memory.live[direction] = live.filter((other) => other !== cluster)
    }
  }

  while (openCluster(direction, eligible, added, memory, world)) {
    /* until none opens */
  }
}

function openCluster(
  direction: Direction,
  eligible: SignalTrade[],
  added: SignalTrade[],
  memory: Memory,
  world: World,
): boolean {
  const rule = clusterRule(direction, world)
  const live = memory.live[direction]
  const free = eligible.filter((row) => clusterOf(row, live, direction, world) === undefined)
  for (const start of unique(free.map((row) => row.day!)).sort()) {
    const within = free.filter((row) => inWindow(row.day, start, rule))
    if (!within.some((row) => added.includes(row))) continue
    const counted = countedPersons(within, rule, world)
    if (counted.length < rule.persons) continue
    const rows = inOrder(counted.flatMap((person) => person.rows))
    if (rows[0]!.day !== start) continue

    const type = direction === 'buy' ? 'cluster_buy' : 'cluster_sell'
    const id = `${type}-${Number(world.issuerCik)}-${rows[0]!.id}`
    const elsewhere = (row: SignalTrade) => clusterOf(row, live, direction, world) !== undefined
    const values = clusterValues(counted, direction, start, elsewhere, world)
    memory.live[direction] = [...live, { signal: raise(id, type, direction, values, memory, world), start }]
    return true
  }
  return false
}

// --- one person ---

function judgeDayTrades(memory: Memory, world: World): void {
  const history = world.trades.filter(isHistoryRow)
  const changed = history.filter((row) => isAddedNow(row, world) || isTakenAwayNow(row, world))
  const ofChangedDays = activeHistory(world).filter((row) =>
    changed.some((one) => one.day === row.day && one.direction === row.direction),
  )
  // A signal that counted a row taken away now, no matter who its person was then.
  const taken = changed.filter((row) => isTakenAwayNow(row, world)).map((row) => row.id)
  const shaken = memory.signals.filter(
    (signal) =>
      signal.endedAt === null &&
      SINGLE_PERSON_TYPES.some((type) => type === signal.type) &&
      signal.counted.some((id) => taken.includes(id)),
  )
  const touchedFor = (type: SinglePersonType) =>
    dayTradesOf(ofChangedDays, world).filter(
      (trade) =>
        changed.some(
          (row) =>
            row.day === trade.day &&
            row.direction === trade.direction &&
            meet(closureOf(row.ownerCiks, world), trade.closure),
        ) ||
        shaken.some(
          (signal) =>
            signal.type === type &&
            signal.id.endsWith(`-${trade.day}-${trade.direction}`) &&
            trade.closure.includes(personCik(signal)),
        ),
    )

  for (const type of SINGLE_PERSON_TYPES) {
    const touched = touchedFor(type)
    for (const trade of touched) {
      const values = singlePersonValues(type, trade, world)
      const signals = liveSignals(type, trade.day, trade.direction, trade.closure, memory)
      // Where persons merged, the one detected first continues.
      const [first, ...others] = signals.sort(
        (a, b) => compareMoments(a.history[0]!, b.history[0]!) || compareTexts(a.id, b.id),
      )
      for (const signal of others) end(signal, world)
      if (first !== undefined && values !== null) goOn(first, values, world)
      if (first !== undefined && values === null) end(first, world)
      if (first === undefined && values !== null) {
        const id = `${type}-${Number(world.issuerCik)}-${Number(trade.closure[0])}-${trade.day}-${trade.direction}`
        raise(id, type, trade.direction, values, memory, world)
      }
    }
    // A day-trade of which nothing is left.
    for (const row of changed) {
      const ofThatDay = touched.filter((trade) => trade.day === row.day && trade.direction === row.direction)
      const left = shaken.filter(
        (signal) =>
          signal.type === type && signal.endedAt === null && signal.id.endsWith(`-${row.day}-${row.direction}`),
      )
      for (const signal of [
        ...liveSignals(type, row.day!, row.direction!, closureOf(row.ownerCiks, world), memory),
        ...left,
      ]) {
        if (!ofThatDay.some((trade) => trade.closure.includes(personCik(signal)))) end(signal, world)
      }
    }
  }
}

/** Of that type, day and direction, whose person lies in the closure. */
function liveSignals(
  type: SinglePersonType,
  day: DateText,
  direction: Direction,
  closure: Cik[],
  { signals }: Memory,
): Signal[] {
  return signals.filter(
    (signal) =>
      signal.endedAt === null &&
      signal.type === type &&
      signal.direction === direction &&
      signal.id.endsWith(`-${day}-${direction}`) &&
      closure.includes(personCik(signal)),
  )
}

/** The person's CIK at first detection, as the id has it: type, issuer, person, three parts of the day, direction. */
function personCik(signal: Signal): Cik {
  return signal.id.split('-')[2]!.padStart(10, '0')
}

// --- the life of a signal ---

/** A new signal, or the one that had this id and has ended. */
function raise(
  id: string,
  type: SignalType,
  direction: Direction,
  values: Values,
  memory: Memory,
  world: World,
): Signal {
  const former = memory.signals.find((signal) => signal.id === id)
  if (former) {
    if (former.endedAt === null) throw new Error(`two live signals with the id ${id}`)
    goOn(former, values, world)
    return former
  }
  const { at } = world.event
  const signal: Signal = {
    id,
    type,
    direction,
    issuerCik: world.issuerCik,
    detectedAt: at,
    changedAt: at,
    endedAt: null,
    ...values,
    history: [stateOf(values, world)],
  }
  memory.signals.push(signal)
  return signal
}

function goOn(signal: Signal, values: Values, world: World): void {
  const before = JSON.stringify(signal)
  const last = signal.history.at(-1)!
  Object.assign(signal, values, { endedAt: null })
  if (
    values.severity !== last.severity ||
    values.insiderCount !== last.insiderCount ||
    values.totalCents !== last.totalCents
  ) {
    signal.history.push(stateOf(values, world))
  }
  if (JSON.stringify(signal) !== before) signal.changedAt = world.event.at
}

function end(signal: Signal, world: World): void {
  signal.endedAt = world.event.at
  signal.changedAt = world.event.at
}

function stateOf({ severity, insiderCount, totalCents }: Values, { event }: World) {
  return { at: event.at, accession: event.accession, severity, insiderCount, totalCents }
}
