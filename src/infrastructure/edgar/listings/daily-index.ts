// EDGAR's index files (form, company, master; daily or quarterly) -> the filings in them. Headers differ between years
// and some are broken over two lines, so a row is known by the path that ends it, its form by the place of "Form Type".
import { parseCik, type DateText } from '../../../domain/shared/identifiers.ts'
import { UnexpectedContent } from '../response-content.ts'
import { collect, FORM_4, type ListedFiling, type FeedPage } from './listed-filing.ts'

export type Index = FeedPage<ListedFiling>

/** A column's title; the first line of an index by form says "by Form Type" too, after a single space. */
const TITLE = /(?:^|\s{2}|\|)Form Type(?=\s{2}|\||\s*$)/
const PATH = /(edgar\/data\/(\d{1,10})\/(?:\d{18}\/)?(\d{10}-\d{2}-\d{6})\.txt)\s*$/

/** The index by form, written once at about 22:00 New York time of a business day. */
export function dailyIndexPath(date: DateText): string {
  const quarter = Math.ceil(Number(date.slice(5, 7)) / 3)
  return `Archives/edgar/daily-index/${date.slice(0, 4)}/QTR${quarter}/form.${date.replaceAll('-', '')}.idx`
}

/** Forms exactly as wanted, one per accession. An index without rows is one; anything else throws UnexpectedContent. */
export function parseIndex(bytes: Buffer, wanted: ReadonlySet<string> = FORM_4): Index {
  // One character a byte, so that columns hold whatever the names are written in.
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

/** The line of the columns' titles, the dashes below the header passed; null where one of the two is missing. */
function titlesAbove(lines: Iterator<string>): string | null {
  let titles: string | null = null
  for (let next = lines.next(); !next.done; next = lines.next()) {
    if (/^-{20,}\s*$/.test(next.value)) return titles
    if (TITLE.test(next.value)) titles ??= next.value
  }
  return null
}

/** The longest real line has 160 characters; what is longer is cut, and then no row of an index. */
const MAX_LINE_LENGTH = 1000

/** One at a time: of 20 MB of newlines all at once would take 160 MB. */
function* linesOf(text: string): Generator<string, undefined> {
  for (let start = 0; start < text.length;) {
    let end = start
    while (end < text.length && text.charCodeAt(end) !== 10 && text.charCodeAt(end) !== 13) end += 1
    yield text.slice(start, Math.min(end, start + MAX_LINE_LENGTH))
    start = end + 1
  }
}

/** What the header has left; blank lines, and those between a carriage return and its newline, aside. */
function* rowsOf(lines: Iterator<string>): Iterable<string> {
  for (let next = lines.next(); !next.done; next = lines.next()) if (next.value.trim() !== '') yield next.value
}

function readRow(row: string, formType: string): ListedFiling | null {
  const [, path, digits, accession] = PATH.exec(row) ?? []
  const cik = parseCik(digits ?? '')
  return path === undefined || accession === undefined || cik === null ? null : { accession, formType, cik, path }
}

/** `CIK|Company Name|Form Type|Date Filed|File Name`, counted from the end: a name might hold a bar. */
function formBetweenBars(row: string): string {
  return row.split('|').at(-3)?.trim() ?? ''
}

/** Two spaces end a form; a longer one that fills its column and more is none that is wanted. */
function formAtColumn(column: number): (row: string) => string {
  return (row) =>
    row
      .slice(column)
      .split(/\s{2,}/, 1)[0]!
      .trim()
}
