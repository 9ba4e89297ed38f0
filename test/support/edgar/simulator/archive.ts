// What has been published, by acceptance, accession, filing day and party, as far as the simulated clock has come.
import { isBusinessDay } from '../../../../src/domain/shared/calendar.ts'
import { entriesOf, isAsked, type FeedEntry } from './current-feed.ts'
import { atNewYork, newYork } from './new-york.ts'
import { publishedOf, type Published } from './published.ts'

export interface Archive {
  /** Takes a full submission. It shows once the clock has come to its acceptance. */
  publish: (text: string | Buffer) => Published
  /**
   * As the SEC removes a filing: the document is 404 permanently and it vanishes from indexes and feed.
   * With `listed`, feed and indexes keep naming it.
   */
  withdraw: (accession: string, options?: { listed?: boolean }) => void
  count: () => number
  find: (accession: string) => Published | null
  isWithdrawn: (accession: string) => boolean
  /** Newest acceptance first, of one second the last published first; at most `most` entries. */
  entries: (type: string, owner: string, most: number) => FeedEntry[]
  /** Null where there is no index (yet): 22:00 has not come, or no business day and nothing filed. */
  filedOn: (day: string) => Published[] | null
  /** Newest first. */
  ofParty: (cik: string) => Published[]
}

export function archive(now: () => number, indexAt: string): Archive {
  const filings = new Map<string, Published>()
  const withdrawn = new Set<string>()
  const unlisted = new Set<string>()
  const byAcceptance: Published[] = []
  const byDay = new Map<string, Published[]>()
  const byParty = new Map<string, Published[]>()
  const shows = (each: Published): boolean => each.acceptedAt <= now() && !unlisted.has(each.accession)
  return {
    publish: (text) => {
      const filing = publishedOf(text, now())
      if (filings.has(filing.accession)) throw new Error(`${filing.accession} is published already`)
      filings.set(filing.accession, filing)
      insert(byAcceptance, filing)
      if (!byDay.has(filing.filedAsOf)) byDay.set(filing.filedAsOf, [])
      byDay.get(filing.filedAsOf)!.push(filing)
      for (const cik of new Set(filing.parties.map((party) => party.cik))) {
        if (!byParty.has(cik)) byParty.set(cik, [])
        insert(byParty.get(cik)!, filing)
      }
      return filing
    },
    withdraw: (accession, { listed = false } = {}) => {
      if (!filings.has(accession)) throw new Error(`${accession} was never published`)
      withdrawn.add(accession)
      if (!listed) unlisted.add(accession)
    },
    count: () => filings.size,
    find: (accession) => {
      const filing = filings.get(accession)
      return filing && filing.acceptedAt <= now() ? filing : null
    },
    isWithdrawn: (accession) => withdrawn.has(accession),
    entries: (type, owner, most) => {
      const found: FeedEntry[] = []
      for (let at = byAcceptance.length - 1; at >= 0 && found.length < most; at -= 1) {
        const filing = byAcceptance[at]!
        if (isAsked(filing, type, owner) && shows(filing)) found.push(...entriesOf(filing))
      }
      return found.slice(0, most)
    },
    filedOn: (day) => {
      const date = day.replace(/(....)(..)(..)/, '$1-$2-$3')
      if (!isBusinessDay(date) && !byDay.has(day)) return null
      return now() < atNewYork(`${date} ${indexAt}`) ? null : (byDay.get(day) ?? []).filter(shows)
    },
    ofParty: (cik) => (byParty.get(cik) ?? []).filter(shows).reverse(),
  }
}

/** Days (`YYYYMMDD`) of a quarter, up to today in New York. */
export function daysOfQuarter(year: number, quarter: number, now: number): string[] {
  const today = newYork(now).day
  const first = Date.UTC(year, quarter * 3 - 3, 1)
  const days = Math.round((Date.UTC(year, quarter * 3, 1) - first) / 86_400_000)
  return Array.from({ length: days }, (_, index) =>
    new Date(first + index * 86_400_000).toISOString().slice(0, 10).replaceAll('-', ''),
  ).filter((day) => day <= today)
}

/** By acceptance; of one second, behind those that are there. */
function insert(list: Published[], filing: Published): void {
  let at = list.length
  while (at > 0 && list[at - 1]!.acceptedAt > filing.acceptedAt) at -= 1
  list.splice(at, 0, filing)
}
