// Bindings of the role `deliver`: the stream, the loops, and their services. The role binds `deliveryReport` itself,
// since it has the log and the metrics.
import { hostname } from 'node:os'
import { ContainerModule } from 'inversify'
import { DeliveryLoops } from '../application/alerts/delivery-loops.ts'
import { DeliveryWorker } from '../application/alerts/delivery-worker.ts'
import { OutboxRelay } from '../application/alerts/relay-outbox.ts'
import { PostgresDeliveries } from '../infrastructure/postgres/alerts/deliveries.ts'
import { DELIVERIES_CHANNEL } from '../infrastructure/postgres/alerts/outbox.ts'
import { listenFor, type Listener } from '../infrastructure/postgres/coordination/notifications.ts'
import { RedisDeliveryStream } from '../infrastructure/redis/delivery-stream.ts'
import { named, optional } from './named.ts'
import { TYPES, type DeliveryEvents, type DeliveryTimings } from './tokens.ts'

type Own = { report: DeliveryEvents; timings: DeliveryTimings | undefined }
type WorkerParts = ConstructorParameters<typeof DeliveryWorker>[0] & Own
type RelayParts = Omit<ConstructorParameters<typeof OutboxRelay>[0], 'nextWakeUp'> & { wakeUps: Listener } & Own

export const deliveryModule = new ContainerModule(({ bind }) => {
  bind(TYPES.decrypt).toResolvedValue(
    (secretBox) => (keyId, sealed) => secretBox.decrypt(keyId, sealed),
    [TYPES.secretBox],
  )
  bind(TYPES.deliveries).toResolvedValue(
    (pool, decrypt, report) => new PostgresDeliveries(pool, decrypt, report.undecryptable),
    [TYPES.deliveryPool, TYPES.decrypt, TYPES.deliveryReport],
  )
  bind(TYPES.deliveryStream)
    .toResolvedValue(
      (redis, report, newId, timings) =>
        new RedisDeliveryStream(redis, {
          consumer: `${hostname()}-${process.pid}-${newId().slice(0, 8)}`,
          ...timings?.stream,
          onError: report.streamError,
          onRepaired: report.streamRepaired,
          onLost: report.streamLost,
        }),
      [TYPES.redis, TYPES.deliveryReport, TYPES.newId, optional(TYPES.deliveryTimings)],
    )
    .onDeactivation((stream) => stream.close())
  bind(TYPES.deliveryWakeUps)
    .toResolvedValue(
      (url, report) => listenFor(url, DELIVERIES_CHANNEL, (error) => report.failed('notifications', error)),
      [TYPES.databaseUrl, TYPES.deliveryReport],
    )
    .onDeactivation((wakeUps) => wakeUps.close())
  bind(TYPES.deliveryWorker).toResolvedValue(
    ...named(({ report, timings, ...parts }: WorkerParts) => new DeliveryWorker(parts, report, timings?.worker), {
      deliveries: TYPES.deliveries,
      stream: TYPES.deliveryStream,
      sender: TYPES.sender,
      clock: TYPES.clock,
      bodyOf: TYPES.webhookBody,
      wait: TYPES.wait,
      random: TYPES.random,
      report: TYPES.deliveryReport,
      timings: optional(TYPES.deliveryTimings),
    }),
  )
  bind(TYPES.outboxRelay).toResolvedValue(
    ...named(
      ({ wakeUps, report, timings, ...parts }: RelayParts) =>
        new OutboxRelay({ ...parts, nextWakeUp: wakeUps.next }, report.failed, timings?.relay),
      {
        deliveries: TYPES.deliveries,
        stream: TYPES.deliveryStream,
        worker: TYPES.deliveryWorker,
        wakeUps: TYPES.deliveryWakeUps,
        wait: TYPES.wait,
        clock: TYPES.clock,
        report: TYPES.deliveryReport,
        timings: optional(TYPES.deliveryTimings),
      },
    ),
  )
  bind(TYPES.deliveryLoops)
    .toResolvedValue((relay, worker) => new DeliveryLoops(relay, worker), [TYPES.outboxRelay, TYPES.deliveryWorker])
    .onDeactivation((loops) => loops.stop())
})
