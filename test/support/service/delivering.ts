// The role deliver on its own, as the service runs it: with given stores and sender, and secrets stored in clear.
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { closeContainer, createContainer } from '../../../src/container/container.ts'
import { TYPES, type DeliveryTimings } from '../../../src/container/tokens.ts'
import type { Pool } from '../../../src/infrastructure/postgres/pool.ts'
import type { Redis } from '../../../src/infrastructure/redis/client.ts'
import type { HttpWebhookSender } from '../../../src/infrastructure/webhooks/sender.ts'
import { startDelivering } from '../../../src/service/roles/deliver-role.ts'
import { clearUnseal } from './alerts.ts'

export interface Delivering {
  databaseUrl: string
  pool: Pool
  redis: Redis
  sender: HttpWebhookSender
  log: Logger
  registry: Registry
  timings?: DeliveryTimings
}

/** `stop` closes what the role opened, and the sender; pool and Redis are the caller's. */
export function deliver(at: Delivering): { stop(): Promise<void> } {
  const container = createContainer({ pool: at.pool })
  container.bind(TYPES.deliveryPool).toConstantValue(at.pool)
  container.bind(TYPES.databaseUrl).toConstantValue(at.databaseUrl)
  container.bind(TYPES.redis).toConstantValue(at.redis)
  container.bind(TYPES.log).toConstantValue(at.log)
  container.bind(TYPES.registry).toConstantValue(at.registry)
  if (at.timings) container.bind(TYPES.deliveryTimings).toConstantValue(at.timings)
  container.rebind(TYPES.decrypt).toConstantValue(clearUnseal)
  container
    .rebind(TYPES.sender)
    .toConstantValue(at.sender)
    .onDeactivation((sender) => sender.close())
  const delivering = startDelivering(container)
  return {
    stop: async () => {
      await delivering.stop()
      await closeContainer(container)
    },
  }
}
