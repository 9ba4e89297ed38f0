// Log entries of a projected batch: each filing that lists something, and rows of other filings that it changed. Made
// from what is so now and what was stored before.
import { eventOfFiling } from '../alerts/raise-events.ts'
import { filingData, LOGGED_BYTES } from '../alerts/event-payload.ts'
import type { AccessionNumber, Cik } from '../../domain/shared/identifiers.ts'
import type { Steps } from '../../domain/shared/steps.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { ReportedChange } from '../ports/changes.ts'
import { factsOfTrades } from './change-facts.ts'
import { reportedIssuers } from './reported-extents.ts'

/** A document received later than this is not reported row by row, so that old ones do not fill the log. */
const NEWS_SECONDS = 30 * 86_400

interface ProjectedBatch {
  /** When each document of the batch was received first, in seconds since 1970. */
  receivedAt: Map<AccessionNumber, number>
  /** All trades of the batch's issuers, as stored before. */
  stored: Trade[]
  /** The same, as they are now. */
  decided: Trade[]
  /** Those that are new or were decided differently before. */
  changed: Trade[]
}

/** Returns the entries in steps of one filing. */
export function* reportedFilings({ receivedAt, stored, decided, changed }: ProjectedBatch): Steps<ReportedChange[]> {
  const reported: ReportedChange[] = []
  const [filings, superseded, old] = [new Set<AccessionNumber>(), new Set<string>(), new Set<Cik>()]
  const batch = decided.filter(({ accession }) => receivedAt.has(accession))
  const storedOf = Map.groupBy(stored, (trade) => trade.accession)
  for (const [accession, own] of Map.groupBy(batch, (trade) => trade.accession)) {
    yield
    const { issuerCik, ticker, companyName, filedAt } = own[0]!
    if (filedAt < receivedAt.get(accession)! - NEWS_SECONDS) {
      old.add(issuerCik)
      continue
    }
    const news = eventOfFiling(own, decided)
    if (!news) continue
    filings.add(accession)
    for (const id of news.superseded ?? []) superseded.add(id)
    const data = filingData({ ticker, issuerCik, accession, companyName, ...news }, LOGGED_BYTES)
    const ids = new Set(news.superseded)
    const replaced = ids.size === 0 ? [] : decided.filter(({ id }) => ids.has(id))
    const facts = factsOfTrades([...news.listed, ...replaced])
    const issuerCiks = issuersOf([...own, ...(storedOf.get(accession) ?? [])])
    reported.push({ id: news.id, type: news.type, issuerCiks, facts, data })
  }
  const isListed = new Set(decided.filter(({ listed }) => listed).map(({ id }) => id))
  const removed = stored.filter(({ id, listed }) => listed && !isListed.has(id) && !superseded.has(id))
  const others = changed.filter(({ accession, listed }) => listed && !filings.has(accession))
  const isNew = ({ issuerCik }: Trade) => !old.has(issuerCik)
  return [
    ...reported,
    ...(yield* reportedTrades(others.filter(isNew), removed.filter(isNew))),
    ...reportedIssuers('old_filings', [...old]),
  ]
}

/** Another copy of a document can name another issuer, which those who follow the former one are to know. */
const issuersOf = (trades: Trade[]): Cik[] => [...new Set(trades.map(({ issuerCik }) => issuerCik))]

/** Returns an entry for each filing of which these listed rows changed, or these are listed no more, in steps. */
export function* reportedTrades(changed: Trade[], removed: Trade[]): Steps<ReportedChange[]> {
  const listed = Map.groupBy(changed, ({ accession }) => accession)
  const gone = Map.groupBy(removed, ({ accession }) => accession)
  const reported: ReportedChange[] = []
  for (const accession of new Set([...listed.keys(), ...gone.keys()])) {
    yield
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
