// Encryption of the webhook secrets stored in PostgreSQL: AES-256-GCM with a key that is not in the database, so that a
// dump or a backup alone does not reveal how webhooks are signed.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** The first byte of an encrypted secret, so that the cipher can be replaced later. Nonce, tag and text follow. */
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

export class SecretBox {
  readonly #key: Buffer | null

  /** `key` has 32 bytes; null for a process that neither encrypts nor decrypts. */
  constructor(key: Buffer | null) {
    this.#key = key
  }

  /** Encrypts for this API key only: in another key's row the result can't be decrypted. */
  encrypt(keyId: string, text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#requireKey(), nonce).setAAD(boundTo(keyId))
    const sealed = [cipher.update(text, 'utf8'), cipher.final()]
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ...sealed])
  }

  /** Throws an actionable one-line error if the text was encrypted with another encryption key or is damaged. */
  decrypt(keyId: string, sealed: Buffer): string {
    const key = this.#requireKey()
    try {
      if (sealed[0] !== VERSION) throw new Error(`version ${sealed[0]}`)
      const [tagAt, textAt] = [1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES]
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, tagAt), { authTagLength: TAG_BYTES })
      decipher.setAAD(boundTo(keyId)).setAuthTag(sealed.subarray(tagAt, textAt))
      return decipher.update(sealed.subarray(textAt), undefined, 'utf8') + decipher.final('utf8')
    } catch (cause) {
      throw new Error(
        `the webhook secret of key ${keyId} was encrypted with another key: set SECRETS_KEY, or put back ` +
          `DATA_DIR/secrets.key, as it was then, or make rotate-secret ID=${keyId} for a new one`,
        { cause },
      )
    }
  }

  /** Returns whether the text was encrypted with this encryption key. */
  opens(keyId: string, sealed: Buffer): boolean {
    try {
      this.decrypt(keyId, sealed)
      return true
    } catch {
      return false
    }
  }

  #requireKey(): Buffer {
    if (this.#key === null)
      throw new Error('no encryption key for webhook secrets: this process should neither encrypt nor decrypt them')
    return this.#key
  }
}

function boundTo(keyId: string): Buffer {
  return Buffer.from(`webhook-secret:${keyId}`)
}
