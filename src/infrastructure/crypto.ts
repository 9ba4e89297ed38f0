// Randomness and hashing from node:crypto, for API keys.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Crypto } from '../application/ports/system.ts'

export const nodeCrypto: Crypto = {
  generateBytes: (count) => randomBytes(count),
  sha256: (text) => createHash('sha256').update(text).digest(),
  isEqual: (one, other) => one.length === other.length && timingSafeEqual(one, other),
}
