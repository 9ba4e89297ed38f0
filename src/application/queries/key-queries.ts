// What the holder of an API key can query, answered by PostgreSQL.
import type { components } from '../../contract.ts'
import type { Cik, Ticker } from '../../domain/shared/identifiers.ts'
import { timestampOf } from '../../domain/shared/new-york-time.ts'
import type { AlertRuleStore, StoredRule, WatchlistEntry, Watchlists } from '../ports/alerts.ts'

type Schemas = components['schemas']
export type ShownDelivery = Schemas['Delivery']
export type DeliveryDetail = Schemas['DeliveryDetail']
export type DeliveryPage = Schemas['DeliveryPage']

/** As the contract has it; times are `YYYY-MM-DDThh:mm:ssZ`. */
type WatchedCompany = Schemas['WatchedCompany']

export interface DeliveryListRequest {
  status?: ShownDelivery['status']
  /** About a company: events of these issuers, and tests of an entry of this name. */
  about?: { ticker: Ticker; issuers: Cik[] }
  /** That this rule matched. */
  alertId?: string
  cursor?: string
  limit: number
}

export interface KeyQueries {
  /** The companies on the watchlist of this key, newest first. */
  watchlist(keyId: string, detail?: boolean): Promise<WatchedCompany[]>
  /** The rules of this key, newest first. */
  alerts(keyId: string): Promise<Schemas['Alert'][]>
  /** Returns null for an unknown id, and for another key's. */
  alert(keyId: string, id: string): Promise<Schemas['Alert'] | null>
  /** A page of the deliveries of this key, newest first. Throws `invalid_cursor`. */
  deliveries(keyId: string, asked: DeliveryListRequest): Promise<DeliveryPage>
  /** Returns null for an unknown id, and for another key's. */
  delivery(keyId: string, id: string): Promise<DeliveryDetail | null>
}

export function makeKeyQueries(
  store: Pick<Watchlists, 'entries'>,
  rules: Pick<AlertRuleStore, 'list' | 'get'>,
  deliveries: Pick<KeyQueries, 'deliveries' | 'delivery'>,
): KeyQueries {
  return {
    ...deliveries,
    watchlist: async (keyId, detail = false) =>
      (await store.entries(keyId)).map((entry) => ({
        ...watchedCompany(entry),
        ...(detail && {
          detail: entry.detail,
          notices: entry.notices,
          webhook: entry.webhook && shownWebhook(entry.webhook),
        }),
      })),
    alerts: async (keyId) => (await rules.list(keyId)).map(shownAlert),
    alert: async (keyId, id) => {
      const rule = await rules.get(keyId, id)
      return rule && shownAlert(rule)
    },
  }
}

export function watchedCompany({ ticker, addedAt }: { ticker: string; addedAt: Date }) {
  return { ticker, addedAt: timestamp(addedAt) }
}

function shownWebhook({
  url,
  status,
  since,
  reason,
}: NonNullable<WatchlistEntry['webhook']>): Schemas['WatchedWebhook'] {
  return { host: new URL(url).host, status, since: since && timestamp(since), reason }
}

/** Returns a rule as the contract has it. */
export function shownAlert(rule: StoredRule): Schemas['Alert'] {
  const { id, name, enabled, events, filter, signalTypes, minSeverity, destination, detail, health } = rule
  return {
    ...{ id, name, enabled, events, filter, detail },
    ...(signalTypes && { signalTypes }),
    ...(minSeverity && { minSeverity }),
    destination,
    createdAt: timestamp(rule.createdAt),
    updatedAt: timestamp(rule.updatedAt),
    lastMatchedAt: rule.lastMatchedAt && timestamp(rule.lastMatchedAt),
    health: {
      status: health.status === 'active' ? 'ok' : health.status,
      since: health.since && timestamp(health.since),
      lastError: health.reason,
    },
  }
}

const timestamp = (date: Date): string => timestampOf(Math.floor(date.getTime() / 1000))
