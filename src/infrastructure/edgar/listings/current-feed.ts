// Parses a page of EDGAR's current filings (Atom). Not with an XML parser, since names in the feed have contained a bare
// "&", which these refuse; the parts that are read here can't contain it.
import { ACCESSION_NUMBER, parseCik } from '../../../domain/shared/identifiers.ts'
import type { FollowedForm } from '../../../application/ports/filings.ts'
import { UnexpectedContent } from '../response-content.ts'
import { collect, FORM_4, type EdgarListing, type ListingPage } from './listed-filing.ts'

interface CurrentFiling extends EdgarListing {
  /** EDGAR's acceptance time in seconds since 1970, for measuring the lag; null if it can't be read. */
  acceptedAt: number | null
}

export type CurrentFeedPage = ListingPage<CurrentFiling>

/** EDGAR's maximum. */
const PAGE_SIZE = 100
/** Pages start at 0 to 5000; beyond that EDGAR answers 503. */
export const DEEPEST_START = 5000

/** The beginning of a page, which has to have the XML declaration. */
const MAX_BEFORE_FEED = 1000

/**
 * Returns the path of a page of one form and its amendments. `type=4` means "begins with 4" (424B2, 497, 40-APP/A):
 * `owner=only` excludes most of those, the parser the rest.
 */
export function currentFeedPath(start: number, form: FollowedForm = '4'): string {
  const owner = form === '144' ? 'include' : 'only'
  return `cgi-bin/browse-edgar?action=getcurrent&type=${form}&owner=${owner}&count=${PAGE_SIZE}&start=${start}&output=atom`
}

/** Returns the filings on a page, of exactly the wanted forms. */
export function parseCurrentFeed(bytes: Buffer, wanted: ReadonlySet<string> = FORM_4): CurrentFeedPage {
  // ISO-8859-1 is declared; everything read from it is ASCII.
  const text = bytes.toString('latin1')
  const isFeed = /^(?:\xEF\xBB\xBF)?\s*(<\?xml[^>]*\?>\s*)?<feed[\s>]/.test(text.slice(0, MAX_BEFORE_FEED))
  if (!isFeed) throw new UnexpectedContent('Atom feed', text)
  if (!text.includes('</feed>')) throw new UnexpectedContent('whole Atom feed', text)
  return collect(entriesOf(text), (entry) => wanted.has(formOf(entry)), readEntry)
}

/** Yields one entry at a time, so that a page of a million empty entries takes no more memory. */
function* entriesOf(text: string): Iterable<string> {
  for (let start = text.indexOf('<entry>'); start !== -1;) {
    const next = text.indexOf('<entry>', start + 7)
    const entry = text.slice(start + 7, next === -1 ? text.length : next)
    const end = entry.indexOf('</entry>')
    yield end === -1 ? entry : entry.slice(0, end)
    start = next
  }
}

function formOf(entry: string): string {
  return /<category\b[^<>]*\bterm=["']([^"'<>]*)["']/.exec(entry)?.[1]?.trim() ?? ''
}

// Either the id or the link is enough: the SEC has renamed parts of this feed before.
function readEntry(entry: string): CurrentFiling | null {
  const link = /<link\b[^<>]*\bhref=["']([^"'<>]*)["']/.exec(entry)?.[1] ?? ''
  const id = /<id>([^<]*)/.exec(entry)?.[1] ?? ''
  const accession = (ACCESSION_NUMBER.exec(id) ?? ACCESSION_NUMBER.exec(link))?.[0]
  const cik = parseCik(/\/data\/(\d{1,10})\//.exec(link)?.[1] ?? '') ?? parseCik(titleCik(entry))
  if (accession === undefined || cik === null) return null
  const path = `edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}/${accession}.txt`
  return { accession, formType: formOf(entry), cik, path, acceptedAt: acceptance(entry) }
}

/** Returns the CIK of `4 - NAME (0001999101) (Reporting)`; a name can contain brackets of its own. */
function titleCik(entry: string): string {
  const title = /<title>([^<]{0,1000})/.exec(entry)?.[1] ?? ''
  return [...title.matchAll(/\((\d{10})\)/g)].at(-1)?.[1] ?? ''
}

function acceptance(entry: string): number | null {
  const text = /<updated>\s*(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[+-]\d\d:\d\d|Z))\s*</.exec(entry)?.[1]
  const milliseconds = text === undefined ? NaN : Date.parse(text)
  return Number.isNaN(milliseconds) ? null : milliseconds / 1000
}
