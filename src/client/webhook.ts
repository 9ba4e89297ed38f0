// Verification of webhooks by Standard Webhooks: HMAC-SHA256 over id, time and body, in constant time, with the
// platform's own cryptography, so that it runs in Node, in workers and at the edge.
import type { webhooks } from '../contract.ts'

/** An event that the service sends to a webhook address. */
export type WebhookEvent = webhooks[keyof webhooks]['post']['requestBody']['content']['application/json']

/** A delivery that must not be trusted. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

const TOLERANCE_SECONDS = 300
/** As Standard Webhooks has it. Anyone can sign with an empty key, such as that of a setting that is missing. */
const MIN_KEY_BYTES = 24

/**
 * Returns the event of a delivery whose signature and time are right, else throws WebhookVerificationError. `body` is
 * the body as received, not parsed and written again; `secret` is what was shown when the key was issued. A delivery
 * may come more than once: recognize it by the event's `id`. Throws TypeError where the secret is missing or too short.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  now: number = Date.now(),
): Promise<WebhookEvent> {
  const key = await keyOf(secret)
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  )
  if (!id || !time || !signatures)
    throw new WebhookVerificationError('webhook-id, webhook-timestamp or webhook-signature is missing')
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1_000 - Number(time)) > TOLERANCE_SECONDS) {
    throw new WebhookVerificationError('webhook-timestamp is more than 5 minutes from the present time')
  }
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  const signed = new TextEncoder().encode(`${id}.${time}.${text}`)
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : null
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return JSON.parse(text) as WebhookEvent
  }
  throw new WebhookVerificationError('No signature matches the body and the secret')
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : found?.[0]
}

async function keyOf(secret: string | undefined) {
  const bytes = fromBase64(secret?.replace(/^whsec_/, '') ?? '')
  if (bytes === null || bytes.length < MIN_KEY_BYTES)
    throw new TypeError(`The secret must be whsec_ and base64 of at least ${MIN_KEY_BYTES} bytes`)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
