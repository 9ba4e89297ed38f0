// The registry of an issuer's signals while its filings are evaluated: opened, updated, closed, opened again. What each
// excludes is determined at the end, as it was known when the signal was last evaluated.
import type { Cik } from '../shared/identifiers.ts'
import { compareText } from '../shared/order.ts'
import { excludedTradesOf, type Neighbourhood } from './excluded-trades.ts'
import { byTradeDay, type Row, type Slot, type TradeEvent } from './trade-timeline.ts'
import type { PersonRows } from './joint-filers.ts'
import type {
  Direction,
  Evidence,
  ListedSignal,
  Signal,
  SignalPerson,
  SignalState,
  SignalStep,
  SignalType,
} from './signal.ts'
import type { Severity } from '../trades/significance.ts'

/** What a rule found in a daily trade. */
export interface RuleMatch {
  severity: Severity
  totalCents: number
  /** The rows that the match consists of. */
  rows: Row[]
  evidence: Evidence
}

/** The result of evaluating a signal. */
export interface Assessment extends Neighbourhood {
  severity: Severity
  totalCents: number
  /** The counted rows by person. */
  counted: readonly PersonRows[]
  evidence: Evidence
}

/** What a signal is opened with. */
interface NewSignal {
  type: SignalType
  direction: Direction
  about: string
  slots: readonly Slot[]
  assessment: Assessment
  event: TradeEvent
}

/** A signal that is still being evaluated. */
export interface TrackedSignal {
  readonly id: string
  readonly type: SignalType
  readonly direction: Direction
  /** The days whose rows it may exclude. */
  readonly slots: readonly Slot[]
  readonly detectedAt: number
  /** Index of the event. */
  readonly detectedBy: number
  assessment: Assessment
  /** Index of the event. */
  evaluatedBy: number
  changedAt: number
  endedAt: number | null
  readonly history: SignalState[]
  /** Oldest first. */
  readonly steps: SignalStep[]
  /** Everything it said when it was last evaluated, to compare by; null where it did not hold. */
  said: string | null
}

export class SignalRegistry {
  readonly #issuerCik: Cik
  readonly #drafts = new Map<string, TrackedSignal>()

  constructor(issuerCik: Cik) {
    this.#issuerCik = issuerCik
  }

  /** Opens a signal whose id ends with `about`. If one with this id has ended, that signal is opened again. */
  open({ type, direction, about, slots, assessment, event }: NewSignal): TrackedSignal {
    const id = `${type}-${Number(this.#issuerCik)}-${about}`
    let tracked = this.#drafts.get(id)
    if (!tracked) {
      tracked = {
        id,
        type,
        direction,
        slots,
        detectedAt: event.at,
        detectedBy: event.index,
        assessment,
        evaluatedBy: event.index,
        changedAt: event.at,
        endedAt: null,
        history: [],
        steps: [],
        said: null,
      }
      this.#drafts.set(id, tracked)
    }
    this.update(tracked, assessment, event)
    return tracked
  }

  /**
   * Updates a signal whose rule still holds, perhaps with new values: of persons who became one, an event may remove a
   * row that was never among its own.
   */
  update(tracked: TrackedSignal, assessment: Assessment, event: TradeEvent): void {
    tracked.assessment = assessment
    tracked.evaluatedBy = event.index
    tracked.endedAt = null
    const {
      history: _history,
      leftOut,
      changedAt: _changedAt,
      endedAt: _endedAt,
      ...listed
    } = written(tracked, this.#issuerCik)
    const said = JSON.stringify({ ...listed, leftOut })
    if (said !== tracked.said) tracked.changedAt = event.at
    tracked.said = said
    note(tracked, { at: event.at, listed })
    const {
      severity,
      totalCents,
      counted: { length: insiderCount },
    } = assessment
    const last = tracked.history.at(-1)
    if (last?.severity === severity && last.insiderCount === insiderCount && last.totalCents === totalCents) return
    tracked.history.push({ at: event.at, accession: event.accession, severity, insiderCount, totalCents })
  }

  /** Closes a signal whose rule no longer holds; it keeps its last values. */
  close(tracked: TrackedSignal, event: TradeEvent): void {
    tracked.changedAt = event.at
    tracked.endedAt = event.at
    tracked.said = null
    note(tracked, { at: event.at, listed: null })
  }

  /** Returns all signals in the order of (detectedAt, id), including ended ones. */
  signals(): Signal[] {
    return [...this.#drafts.values()]
      .map((tracked) => written(tracked, this.#issuerCik))
      .sort((a, b) => a.detectedAt - b.detectedAt || compareText(a.id, b.id))
  }

  /** Returns the steps of all signals by id, oldest first. */
  steps(): Map<string, SignalStep[]> {
    return new Map([...this.#drafts.values()].map(({ id, steps }) => [id, steps]))
  }
}

/** Adds a step where what the signal says has changed. */
function note({ steps }: TrackedSignal, step: SignalStep): void {
  if (steps.at(-1)?.at === step.at) steps.pop()
  const last = steps.at(-1)
  if (last && isSame(last.listed, step.listed)) return
  steps.push(step)
}

const isSame = (a: ListedSignal | null, b: ListedSignal | null): boolean => JSON.stringify(a) === JSON.stringify(b)

function written(tracked: TrackedSignal, issuerCik: Cik): Signal {
  const { id, type, direction, detectedAt, changedAt, endedAt, history, assessment } = tracked
  const rows = assessment.counted.flatMap((one) => one.rows).sort(byTradeDay)
  return {
    id,
    type,
    direction,
    issuerCik,
    severity: assessment.severity,
    detectedAt,
    changedAt,
    endedAt,
    insiderCount: assessment.counted.length,
    totalCents: assessment.totalCents,
    firstDay: rows[0]!.slot!.date,
    lastDay: rows.at(-1)!.slot!.date,
    persons: assessment.counted.map(named).sort((a, b) => compareText(a.cik, b.cik)),
    prices: pricesOf(rows),
    counted: rows.map((row) => row.trade.id),
    leftOut: excludedTradesOf(assessment, tracked.slots, tracked.evaluatedBy, new Set(rows)),
    evidence: assessment.evidence,
    history,
  }
}

function pricesOf(rows: readonly Row[]): Signal['prices'] {
  const prices = rows.map(({ trade }) => trade.price)
  return [prices.reduce((a, b) => Math.min(a, b)), prices.reduce((a, b) => Math.max(a, b))]
}

/** Takes name and role from the newest filing. */
function named({ persons, rows, cents }: PersonRows): SignalPerson {
  const newest = rows.reduce((last, row) => (row.order > last.order ? row : last))
  const { insiderName: name, insiderRole: role } = newest.trade
  return { cik: persons.map((person) => person.cik).sort()[0]!, name, role, cents }
}
