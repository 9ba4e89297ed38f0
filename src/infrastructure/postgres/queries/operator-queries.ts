// The adapter of the operator's queries; each question has its SQL in a file of its own.
import type {
  AddressRecord,
  OperatorDelivery,
  DeliveryFilter,
  DeliveryRecord,
  KeyRecord,
  OperatorQueries,
} from '../../../application/queries/operator-queries.ts'
import { DELIVERIES_CHANNEL } from '../alerts/outbox.ts'
import { isListenedTo } from '../coordination/notifications.ts'
import type { Pool } from '../pool.ts'
import { listApiKeys } from './list-api-keys.ts'
import { listDeliveries } from './list-deliveries.ts'
import { showDelivery } from './show-delivery.ts'
import { troubledAddresses } from './troubled-addresses.ts'

export class PostgresOperatorQueries implements OperatorQueries {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  apiKeys(): Promise<KeyRecord[]> {
    return listApiKeys(this.#pool)
  }

  deliveries(filter: DeliveryFilter): Promise<DeliveryRecord[]> {
    return listDeliveries(this.#pool, filter)
  }

  delivery(id: string): Promise<OperatorDelivery | null> {
    return showDelivery(this.#pool, id)
  }

  troubledAddresses(): Promise<AddressRecord[]> {
    return troubledAddresses(this.#pool)
  }

  isDelivering(): Promise<boolean> {
    return isListenedTo(this.#pool, DELIVERIES_CHANNEL)
  }
}
