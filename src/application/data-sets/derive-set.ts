// Derives the rows of filings that data sets brought, as of documents. Pure, and computed beside what the service
// answers.
import { filingTime } from '../../domain/filings/acceptance-time.ts'
import { transactionId, type AccessionNumber } from '../../domain/shared/identifiers.ts'
import type { PlaceOf } from '../../domain/trades/extract-trades.ts'
import type { WithdrawnFilings } from '../../domain/trades/reconciliation/related-filing.ts'
import type { StagedFiling } from '../ports/data-sets.ts'
import { addRows, noRows, type Derived } from '../projection/derive-rows.ts'
import { entryKey } from '../projection/directory-entry.ts'

/** The end of the years that `filingTime` takes for possible: a data set has no time of receipt. */
export const LATEST = 4_133_980_799

/**
 * Derives the rows of a filing. What an earlier load wrote of holdings and details is removed where the set now lacks
 * files.
 */
export function deriveStaged(staged: StagedFiling, withdrawn: WithdrawnFilings): Derived {
  const derived = noRows()
  const { accession, rowCount, details } = staged
  const { filing, keys } = staged.read()
  derived.accessions.push(accession)
  const placeOf = placesOf(accession, keys, rowCount)
  const entry = addRows(derived, filing, { receivedAt: LATEST, withdrawn: withdrawn.get(accession), placeOf })
  const { at: filedAt, basis: filedBasis } = filingTime(filing, LATEST)
  const key = { accession, issuerCik: filing.issuer.cik, filedAt }
  if (details) derived.details.push({ ...key, filedBasis, ...details })
  else {
    derived.balances.pop()
    derived.goneEntries.push(entryKey(entry))
    derived.goneDetails.push(key)
  }
  return derived
}

/** Only of a filing's only transaction the place is known; others have the SEC's numbers. */
const placesOf =
  (accession: AccessionNumber, keys: number[], rowCount: number): PlaceOf =>
  (index) => {
    const key = keys[index]!
    return rowCount === 1 ? { id: transactionId(accession, 1), place: 1 } : { id: `${accession}-ds-${key}`, place: key }
  }
