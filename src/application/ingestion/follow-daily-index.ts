// The follower of the SEC's daily index: it adds the Forms 3, 4, 5 and 144 of a day that are missing to the fetch queue, and
// records how complete each day is, form by form.
import { addDays, businessDays, isBusinessDay } from '../../domain/shared/calendar.ts'
import { previousBusinessDay } from '../../domain/shared/edgar-hours.ts'
import type { DateText } from '../../domain/shared/identifiers.ts'
import { newYorkDay } from '../../domain/shared/new-york-time.ts'
import type { FetchQueue, FilingSource, FormCounts, ListedFiling, SourceProgress } from '../ports/filings.ts'
import type { Clock, Progress, Wait } from '../ports/system.ts'

const POSITION = 'daily-index'
/** An index is written once, about 22:00 New York time; each poll costs one request. */
const POLL_INTERVAL_MS = 15 * 60_000
/** How many days back completeness is counted again, while their filings are still being fetched. */
const COUNTED_DAYS = 7
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
  /** Adds the missing filings of a day to the fetch queue. */
  day(day: DateText, signal?: AbortSignal): Promise<DayReport>
  /** Does so for all business days from the first to the last. */
  days(range: { from: DateText; to: DateText }, advance?: Progress, signal?: AbortSignal): Promise<DayReport[]>
  /** Reads all days not read yet, repeatedly until the signal: on the first start today and the business day before. */
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
  const day = async (date: DateText, signal?: AbortSignal): Promise<DayReport> => {
    const index = await source.dailyIndex(date, signal)
    if (index.kind === 'missing') return { day: date, listed: null, known: 0, missing: 0, forms: {} }
    if (index.kind !== 'ok') throw new Error(`index of ${date}: ${index.reason}`)
    const { filings } = index.value
    const added = filings.length > 0 ? await queue.add(filings, 'catch-up') : []
    const recorded = new Set(await queue.recorded(filings.map((filing) => filing.accession)))
    const forms = countsOf(filings, recorded)
    await progress.checked(date, forms)
    const form4 = (name: 'listed' | 'known') => (forms['4']?.[name] ?? 0) + (forms['4/A']?.[name] ?? 0)
    return { day: date, listed: form4('listed'), known: form4('known'), missing: added.length, forms }
  }
  const round = async (signal: AbortSignal, report: (day: DayReport) => void) => {
    const today = newYorkDay(clock() / 1000)
    const read = await progress.position(POSITION)
    for (const date of await progress.incomplete(addDays(today, -COUNTED_DAYS))) {
      if (!signal.aborted && read && date <= read) await day(date, signal)
    }
    let unbroken = true
    for (
      let date = read ? addDays(read, 1) : previousBusinessDay(today);
      date <= today && !signal.aborted;
      date = addDays(date, 1)
    ) {
      if (!isBusinessDay(date)) continue
      const found = await day(date, signal)
      if (found.listed !== null) report(found)
      // The position moves over days without a gap. A day whose index is not written yet stops it, and nothing else;
      // one still without an index days later was not a business day.
      unbroken &&= found.listed !== null || date < addDays(today, -INDEX_COMES_WITHIN_DAYS)
      if (unbroken && date < today) await progress.move(POSITION, date)
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

function countsOf(filings: ListedFiling[], recorded: ReadonlySet<string>): FormCounts {
  const counts: FormCounts = {}
  for (const { accession, formType } of filings) {
    const count = (counts[formType as keyof FormCounts] ??= { listed: 0, known: 0 })
    count.listed += 1
    if (recorded.has(accession)) count.known += 1
  }
  return counts
}
