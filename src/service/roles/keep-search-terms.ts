// The terms of the search, made again every day and after work that changes many names, beside everything else that the
// active process does: new filings do not wait for it.
import type { Logger } from 'pino'
import type { SearchTerms } from '../../application/ports/analytics.ts'

const DAY_MS = 86_400_000

export interface SearchTermsKeeper {
  /** Makes them again: now, or when the making that is under way has ended. */
  makeAgain(): void
  /** Resolves when nothing is under way any more. */
  settled(): Promise<void>
}

/** Keeps the terms until `signal`; the first are made at the first call of `makeAgain`. */
export function keepSearchTerms(terms: SearchTerms, log: Logger, signal: AbortSignal): SearchTermsKeeper {
  let isDue = false
  let making: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const make = async () => {
    while (isDue && !signal.aborted) {
      isDue = false
      await terms.make(signal).then(
        () => log.info('made the terms of the search'),
        (error: unknown) => signal.aborted || log.warn({ err: error }, 'could not make the terms of the search'),
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
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  return { makeAgain, settled: async () => making }
}
