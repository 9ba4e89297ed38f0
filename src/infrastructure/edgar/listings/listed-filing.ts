// A filing as the current feed and the daily indexes list it. They list an accession number once for each party of the
// filing.
import type { AccessionNumber, Cik } from '../../../domain/shared/identifiers.ts'

export interface EdgarListing {
  accession: AccessionNumber
  formType: string
  /** One of the parties, whichever was listed first; only the document says who the issuer is. */
  cik: Cik
  /** The path of the full submission below `/Archives/`. */
  path: string
}

export const FORM_4: ReadonlySet<string> = new Set(['4', '4/A'])
/** All six forms of insiders' holdings and transactions, and notices of proposed sales. */
export const FOLLOWED_FORMS: ReadonlySet<string> = new Set(['3', '3/A', '4', '4/A', '5', '5/A', '144', '144/A'])

/** What a page listed: `filings` one per accession number, `unreadable` wanted ones that could not be parsed. */
export interface ListingPage<F extends EdgarListing> {
  filings: F[]
  /** Lines or entries of any form: a page of the feed with fewer than requested is the last. */
  entries: number
  unreadable: number
}

/** Reads each entry of a wanted form; `read` returns null if it can't be parsed. */
export function collect<E, F extends EdgarListing>(
  all: Iterable<E>,
  isWanted: (entry: E) => boolean,
  read: (entry: E) => F | null,
): ListingPage<F> {
  const byAccession = new Map<AccessionNumber, F>()
  let [entries, unreadable] = [0, 0]
  for (const entry of all) {
    entries += 1
    if (!isWanted(entry)) continue
    const filing = read(entry)
    if (!filing) unreadable += 1
    else if (!byAccession.has(filing.accession)) byAccession.set(filing.accession, filing)
  }
  return { filings: [...byAccession.values()], entries, unreadable }
}
