// Authentication of API keys. What the database says is cached for half a second, unknown ids as well: neither a busy
// caller nor one who guesses costs a query each time, and a revoked key stops working within a second.
import { readApiKey } from '../../domain/alerts/api-key.ts'
import type { KeyProof, KeyStore } from '../ports/alerts.ts'
import { ServiceError } from '../errors.ts'
import type { Crypto, Clock, Monotonic, Wait } from '../ports/system.ts'

const CACHE_MS = 500
/** The number of ids cached; beyond that the oldest is dropped. About 3 MB. */
const MAX_CACHED = 10_000
const USES_WRITTEN_EVERY_MS = 10_000

export interface KeyVerifier {
  /**
   * Returns the key's id. Throws `invalid_api_key` for one that is malformed, unknown, wrong, expired or revoked, all
   * alike; or `unavailable`.
   */
  verify(token: string): Promise<string>
  /** Records when keys were last used, every 10 s until the signal and once after it. Never rejects. */
  writeUses(signal: AbortSignal, failed: (error: Error) => void): Promise<void>
}

export function makeKeyVerifier(
  store: Pick<KeyStore, 'proof' | 'used'>,
  crypto: Crypto,
  { clock, monotonic }: { clock: Clock; monotonic: Monotonic },
  wait: Wait,
): KeyVerifier {
  const proofOf = cachedProofs(store, monotonic)
  let uses = new Map<string, Date>()
  /** Compared if an id is unknown, so that it takes as long. */
  const unknownHash = Buffer.alloc(32)

  const write = async () => {
    const taken = uses
    if (taken.size === 0) return
    uses = new Map()
    try {
      await store.used([...taken].map(([id, at]) => ({ id, at })))
    } catch (error) {
      uses = new Map([...taken, ...uses])
      throw error
    }
  }
  return {
    verify: async (token) => {
      const key = readApiKey(token)
      if (key === null) throw refused()
      const proof = await proofOf(key.id)
      const isRight = crypto.isEqual(crypto.sha256(key.secret), proof?.secretHash ?? unknownHash)
      const now = clock()
      if (!isRight || !proof || proof.revokedAt !== null) throw refused()
      if (proof.expiresAt !== null && proof.expiresAt.getTime() <= now) throw refused()
      uses.set(key.id, new Date(now))
      return key.id
    },
    writeUses: async (signal, failed) => {
      for (let isLast = false; !isLast;) {
        await wait(USES_WRITTEN_EVERY_MS, signal)
        isLast = signal.aborted
        await write().catch(failed)
      }
    },
  }
}

/** Queries once at a time for each id, however many wait for it. A failure is cached as long. */
function cachedProofs(store: Pick<KeyStore, 'proof'>, monotonic: Monotonic): (id: string) => Promise<KeyProof | null> {
  const cached = new Map<string, { askedAt: number; proof: Promise<KeyProof | null> }>()
  return (id) => {
    const now = monotonic()
    const known = cached.get(id)
    // Counted from the query, not from its answer.
    if (known && now - known.askedAt < CACHE_MS) return known.proof
    cached.delete(id)
    if (cached.size >= MAX_CACHED) cached.delete(cached.keys().next().value!)
    const proof = store.proof(id)
    cached.set(id, { askedAt: now, proof })
    return proof
  }
}

/** Returns the same message whatever is wrong with the key, so that it does not reveal whether an id exists. */
function refused(): ServiceError {
  return new ServiceError('invalid_api_key', 'The API key is not valid')
}
