// What the operator can query on the command line: API keys, deliveries and the addresses they go to, answered by
// PostgreSQL.

/** A key without its secrets. Times are null if it has not happened. */
export interface KeyRecord {
  id: string
  name: string
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
}

export interface DeliveryRecord {
  id: string
  event: string
  keyId: string
  /** Without its query, which may hold a secret of the receiver. */
  url: string
  status: 'waiting' | 'delivered' | 'dead'
  reason: string | null
  attempts: number
  createdAt: Date
  /** Null once settled. */
  nextAttemptAt: Date | null
  settledAt: Date | null
}

export interface AttemptRecord {
  number: number
  at: Date
  milliseconds: number
  status: number | null
  error: string | null
  /** The first 16 KiB of the answer, as text. */
  answer: string | null
}

/** A delivery with every attempt; `data` is the event's, as JSON. */
export interface OperatorDelivery extends DeliveryRecord {
  data: string | null
  attemptsMade: AttemptRecord[]
}

export interface AddressRecord {
  keyId: string
  url: string
  failingSince: Date | null
  disabledAt: Date | null
  disabledReason: string | null
  waiting: number
}

export interface DeliveryFilter {
  status?: string | undefined
  keyId?: string | undefined
  since?: Date | undefined
  limit: number
}

export interface OperatorQueries {
  /** Returns all keys, newest first. */
  apiKeys(): Promise<KeyRecord[]>
  /** Returns the newest first. */
  deliveries(filter: DeliveryFilter): Promise<DeliveryRecord[]>
  /** Returns null for an unknown id. */
  delivery(id: string): Promise<OperatorDelivery | null>
  /** Returns addresses that are failing or disabled, those failing longest first. */
  troubledAddresses(): Promise<AddressRecord[]>
  /** Returns whether any process on any machine delivers now. */
  isDelivering(): Promise<boolean>
}
