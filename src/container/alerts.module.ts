// Bindings of alerts, and of the API keys and watchlists that they are for.
import { ContainerModule } from 'inversify'
import { makeRaiseEvents } from '../application/alerts/raise-events.ts'
import { webhookBodies } from '../application/alerts/webhook-body.ts'
import { makeApiKeys } from '../application/commands/api-keys.ts'
import { makeKeyVerifier } from '../application/commands/authenticate-key.ts'
import { nodeCrypto } from '../infrastructure/crypto.ts'
import { PostgresAlertRules, PostgresActiveAlerts } from '../infrastructure/postgres/alerts/alert-rules.ts'
import { PostgresKeyStore } from '../infrastructure/postgres/alerts/api-keys.ts'
import { PostgresDeliveryCommands } from '../infrastructure/postgres/alerts/delivery-commands.ts'
import { PostgresRequestedSends } from '../infrastructure/postgres/alerts/requested-sends.ts'
import { SecretBox } from '../infrastructure/postgres/alerts/secret-box.ts'
import { PostgresWatchlists } from '../infrastructure/postgres/alerts/watchlists.ts'
import { PostgresOperatorQueries } from '../infrastructure/postgres/queries/operator-queries.ts'
import { openAddressGuard } from '../infrastructure/webhooks/address-guard.ts'
import { HttpWebhookSender } from '../infrastructure/webhooks/sender.ts'
import { named } from './named.ts'
import { TYPES } from './tokens.ts'

export const alertsModule = new ContainerModule(({ bind }) => {
  bind(TYPES.watchlists).toResolvedValue((pool) => new PostgresWatchlists(pool), [TYPES.callersPool])
  bind(TYPES.alertRuleStore).toResolvedValue((pool) => new PostgresAlertRules(pool), [TYPES.callersPool])
  bind(TYPES.activeAlerts).toResolvedValue((pool) => new PostgresActiveAlerts(pool), [TYPES.pool])
  bind(TYPES.alerts).toResolvedValue(
    ...named(makeRaiseEvents, {
      activeAlerts: TYPES.activeAlerts,
      analytics: TYPES.analytics,
      sectors: TYPES.presentSectors,
      listings: TYPES.listings,
      clock: TYPES.clock,
      compute: TYPES.compute,
      windowHours: TYPES.alertWindowHours,
    }),
  )
  bind(TYPES.webhookBody).toResolvedValue(webhookBodies, [TYPES.publicUrl])
  bind(TYPES.secretBox).toResolvedValue((key) => new SecretBox(key), [TYPES.secretsKey])
  bind(TYPES.keyStore).toResolvedValue(
    (pool, secretBox) => new PostgresKeyStore(pool, secretBox),
    [TYPES.callersPool, TYPES.secretBox],
  )
  bind(TYPES.crypto).toConstantValue(nodeCrypto)
  bind(TYPES.apiKeys).toResolvedValue(makeApiKeys, [TYPES.keyStore, TYPES.crypto, TYPES.clock])
  bind(TYPES.operatorQueries).toResolvedValue((pool) => new PostgresOperatorQueries(pool), [TYPES.pool])
  bind(TYPES.deliveryCommands).toResolvedValue((pool) => new PostgresDeliveryCommands(pool), [TYPES.pool])
  bind(TYPES.requestedSends).toResolvedValue((pool) => new PostgresRequestedSends(pool), [TYPES.callersPool])
  bind(TYPES.addressGuard).toResolvedValue(openAddressGuard, [TYPES.webhookSettings])
  bind(TYPES.sender)
    .toResolvedValue(
      (guard, { version }) => new HttpWebhookSender({ guard, version }),
      [TYPES.addressGuard, TYPES.webhookSettings],
    )
    .onDeactivation((sender) => sender.close())
  bind(TYPES.keyVerifier).toResolvedValue(
    (store, crypto, clock, monotonic, wait) => makeKeyVerifier(store, crypto, { clock, monotonic }, wait),
    [TYPES.keyStore, TYPES.crypto, TYPES.clock, TYPES.monotonic, TYPES.wait],
  )
})
