// Errors as answers for a language model: the contract's code, what is wrong, and what to do next.
import { cell } from './tables.ts'

/** What to do about an error, by the contract's code or that of a client. */
const NEXT: Readonly<Record<string, string>> = {
  unknown_ticker: 'insider_search finds symbols by names.',
  unknown_insider: 'insider_search with kinds=insider finds CIKs by names.',
  unknown_signal: 'insider_signals lists ids.',
  unknown_notice: 'insider_notices lists what is here.',
  unknown_filing: 'insider_trades has ids, which begin with the accession number; insider_coverage says what is here.',
  invalid_parameter: 'correct the argument that is named.',
  invalid_body: 'correct the argument that is named.',
  invalid_cursor: 'ask again without cursor, or with the filters of the answer that it is from.',
  invalid_api_key: 'ask the user for a valid key.',
  missing_api_key: 'ask the user for a key.',
  not_on_watchlist: 'insider_watchlist lists what is watched.',
  watchlist_full: 'insider_unwatch removes companies.',
  rate_limited: 'wait a minute before the next call, and ask for more rows in one call.',
  unavailable: 'try once more in a few seconds, with narrower filters; then tell the user.',
  misdirected_request: 'tell the user what the service needs to be set to.',
  connection_failed: 'tell the user that the service cannot be reached; make up starts it.',
  timed_out: 'try once more with narrower filters.',
}

/** Says nothing of what a store said: the service's own errors have codes. */
export const INTERNAL = 'internal_error: the service failed. Next: tell the user; try another question.'

interface Failure {
  code?: unknown
  message?: unknown
  isForCallers?: unknown
  details?: readonly { path: string; message: string }[]
}

/** Returns what was thrown as text; null if it is no error of the contract. */
export function failureText(thrown: unknown): string | null {
  const { code, message, details = [], isForCallers } = (thrown ?? {}) as Failure
  if (typeof code !== 'string' || typeof message !== 'string') return null
  const next = NEXT[code]
  if (next === undefined) return null
  // A store's message may name hosts or queries.
  const isHidden = code === 'unavailable' && isForCallers !== true
  const said = isHidden ? 'the service is temporarily unavailable' : cell(message, 500)
  const faults = details
    .filter((detail) => !message.includes(detail.message))
    .map(({ path, message }) => {
      // Others name the parameter themselves.
      const name = /^(is|must|element) /.test(message) ? `${cell(path.replace(/^\w+\./, ''))} ` : ''
      return name + cell(message, 300)
    })
  return `${code}: ${[said, ...faults].join('; ')}. Next: ${next}`
}
