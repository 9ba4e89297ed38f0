// A path -> what EDGAR answers when all is well: the feed, documents, daily indexes, company lists, data sets.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { daysOfQuarter, type Archive } from './archive.ts'
import { submissionsOf, tickers, tickersWithExchange, type ListedCompany } from './company-files.ts'
import { feedPage, LAST_START, PAGE_CAP, type FeedEntry } from './current-feed.ts'
import { dailyIndex, folderListing, INDEX_KINDS, type IndexKind } from './daily-index.ts'
import { atNewYork } from './new-york.ts'
import { textOf } from './published.ts'
import { forbidden, moved, notFound, unavailable, type Answer } from './refusals.ts'

export interface Source {
  archive: Archive
  now: () => number
  companies: ListedCompany[]
  /** Where the feed's links lead. */
  linksTo: string
  /** The folder with the quarterly zips. */
  dataSets: string | null
  /** 404 or 403 for documents that are not there; the SEC gives both. */
  unknown: 403 | 404
  /** Seconds by which a document comes after its entry in the feed. */
  lagOf: (accession: string) => number
}

const DATA_SETS = /^\/files\/structureddata\/data\/insider-transactions-data-sets\/(\d{4}q[1-4]_form345\.zip)$/
const DOCUMENT = /^\/Archives\/edgar\/data\/(\d{1,10})\/(?:(\d{18})\/)?(\d{10}-\d\d-\d{6})\.txt$/
const INDEX = /^\/Archives\/edgar\/daily-index\/(\d{4})\/QTR([1-4])\/(?:(\w+)\.(\d{8})\.idx|index\.json)$/
const SUBMISSIONS = /^\/submissions\/CIK(\d{10})\.json$/

/** `repeated`: entries of the feed stand there twice. */
export async function answerTo(url: URL, source: Source, repeated = false): Promise<Answer> {
  const { pathname } = url
  if (pathname === '/cgi-bin/browse-edgar') return feed(url.searchParams, source, repeated)
  const document = DOCUMENT.exec(pathname)
  if (document) return documentAnswer(document, pathname, source)
  const index = INDEX.exec(pathname)
  if (index) return indexAnswer(index, source)
  const party = SUBMISSIONS.exec(pathname)?.[1]
  if (party) return submissions(party, pathname, source)
  if (pathname === '/files/company_tickers.json') return json(tickers(source.companies))
  if (pathname === '/files/company_tickers_exchange.json') return json(tickersWithExchange(source.companies))
  const set = DATA_SETS.exec(pathname)?.[1]
  return set ? dataSet(set, pathname, source) : notFound(pathname)
}

function feed(asked: URLSearchParams, { archive, now, linksTo }: Source, repeated: boolean): Answer {
  const start = whole(asked.get('start'), 0)
  if (asked.get('action') !== 'getcurrent' || asked.get('output') !== 'atom' || start > LAST_START) return unavailable()
  const count = Math.min(whole(asked.get('count'), 40), PAGE_CAP)
  const found = archive.entries(asked.get('type') ?? '', asked.get('owner') ?? 'include', start + count)
  const entries = repeated ? withRepeats(found) : found
  return {
    status: 200,
    type: 'application/atom+xml',
    headers: { 'cache-control': 'no-cache', pragma: 'no-cache' },
    body: feedPage(entries.slice(start, start + count), now(), linksTo),
  }
}

/** Every third entry once more, three places on: what filings that come in between two pages do to a reader. */
function withRepeats(entries: FeedEntry[]): FeedEntry[] {
  return entries.flatMap((entry, index) => (index >= 3 && index % 3 === 0 ? [entries[index - 3]!, entry] : [entry]))
}

function documentAnswer([, cik, folder, accession = '']: string[], pathname: string, source: Source): Answer {
  const absent = source.unknown === 404 ? notFound(pathname) : forbidden()
  if (cik!.startsWith('0')) return moved(pathname.replace(/\/data\/0+/, '/data/'))
  const filing = source.archive.find(accession)
  if (!filing || source.archive.isWithdrawn(accession)) return absent
  const ofParty = filing.parties.some((party) => Number(party.cik) === Number(cik))
  if (!ofParty || (folder !== undefined && folder !== accession.replaceAll('-', ''))) return absent
  if (source.now() < filing.shownFrom + source.lagOf(accession) * 1000) return absent
  return {
    status: 200,
    type: 'text/plain',
    body: textOf(filing),
    headers: { 'last-modified': new Date(filing.acceptedAt).toUTCString() },
  }
}

function indexAnswer([, year, quarter, kind, day]: string[], source: Source): Answer {
  if (kind === undefined || day === undefined) return listing(Number(year), Number(quarter), source)
  const inFolder = day.startsWith(year!) && Math.ceil(Number(day.slice(4, 6)) / 3) === Number(quarter)
  const filings = inFolder ? source.archive.filedOn(day) : null
  if (filings === null || !INDEX_KINDS.includes(kind as IndexKind)) return forbidden()
  return { status: 200, type: 'text/plain', body: Buffer.from(dailyIndex(kind as IndexKind, day, filings), 'latin1') }
}

function listing(year: number, quarter: number, { archive, now }: Source): Answer {
  const files = daysOfQuarter(year, quarter, now()).flatMap((day) => {
    const filings = archive.filedOn(day)
    // Lines have about 150 bytes in every layout but master's; nobody relies on sizes, so none is made to be measured.
    const bytes = 600 + 150 * (filings ?? []).reduce((lines, { parties }) => lines + parties.length, 0)
    return filings === null
      ? []
      : INDEX_KINDS.map((kind) => ({ name: `${kind}.${day}.idx`, bytes, written: atNewYork(`${day}220500`) }))
  })
  files.sort((a, b) => (a.name < b.name ? -1 : 1))
  return files.length === 0 ? forbidden() : json(folderListing(`daily-index/${year}/QTR${quarter}`, files))
}

function submissions(cik: string, pathname: string, { archive, companies }: Source): Answer {
  const filings = archive.ofParty(cik)
  const isListed = companies.some((company) => company.cik === cik)
  return filings.length === 0 && !isListed ? notFound(pathname) : json(submissionsOf(cik, filings, companies))
}

async function dataSet(name: string, pathname: string, { dataSets }: Source): Promise<Answer> {
  const body = dataSets === null ? null : await readFile(join(dataSets, name)).catch(() => null)
  return body === null ? notFound(pathname) : { status: 200, type: 'application/zip', body }
}

function json(text: string): Answer {
  return { status: 200, type: 'application/json', body: Buffer.from(text) }
}

function whole(text: string | null, otherwise: number): number {
  return /^\d{1,9}$/.test(text ?? '') ? Number(text) : otherwise
}
