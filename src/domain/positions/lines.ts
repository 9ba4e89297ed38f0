// A line is one holding, followed through all filings of those who report it. The runs of each filing are matched with
// the lines known by then, in the order of acceptance, so that late filings and amendments do not change newer ones.
import { append } from '../shared/append.ts'
import type { AccessionNumber, Cik, DateText } from '../shared/identifiers.ts'
import { isNear, nearTo, type Run } from './runs.ts'

/** How the newest run of a line follows from the one before. */
interface Link {
  /** The balance and day before; null for the first run of a line. */
  from: bigint | null
  fromDay: DateText | null
  opening: bigint | null
  day: DateText
  /** 0 if the run continues the balance before; becomes 0 when another run explains the gap. */
  gap: bigint
  /** Whether a footnote of the run mentions a split. */
  isSplitSaid: boolean
}

/** A link that had a gap when it was made. */
export type GapLink = Pick<Line, 'scope' | 'newest' | 'link'>

export interface Line {
  scope: string
  owners: Set<Cik>
  newest: Run
  link: Link
  /** The line before its newest run. */
  before: { newest: Run; link: Link } | null
  firstDay: DateText
  /** Filings that restate it. */
  accessions: Set<AccessionNumber>
}

/** The most lines that a run with another key is compared with. Older lines are found by their key only. */
const MOST_COMPARED = 200

/** The lines of owners who report together. */
export class Lines {
  readonly all: Line[] = []
  readonly #scope: string
  readonly #byBucket = new Map<string, Line[]>()
  readonly #byKey = new Map<string, Line[]>()
  readonly #onGap: (gap: GapLink) => void

  constructor(scope: string, onGap: (gap: GapLink) => void) {
    this.#scope = scope
    this.#onGap = onGap
  }

  /** Takes all runs of one filing. */
  take(runs: readonly Run[]): void {
    const divided = runs.flatMap((run) => this.#divided(run))
    for (const own of Map.groupBy(divided, ({ bucket }) => bucket).values()) this.#takeBucket(own)
  }

  /** Returns the parts of a run if each continues a line of its own. */
  #divided(run: Run): Run[] {
    if (run.parts.length < 2) return [run]
    const known = new Set(this.#byKey.get(keyOf(run))?.map(({ newest }) => newest.closing))
    const near = nearTo(known)
    const openings = new Set(run.parts.map(({ opening }) => (opening === null ? null : near(opening))))
    const areLines = openings.size === run.parts.length && !openings.has(null) && openings.isSubsetOf(known)
    return areLines ? run.parts : [run]
  }

  #takeBucket(runs: readonly Run[]): void {
    const owners = new Set(runs[0]!.evidence.owners.map(({ cik }) => cik))
    const taken = new Set<Line>()
    const free = new Set(runs)
    const assign = (run: Run, line: Line): void => {
      taken.add(line)
      free.delete(run)
      this.#apply(run, line, owners)
    }
    for (const own of Map.groupBy(runs, keyOf).values()) {
      const key = keyOf(own[0]!)
      const known = new Set(this.#byKey.get(key)).values().filter((line) => keyOf(line.newest) === key)
      const lines = [...known.filter((line) => !taken.has(line) && reportAlike(line.owners, owners))]
      for (const [run, line] of pairs(own, lines)) assign(run, line)
    }
    // Lines under another nature, or reported by another of their owners.
    const others = (): Line[] => (this.#byBucket.get(runs[0]!.bucket) ?? []).slice(-MOST_COMPARED)
    for (const run of [...free]) {
      const same = others().find((line) => !taken.has(line) && continues(run, line, owners))
      if (same) assign(run, same)
    }
    const vague = [...free].filter((run) => run.isVague && !beginsAtZero(run))
    const lost = others().filter(
      (line) =>
        !taken.has(line) && line.newest.isVague && line.newest.closing !== 0n && reportAlike(line.owners, owners),
    )
    if (vague.length === 1 && lost.length === 1 && vague[0]!.day >= lost[0]!.newest.day) assign(vague[0]!, lost[0]!)
    const opened = [...free].map((run) => this.#open(run, owners))
    offset(
      [...taken].filter(({ newest }) => newest.evidence === runs[0]!.evidence),
      opened,
    )
  }

  #open(run: Run, owners: Set<Cik>): Line {
    const line: Line = {
      scope: this.#scope,
      owners: new Set(owners),
      newest: run,
      link: { from: null, fromDay: null, opening: run.opening, day: run.day, gap: 0n, isSplitSaid: false },
      before: null,
      firstDay: run.firstDay,
      accessions: new Set([run.evidence.accession]),
    }
    this.all.push(line)
    append(this.#byBucket, run.bucket, line)
    append(this.#byKey, keyOf(run), line)
    return line
  }

  #apply(run: Run, line: Line, owners: ReadonlySet<Cik>): void {
    line.accessions.add(run.evidence.accession)
    for (const owner of owners) line.owners.add(owner)
    if (run.firstDay < line.firstDay) line.firstDay = run.firstDay
    if (run.day < line.newest.day) {
      // A late filing, which may explain a gap.
      if (run.closing !== null && gapBetween(run.closing, line.link.opening) === 0n) line.link.gap = 0n
      return
    }
    // The balance of this day was reported before, and is repeated or amended.
    if (restates(run, line.newest)) {
      line.link.gap = 0n
      if (line.before) Object.assign(line, line.before)
      else {
        const { link } = line
        this.#renew(line, run, { ...link, opening: run.opening, day: run.day })
        return
      }
    }
    const { newest } = line
    const gap = gapBetween(newest.closing, run.opening)
    line.before = { newest, link: line.link }
    this.#renew(line, run, {
      from: newest.closing,
      fromDay: newest.day,
      opening: run.opening,
      day: run.day,
      gap,
      isSplitSaid: run.rows.some(({ split }) => split === true),
    })
    if (gap !== 0n) this.#onGap({ scope: line.scope, newest: run, link: line.link })
  }

  #renew(line: Line, run: Run, link: Link): void {
    const former = keyOf(line.newest)
    line.newest = run
    line.link = link
    if (keyOf(run) !== former) append(this.#byKey, keyOf(run), line)
  }
}

const gapBetween = (from: bigint | null, to: bigint | null): bigint =>
  from === null || to === null || isNear(from, to) ? 0n : to - from

const keyOf = ({ bucket, ownership, nature }: Run): string => `${bucket}\n${ownership}\n${nature}`

const restates = (run: Run, newest: Run): boolean =>
  run.day === newest.day &&
  run.isTransaction === newest.isTransaction &&
  (run.evidence.form.endsWith('/A') || (run.opening !== null && run.opening === newest.opening))

/** Returns whether a filing by some owners can be about a line of others: they are the same, or groups that overlap. */
function reportAlike(some: ReadonlySet<Cik>, others: ReadonlySet<Cik>): boolean {
  if (some.size === others.size) return some.isSubsetOf(others)
  return some.size > 1 && others.size > 1 && (some.isSubsetOf(others) || others.isSubsetOf(some))
}

/** Returns whether the run continues the line under another nature, or by other owners of it. */
function continues(run: Run, { newest, owners: known }: Line, owners: ReadonlySet<Cik>): boolean {
  const { closing } = newest
  if (closing === null || closing === 0n || run.day < newest.day) return false
  if (![run.opening, run.closing].some((balance) => balance !== null && isNear(balance, closing))) return false
  const alike = reportAlike(known, owners)
  if (!alike && known.isDisjointFrom(owners)) return false
  return run.ownership === newest.ownership ? !alike || run.nature !== newest.nature : !alike
}

/**
 * Pairs runs and lines of one key, first by equal opening balances, then by repeated ones, then by the nearest ones.
 * Each line is used once.
 */
function pairs(runs: readonly Run[], lines: readonly Line[]): [Run, Line][] {
  const found: [Run, Line][] = []
  // Reversed, since the first is taken from the end.
  const byBalance = Map.groupBy(lines.toReversed(), ({ newest }) => newest.closing)
  const byStart = Map.groupBy(lines.toReversed(), ({ newest }) => startOf(newest))
  const near = nearTo(byBalance.keys())
  const taken = new Set<Line>()
  const left: Run[] = []
  const firstFree = (equal: Line[] = []): Line | undefined => {
    while (equal.length > 0 && taken.has(equal.at(-1)!)) equal.pop()
    return equal.at(-1)
  }
  for (const run of runs) {
    const { opening } = run
    const equal =
      opening === null ? undefined : (firstFree(byBalance.get(near(opening))) ?? firstFree(byStart.get(startOf(run))))
    if (equal) {
      taken.add(equal)
      found.push([run, equal])
    } else left.push(run)
  }
  const open = lines.filter((line) => !taken.has(line))
  if (left.length === 0 || open.length === 0) return found
  // The first report of a line that ended does not reopen it if another line of this key is still open.
  const unended = open.filter(({ newest }) => newest.closing !== 0n)
  const candidates = (unended.length > 0 ? unended : open).toSorted((a, b) => order(a.newest.closing, b.newest.closing))
  const latest = unended.reduce((day, { newest }) => (newest.day > day ? newest.day : day), '')
  // A run that begins at 0 after the last report of every open line is a new line.
  const matched = left.filter((run) => !beginsAtZero(run) || run.day <= latest)
  let at = 0
  for (const [index, run] of matched.toSorted((a, b) => order(a.opening, b.opening)).entries()) {
    if (at >= candidates.length) return found
    const rest = matched.length - index
    const nearer = () =>
      candidates.length - at > rest && distance(run, candidates[at + 1]!) < distance(run, candidates[at]!)
    while (nearer()) at += 1
    found.push([run, candidates[at]!])
    at += 1
  }
  return found
}

/** Returns a key that a run shares with a later report of the same rows. */
const startOf = ({ day, opening, isTransaction }: Run): string => `${day} ${opening} ${isTransaction}`

/** Returns whether the run begins at 0, as a grant or another trust does; for direct shares that is a mistake. */
const beginsAtZero = ({ table, ownership, isTransaction, opening, evidence }: Run): boolean =>
  (table === 2 || ownership === 'I') && isTransaction && opening === 0n && !evidence.form.endsWith('/A')

const order = (a: bigint | null, b: bigint | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1

function distance(run: Run, { newest }: Line): bigint {
  const difference = (run.opening ?? 0n) - (newest.closing ?? 0n)
  return difference < 0n ? -difference : difference
}

/** Clears gaps of one filing that are transfers from one line to another. */
function offset(lines: readonly Line[], opened: readonly Line[]): void {
  const rises = [
    ...lines.filter(({ link }) => link.gap > 0n).map((line) => ({ line, by: line.link.gap })),
    ...opened.map((line) => ({ line, by: line.link.opening ?? 0n })),
  ]
  const byRise = Map.groupBy(rises, ({ by }) => by)
  for (const line of lines) {
    const rise = line.link.gap < 0n ? byRise.get(-line.link.gap)?.pop() : undefined
    if (!rise) continue
    line.link.gap = 0n
    rise.line.link.gap = 0n
  }
}
