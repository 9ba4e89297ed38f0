// Locks of companies and insiders in the one process that writes to ClickHouse: history is loaded beside filings that
// arrive.

import { cikNumber, type Cik } from '../../domain/shared/identifiers.ts'

/** Numbers, both ends inclusive. */
interface Range {
  from: number
  to: number
}

/**
 * What is decided about an issuer follows from all its trades, and the sums of a list from all its rows: so only one
 * piece of work at a time reads and writes an issuer, and writes rows of a list. The lists, which are known once all is
 * decided, are locked within the lock of the issuers; no work waits for an issuer while it has a list.
 */
export class PartyLocks {
  readonly #issuers = new Locks()
  readonly #lists = new Locks()

  ofIssuers<Result>(issuers: Cik[], work: () => Promise<Result>): Promise<Result> {
    return this.#issuers.run(issuers.map(cikNumber).map(only), work)
  }

  ofRange<Result>(issuers: Range, work: () => Promise<Result>): Promise<Result> {
    return this.#issuers.run([issuers], work)
  }

  /** `lists`: of companies, `c` and the CIK, or of insiders, `i` and the CIK. */
  ofLists<Result>(lists: string[], work: () => Promise<Result>): Promise<Result> {
    return this.#lists.run(
      lists.map((list) => only(2 * Number(list.slice(1)) + (list.startsWith('c') ? 0 : 1))),
      work,
    )
  }
}

const only = (number: number): Range => ({ from: number, to: number })

/** Lets work on the same numbers run one after the other, in the order in which it asks, and other work beside. */
class Locks {
  readonly #held = new Set<{ ranges: Range[]; ended: Promise<unknown> }>()

  async run<Result>(asked: Range[], work: () => Promise<Result>): Promise<Result> {
    const ranges = asked.toSorted((a, b) => a.from - b.from)
    const before = [...this.#held].filter((held) => overlap(held.ranges, ranges)).map(({ ended }) => ended)
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const own = { ranges, ended }
    this.#held.add(own)
    try {
      await Promise.all(before)
      return await work()
    } finally {
      this.#held.delete(own)
      resolve()
    }
  }
}

/** Both sorted, so that each range is looked at once. */
function overlap(some: Range[], others: Range[]): boolean {
  let [place, other] = [0, 0]
  while (place < some.length && other < others.length) {
    const [a, b] = [some[place]!, others[other]!]
    if (a.to < b.from) place += 1
    else if (b.to < a.from) other += 1
    else return true
  }
  return false
}
