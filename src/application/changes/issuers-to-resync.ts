// Issuers with rows that may have been written and never reported. Rows that an attempt wrote before it failed or was
// killed look unchanged to the next attempt. Once the signals of such issuers are detected, callers get an entry of the
// log that asks them to fetch these issuers again.
import type { Cik } from '../../domain/shared/identifiers.ts'

export class IssuersToResync {
  readonly #issuers = new Set<Cik>()

  add(issuers: Iterable<Cik>): void {
    for (const issuer of issuers) this.#issuers.add(issuer)
  }

  /** Returns those of `issuers` that callers are to fetch again. */
  among(issuers: Cik[]): Cik[] {
    return issuers.filter((issuer) => this.#issuers.has(issuer))
  }

  /** Removes issuers. Has to be called once they are reported. */
  clear(issuers: Cik[]): void {
    for (const issuer of issuers) this.#issuers.delete(issuer)
  }
}
