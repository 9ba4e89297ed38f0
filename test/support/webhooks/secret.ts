// Webhook secret that tests sign with.
import { randomBytes } from 'node:crypto'

/** As an API key has one: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
