// Earlier marks: the labels and significance that a trade had before. They change as its signals come, grow and end, as
// amendments supersede other trades of its filing, whose sum decides the significance, and as suspect prices are
// explained. A pure function of all trades of an issuer, as the signals are.
import { append } from '../shared/append.ts'
import { compareText } from '../shared/order.ts'
import type { Severity, SignificanceFloors } from '../trades/significance.ts'
import { highest, significances } from '../trades/significance.ts'
import type { EarlierMarks, SignalMarks } from '../trades/trade.ts'
import { signalLabel } from './descriptions/signal-description.ts'
import type { SignalRules } from './rule-thresholds.ts'
import type { SignalStep, SignalTrade } from './signal.ts'

/** The latest instant that ClickHouse keeps, in seconds. */
const LATEST = 2 ** 32 - 1

type RatedTrade = SignalTrade & Pick<SignalMarks, 'routine'>

/** A step of a signal, as the trades that it counts show it. */
interface Rating {
  at: number
  detectedAt: number
  id: string
  counted: ReadonlySet<string>
  label: string
  severity: Severity
}

/**
 * Returns the earlier marks of each trade that ever had others, by id, oldest first. `trades`:
 * all trades of an issuer with code P or S; `steps`: those of its signals, by id. `present`: the present marks, if they
 * may differ from what these trades alone give.
 */
export function earlierMarks(
  trades: readonly RatedTrade[],
  steps: ReadonlyMap<string, readonly SignalStep[]>,
  rules: SignalRules,
  present?: ReadonlyMap<string, Shown>,
): Map<string, EarlierMarks[]> {
  const ratings = ratingsByTrade(steps, rules)
  const earlier = new Map<string, EarlierMarks[]>()
  for (const filing of Map.groupBy(trades, ({ accession }) => accession).values()) {
    const times = timesOf(filing, ratings)
    if (times.length === 0 && !present) continue
    const shown = [filing[0]!.filedAt, ...times].map((at) => shownAt(at, filing, ratings, rules.significance))
    filing.forEach(({ id }, place) => {
      const own = shown.map((each) => each[place]!)
      const now = present?.get(id)
      const runs = now ? runsOf([...times, LATEST], [...own, now]) : runsOf(times, own)
      if (runs.length > 0) earlier.set(id, runs)
    })
  }
  return earlier
}

/** Returns for each trade that was ever counted the steps of the signals that counted it, a list for each signal. */
function ratingsByTrade(
  steps: ReadonlyMap<string, readonly SignalStep[]>,
  rules: SignalRules,
): Map<string, Rating[][]> {
  const byTrade = new Map<string, Rating[][]>()
  for (const [id, own] of steps) {
    const ratings = own.map(({ at, listed }): Rating => ({
      at,
      id,
      detectedAt: own[0]!.at,
      counted: new Set(listed?.counted),
      label: listed ? signalLabel(listed, rules) : '',
      severity: listed?.severity ?? 'low',
    }))
    for (const trade of new Set(ratings.flatMap(({ counted }) => [...counted]))) append(byTrade, trade, ratings)
  }
  return byTrade
}

/** Returns the times after a filing's acceptance at which marks of its trades may change, in order. */
function timesOf(filing: readonly RatedTrade[], ratings: ReadonlyMap<string, Rating[][]>): number[] {
  const times = filing.flatMap(({ id, supersededBy, supersededAt, suspectUntil }) => [
    ...(supersededBy === '' ? [] : [supersededAt]),
    // 0 is before every filing.
    suspectUntil,
    ...(ratings.get(id) ?? []).flatMap((own) => own.map(({ at }) => at)),
  ])
  return [...new Set(times)].filter((at) => at > filing[0]!.filedAt).sort((a, b) => a - b)
}

type Shown = Omit<EarlierMarks, 'until'>

/** Returns the marks of each trade of a filing at a time. */
function shownAt(
  at: number,
  filing: readonly RatedTrade[],
  ratings: ReadonlyMap<string, Rating[][]>,
  floors: SignificanceFloors,
): Shown[] {
  const holding = filing.map(({ id }) =>
    (ratings.get(id) ?? [])
      .flatMap((own) => own.findLast((rating) => rating.at <= at) ?? [])
      .filter(({ counted }) => counted.has(id))
      .sort((a, b) => b.detectedAt - a.detectedAt || compareText(a.id, b.id)),
  )
  const severities = significances(
    filing.map((trade, place) => ({
      ...trade,
      signalled: highest(holding[place]!.map(({ severity }) => severity)),
      supersededBy: trade.supersededAt > at ? '' : trade.supersededBy,
      priceStatus: trade.suspectUntil > at ? 'suspect' : trade.priceStatus,
    })),
    floors,
  )
  return filing.map((_, place) => ({
    significance: severities[place]!,
    signals: holding[place]!.map(({ label }) => label),
  }))
}

/** Returns the marks until each of these times at which they changed. */
function runsOf(times: readonly number[], shown: readonly Shown[]): EarlierMarks[] {
  return times.flatMap((until, place) => {
    const { significance, signals } = shown[place]!
    const next = shown[place + 1]!
    const isSame = next.significance === significance && next.signals.join('\n') === signals.join('\n')
    return isSame ? [] : [{ until, significance, signals }]
  })
}
