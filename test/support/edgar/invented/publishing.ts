// Invented Form 4s published at the present time without end, notices of their sales and other forms in between.
import { inventedFiling } from './filings.ts'
import { inventedNotice } from './notices.ts'
import { inventedOther } from './others.ts'
import type { SimulatedEdgar } from '../simulator/simulated-edgar.ts'

export interface Publishing {
  /** Form 4s so far. */
  count(): number
  stop(): void
}

/** `seed` decides all but the times; a new one keeps a run from repeating accession numbers of an earlier one. */
export function publishInvented(
  edgar: SimulatedEdgar,
  { perMinute, seed }: { perMinute: number; seed: number },
): Publishing {
  const begun = Date.now()
  const invention = { seed, acceptedAt: (number: number) => begun + (number * 60_000) / perMinute }
  let published = 0
  const timer = setInterval(
    () => {
      while (invention.acceptedAt(published + 1) <= Date.now()) {
        published += 1
        const filing = inventedFiling(published, invention)
        const notice = inventedNotice(published, filing, invention)
        if (notice !== null) edgar.publish(notice)
        edgar.publish(filing.text)
        if (published % 5 < 2) edgar.publish(inventedOther(published, invention).text)
      }
    },
    Math.min(100, 60_000 / perMinute),
  )
  return { count: () => published, stop: () => clearInterval(timer) }
}
