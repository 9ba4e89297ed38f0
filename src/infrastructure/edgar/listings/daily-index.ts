// Parser of EDGAR's index files (form, company, master; daily or quarterly). Headers differ between years and some
// are broken over two lines, so a row is recognized by the path at its end, its form by the position of "Form Type".
import { ACCESSION_NUMBER, parseCik, type DateText } from '../../../domain/shared/identifiers.ts'
import { UnexpectedContent } from '../response-content.ts'
import { collect, FORM_4, type EdgarListing, type ListingPage } from './listed-filing.ts'

export type Index = ListingPage<EdgarListing>

/** A column title; the first line of an index by form says "by Form Type" too, after a single space. */
const TITLE = /(?:^|\s{2}|\|)Form Type(?=\s{2}|\||\s*$)/
const PATH = new RegExp(`(edgar/data/(\\d{1,10})/(?:\\d{18}/)?(${ACCESSION_NUMBER.source})\\.txt)\\s*$`)

/** Returns the path of the index by form, which the SEC writes once, late in the evening of each business day. */
export function dailyIndexPath(date: DateText): string {
  const quarter = Math.ceil(Number(date.slice(5, 7)) / 3)
  return `Archives/edgar/daily-index/${date.slice(0, 4)}/QTR${quarter}/form.${date.replaceAll('-', '')}.idx`
}

/**
 * Returns filings of exactly the wanted forms, one per accession number. An index can have no rows; anything else
 * than an index throws UnexpectedContent.
 */
export function parseIndex(bytes: Buffer, wanted: ReadonlySet<string> = FORM_4): Index {
  // One character per byte, so that columns are correct in any encoding of names.
  const text = bytes.toString('latin1')
  const lines = linesOf(text)
  const titles = titlesAbove(lines)
  if (titles === null) throw new UnexpectedContent('index of EDGAR', text)
  const form = titles.includes('|') ? formBetweenBars : formAtColumn(titles.indexOf('Form Type'))
  return collect(
    rowsOf(lines),
    (row) => wanted.has(form(row)),
    (row) => readRow(row, form(row)),
  )
}

/**
 * Returns the line of column titles, with the dashes below the header consumed; null if one of the two is missing.
 */
function titlesAbove(lines: Iterator<string>): string | null {
  let titles: string | null = null
  for (let next = lines.next(); !next.done; next = lines.next()) {
    if (/^-{20,}\s*$/.test(next.value)) return titles
    if (TITLE.test(next.value)) titles ??= next.value
  }
  return null
}

/** Longer lines are cut, after which they are not rows of an index any more. */
const MAX_LINE_LENGTH = 1000

/** Yields one line at a time: a list of all lines could take many times the memory of the text. */
function* linesOf(text: string): Generator<string, undefined> {
  for (let start = 0; start < text.length;) {
    let end = start
    while (end < text.length && text.charCodeAt(end) !== 10 && text.charCodeAt(end) !== 13) end += 1
    yield text.slice(start, Math.min(end, start + MAX_LINE_LENGTH))
    start = end + 1
  }
}

/** Yields the lines after the header, without blank ones and those between a carriage return and its newline. */
function* rowsOf(lines: Iterator<string>): Iterable<string> {
  for (let next = lines.next(); !next.done; next = lines.next()) if (next.value.trim() !== '') yield next.value
}

function readRow(row: string, formType: string): EdgarListing | null {
  const [, path, digits, accession] = PATH.exec(row) ?? []
  const cik = parseCik(digits ?? '')
  return path === undefined || accession === undefined || cik === null ? null : { accession, formType, cik, path }
}

/** `CIK|Company Name|Form Type|Date Filed|File Name`, counted from the end: a name can contain a bar. */
function formBetweenBars(row: string): string {
  return row.split('|').at(-3)?.trim() ?? ''
}

/** Two spaces end a form type; a type that is longer than its column is none that we follow. */
function formAtColumn(column: number): (row: string) => string {
  return (row) =>
    row
      .slice(column)
      .split(/\s{2,}/, 1)[0]!
      .trim()
}
