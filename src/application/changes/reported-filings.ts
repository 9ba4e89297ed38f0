// Entries of the log for a projected batch: each filing that lists or supersedes trades, and trades of other filings
// that the batch changed. Made by comparing the trades as they are now with those that were stored before.
import { eventOfFiling } from '../alerts/raise-events.ts'
import { filingData, LOGGED_BYTES } from '../alerts/event-payload.ts'
import type { AccessionNumber, Cik } from '../../domain/shared/identifiers.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { ReportedChange } from '../ports/changes.ts'
import { factsOfTrades } from './change-facts.ts'
import { reportedIssuers } from './reported-extents.ts'

/** Filings received later than this after their filing time are not reported row by row, so as not to fill the log. */
const MAX_DELAY_SECONDS = 30 * 86_400

interface ProjectedBatch {
  /** When each document of the batch was first received, in seconds since 1970. */
  receivedAt: ReadonlyMap<AccessionNumber, number>
  /** All trades of the batch's issuers as they were stored before. */
  stored: Trade[]
  /** All trades of the batch's issuers as they are now. */
  decided: Trade[]
  /** Those of `decided` that are new or differ from what was stored. */
  changed: Trade[]
}

/** Returns the entries. */
export function reportedFilings({ receivedAt, stored, decided, changed }: ProjectedBatch): ReportedChange[] {
  const reported: ReportedChange[] = []
  const filings = new Set<AccessionNumber>()
  const superseded = new Set<string>()
  const issuersOfOldFilings = new Set<Cik>()
  const batch = decided.filter(({ accession }) => receivedAt.has(accession))
  const storedOf = Map.groupBy(stored, (trade) => trade.accession)
  for (const [accession, own] of Map.groupBy(batch, (trade) => trade.accession)) {
    const { issuerCik, ticker, companyName, filedAt } = own[0]!
    if (filedAt < receivedAt.get(accession)! - MAX_DELAY_SECONDS) {
      issuersOfOldFilings.add(issuerCik)
      continue
    }
    const event = eventOfFiling(own, decided)
    if (!event) continue
    filings.add(accession)
    for (const id of event.superseded ?? []) superseded.add(id)
    const data = filingData({ ticker, issuerCik, accession, companyName, ...event }, LOGGED_BYTES)
    const ids = new Set(event.superseded)
    const replaced = ids.size === 0 ? [] : decided.filter(({ id }) => ids.has(id))
    const facts = factsOfTrades([...event.listed, ...replaced])
    const issuerCiks = issuersOf([...own, ...(storedOf.get(accession) ?? [])])
    reported.push({ id: event.id, type: event.type, issuerCiks, facts, data })
  }
  const isListed = new Set(decided.filter(({ listed }) => listed).map(({ id }) => id))
  const removed = stored.filter(({ id, listed }) => listed && !isListed.has(id) && !superseded.has(id))
  const others = changed.filter(({ accession, listed }) => listed && !filings.has(accession))
  const isReportedByRow = ({ issuerCik }: Trade) => !issuersOfOldFilings.has(issuerCik)
  return [
    ...reported,
    ...reportedTrades(others.filter(isReportedByRow), removed.filter(isReportedByRow)),
    ...reportedIssuers('old_filings', [...issuersOfOldFilings]),
  ]
}

/** A new copy of a document can name another issuer. Callers who follow the former issuer need the entry too. */
const issuersOf = (trades: Trade[]): Cik[] => [...new Set(trades.map(({ issuerCik }) => issuerCik))]

/** Returns an entry for each filing with trades in `changed`, which are listed, or in `removed`. */
export function reportedTrades(changed: Trade[], removed: Trade[]): ReportedChange[] {
  const listed = Map.groupBy(changed, ({ accession }) => accession)
  const gone = Map.groupBy(removed, ({ accession }) => accession)
  const reported: ReportedChange[] = []
  for (const accession of new Set([...listed.keys(), ...gone.keys()])) {
    const own = listed.get(accession) ?? []
    const { issuerCik, ticker, companyName } = (own[0] ?? gone.get(accession)![0])!
    const ids = (gone.get(accession) ?? []).map(({ id }) => id)
    const rows = own.toSorted((a, b) => a.place - b.place)
    const data = filingData({ ticker, issuerCik, accession, companyName, listed: rows, removed: ids }, LOGGED_BYTES)
    const all = [...rows, ...(gone.get(accession) ?? [])]
    const facts = factsOfTrades(all)
    reported.push({ id: null, type: 'transaction.changed', issuerCiks: issuersOf(all), facts, data })
  }
  return reported
}
