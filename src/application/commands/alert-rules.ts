// Creates, replaces and removes the rules of alerts of a key.
import type { components } from '../../contract.ts'
import { newRuleId } from '../../domain/alerts/rule-id.ts'
import { ServiceError } from '../errors.ts'
import type { AlertRuleStore, RuleSettings } from '../ports/alerts.ts'
import type { Crypto } from '../ports/system.ts'
import { shownAlert } from '../queries/key-queries.ts'

type Alert = components['schemas']['Alert']

const MAX_RULES = 100
const FULL = 'Your key has the maximum of 100 alerts'

/** Changes the rules of one key. Each throws `webhook_url_refused` for an address that alerts must not go to. */
export interface AlertRules {
  /** Throws `alerts_full`. */
  add(keyId: string, settings: RuleSettings): Promise<Alert>
  /** Throws `unknown_alert`. */
  replace(keyId: string, id: string, settings: RuleSettings): Promise<Alert>
  /** Throws `unknown_alert`. */
  remove(keyId: string, id: string): Promise<void>
}

/** Makes it. `checkWebhookUrl` throws `webhook_url_refused`. */
export function makeAlertRules(
  store: AlertRuleStore,
  checkWebhookUrl: (text: string) => Promise<void>,
  crypto: Pick<Crypto, 'generateBytes'>,
): AlertRules {
  const check = async ({ destination }: RuleSettings) => {
    try {
      await checkWebhookUrl(destination.url)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'webhook_url_refused') throw error
      const details = error.details?.map((detail) => ({ ...detail, path: 'body.destination.url' }))
      throw new ServiceError(error.code, error.message, details)
    }
  }
  return {
    add: async (keyId, settings) => {
      await check(settings)
      const added = await store.add(
        keyId,
        newRuleId((count) => crypto.generateBytes(count)),
        settings,
        MAX_RULES,
      )
      if (!added) throw new ServiceError('alerts_full', FULL)
      return shownAlert(added)
    },
    replace: async (keyId, id, settings) => {
      // Before the address, of which nothing is looked up for a rule that is not there.
      if (!(await store.get(keyId, id))) throw unknownAlert()
      await check(settings)
      const replaced = await store.replace(keyId, id, settings)
      if (!replaced) throw unknownAlert()
      return shownAlert(replaced)
    },
    remove: async (keyId, id) => {
      if (!(await store.remove(keyId, id))) throw unknownAlert()
    },
  }
}

export const unknownAlert = () => new ServiceError('unknown_alert', 'Your key has no alert with this id')
