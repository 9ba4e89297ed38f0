// The index of the search, rebuilt every day and after work that changes many names, beside everything else that the
// active process does: new filings do not wait for it.
import type { Logger } from 'pino'
import type { SearchTerms } from '../../application/ports/analytics.ts'

const DAY_MS = 86_400_000

/** After a start, where there are terms: a process that ends soon after each start makes none. */
const FIRST_MS = 600_000

export interface SearchTermsKeeper {
  /** Makes them now if there are none, else in ten minutes. */
  begin(): Promise<void>
  /** Makes them again: now, or when the making that is under way has ended. */
  makeAgain(): void
  /** Resolves when nothing is under way any more. */
  settled(): Promise<void>
}

/** Keeps the terms until `signal`. */
export function keepSearchTerms(terms: SearchTerms, log: Logger, signal: AbortSignal): SearchTermsKeeper {
  let isDue = false
  let making: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const make = async () => {
    while (isDue && !signal.aborted) {
      isDue = false
      await terms.make(signal).then(
        () => log.info('rebuilt the search index'),
        (error: unknown) => signal.aborted || log.warn({ err: error }, 'could not rebuild the search index'),
      )
    }
  }
  const makeAgain = () => {
    if (signal.aborted) return
    isDue = true
    making ??= make().finally(() => (making = undefined))
    clearTimeout(timer)
    timer = setTimeout(makeAgain, DAY_MS)
  }
  const begin = async () => {
    if (!(await terms.exist())) makeAgain()
    else if (!signal.aborted) timer = setTimeout(makeAgain, FIRST_MS)
  }
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  return { begin, makeAgain, settled: async () => making }
}
