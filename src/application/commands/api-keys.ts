// The commands on API keys for the operator: issue, revoke, rotate the webhook secret. Only from the command line,
// never over HTTP.
import { newApiKey, writeApiKey } from '../../domain/alerts/api-key.ts'
import type { Crypto, Clock } from '../ports/system.ts'
import type { KeyStore } from '../ports/alerts.ts'

/** An issued key, for its holder. Shown once: the key itself is not stored. */
export interface IssuedKey {
  id: string
  name: string
  /** `itd_...` */
  key: string
  /** `whsec_...` */
  webhookSecret: string
  expiresAt: Date | null
}

export interface ApiKeys {
  issue(name: string, expiresInDays: number | null): Promise<IssuedKey>
  /** Returns false if no key has this id, or it is revoked. */
  revoke(id: string): Promise<boolean>
  /**
   * Returns null where `revoke` returns false. Until the date returned, webhooks are signed with the previous secret as
   * well.
   */
  rotateSecret(id: string): Promise<{ webhookSecret: string; previousUntil: Date } | null>
}

const DAY_MS = 86_400_000
/** Standard Webhooks asks for 24 to 64. */
const WEBHOOK_SECRET_BYTES = 32

export function makeApiKeys(store: KeyStore, crypto: Crypto, clock: Clock): ApiKeys {
  const newWebhookSecret = () => `whsec_${Buffer.from(crypto.generateBytes(WEBHOOK_SECRET_BYTES)).toString('base64')}`
  return {
    issue: async (name, expiresInDays) => {
      const key = newApiKey(crypto.generateBytes)
      const webhookSecret = newWebhookSecret()
      const expiresAt = expiresInDays === null ? null : new Date(clock() + expiresInDays * DAY_MS)
      await store.add({ id: key.id, name, secretHash: crypto.sha256(key.secret), webhookSecret, expiresAt })
      return { id: key.id, name, key: writeApiKey(key), webhookSecret, expiresAt }
    },
    revoke: (id) => store.revoke(id),
    rotateSecret: async (id) => {
      const webhookSecret = newWebhookSecret()
      const previousUntil = new Date(clock() + DAY_MS)
      return (await store.rotateSecret(id, webhookSecret, previousUntil)) ? { webhookSecret, previousUntil } : null
    },
  }
}
