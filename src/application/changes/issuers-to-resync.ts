// Issuers of which something may have been written that was never reported: what an attempt wrote before it was killed
// or failed looks unchanged to the next one. When their signals are done, callers get an entry that asks them to
// fetch these issuers again.
import type { Cik } from '../../domain/shared/identifiers.ts'

export class IssuersToResync {
  readonly #issuers = new Set<Cik>()

  add(issuers: Iterable<Cik>): void {
    for (const issuer of issuers) this.#issuers.add(issuer)
  }

  /** Returns which of these are to be fetched again. */
  among(issuers: Cik[]): Cik[] {
    return issuers.filter((issuer) => this.#issuers.has(issuer))
  }

  /** Removes them, once they were reported. */
  clear(issuers: Cik[]): void {
    for (const issuer of issuers) this.#issuers.delete(issuer)
  }
}
