// What history changes of issuers, as a computation: their filings are reconciled with what is stored, and their
// signals detected from the same trades, so that each trade is written once, with its marks.
import type { Cik } from '../../domain/shared/identifiers.ts'
import { newYorkDay } from '../../domain/shared/new-york-time.ts'
import type { JointFiling } from '../../domain/signals/signal.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { AnalyticsChange, ShownSignal, SignalChange } from '../ports/analytics.ts'
import type { RejectedFiling, StagedFiling } from '../ports/data-sets.ts'
import type { HistoryProjected, HistoryToProject } from '../ports/projection.ts'
import { decide, keyOfFiling, type Decided, type Known } from '../projection/decide-change.ts'
import { addTo, noRows, type Derived } from '../projection/derive-rows.ts'
import { knownOf, type ProjectionFormats } from '../projection/projection-computations.ts'
import { retractionsOf } from '../projection/retractions.ts'
import { signalChanges } from '../projection/signal-changes.ts'
import {
  isRecent,
  markedTrade,
  markedTrades,
  touchedIssuers,
  writtenSignals,
} from '../projection/signal-computations.ts'
import { deriveStaged } from './derive-set.ts'

/** A filing with the rows that it gives. */
interface DerivedFiling {
  derived: Derived
  /** Null for the documents of an issuer. */
  staged: StagedFiling | null
}

type OfIssuers<Row> = ReadonlyMap<Cik, Row[]>

export function projectHistory({ rows, unpack }: ProjectionFormats, asked: HistoryToProject): HistoryProjected {
  const { issuers, version, rules, recentSince, removed } = asked
  const known = { ...knownOf(rows, asked), floors: rules.significance }
  const [stored, related] = [byIssuer(known.stored), byIssuer(known.related)]
  const removedOf = byIssuer(removed)
  const jointOf = byIssuer(rows.jointFilings(asked.signals.joint))
  const signalsOf = Map.groupBy(rows.signals(asked.signals.signals), ({ signal }) => signal.issuerCik)
  const rejected: RejectedFiling[] = []
  const reject = (staged: StagedFiling, error: unknown) => rejected.push(rejectedFiling(staged, error))
  const filingsOf = Map.groupBy(
    [
      ...(asked.derived === null ? [] : ofDocuments(unpack(asked.derived))),
      ...deriveAll(rows.stagedFilings(asked.staged), asked, reject),
    ],
    ({ derived }) => derived.entries[0]!.issuerCik,
  )
  const all: { change: AnalyticsChange; signals: SignalChange } = {
    change: noChange(),
    signals: { signals: [], gone: [], formerStates: [] },
  }
  const result = { recent: [] as ShownSignal[], touched: [] as Cik[], undetected: [] as Undetected[] }
  const isDetected = new Set(asked.detected)
  for (const issuer of issuers) {
    const own: Known = { ...known, stored: stored.get(issuer) ?? [], related: related.get(issuer) ?? [] }
    const gone = removedOf.get(issuer) ?? []
    const decideAll = (filings: DerivedFiling[]): Given => {
      const derived = noRows()
      addTo(derived, { ...noRows(), ...retractionsOf(gone) })
      for (const filing of filings) addTo(derived, filing.derived)
      return { ...decide([issuer], derived, own), derived }
    }
    const given = decideApart(filingsOf.get(issuer) ?? [], decideAll, reject)
    if (given === null) continue
    const { decided, derived, change } = given
    if (isDetected.has(issuer)) {
      const history = {
        trades: decided.filter(({ code }) => code === 'P' || code === 'S').map(markedTrade),
        joint: jointFilings(jointOf.get(issuer) ?? [], derived),
        stored: signalsOf.get(issuer) ?? [],
      }
      try {
        const detected = signalChanges([issuer], history, rules)
        change.trades = withMarks(change.trades, markedTrades(decided, detected))
        add(all.signals, writtenSignals(detected))
        result.touched.push(...touchedIssuers(detected))
        for (const shown of detected.all) if (isRecent(shown, recentSince)) result.recent.push(shown)
      } catch (error) {
        result.undetected.push({ issuer, reason: String(error) })
      }
    }
    add(all.change, change)
  }
  return {
    ...result,
    rejected,
    rows: rows.changeInserts(all.change, version),
    signals: rows.signalInserts(all.signals, version),
    trades: all.change.trades.length,
  }
}

type Undetected = HistoryProjected['undetected'][number]

const byIssuer = <Row extends { issuerCik: Cik }>(rows: readonly Row[]): OfIssuers<Row> =>
  Map.groupBy(rows, ({ issuerCik }) => issuerCik)

/** Derives the rows of filings, of each accession number those of one quarter. */
function deriveAll(
  filings: StagedFiling[],
  { quarters, withdrawn }: HistoryToProject,
  reject: (staged: StagedFiling, error: unknown) => void,
): DerivedFiling[] {
  return filings.flatMap((staged) => {
    if (quarters.get(staged.accession) !== staged.quarter) return []
    try {
      return { staged, derived: deriveStaged(staged, withdrawn) }
    } catch (error) {
      reject(staged, error)
      return []
    }
  })
}

/** Divides the rows of documents by issuer. */
function ofDocuments(derived: Derived): DerivedFiling[] {
  const trades = byIssuer(derived.trades)
  const balances = Map.groupBy(derived.balances, ({ evidence }) => evidence.issuerCik)
  return [...byIssuer(derived.entries)].map(([issuer, entries]) => ({
    staged: null,
    derived: {
      ...noRows(),
      entries,
      accessions: entries.map(({ accession }) => accession),
      trades: trades.get(issuer) ?? [],
      balances: balances.get(issuer) ?? [],
    },
  }))
}

/** Of an issuer with more filings at fault all are rejected: each of them costs as much as some tries of all. */
const MOST_FAULTY = 8

interface Given extends Decided {
  derived: Derived
}

/**
 * Decides what filings change of an issuer. One that the rules can't take is rejected, and the others are taken. Null
 * if they can't take what is stored: then all are rejected.
 */
function decideApart(
  filings: DerivedFiling[],
  decideAll: (filings: DerivedFiling[]) => Given,
  reject: (staged: StagedFiling, error: unknown) => void,
): Given | null {
  const attempt = (some: DerivedFiling[]): { given: Given } | { error: unknown } => {
    try {
      return { given: decideAll(some) }
    } catch (error) {
      return { error }
    }
  }
  const rejectOne = ({ staged }: DerivedFiling, error: unknown) => {
    // Documents are projected one by one when they come.
    if (staged === null) throw error
    reject(staged, error)
  }
  let left = filings
  for (let faulty = 0; ; faulty += 1) {
    const all = attempt(left)
    if ('given' in all) return all.given
    const place = faulty < MOST_FAULTY ? placeOfFault(left, (some) => 'error' in attempt(some)) : 0
    if (place === 0) {
      for (const each of left) rejectOne(each, all.error)
      const none = attempt([])
      return 'given' in none ? none.given : null
    }
    rejectOne(left[place - 1]!, all.error)
    left = left.toSpliced(place - 1, 1)
  }
}

/** Returns how many of the filings it takes for a fault, 0 if there is one without any. */
function placeOfFault(filings: DerivedFiling[], isFaulty: (some: DerivedFiling[]) => boolean): number {
  if (isFaulty([])) return 0
  let [without, faulty] = [0, filings.length]
  while (faulty - without > 1) {
    const middle = (without + faulty) >> 1
    if (isFaulty(filings.slice(0, middle))) faulty = middle
    else without = middle
  }
  return faulty
}

const rejectedFiling = (staged: StagedFiling, error: unknown): RejectedFiling => ({
  ...{ quarter: staged.quarter, accession: staged.accession, form: staged.form },
  reason: `can not be projected: ${String(error)}`,
  lines: staged.lines(),
})

/** Returns the joint filings that stand, stored ones and those of derived rows. */
function jointFilings(stored: (JointFiling & { issuerCik: Cik })[], { accessions, entries, goneEntries }: Derived) {
  const rederived = new Set(accessions)
  const gone = new Set(goneEntries.map(keyOfFiling))
  const derived = entries.filter(({ owners, isWithdrawn }) => owners.length > 1 && !isWithdrawn)
  return [
    ...stored.filter((filing) => !rederived.has(filing.accession) && !gone.has(keyOfFiling(filing))),
    ...derived.map(({ accession, issuerCik, filedAt, owners, isEstimated }) => ({
      ...{ accession, issuerCik, filedAt, isDayKnown: !isEstimated },
      filedDay: newYorkDay(filedAt),
      ownerCiks: owners.map(({ cik }) => cik),
    })),
  ]
}

/** Returns the trades to write: changed ones, and those that are marked. */
function withMarks(changed: readonly Trade[], marked: readonly Trade[]): Trade[] {
  const byId = new Map([...changed, ...marked].map((trade) => [trade.id, trade]))
  return [...byId.values()]
}

const noChange = () => ({
  ...{ trades: [], entries: [], balances: [], details: [], restored: [], withdrawn: [] },
  ...{ goneTrades: [], goneEntries: [], goneDetails: [] },
})

/** Adds the rows of each part. */
function add<Parts extends object>(all: Parts, more: Parts): void {
  for (const part of Object.keys(more) as (keyof Parts)[])
    for (const row of more[part] as unknown[]) (all[part] as unknown[]).push(row)
}
