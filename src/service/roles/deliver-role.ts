// The role deliver: runs the outbox relay and the delivery worker in the background.
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { WebhookSender } from '../../application/ports/alerts.ts'
import { DeliveryWorker, type DeliverySettings } from '../../application/alerts/delivery-worker.ts'
import { OutboxRelay, type RelaySettings } from '../../application/alerts/relay-outbox.ts'
import { PostgresDeliveries, type Decrypt } from '../../infrastructure/postgres/alerts/deliveries.ts'
import { listenFor } from '../../infrastructure/postgres/coordination/notifications.ts'
import { DELIVERIES_CHANNEL } from '../../infrastructure/postgres/alerts/outbox.ts'
import type { Pool } from '../../infrastructure/postgres/pool.ts'
import type { Redis } from '../../infrastructure/redis/client.ts'
import { RedisDeliveryStream } from '../../infrastructure/redis/delivery-stream.ts'
import { registerDeliveryMetrics } from '../metrics/deliveries.ts'
import type { Clock, Wait } from '../../application/ports/system.ts'

export interface DeliverRole {
  databaseUrl: string
  pool: Pool
  /** Pool for the counts in /metrics, with the time limits of requests. */
  countsPool?: Pool
  /** Client whose settings the role uses for connections of its own. */
  redis: Redis
  sender: WebhookSender
  decrypt: Decrypt
  log: Logger
  registry: Registry
  clock?: Clock
  /** Shorter timings for tests. */
  settings?: { worker?: DeliverySettings; relay?: RelaySettings; stream?: string; answerWithin?: number }
}

const wait: Wait = (milliseconds, signal) => sleep(milliseconds, undefined, signal && { signal }).catch(() => {})

/**
 * Delivers until stopped. Stopping waits for the requests in progress, 15 s at most. The caller closes the sender.
 */
export function startDelivering({
  databaseUrl,
  pool,
  countsPool = pool,
  redis,
  sender,
  decrypt,
  log,
  registry,
  clock = Date.now,
  settings = {},
}: DeliverRole): { stop(): Promise<void> } {
  const metrics = registerDeliveryMetrics(registry, countsPool)
  const failed = (what: string, error: unknown) => log.warn({ what, err: error }, 'delivery')
  const deliveries = new PostgresDeliveries(pool, decrypt, (keyId, { message }) => {
    log.error({ keyId, reason: message }, 'webhook secret')
  })
  const stream = new RedisDeliveryStream(redis, {
    consumer: `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`,
    ...(settings.stream !== undefined && { name: settings.stream }),
    ...(settings.answerWithin !== undefined && { answerWithin: settings.answerWithin }),
    onError: (error) => log.debug({ err: error }, 'redis of deliveries'),
    onMended: (what) => log.warn({ what }, 'delivery stream repaired'),
    onLost: metrics.lost,
  })
  const wakeUps = listenFor(databaseUrl, DELIVERIES_CHANNEL, (error) => failed('hints', error))
  const worker = new DeliveryWorker(
    { deliveries, stream, sender, wait, random: Math.random },
    {
      attempted: ({ id, keyId }, { outcome, milliseconds }) => {
        metrics.attempted({ outcome, milliseconds })
        log.debug({ delivery: id, keyId, outcome, milliseconds }, 'attempted')
      },
      disabled: ({ keyId, url, reason }) => log.warn({ keyId, host: hostOf(url), reason }, 'webhook address disabled'),
      failed,
    },
    settings.worker,
  )
  const [noRelay, noWork] = [new AbortController(), new AbortController()]
  const relay = new OutboxRelay(
    { deliveries, stream, worker, nextWakeUp: wakeUps.next, wait, clock },
    failed,
    settings.relay,
  )
  const relaying = relay.run(noRelay.signal)
  const working = worker.run(noWork.signal)
  return {
    stop: async () => {
      // The relay first: deliveries that it hands directly to a stopped worker would wait for the next sweep.
      noRelay.abort()
      await relaying
      noWork.abort()
      await Promise.all([working, wakeUps.close()])
      await stream.close()
    },
  }
}

/** Returns the host alone: the rest of the address may contain a secret of the receiver. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '(not a URL)'
}
