// Webhook signatures according to Standard Webhooks, which receivers can verify with an existing library.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

const PREFIX = 'whsec_'
const MAX_KEYS = 1_000
/** Key objects by secret, the oldest first: creating one is as much work as signing with it. */
const keys = new Map<string, KeyObject>()

/**
 * Returns the three headers of a request, with a signature for each secret in their order. `id` has no `.`;
 * `unixSeconds` is the time of this attempt in whole seconds since 1970; a string is signed as UTF-8. Throws on a
 * malformed secret, with a message that does not contain it.
 */
export function signatureHeaders(id: string, unixSeconds: number, body: string | Uint8Array, secrets: string[]) {
  const signatures = secrets.map(
    (secret) =>
      `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${unixSeconds}.`).update(body).digest('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(unixSeconds),
    'webhook-signature': signatures.join(' '),
  }
}

function keyOf(secret: string): KeyObject {
  const cached = keys.get(secret)
  if (cached) return cached
  const text = secret.slice(PREFIX.length)
  const bytes = Buffer.from(text, 'base64')
  // Buffer.from skips invalid base64 silently, which would sign with another key than the receiver's.
  if (!secret.startsWith(PREFIX) || bytes.length < 24 || bytes.toString('base64') !== text) {
    throw new Error('a webhook secret must be whsec_ followed by base64 of at least 24 bytes')
  }
  const key = createSecretKey(bytes)
  const [oldest] = keys.size < MAX_KEYS ? [] : keys.keys()
  if (oldest !== undefined) keys.delete(oldest)
  keys.set(secret, key)
  return key
}
