// Ports of alerts: keys, watchlists, the outbox and its deliveries (PostgreSQL), the stream to the workers (Redis), the
// sender (HTTP). PostgreSQL decides everything; the stream only makes it fast.
import type { components } from '../../contract.ts'
import type { Cik, Ticker } from '../../domain/shared/identifiers.ts'
import type { AttemptOutcome, NextStep } from '../../domain/alerts/retry-schedule.ts'

type Schemas = components['schemas']
export type EventType = Schemas['AlertEvent']
export type AlertFilter = Schemas['AlertFilter']

/** Where alerts of a key go to. */
export type Destination = Required<Schemas['AlertDestination']>

export type Format = Destination['format']
export const FORMATS = ['standard', 'slack', 'discord'] as const satisfies Format[]

/** A rule that an event matches. */
export interface MatchingRule {
  id: string
  /** The places of the transactions that pass, among those of the event; absent for signals. */
  passing?: number[]
  /** How many transactions the event has. */
  of?: number
}

/** An event for the keys that watch the issuer, and for the rules that it matches. */
export interface RaisedEvent {
  /** Made from type and subject, so an event that is raised again has the same id. */
  id: string
  type: EventType
  issuerCik: Cik
  /** All symbols that lead to the issuer. */
  symbols: Ticker[]
  /** Milliseconds since 1970. */
  createdAt: number
  /** JSON from which `WebhookBody` makes the `data` of the body. */
  data: string
  /** The company's symbol, for bodies of rules; null for events that name none. */
  ticker: Ticker | null
  rules: MatchingRule[]
}

/** What is needed to verify a caller's key. */
export interface KeyProof {
  secretHash: Buffer
  expiresAt: Date | null
  revokedAt: Date | null
}

/** API keys (PostgreSQL). Webhook secrets are passed in clear and stored encrypted. */
export interface KeyStore {
  add(key: {
    id: string
    name: string
    secretHash: Buffer
    webhookSecret: string
    expiresAt: Date | null
  }): Promise<void>
  /** Returns null for an unknown id. */
  proof(id: string): Promise<KeyProof | null>
  /** Returns false if no key has this id, or it is revoked. */
  revoke(id: string): Promise<boolean>
  /**
   * Signs with the new secret from now on, and with the previous one as well until the date. Returns false as `revoke`
   * does.
   */
  rotateSecret(id: string, webhookSecret: string, previousUntil: Date): Promise<boolean>
  /** Records when keys were last used. */
  used(uses: { id: string; at: Date }[]): Promise<void>
}

export interface WatchlistEntry {
  ticker: Ticker
  addedAt: Date
  detail: boolean
  /** Notices of proposed sales raise alerts too. */
  notices: boolean
  /** Null where no address is set. */
  webhook: ({ url: string } & AddressState) | null
}

/** Whether deliveries to an address of a key succeed. */
export interface AddressState {
  status: 'active' | 'failing' | 'disabled'
  /** Since when; null for an active one. */
  since: Date | null
  reason: string | null
}

/** Watchlists (PostgreSQL), each of one key. */
export interface Watchlists {
  /** Newest first. */
  entries(keyId: string): Promise<WatchlistEntry[]>
  /**
   * Adds an entry, or sets the address of an existing one. A disabled address is tried again. Returns `full` if it
   * would be one more than `most`.
   */
  put(
    keyId: string,
    entry: { ticker: Ticker; webhookUrl: string | null; detail: boolean; notices?: boolean },
    most: number,
  ): Promise<{ addedAt: Date; isNew: boolean } | 'full'>
  /**
   * Returns false if it is not there. Drops deliveries that wait for an address which no entry of the key has any more.
   */
  remove(keyId: string, ticker: Ticker): Promise<boolean>
}

/** The parts of an alert rule that the holder of a key sets, with what holds where one is left out. */
export interface RuleSettings extends Required<Omit<Schemas['AlertSettings'], 'signalTypes' | 'minSeverity'>> {
  signalTypes: Schemas['SignalType'][] | null
  minSeverity: Schemas['Severity'] | null
  destination: Destination
}

export interface StoredRule extends RuleSettings {
  id: string
  createdAt: Date
  updatedAt: Date
  lastMatchedAt: Date | null
  health: AddressState
}

/** The alert rules of API keys (PostgreSQL). A key sees its own rules only. */
export interface AlertRuleStore {
  /** Newest first. */
  list(keyId: string): Promise<StoredRule[]>
  get(keyId: string, id: string): Promise<StoredRule | null>
  /** Returns null if it would be one more than `most`. */
  add(keyId: string, id: string, settings: RuleSettings, most: number): Promise<StoredRule | null>
  /**
   * Returns null if the key has no such rule. Deliveries that wait for an address which no entry or rule of the key has
   * any more go to the new address.
   */
  replace(keyId: string, id: string, settings: RuleSettings): Promise<StoredRule | null>
  remove(keyId: string, id: string): Promise<boolean>
}

/** The parts of an enabled rule that matching needs. */
export type ActiveRule = { id: string } & Pick<RuleSettings, 'events' | 'filter' | 'signalTypes' | 'minSeverity'>

/** The alert rules in use and the needs of all recipients, over all keys. */
export interface ActiveAlerts {
  /** Whether any entry or rule has an address. */
  any: boolean
  /** Whether any entry or rule asks for details of transactions. */
  detail: boolean
  /** The same object while no rule changes; null if there are none. */
  rules: SharedRules | null
}

/**
 * Rules as JSON, an array of ActiveRule, in memory that threads share: they are too many to be copied for each event.
 */
export interface SharedRules {
  /** Of these rules alone, in any process. */
  id: string
  json: SharedArrayBuffer
}

export interface ActiveAlertsStore {
  /** Returns at least what was committed before the call. */
  current(): Promise<ActiveAlerts>
}

/** A delivery as the stream carries it. */
export interface StreamItem {
  deliveryId: string
  /** Equal for deliveries to one address of one key. */
  endpoint: string
}

/** An entry that was read, with its position in the stream. */
export interface StreamEntry extends StreamItem {
  entry: string
}

/**
 * The stream from the outbox to the workers (Redis Streams). Each call rejects while Redis is away; all may be
 * repeated.
 */
export interface DeliveryStream {
  publish(items: StreamItem[]): Promise<void>
  /** Returns new entries for this worker; waits up to `milliseconds` for the first. */
  read(count: number, milliseconds: number): Promise<StreamEntry[]>
  /** Claims entries that another worker read this long ago and has not marked as done; it may have died. */
  claim(idleMilliseconds: number, count: number): Promise<StreamEntry[]>
  done(entries: string[]): Promise<void>
  /** Returns how many entries are not done. */
  length(): Promise<number>
  close(): Promise<void>
}

/** A delivery that this worker has leased. */
export interface LeasedDelivery {
  id: string
  lease: string
  keyId: string
  url: string
  format: Format
  /** Added to the data, if the event has a ticker. */
  ticker: string | null
  /** Null where that was not recorded, as of tests. */
  matched: Match[] | null
  /** Empty for a test. */
  issuerCik: Cik
  /** Attempts made before. */
  attempts: number
  eventType: string
  /** Milliseconds since 1970, of the event. */
  createdAt: number
  /** What `webhookBody` makes the `data` of the body from, as JSON. */
  data: string
  /** `whsec_...`, the present one first. */
  secrets: string[]
  /** Milliseconds since 1970; null if the address does not fail, or was not tried for a day. */
  failingSince: number | null
}

/** A rule or an entry of a watchlist that a delivery is sent for. */
export type Match = { detail?: boolean } & (
  | ({ kind: 'alert'; name: string } & MatchingRule)
  | { kind: 'watchlist'; ticker: Ticker }
)

/** An attempt that was made, and the next step of its delivery. */
export interface FinishedAttempt {
  delivery: LeasedDelivery
  attempt: Attempt
  next: NextStep
}

/** An address that was disabled. */
export interface DisabledAddress {
  keyId: string
  url: string
  reason: string
}

/** One request to a receiver. */
export interface Attempt {
  /** When it began, in milliseconds since 1970. */
  at: number
  milliseconds: number
  outcome: AttemptOutcome
  /** The first 16 KiB of the answer's body. */
  answer: Buffer | null
}

/** The outbox and its deliveries (PostgreSQL). */
export interface Deliveries {
  /**
   * Passes due, unpublished deliveries to `publish`, and marks them as published once that resolved. Returns the count.
   * Of deliveries to a failing address, passes one at a time. Several processes may call it at once.
   */
  publishDue(limit: number, publish: (items: StreamItem[]) => Promise<void>): Promise<number>
  /** Re-queues deliveries published more than `seconds` ago that are due and not leased. Returns the count. */
  sweep(seconds: number): Promise<number>
  /**
   * Leases the deliveries that are due and not leased. Marks as dead those that may no longer be sent, because of their
   * key or address. To a failing address it leases one delivery at a time, and unpublishes the others.
   */
  lease(ids: string[], seconds: number): Promise<LeasedDelivery[]>
  /**
   * Records attempts and the next steps of their deliveries; returns the addresses that this disabled. An attempt whose
   * lease expired and was taken by another worker changes nothing. A retry is scheduled from the attempt's end.
   */
  recordAttempts(attempts: FinishedAttempt[]): Promise<DisabledAddress[]>
  /**
   * Counts an attempt that can't be recorded in full, and sets the next step of its delivery, which would otherwise be
   * sent again without end.
   */
  countAttempt(attempt: FinishedAttempt): Promise<void>
  /** Unpublishes deliveries that are not leased. */
  unpublish(ids: string[]): Promise<void>
  /** Deletes deliveries that ended before the date, and events without deliveries, a batch of each. Returns the count. */
  prune(before: Date): Promise<number>
}

/** Sends signed webhooks (HTTP). Never rejects: every failure is an outcome. */
export interface WebhookSender {
  send(message: WebhookMessage): Promise<Attempt>
  close(): Promise<void>
}

export interface WebhookMessage {
  id: string
  url: string
  body: string
  /** `whsec_...`; each signs. */
  secrets: string[]
}
