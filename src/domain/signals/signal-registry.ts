// The signals of an issuer while its filings go by: raised, followed, ended, raised again. What was left out is worked
// out at the end, once for each signal, as it was known when the signal was last judged.
import type { Cik } from '../shared/identifiers.ts'
import { excludedTradesOf, type Neighbourhood } from './excluded-trades.ts'
import { byTradeDay, compareText, type Row, type Slot, type TradeEvent } from './trade-timeline.ts'
import type { PersonRows } from './joint-filers.ts'
import type { Direction, Evidence, Signal, SignalPerson, SignalState, SignalType } from './signal.ts'
import type { Severity } from '../trades/significance.ts'

/** What a rule found in a day-trade. */
export interface RuleMatch {
  severity: Severity
  totalCents: number
  /** Those that make it. */
  rows: Row[]
  evidence: Evidence
}

/** What a judgement found. */
export interface Assessment extends Neighbourhood {
  severity: Severity
  totalCents: number
  /** The counted rows by person. */
  counted: readonly PersonRows[]
  evidence: Evidence
}

/** A signal in the making. */
export interface TrackedSignal {
  readonly id: string
  readonly type: SignalType
  readonly direction: Direction
  /** Days whose rows it may leave out. */
  readonly slots: readonly Slot[]
  readonly detectedAt: number
  /** Index of the event. */
  readonly detectedBy: number
  assessment: Assessment
  /** Index of the event. */
  judgedBy: number
  changedAt: number
  endedAt: number | null
  readonly history: SignalState[]
}

export class SignalRegistry {
  readonly #issuerCik: Cik
  readonly #drafts = new Map<string, TrackedSignal>()

  constructor(issuerCik: Cik) {
    this.#issuerCik = issuerCik
  }

  /** `about` is what its id ends with. One of this id that ended is that signal again. */
  open(
    type: SignalType,
    direction: Direction,
    about: string,
    slots: readonly Slot[],
    assessment: Assessment,
    event: TradeEvent,
  ): TrackedSignal {
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
        judgedBy: event.index,
        changedAt: event.at,
        endedAt: null,
        history: [],
      }
      this.#drafts.set(id, tracked)
    }
    this.update(tracked, assessment, event)
    return tracked
  }

  /** It holds, with new values perhaps: of persons who became one, an event may take away a row that was never among its own. */
  update(tracked: TrackedSignal, assessment: Assessment, event: TradeEvent): void {
    const after = { ...tracked, assessment, judgedBy: event.index, endedAt: null }
    const changed = tracked.history.length === 0 || said(tracked, this.#issuerCik) !== said(after, this.#issuerCik)
    tracked.assessment = assessment
    tracked.judgedBy = event.index
    if (changed) tracked.changedAt = event.at
    tracked.endedAt = null
    const {
      severity,
      totalCents,
      counted: { length: insiderCount },
    } = assessment
    const last = tracked.history.at(-1)
    if (last?.severity === severity && last.insiderCount === insiderCount && last.totalCents === totalCents) return
    tracked.history.push({ at: event.at, accession: event.accession, severity, insiderCount, totalCents })
  }

  /** It holds no more, and keeps what it last said. */
  close(tracked: TrackedSignal, event: TradeEvent): void {
    tracked.changedAt = event.at
    tracked.endedAt = event.at
  }

  /** In the order of (detectedAt, id), ended ones too. */
  signals(): Signal[] {
    return [...this.#drafts.values()]
      .map((tracked) => written(tracked, this.#issuerCik))
      .sort((a, b) => a.detectedAt - b.detectedAt || compareText(a.id, b.id))
  }
}

/** All that it says but when it changed. */
function said(tracked: TrackedSignal, issuerCik: Cik): string {
  return JSON.stringify({ ...written(tracked, issuerCik), changedAt: 0 })
}

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
    leftOut: excludedTradesOf(assessment, tracked.slots, tracked.judgedBy, new Set(rows)),
    evidence: assessment.evidence,
    history,
  }
}

function pricesOf(rows: readonly Row[]): Signal['prices'] {
  const prices = rows.map(({ trade }) => trade.price)
  return [prices.reduce((a, b) => Math.min(a, b)), prices.reduce((a, b) => Math.max(a, b))]
}

/** By the name and role in the newest filing. */
function named({ persons, rows, cents }: PersonRows): SignalPerson {
  const newest = rows.reduce((last, row) => (row.order > last.order ? row : last))
  const { insiderName: name, insiderRole: role } = newest.trade
  return { cik: persons.map((person) => person.cik).sort()[0]!, name, role, cents }
}
