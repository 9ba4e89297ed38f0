// What the holder of an API key can query, answered by PostgreSQL.
import { timestampOf } from '../../domain/shared/new-york-time.ts'
import type { Watchlists } from '../ports/alerts.ts'

/** As the contract has it; times are `YYYY-MM-DDThh:mm:ssZ`. */
export interface WatchedCompany {
  ticker: string
  addedAt: string
}

export interface KeyQueries {
  /** The companies on the watchlist of this key, newest first. */
  watchlist(keyId: string): Promise<WatchedCompany[]>
}

export function makeKeyQueries(store: Pick<Watchlists, 'entries'>): KeyQueries {
  return {
    watchlist: async (keyId) => (await store.entries(keyId)).map(watchedCompany),
  }
}

export function watchedCompany({ ticker, addedAt }: { ticker: string; addedAt: Date }): WatchedCompany {
  return { ticker, addedAt: timestampOf(Math.floor(addedAt.getTime() / 1000)) }
}
