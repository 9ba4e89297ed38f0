// The daily indexes: the same lines, one per party, sorted and laid out in four ways. Widths, dashes and the headers
// broken over two lines are those of real files (form of 18 March 2020, company of 3 October 2022, master of 31
// December 2018).
import { newYork } from './new-york.ts'
import type { Published } from './published.ts'

export const INDEX_KINDS = ['form', 'master', 'company', 'crawler'] as const
export type IndexKind = (typeof INDEX_KINDS)[number]

interface Line {
  form: string
  name: string
  cik: string
  day: string
  path: string
  page: string
}

/** Names are cut at 60 characters in the fixed-width files. */
const NAME_WIDTH = 60
const BLANK = [' ', ' ', ' ', ' ']

/** `day` as `YYYYMMDD`; of `filings` those that were filed on it. */
export function dailyIndex(kind: IndexKind, day: string, filings: Published[]): string {
  const lines = linesOf(day, filings)
  const by = (...keys: (keyof Line)[]): Line[] => lines.sort((a, b) => compare(a, b, keys))
  if (kind === 'form') return form(day, by('form', 'name', 'path'))
  if (kind === 'master') return master(day, by('cik', 'form', 'path'))
  return company(kind, day, by('name', 'form', 'path'))
}

/** The listing of a quarter's folder: name -> bytes, `written` in milliseconds since 1970. */
export function folderListing(folder: string, files: { name: string; bytes: number; written: number }[]): string {
  const item = files.map(({ name, bytes, written }) => {
    const { date, time } = newYork(written)
    const [year, month, day] = date.split('-')
    const hour = String(Number(time.slice(0, 2)) % 12 || 12).padStart(2, '0')
    const modified = `${month}/${day}/${year} ${hour}${time.slice(2)} ${time < '12' ? 'AM' : 'PM'}`
    const size = `${Math.max(1, Math.round(bytes / 1024))} KB`
    return { 'last-modified': modified, name, type: 'file', href: name, size }
  })
  return JSON.stringify({ directory: { item, name: `${folder}/`, 'parent-dir': '../' } })
}

function linesOf(day: string, filings: Published[]): Line[] {
  return filings.flatMap(({ accession, formType, parties }) => {
    const ciks = new Map(parties.map(({ cik, name }) => [cik, name]))
    return [...ciks].map(([cik, name]) => {
      const stem = `edgar/data/${Number(cik)}/${accession}`
      return {
        form: formType,
        name,
        cik: String(Number(cik)),
        day,
        path: `${stem}.txt`,
        page: `http://www.sec.gov/Archives/${stem}-index.htm`,
      }
    })
  })
}

function form(day: string, lines: Line[]): string {
  return text([
    ...head(day, ' by Form Type'),
    ...BLANK,
    'Form Type   Company Name                                                  CIK         Date Filed  File Name',
    '-'.repeat(141),
    ...lines.map((each) => each.form.padEnd(12) + cut(each.name).padEnd(62) + tail(each)),
  ])
}

function company(kind: 'company' | 'crawler', day: string, lines: Line[]): string {
  const crawler = kind === 'crawler'
  return text([
    ...head(day, crawler ? '' : ' by Company Name'),
    ...BLANK,
    'Company Name                                                  Form Type   CIK',
    `      Date Filed  ${crawler ? 'URL ' : 'File Name'}`,
    '-'.repeat(145),
    ...lines.map(
      (each) =>
        cut(each.name).padEnd(62) +
        each.form.padEnd(crawler ? 17 : 12) +
        (crawler ? each.cik.padEnd(12) + each.day.padEnd(12) + each.page.padEnd(92) : tail(each)),
    ),
  ])
}

function master(day: string, lines: Line[]): string {
  return text([
    ...head(day, ''),
    '',
    'CIK|Company Name|Form Type|Date Filed|File Name',
    '-'.repeat(80),
    ...lines.map((each) => [each.cik, each.name, each.form, each.day, each.path].join('|')),
  ])
}

function head(day: string, order: string): string[] {
  const month = newYork(Date.UTC(2000, Number(day.slice(4, 6)) - 1, 15)).month
  return [
    `Description:           Daily Index of EDGAR Dissemination Feed${order}`,
    `Last Data Received:    ${month} ${String(Number(day.slice(6))).padStart(2)}, ${day.slice(0, 4)}`,
    'Comments:              webmaster@sec.gov',
    'Anonymous FTP:         ftp://ftp.sec.gov/edgar/',
  ]
}

function tail({ cik, day, path }: Line): string {
  return cik.padEnd(12) + day.padEnd(12) + path.padEnd(52)
}

function cut(name: string): string {
  return name.slice(0, NAME_WIDTH)
}

function compare(a: Line, b: Line, keys: (keyof Line)[]): number {
  const key = keys.find((each) => a[each] !== b[each])
  return key === undefined ? 0 : a[key] < b[key] ? -1 : 1
}

function text(lines: string[]): string {
  return `${lines.join('\n')}\n`
}
