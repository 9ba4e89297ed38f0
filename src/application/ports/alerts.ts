// What alerts need from outside: keys, watchlists, the outbox and its deliveries (PostgreSQL), the stream that carries
// them (Redis), the sender (HTTP). PostgreSQL decides everything; the stream only makes it quick.
import type { Cik, Ticker } from '../../domain/shared/identifiers.ts'
import type { AttemptOutcome, NextStep } from '../../domain/alerts/retry-schedule.ts'

const EVENT_TYPES = ['transaction.created', 'transaction.amended', 'signal.detected', 'signal.escalated'] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Something that those who watch the issuer are told. */
export interface RaisedEvent {
  /** Derived from what it is about: raised again, it is the same event. */
  id: string
  type: EventType
  issuerCik: Cik
  /** All symbols that lead to the issuer. */
  symbols: Ticker[]
  /** Milliseconds since 1970. */
  createdAt: number
  /** The `data` of the body, as JSON. */
  data: string
}

/** As the operator sees it; no secret. Times are null where it has not come to that. */
export interface KeyRecord {
  id: string
  name: string
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
}

/** What is needed to judge a key that a caller brings. */
export interface KeyProof {
  secretHash: Buffer
  expiresAt: Date | null
  revokedAt: Date | null
}

/** API keys (PostgreSQL). Webhook secrets go in and come out in clear, and lie there encrypted. */
export interface KeyStore {
  add(key: {
    id: string
    name: string
    secretHash: Buffer
    webhookSecret: string
    expiresAt: Date | null
  }): Promise<void>
  /** Null for an id that nobody has. */
  proof(id: string): Promise<KeyProof | null>
  /** Newest first. */
  list(): Promise<KeyRecord[]>
  /** False where there is none of that id, or it is revoked. */
  revoke(id: string): Promise<boolean>
  /** The new secret signs from now on, the one before it as well until then. False as for `revoke`. */
  rotateSecret(id: string, webhookSecret: string, previousUntil: Date): Promise<boolean>
  used(ids: { id: string; at: Date }[]): Promise<void>
}

export interface WatchlistEntry {
  ticker: Ticker
  addedAt: Date
}

/** Watchlists (PostgreSQL), each of one key. */
export interface Watchlists {
  /** Newest first. */
  entries(keyId: string): Promise<WatchlistEntry[]>
  /**
   * Adds, or sets the address of what is there. An address that was disabled is tried again. `full` where it would be one
   * more than `most`.
   */
  put(
    keyId: string,
    ticker: Ticker,
    webhookUrl: string | null,
    most: number,
  ): Promise<{ addedAt: Date; isNew: boolean } | 'full'>
  /** Whether any entry of any key has an address. */
  hasAddress(): Promise<boolean>
  /** False where it is not there. What waits for an address that no entry of the key has any more is dropped. */
  remove(keyId: string, ticker: Ticker): Promise<boolean>
}

/** A delivery as the stream carries it. */
export interface StreamItem {
  deliveryId: string
  /** Equal for deliveries to one address of one key. */
  endpoint: string
}

/** One that was read, with its place in the stream. */
export interface StreamEntry extends StreamItem {
  entry: string
}

/** The way from the outbox to the workers (Redis Streams). Each call rejects while Redis is away; all may be repeated. */
export interface DeliveryStream {
  publish(items: StreamItem[]): Promise<void>
  /** New entries for this worker; waits up to `milliseconds` for the first. */
  read(count: number, milliseconds: number): Promise<StreamEntry[]>
  /** Entries that a worker, which may be gone, has had for so long without being done. */
  claim(idleMilliseconds: number, count: number): Promise<StreamEntry[]>
  done(entries: string[]): Promise<void>
  /** How many entries are not done. */
  length(): Promise<number>
  close(): Promise<void>
}

/** A delivery in this worker's hands. */
export interface LeasedDelivery {
  id: string
  lease: string
  keyId: string
  url: string
  /** To go into the data, where the event is one that names it. */
  ticker: string | null
  /** Attempts made before. */
  attempts: number
  eventType: string
  /** Milliseconds since 1970, of the event. */
  createdAt: number
  /** The `data` of the body, as JSON. */
  data: string
  /** `whsec_...`, the present one first. */
  secrets: string[]
  /** Milliseconds since 1970; null where the address does not fail, or was not tried for a day. */
  failingSince: number | null
}

/** An attempt that was made, and what follows from it. */
export interface SettledAttempt {
  delivery: LeasedDelivery
  attempt: Attempt
  next: NextStep
}

/** An address that gets no more. */
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

/** The outbox and what becomes of it (PostgreSQL). */
export interface Deliveries {
  /**
   * Hands what is due and not published to `publish`, and marks it published once that resolved; how many. Several processes
   * may do it at once. Of an address that fails one at a time.
   */
  publishDue(limit: number, publish: (items: StreamItem[]) => Promise<void>): Promise<number>
  /** Whatever was published so long ago, is due and in nobody's hands is to be published again; how many. */
  sweep(seconds: number): Promise<number>
  /**
   * Takes those that are due and in nobody's hands. What may not be sent any more (key or address) is settled as dead; of an
   * address that fails one is taken while none is in anybody's hands, and the rest is given back.
   */
  lease(ids: string[], seconds: number): Promise<LeasedDelivery[]>
  /**
   * Records attempts and what follows; the addresses that this disabled. One whose lease ran out and was taken by another
   * changes nothing. A retry is counted from the attempt's end.
   */
  settle(attempts: SettledAttempt[]): Promise<DisabledAddress[]>
  /** Gives back what was published and not leased. */
  unpublish(ids: string[]): Promise<void>
  /** Deletes what was settled before that day, and events that nobody is told of any more, some at a time; how many. */
  prune(before: Date): Promise<number>
}

/** Sends signed webhooks (HTTP). Never rejects: whatever happens is an outcome. */
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
