// The states in which the list of signals showed a signal, and since when. A state ends when the signal changes, or when
// a filing gives the company another name or symbol.
import { describeSignal } from '../../domain/signals/descriptions/signal-description.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Signal, SignalStep } from '../../domain/signals/signal.ts'
import type { ListedState, MarkedTrade, SignalInsiders } from '../ports/analytics.ts'

/** A company's name and symbol, as shown from `at` on, in seconds since 1970. */
interface NameStep {
  at: number
  ticker: string
  companyName: string
}

/** Names of one company, the newest ones. Before the oldest of these, the company is shown under that. */
const MAX_NAMES = 100

/** Returns the names and symbols of a company by its filings with such trades, oldest first. */
export function nameSteps(trades: readonly MarkedTrade[]): NameStep[] {
  const inOrder = trades.toSorted((a, b) => a.filedAt - b.filedAt || (a.accession < b.accession ? -1 : 1))
  const steps: NameStep[] = []
  for (const { filedAt: at, ticker, companyName } of inOrder) {
    if (steps.at(-1)?.at === at) steps.pop()
    const last = steps.at(-1)
    if (last?.ticker !== ticker || last.companyName !== companyName) steps.push({ at, ticker, companyName })
  }
  return steps.slice(-MAX_NAMES)
}

/** Returns what the list showed of a signal, oldest first; the last is the present. */
export function listedStates(steps: readonly SignalStep[], names: readonly NameStep[]): ListedState[] {
  const first = steps[0]!.at
  const times = [...steps, ...names].map(({ at }) => at).filter((at) => at >= first)
  const states: ListedState[] = []
  for (const since of [...new Set(times)].sort((a, b) => a - b)) {
    const { listed } = steps.findLast(({ at }) => at <= since)!
    const { ticker, companyName } = names.findLast(({ at }) => at <= since) ?? names[0]!
    const shown = listed && {
      severity: listed.severity,
      ticker,
      companyName,
      description: describeSignal({ ...listed, endedAt: null }, { ticker, companyName }),
      insiderCount: listed.insiderCount,
      totalCents: listed.totalCents,
    }
    if (JSON.stringify(states.at(-1)?.shown) !== JSON.stringify(shown)) states.push({ since, shown })
  }
  return states
}

/** Returns a function for the insiders of a signal. Its `steps` are those that follow from filings of a known day. */
export function insidersOf(
  trades: readonly MarkedTrade[],
): (signal: Signal, steps?: readonly SignalStep[]) => SignalInsiders {
  const owners = new Map(trades.map(({ id, ownerCiks }) => [id, ownerCiks]))
  const ownersOf = (counted: readonly string[]): Cik[] =>
    [...new Set(counted.flatMap((id) => owners.get(id) ?? []))].sort()
  return (signal, steps = []) => {
    const all: SignalInsiders['steps'] = []
    for (const { at, listed } of steps) {
      if (!listed) continue
      const ciks = ownersOf(listed.counted)
      if (all.at(-1)?.ciks.join() !== ciks.join()) all.push({ since: at, ciks })
    }
    return { present: ownersOf(signal.counted), steps: all }
  }
}
