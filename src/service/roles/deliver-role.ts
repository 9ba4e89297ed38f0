// The role deliver: runs the outbox relay and the delivery worker in the background, and reports to log and metrics.
import type { Logger } from 'pino'
import type { Container } from '../../container/container.ts'
import { resolve } from '../../container/named.ts'
import { TYPES, type DeliveryEvents } from '../../container/tokens.ts'
import { registerDeliveryMetrics, type DeliveryMetrics } from '../metrics/deliveries.ts'

/** Delivers until stopped. Stopping waits for requests in progress, which end by their deadline. */
export function startDelivering(container: Container): { stop(): Promise<void> } {
  const { log, registry, callersPool } = resolve(container, {
    log: TYPES.log,
    registry: TYPES.registry,
    callersPool: TYPES.callersPool,
  })
  const metrics = registerDeliveryMetrics(registry, callersPool)
  container.bind(TYPES.deliveryReport).toConstantValue(reportTo(log, metrics))
  resolve(container, { loops: TYPES.deliveryLoops }).loops.start()
  return { stop: () => container.unbindAsync(TYPES.deliveryLoops) }
}

function reportTo(log: Logger, metrics: DeliveryMetrics): DeliveryEvents {
  return {
    attempted: ({ id, keyId }, { outcome, milliseconds }) => {
      metrics.attempted({ outcome, milliseconds })
      log.debug({ delivery: id, keyId, outcome, milliseconds }, 'webhook attempted')
    },
    disabled: ({ keyId, url, reason }) => log.warn({ keyId, host: hostOf(url), reason }, 'webhook address disabled'),
    failed: (what, error) => log.warn({ what, err: error }, 'a step of delivery failed'),
    undecryptable: (keyId, { message }) => log.error({ keyId, reason: message }, 'could not decrypt a webhook secret'),
    streamError: (error) => log.debug({ err: error }, 'Redis connection of the delivery stream failed'),
    streamRepaired: (what) => log.warn({ what }, 'delivery stream repaired'),
    streamLost: metrics.lost,
  }
}

/** Returns the host of an address. The rest is not logged, since it may contain a secret of the receiver. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '(not a URL)'
}
