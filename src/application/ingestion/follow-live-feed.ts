// The follower of EDGAR's current feed: filings that it shows are added to the fetch queue, and queued filings are
// fetched and recorded, live ones first. Both run side by side, so that a slow archive never delays seeing the next
// filing.
import { pollWait } from '../../domain/shared/edgar-hours.ts'
import type { FetchQueue, FilingSource, FollowedForm, SourceProgress, WaitingFetch } from '../ports/filings.ts'
import type { RecordFilings } from '../commands/record-filings.ts'
import type { Clock, Monotonic, Wait } from '../ports/system.ts'

const PAGE = 100
/** Under which it is stored how far the feed of each form was read. */
const POSITIONS: Record<FollowedForm, string> = {
  4: 'current-feed',
  3: 'current-feed-3',
  5: 'current-feed-5',
  144: 'current-feed-144',
}
/** Between two readings of the feeds of Forms 3, 5 and 144. */
const OTHER_FORMS_MS = 60_000
/** When EDGAR last answered, and why it last did not: stored as positions of sources as well. */
export const ANSWERED = 'edgar-answered'
export const FAULT = 'edgar-fault'
/**
 * Seconds to the next attempt; the last repeats. A filing shows in the feed up to minutes before the archive has it.
 */
const RETRY_SECONDS = [1, 2, 3, 5, 10, 30, 60, 300, 1800]
/** A filing that can't be fetched for three days was withdrawn. */
const GONE_AFTER_MS = 72 * 3_600_000
/** The limiter spaces the requests; several at once hide their latency. */
const MAX_CONCURRENT_FETCHES = 4
/** The same for the other forms, besides: those that wait for their turn must not keep Forms 4 waiting. */
const MAX_OTHER_FETCHES = 2
const IDLE_MS = 500

export interface FollowReport {
  found(filings: number): void
  recorded(accession: string, outcome: string): void
  problem(what: string, reason: string): void
}

export interface FollowEdgar {
  /** Polls the current feed until the signal. */
  watch(signal: AbortSignal, report: FollowReport): Promise<void>
  /** Fetches queued filings until the signal or, with `untilEmpty`, until none waits. */
  fetch(signal: AbortSignal, report: FollowReport, untilEmpty?: boolean): Promise<void>
}

interface FollowEdgarDependencies {
  source: FilingSource
  queue: FetchQueue
  progress: SourceProgress
  record: RecordFilings
  clock: Clock
  monotonic: Monotonic
  wait: Wait
  /** Null leaves the pace to EDGAR's hours. */
  pollSeconds: number | null
}

export function makeFollowEdgar({
  source,
  queue,
  progress,
  record,
  clock,
  monotonic,
  wait,
  pollSeconds,
}: FollowEdgarDependencies): FollowEdgar {
  let found = () => {}
  return {
    watch: async (signal, report) => {
      const read = async (form: FollowedForm): Promise<void> => {
        const fresh = await readFeed({ source, queue, progress }, form, signal, report).catch((error: Error) => {
          if (!signal.aborted) report.problem(`current feed of Forms ${form}`, error.message)
          return 0
        })
        if (fresh > 0) report.found(fresh)
        if (fresh > 0) found()
      }
      const repeat = async (forms: readonly FollowedForm[], leastMs: number): Promise<void> => {
        while (!signal.aborted) {
          const start = monotonic()
          for (const form of forms) if (!signal.aborted) await read(form)
          const every = Math.max(leastMs, (pollSeconds ?? pollWait(clock() / 1000)) * 1000)
          await wait(Math.max(0, start + every - monotonic()), signal)
        }
      }
      await Promise.all([repeat(['4'], 0), repeat(['3', '5', '144'], pollSeconds === null ? OTHER_FORMS_MS : 0)])
    },
    fetch: async (signal, report, untilEmpty = false) => {
      const underWay = new Map<string, Promise<void>>()
      const others = new Set<string>()
      while (!signal.aborted) {
        // The answer may name one of these although it is settled by then.
        const before = new Set(underWay.keys())
        const due = await queue.due(MAX_CONCURRENT_FETCHES * 4, MAX_OTHER_FETCHES * 2).catch((error: Error) => {
          report.problem('fetch list', error.message)
          return []
        })
        for (const each of due) {
          const { accession } = each
          const isFull = isForm4(each)
            ? underWay.size - others.size >= MAX_CONCURRENT_FETCHES
            : others.size >= MAX_OTHER_FETCHES
          if (isFull || underWay.has(accession) || before.has(accession)) continue
          const fetching = fetchOne(each, { source, queue, record, clock }, signal, report)
          if (!isForm4(each)) others.add(accession)
          underWay.set(
            accession,
            fetching.finally(() => {
              underWay.delete(accession)
              others.delete(accession)
            }),
          )
        }
        if (untilEmpty && underWay.size === 0 && (await queue.countWaiting()) === 0) return
        const notified = new Promise<void>((resolve) => {
          found = resolve
        })
        await Promise.race([notified, wait(IDLE_MS, signal), ...underWay.values()])
      }
      await Promise.all(underWay.values())
    },
  }
}

// New filings push entries down during reading, so a page of known ones may hide a new one on the next: two such pages
// end the reading, or one if nothing was new. But it never ends before the newest filing of the last complete reading:
// one that broke off after its first pages, by a fault or a kill, has left a gap below filings that are known by now.
// The very first reading goes to the end.
async function readFeed(
  { source, queue, progress }: { source: FilingSource; queue: FetchQueue; progress: SourceProgress },
  form: FollowedForm,
  signal: AbortSignal,
  report: FollowReport,
): Promise<number> {
  const reached = Number((await progress.position(POSITIONS[form])) ?? Number.NEGATIVE_INFINITY)
  const times: number[] = []
  let fresh = 0
  for (let start = 0, knownPages = 0; !signal.aborted; start += PAGE) {
    const page = await source.currentFeed(start, signal, form)
    // The feed's end, at 5,000 entries.
    if (page.kind === 'missing') break
    if (page.kind !== 'ok') {
      report.problem('current feed', page.reason)
      await progress.move(FAULT, page.reason).catch(() => {
        /* good to know, and no more */
      })
      return fresh
    }
    if (start === 0)
      await progress.move(ANSWERED, '').catch(() => {
        /* the same */
      })
    const { filings, entries, unreadable } = page.value
    if (unreadable > 0)
      report.problem('current feed', `${unreadable} entries of Forms ${form} and ${form}/A could not be read`)
    const added = filings.length > 0 ? await queue.add(filings, 'live') : []
    fresh += added.length
    knownPages = added.length === 0 ? knownPages + 1 : 0
    times.push(...filings.flatMap((filing) => filing.acceptedAt ?? []))
    const isKnown = knownPages >= (fresh === 0 ? 1 : 2) && Math.min(...times) <= reached
    if (entries < PAGE || isKnown) break
  }
  const newest = Math.max(...times)
  if (!signal.aborted && times.length > 0 && newest !== reached) await progress.move(POSITIONS[form], String(newest))
  return fresh
}

const isForm4 = ({ formType }: Pick<WaitingFetch, 'formType'>): boolean => formType === '4' || formType === '4/A'

interface Fetching {
  source: FilingSource
  queue: FetchQueue
  record: RecordFilings
  clock: Clock
}

async function fetchOne(
  waiting: WaitingFetch,
  { source, queue, record, clock }: Fetching,
  signal: AbortSignal,
  report: FollowReport,
): Promise<void> {
  if (signal.aborted) return
  const { accession, path, foundAt, foundBy, attempts } = waiting
  try {
    const answer = await source.submission(waiting, isForm4(waiting) ? foundBy : 'other-forms', signal)
    if (answer.kind === 'ok') {
      const [recorded] = await record([{ path, bytes: answer.value, firstSeenAt: foundAt }])
      await queue.settle(accession, 'recorded', recorded!.reason)
      return report.recorded(accession, recorded!.outcome)
    }
    if (signal.aborted) return
    const absent = answer.kind === 'missing' || answer.kind === 'pending'
    if (absent && clock() - foundAt.getTime() > GONE_AFTER_MS) {
      await queue.settle(accession, 'gone', answer.reason)
      return report.problem(accession, `gone: ${answer.reason}`)
    }
    // A refusal is no fault of this filing: the source pauses on its own, and the filing is requested again right after
    // that.
    await queue.tryAgain(
      accession,
      answer.reason,
      absent ? RETRY_SECONDS[Math.min(attempts, RETRY_SECONDS.length - 1)]! : 1,
    )
    report.problem(accession, answer.reason)
  } catch (error) {
    if (signal.aborted) return
    const { message } = error as Error
    report.problem(accession, message)
    // Without a pause the same filing would be fetched over and over. If the queue fails as well, querying it pauses.
    await queue
      .tryAgain(accession, message, RETRY_SECONDS[Math.min(attempts, RETRY_SECONDS.length - 1)]!)
      .catch(() => {})
  }
}
