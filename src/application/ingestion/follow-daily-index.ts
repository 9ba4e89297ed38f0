// The follower of the SEC's daily index: it adds the Forms 3, 4, 5 and 144 of a day that are missing to the fetch queue, and
// records how complete each day is, form by form.
import { addDays, businessDays, isBusinessDay } from '../../domain/shared/calendar.ts'
import { previousBusinessDay } from '../../domain/shared/edgar-hours.ts'
import type { DateText } from '../../domain/shared/identifiers.ts'
import { newYorkDay } from '../../domain/shared/new-york-time.ts'
import type {
  FetchQueue,
  FilingSource,
  FormCounts,
  ListedFiling,
  MissingFilings,
  SourceProgress,
} from '../ports/filings.ts'
import type { Clock, Progress, Wait } from '../ports/system.ts'

const POSITION = 'daily-index'
/** An index is written once, about 22:00 New York time; each poll costs one request. */
const POLL_INTERVAL_MS = 15 * 60_000
/** How many days back filings that could not be read, or were gone, are fetched again once a day. */
const FETCHED_AGAIN_DAYS = 7
const INDEX_COMES_WITHIN_DAYS = 4

export interface DayReport {
  day: DateText
  /** Forms 4 and 4/A. Null if the index is not written, as on holidays. */
  listed: number | null
  known: number
  /** Of any form, added to the fetch queue now. */
  missing: number
  /** All forms in the index, amendments apart. */
  forms: FormCounts
}

export interface CatchUp {
  /** Adds the missing filings of a day to the fetch queue, also those that have been fetched in vain. */
  day(day: DateText, signal?: AbortSignal): Promise<DayReport>
  /** Does so for all business days from the first to the last. */
  days(range: { from: DateText; to: DateText }, advance?: Progress, signal?: AbortSignal): Promise<DayReport[]>
  /**
   * Reads all days not read yet, repeatedly until the signal: on the first start today and the business day before.
   * Counts incomplete days again, and adds their missing filings: once a day for a week, and later if the reader of
   * documents was upgraded.
   */
  run(signal: AbortSignal, report: (day: DayReport) => void, problem: (reason: string) => void): Promise<void>
}

interface CatchUpDependencies {
  source: FilingSource
  queue: FetchQueue
  progress: SourceProgress
  clock: Clock
  wait: Wait
}

export function makeCatchUp({ source, queue, progress, clock, wait }: CatchUpDependencies): CatchUp {
  const read = async (date: DateText, when: 'now' | 'daily', signal?: AbortSignal): Promise<DayReport> => {
    const index = await source.dailyIndex(date, signal)
    if (index.kind === 'missing') return { day: date, listed: null, known: 0, missing: 0, forms: {} }
    if (index.kind !== 'ok') throw new Error(`index of ${date}: ${index.reason}`)
    const { filings } = index.value
    const missing = await queue.missing(filings.map((filing) => filing.accession))
    const added = filings.length > 0 ? await queue.add(filings, 'catch-up') : []
    const again = await queue.addAgain(missing, when)
    const lacking = new Set(missing)
    const forms = countsOf(filings, lacking)
    const named = filings.filter(({ accession }) => lacking.has(accession))
    await progress.checked(
      date,
      forms,
      Object.fromEntries(named.map(({ accession, formType }) => [accession, formType])) as MissingFilings,
    )
    const form4 = (name: 'listed' | 'known') => (forms['4']?.[name] ?? 0) + (forms['4/A']?.[name] ?? 0)
    return { day: date, listed: form4('listed'), known: form4('known'), missing: added.length + again.length, forms }
  }
  const day = (date: DateText, signal?: AbortSignal) => read(date, 'now', signal)
  const fetchAgain = async (since: DateText) => {
    const lacking = (each: { missing: MissingFilings | null }) => Object.keys(each.missing ?? {})
    const incomplete = await progress.incomplete()
    const isRecent = (each: { day: DateText }) => each.day >= since
    await queue.addAgain(incomplete.filter(isRecent).flatMap(lacking), 'daily')
    await queue.addAgain(incomplete.filter((each) => !isRecent(each)).flatMap(lacking), 'upgraded')
  }
  const round = async (signal: AbortSignal, report: (day: DayReport) => void) => {
    const today = newYorkDay(clock() / 1000)
    const since = addDays(today, -FETCHED_AGAIN_DAYS)
    await countAgain(queue, progress)
    await fetchAgain(since)
    const reached = await progress.position(POSITION)
    let unbroken = true
    for (
      let date = reached ? addDays(reached, 1) : previousBusinessDay(today);
      date <= today && !signal.aborted;
      date = addDays(date, 1)
    ) {
      if (!isBusinessDay(date)) continue
      const found = await read(date, 'daily', signal)
      if (found.listed !== null) report(found)
      // The position moves over days without a gap. A day whose index is not written yet stops it, and nothing else;
      // one still without an index days later was not a business day.
      unbroken &&= found.listed !== null || date < addDays(today, -INDEX_COMES_WITHIN_DAYS)
      if (unbroken && date < today) await progress.move(POSITION, date)
    }
    // Last, since an index of long ago that can't be read must not hold up the others.
    for (const each of await progress.incomplete()) {
      const isUnknown = each.missing === null && (each.forms !== null || each.day >= since)
      if (isUnknown && !signal.aborted && reached && each.day <= reached) await read(each.day, 'daily', signal)
    }
  }
  return {
    day,
    days: async ({ from, to }, advance, signal) => {
      const days = businessDays(from, to)
      const found: DayReport[] = []
      for (const [index, each] of days.entries()) {
        found.push(await day(each, signal))
        advance?.(index + 1, days.length)
      }
      return found
    },
    run: async (signal, report, problem) => {
      while (!signal.aborted) {
        await round(signal, report).catch((error: Error) => {
          if (!signal.aborted) problem(error.message)
        })
        await wait(POLL_INTERVAL_MS, signal)
      }
    },
  }
}

/** Counts incomplete days again, of which filings have been recorded since, or deleted by the SEC. */
export async function countAgain(
  queue: Pick<FetchQueue, 'missing'>,
  progress: Pick<SourceProgress, 'incomplete' | 'checked'>,
): Promise<void> {
  const days = (await progress.incomplete()).map((each) => ({ ...each, missing: each.missing ?? {} }))
  const lacking = new Set(await queue.missing(days.flatMap(({ missing }) => Object.keys(missing))))
  for (const { day, forms, missing } of days) {
    const left = Object.entries(missing).filter(([accession]) => lacking.has(accession))
    if (forms === null || left.length === Object.keys(missing).length) continue
    for (const [form, count] of Object.entries(forms))
      count.known = count.listed - left.filter(([, each]) => each === form).length
    await progress.checked(day, forms, Object.fromEntries(left))
  }
}

function countsOf(filings: ListedFiling[], lacking: ReadonlySet<string>): FormCounts {
  const counts: FormCounts = {}
  for (const { accession, formType } of filings) {
    const count = (counts[formType as keyof FormCounts] ??= { listed: 0, known: 0 })
    count.listed += 1
    if (!lacking.has(accession)) count.known += 1
  }
  return counts
}
