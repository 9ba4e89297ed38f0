// What the holder of an API key can query, answered by PostgreSQL.
import type { components } from '../../contract.ts'
import type { Cik, Ticker } from '../../domain/shared/identifiers.ts'
import { timestampOf } from '../../domain/shared/new-york-time.ts'
import type { Watchlists } from '../ports/alerts.ts'

type Schemas = components['schemas']
export type ShownDelivery = Schemas['Delivery']
export type DeliveryDetail = Schemas['DeliveryDetail']
export type DeliveryPage = Schemas['DeliveryPage']

/** As the contract has it; times are `YYYY-MM-DDThh:mm:ssZ`. */
export interface WatchedCompany {
  ticker: string
  addedAt: string
}

export interface DeliveriesAsked {
  status?: ShownDelivery['status']
  /** About a company: events of these issuers, and tests of an entry of this name. */
  about?: { ticker: Ticker; issuers: Cik[] }
  cursor?: string
  limit: number
}

export interface KeyQueries {
  /** The companies on the watchlist of this key, newest first. */
  watchlist(keyId: string): Promise<WatchedCompany[]>
  /** A page of the deliveries of this key, newest first. Throws `invalid_cursor`. */
  deliveries(keyId: string, asked: DeliveriesAsked): Promise<DeliveryPage>
  /** Returns null for an unknown id, and for another key's. */
  delivery(keyId: string, id: string): Promise<DeliveryDetail | null>
}

export function makeKeyQueries(
  store: Pick<Watchlists, 'entries'>,
  deliveries: Pick<KeyQueries, 'deliveries' | 'delivery'>,
): KeyQueries {
  return {
    ...deliveries,
    watchlist: async (keyId) => (await store.entries(keyId)).map(watchedCompany),
  }
}

export function watchedCompany({ ticker, addedAt }: { ticker: string; addedAt: Date }): WatchedCompany {
  return { ticker, addedAt: timestampOf(Math.floor(addedAt.getTime() / 1000)) }
}
