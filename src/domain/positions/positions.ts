// Computes the positions at an issuer as of an instant: the lines of all owners who report there, each with its status.
// A pure function of the filings accepted by then, in any order.
import { addDays } from '../shared/calendar.ts'
import { Groups } from '../shared/groups.ts'
import type { AccessionNumber, Cik, DateText } from '../shared/identifiers.ts'
import { newYorkDay } from '../shared/new-york-time.ts'
import { byAcceptance, compareText } from '../shared/order.ts'
import { amendmentOutcome, type AmendmentFiling, type Amendments } from '../trades/reconciliation/amendments.ts'
import type { Evidence } from './evidence.ts'
import { Lines, type GapLink, type Line } from './lines.ts'
import { runsOf, type Run } from './runs.ts'
import { sameHoldings } from './same-holdings.ts'
import { adjusted, isSplitOnly, splitsOf, type Jump, type Split } from './splits.ts'

type PositionStatus = 'exact' | 'gap' | 'carried' | 'old' | 'ended' | 'exited' | 'expired'
export type Confidence = 'high' | 'medium' | 'low'

/** One line with its status. Balances are in steps of 10^-8. */
export interface Position {
  table: 1 | 2
  class: string
  /** The key of those who report together; an owner who reports alone has one of their own. */
  holder: string
  owners: Cik[]
  /** The newest run of the line. */
  run: Run
  /** Null if only a value is reported. */
  units: bigint | null
  status: PositionStatus
  /** The difference between the newest report and the one before, if the status is `gap`. */
  gap: bigint | null
  since: DateText
  staleSince: DateText | null
  splitSince: DateText | null
  unitsAdjusted: bigint | null
  isSuspect: boolean
  /** Whether a footnote says that another line includes these shares. */
  isOverlapping: boolean
  /** Another line that is the same holding, reported by others; that one counts for the company. */
  sameAs: Position | null
}

export interface IssuerPositions {
  positions: Position[]
  owners: Map<Cik, OwnerAtIssuer>
}

export interface OwnerAtIssuer {
  name: string
  /** Whether a Form 3 is known: without one, what was held before the first filing may be missing. */
  hasForm3: boolean
  firstDay: DateText
  newestDay: DateText
  exit: { day: DateText; accession: AccessionNumber } | null
  /** The Form 3 that says that nothing is owned. */
  nothingOwned: Evidence | null
}

/** Days without a report after which a line counts as old. */
const OLD_AFTER_DAYS = 400

/** Returns the last day on which lines of an owner who last reported on `newestDay` are not old. */
export const oldAfter = (newestDay: DateText): DateText => addDays(newestDay, OLD_AFTER_DAYS)

/** Computes the positions at one issuer. `asOf` in seconds since 1970. */
export function positionsOf(evidence: readonly Evidence[], asOf: number): IssuerPositions {
  const filings = evidence.filter(({ filedAt, owners }) => filedAt <= asOf && owners.length > 0).sort(byAcceptance)
  const { superseded, originalOf } = amended(filings)
  const owners = new Map<Cik, OwnerAtIssuer>()
  const traded = new Map<string, Run>()
  const scopes = scopesOf(filings)
  const lines = new Map<string, Lines>()
  const gaps: GapLink[] = []
  for (const filing of filings) {
    const runs = runsOf(filing, (place) => !superseded.has(rowId(filing, place)))
    const scope = scopes.firstOf(filing.owners[0]!.cik)
    const own = lines.get(scope) ?? new Lines(scope, (gap) => gaps.push(gap))
    lines.set(scope, own)
    own.take(runs)
    note(owners, filing, runs)
    for (const run of runs) if (run.isTransaction) recordTraded(traded, run)
  }
  const reportOf = (accession: AccessionNumber) => originalOf.get(accession) ?? accession
  const known: Known = { owners, traded, reportOf, splits: splitsOf(gaps.flatMap(jumpOf)), day: newYorkDay(asOf) }
  const found = [...lines.values()].flatMap(({ all }) => all)
  const positions = found.map((line) => positionOf(line, known))
  for (const [copy, original] of sameHoldings(positions)) copy.sameAs = original
  return { positions, owners }
}

const rowId = ({ accession }: Evidence, place: number): string => `${accession} ${place}`

/** Finds the rows that Forms 4/A superseded, by the same rules as for the transactions of the feed. */
function amended(filings: readonly Evidence[]): Pick<Amendments, 'superseded' | 'originalOf'> {
  if (!filings.some(({ form }) => form === '4/A')) return { superseded: new Map(), originalOf: new Map() }
  return amendmentOutcome(filings.filter(({ form }) => form === '4' || form === '4/A').map(amendmentFiling))
}

function amendmentFiling(filing: Evidence): AmendmentFiling {
  return {
    accession: filing.accession,
    amendment: filing.form === '4/A',
    filedAt: filing.filedAt,
    filedDay: filing.filedDay,
    period: filing.period,
    originalDate: filing.originalDate,
    ownerCiks: filing.owners.map(({ cik }) => cik),
    amendmentWords: filing.words,
    rows: filing.rows.flatMap((row, index) =>
      row.table === 2 || row.kind === 'holding'
        ? []
        : [
            {
              id: rowId(filing, index),
              place: index + 1,
              securityTitle: row.title,
              acquiredDisposed: row.acquiredDisposed ?? '',
              directIndirect: row.ownership ?? '',
              date: row.date ?? '',
              code: row.code ?? '',
              shares: row.shares ?? '0',
              priceFiled: row.price ?? null,
              sharesAfter: row.after ?? null,
            },
          ],
    ),
  }
}

/** Groups owners who filed jointly: they share a scope, in which their lines are searched. */
function scopesOf(filings: readonly Evidence[]): Groups<Cik> {
  const scopes = new Groups<Cik>(compareText)
  for (const { owners } of filings) for (const { cik } of owners) scopes.unite(owners[0]!.cik, cik)
  return scopes
}

/** Records what the filing says of each of its owners. */
function note(owners: Map<Cik, OwnerAtIssuer>, filing: Evidence, runs: readonly Run[]): void {
  const { form, period, exit, accession, nothingOwned } = filing
  const first = runs.reduce((earliest, { firstDay }) => (firstDay < earliest ? firstDay : earliest), period)
  const last = runs.reduce((latest, { day }) => (day > latest ? day : latest), period)
  for (const { cik, name } of filing.owners) {
    const owner = owners.get(cik) ?? {
      ...{ name, hasForm3: false, firstDay: first, newestDay: last, exit: null, nothingOwned: null },
    }
    owners.set(cik, owner)
    owner.name = name
    if (first < owner.firstDay) owner.firstDay = first
    if (last > owner.newestDay) owner.newestDay = last
    if (form === '3' || form === '3/A') {
      owner.hasForm3 = true
      if (nothingOwned) owner.nothingOwned = filing
    }
    if (exit) owner.exit = { day: period, accession }
    else if ((form === '3' || form === '4') && owner.exit && period >= owner.exit.day) owner.exit = null
  }
}

/** Records the newest run with a transaction by owner and class. */
function recordTraded(traded: Map<string, Run>, run: Run): void {
  for (const { cik } of run.evidence.owners) {
    const key = `${cik} ${run.table} ${run.class}`
    const newest = traded.get(key)
    if (!newest || run.day >= newest.day) traded.set(key, run)
  }
}

function jumpOf({ scope, newest, link }: GapLink): Jump[] {
  const { from, fromDay, opening, day, gap, isSplitSaid } = link
  if (newest.table === 2 || gap === 0n || from === null || opening === null || fromDay === null) return []
  return [{ scope, class: newest.class, from, fromDay, to: opening, day, isSplitSaid }]
}

interface Known {
  owners: ReadonlyMap<Cik, OwnerAtIssuer>
  traded: ReadonlyMap<string, Run>
  /** Returns the filing that a 4/A amends; of others the filing itself. */
  reportOf: (accession: AccessionNumber) => AccessionNumber
  splits: readonly Split[]
  /** The New York day of the instant. */
  day: DateText
}

function positionOf(line: Line, known: Known): Position {
  const { newest: run, firstDay } = line
  const owners = [...line.owners].sort()
  const units = run.closing
  const splits = run.table === 1 ? known.splits.filter((each) => each.class === run.class && run.day < each.day) : []
  const isEnded = units === 0n
  return {
    ...{ table: run.table, class: run.class, owners, run, units },
    holder: owners.length === 1 ? owners[0]! : `group ${line.scope}`,
    ...statusOf(line, known, owners, firstDay),
    splitSince: isEnded ? null : (splits[0]?.day ?? null),
    unitsAdjusted: isEnded || splits.length === 0 || units === null ? null : adjusted(units, splits),
    isSuspect: run.rows.some(({ suspect }) => suspect === true),
    isOverlapping: run.last.included === true,
    sameAs: null,
  }
}

type Status = Pick<Position, 'status' | 'gap' | 'since' | 'staleSince'>

function statusOf(line: Line, known: Known, owners: Cik[], firstDay: DateText): Status {
  const { newest: run, link } = line
  const as = (status: PositionStatus, more: Partial<Status> = {}): Status => ({
    ...{ status, gap: null, since: firstDay, staleSince: null },
    ...more,
  })
  if (run.closing === 0n) return as('ended', { since: run.day })
  const expires = run.table === 2 ? run.last.expires : undefined
  if (expires !== undefined && expires < known.day) return as('expired', { since: expires })
  const exits = owners.map((cik) => known.owners.get(cik)!.exit)
  if (exits.every((exit) => exit !== null)) {
    return as('exited', { since: exits.map((exit) => exit.day).reduce((a, b) => (a > b ? a : b)) })
  }
  const later = laterTrade(line, known, owners)
  if (later) return as('carried', { staleSince: later.evidence.period })
  const newest = owners.map((cik) => known.owners.get(cik)!.newestDay).reduce((a, b) => (a > b ? a : b))
  const old = oldAfter(newest)
  if (old < known.day) return as('old', { staleSince: old })
  const isGap = link.gap !== 0n && !jumpOf(line).some((jump) => isSplitOnly(jump, known.splits.filter(ofClass(run))))
  return isGap ? as('gap', { gap: link.gap }) : as('exact')
}

const ofClass =
  (run: Run) =>
  (split: Split): boolean =>
    split.class === run.class

/**
 * Returns the newest trade of the class if it is later than what is known of the line, and none of the filings with it
 * restates the line, nor what they amend.
 */
function laterTrade(line: Line, { traded, reportOf }: Known, owners: Cik[]): Run | null {
  const { newest: run } = line
  const reports = new Set(line.accessions.values().map(reportOf))
  const isLater = ({ day, evidence }: Run): boolean =>
    day > run.day || (day === run.day && byAcceptance(evidence, run.evidence) > 0)
  const trades = owners.map((cik) => traded.get(`${cik} ${run.table} ${run.class}`))
  if (trades.some((trade) => !trade || reports.has(reportOf(trade.evidence.accession)) || !isLater(trade))) return null
  return (trades as Run[]).reduce((a, b) => (byAcceptance(b.evidence, a.evidence) < 0 ? b : a))
}
