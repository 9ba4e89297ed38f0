// Adds companies to the watchlist of a key and removes them, with the address that alerts on them go to.
import type { Ticker } from '../../domain/shared/identifiers.ts'
import { canonicalCompany, parseCompany } from '../../domain/filings/ticker-symbol.ts'
import type { Watchlists } from '../ports/alerts.ts'
import { ServiceError, type ErrorCode } from '../errors.ts'
import { watchedCompany } from '../queries/key-queries.ts'
import type { Queries } from '../queries/queries.ts'

const MAX_ENTRIES = 1_000
const FULL = 'The watchlist is full: it has the maximum of 1,000 entries'

/** Changes the list of one key. */
export interface Watchlist {
  /**
   * Adds an entry, or sets the address of an existing one; null removes the address. `detail`: transactions of its
   * events have their details; `notices`: notices of proposed sales raise events too. Throws `invalid_body`,
   * `webhook_url_refused` or `watchlist_full`. The warning says that no company has the symbol.
   */
  add(
    keyId: string,
    ticker: string,
    webhookUrl: string | null,
    options?: { detail?: boolean; notices?: boolean },
  ): Promise<{ entry: { ticker: string; addedAt: string }; isNew: boolean; warning?: string }>
  /** Throws `invalid_parameter` or `not_on_watchlist`. */
  remove(keyId: string, ticker: string): Promise<void>
}

/** Makes the watchlist. `checkWebhookUrl` throws `webhook_url_refused` for an address that alerts must not go to. */
export function makeWatchlist(
  store: Watchlists,
  checkWebhookUrl: (text: string) => Promise<void>,
  queries: Pick<Queries, 'issuers'>,
): Watchlist {
  // The entry is added whether companies can be looked up or not, so that other errors count for nothing.
  const isOfNone = async (ticker: Ticker): Promise<boolean> => {
    try {
      return (await queries.issuers([parseCompany(ticker)!])).issuers.length === 0
    } catch (error) {
      return error instanceof ServiceError && error.code === 'unknown_ticker'
    }
  }
  return {
    add: async (keyId, text, webhookUrl, { detail = false, notices = false } = {}) => {
      const ticker = wellFormedTicker(text, 'invalid_body', 'body.ticker')
      if (webhookUrl !== null) await checkWebhookUrl(webhookUrl)
      const put = await store.put(keyId, { ticker, webhookUrl, detail, notices }, MAX_ENTRIES)
      if (put === 'full') throw new ServiceError('watchlist_full', FULL)
      const warning = `No company has the symbol ${ticker} at present. Alerts begin once one has.`
      const added = { entry: watchedCompany({ ticker, addedAt: put.addedAt }), isNew: put.isNew }
      return (await isOfNone(ticker)) ? { ...added, warning } : added
    },
    remove: async (keyId, text) => {
      const isGone = await store.remove(keyId, wellFormedTicker(text, 'invalid_parameter', 'path.ticker'))
      if (!isGone) throw new ServiceError('not_on_watchlist', 'This company is not on your watchlist')
    },
  }
}

/** Returns the canonical symbol. Throws `code` at `path` if it is not well-formed. */
export function wellFormedTicker(text: string, code: ErrorCode, path: string): Ticker {
  const ticker = canonicalCompany(text)
  if (ticker !== null) return ticker
  throw new ServiceError(code, 'The ticker is not well-formed', [
    { path, message: 'must be a ticker symbol such as BRK-B, or a CIK such as CIK0000320193' },
  ])
}
