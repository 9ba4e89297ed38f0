// What the evidence of answers is made from: real documents, invented quarters of data sets with documents of some of
// their filings, or both. All of it follows from the volume, so that two runs load the same bytes.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Filing } from '../../../src/domain/filings/filing.ts'
import { canonicalTicker } from '../../../src/domain/filings/ticker-symbol.ts'
import { newYorkToUtc } from '../../../src/domain/shared/new-york-time.ts'
import { readDocument } from '../../../src/infrastructure/edgar/documents/read-document.ts'
import { dataSetOf, eachTable, TABLE_NAMES, type Tables } from '../edgar/invented/data-set-files.ts'
import { listingsOfDataSet } from '../edgar/invented/data-set-issuers.ts'
import { writeInventedDataSet } from '../edgar/invented/data-set.ts'
import { hashOf, seeded, shareOf } from '../edgar/invented/seeded.ts'
import { tangledHistory } from '../edgar/invented/related-trades.ts'
import { arbitraryWorld, withDataSets, WORLD_ISSUERS } from '../filings/arbitrary-world.ts'
import {
  disseminationText,
  filingOf,
  ownershipXml,
  submissionText,
  type FilingSpec,
} from '../filings/filing-builder.ts'
import { documentsFolder, haveRealFilings, truth } from '../filings/truth.ts'
import { noticeWorld } from '../notices/notice-world.ts'
import { noticeSubmission } from '../notices/notice-builder.ts'
import { csvOf, weekdays, type Prices } from '../prices.ts'
import { oddFilings, yearlyTrades } from './odd-filings.ts'

const noticesFolder = join(documentsFolder, '../../notices/documents')
export const haveRealDocuments = haveRealFilings && existsSync(noticesFolder)

interface Paper {
  path: string
  bytes: Buffer
  /** When EDGAR showed it; absent where nothing tells. */
  firstSeenAt?: Date
}

interface Listing {
  ticker: string
  cik: string
  name: string
  exchange: string | null
}

export interface Material {
  documents: Paper[]
  /** Oldest first. */
  quarters: [quarter: string, tables: Tables][]
  listings: Listing[]
  /** A file of closing prices. */
  prices: string
  /** Instants that answers are asked as of. */
  instants: [string, string, string]
  /** Texts that searches begin with. */
  searched: string[]
}

export interface InventedVolume {
  quarters: string[]
  /** Lines of Table I of each quarter, beside those of the told filings. */
  rows: number
  issuers: number
  /** How unequal these are, as of an invented data set. */
  skew: number
  tangled: number
  world: number
  /** Day, `20240930`, after which nothing of the world of notices is taken. */
  until: string
}

/** A filing with how the service comes by it. */
interface Told {
  filing: Filing
  /** Absent for a filing that only a data set has. */
  document?: Paper
  isInSet: boolean
}

/** Returns the real documents and notices; a data set names nothing of them. */
export function realMaterial(): Material {
  const folders = [documentsFolder, noticesFolder]
  const documents = folders.flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .map((name) => paper(name, readFileSync(join(folder, name)))),
  )
  const issuers = new Map(Object.values(truth()).map(({ issuer }) => [issuer.cik, issuer]))
  // Half of the issuers, so that symbols come from the list and from filings.
  const listings = [...issuers.values()]
    .filter(({ cik }) => Number(cik) % 2 === 0)
    .flatMap(({ cik, name, tickerRaw }) => {
      const ticker = canonicalTicker(tickerRaw)
      return ticker === null ? [] : [{ ticker, cik, name: `${name} (listed)`, exchange: 'NYSE' }]
    })
  return {
    documents,
    quarters: [],
    listings: withoutRepeats(listings),
    prices: pricesOf(
      listings.slice(0, 20).map(({ ticker }) => ticker),
      '2020-01-02',
    ),
    instants: ['2020-03-19T20:09:07Z', '2020-11-01T00:00:00Z', '2025-02-01T00:00:00Z'],
    searched: [...new Set([...issuers.values()].map(({ name }) => name.slice(0, 3)))].sort().slice(0, 20),
  }
}

/** Returns quarters with many issuers, told filings among them, and the documents of some of these. */
export async function inventedMaterial(size: InventedVolume): Promise<Material> {
  const isTaken = ({ acceptedAt }: { acceptedAt?: string | null }) => acceptedAt!.slice(0, 8) <= size.until
  const world = noticeWorld(7_777)
  const notices = { filings: world.filings.filter(isTaken), notices: world.notices.filter(isTaken) }
  const told = [
    ...fromTangled(size.tangled),
    ...fromWorld(size.world),
    ...[...notices.filings, ...yearlyTrades(), ...oddFilings()].map((spec) => toldBy(spec, byChance(spec))),
  ]
  const documents = [
    ...told.flatMap(({ document }) => document ?? []),
    ...notices.notices.map((spec) => paper(`${spec.accession}.txt`, noticeSubmission(spec))),
  ]
  const own = [...WORLD_ISSUERS.map(({ cik, ticker, names: [name] }) => ({ cik, ticker, name: name! }))]
  const listings = [
    ...listingsOfDataSet(size.issuers),
    ...own.map((each) => ({ ...each, exchange: null })),
    { ticker: 'LSTD', cik: '0000000101', name: 'Example Tangles Listed Inc', exchange: 'NYSE' },
  ]
  const tickers = [...listingsOfDataSet(6), ...own].map(({ ticker }) => ticker)
  return {
    documents: inOrder(documents),
    quarters: await quartersOf(size, told),
    listings,
    prices: pricesOf([...tickers, 'EXNO', 'NEW'], '2023-01-03'),
    instants: ['2024-02-01T12:00:00Z', '2024-03-20T14:00:00Z', '2024-08-30T20:30:00Z'],
    searched: ['exa', 'example t', 'sample', 'owner', 'EXA', 'o nobody', 'LSTD', 'musterm', 'anvil sons', 'new'],
  }
}

/** Returns both together; data sets have most of the real filings, too, some of which have no document then. */
export function togetherMaterial(real: Material, invented: Material): Material {
  const isLeftOut = ({ path }: Paper) => shareOf('left out', path) < 0.2
  const readings = real.documents.map((paper) => {
    const read = readDocument(paper.bytes, paper.path)
    const isInSet = read.kind === 'filing' && read.filing.header !== null && shareOf('in a set', paper.path) < 0.8
    return { paper, filing: isInSet ? read.filing : null }
  })
  const filings = readings.flatMap(({ filing }) => filing ?? [])
  const [first, ...others] = invented.quarters
  const isEarly = (filing: Filing) => hashOf(filing.accession) % 2 === 0
  const early = dataSetOf(filings.filter(isEarly), { seed: 5, aff10b5One: isWithBox(first![0]) })
  const rest = dataSetOf(
    filings.filter((filing) => !isEarly(filing)),
    { seed: 6, aff10b5One: isWithBox(others.at(-1)![0]) },
  )
  const kept = readings.flatMap(({ paper, filing }) => (filing && isLeftOut(paper) ? [] : [paper]))
  return {
    documents: inOrder([...kept, ...invented.documents]),
    quarters: [
      [first![0], joined(first![1], early)],
      ...others.slice(0, -1),
      [others.at(-1)![0], joined(others.at(-1)![1], rest)],
    ],
    listings: withoutRepeats([...real.listings, ...invented.listings]),
    prices: `${real.prices}\n${invented.prices.split('\n').slice(1).join('\n')}`,
    instants: ['2020-11-01T00:00:00Z', '2024-03-20T14:00:00Z', '2025-02-01T00:00:00Z'],
    searched: [...real.searched, ...invented.searched],
  }
}

/** Returns a text that changes with every byte that is loaded. */
export function digestOf(material: Material): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([material.listings, material.prices, material.instants, material.searched]))
  for (const { path, bytes } of material.documents) hash.update(`\0${path}\0`).update(bytes)
  for (const [quarter, tables] of material.quarters)
    for (const table of TABLE_NAMES) hash.update(`\0${quarter} ${table}\0${tables[table]}`)
  return hash.digest('hex').slice(0, 16)
}

const byChance = ({ accession }: FilingSpec): 'set' | 'both' | 'document' =>
  (['set', 'set', 'both', 'document'] as const)[Math.floor(shareOf('by', accession!) * 4)]!

function toldBy(spec: FilingSpec, by: 'set' | 'both' | 'document', document = submissionPaper(spec)): Told {
  return { filing: filingOf(spec), isInSet: by !== 'document', ...(by !== 'set' && { document }) }
}

/** A document that was seen some seconds after it was accepted, so that the log of changes has its rows. */
function paper(path: string, content: string | Buffer): Paper {
  const bytes = Buffer.from(content as string)
  const [, day, hour, minute, second] = ACCEPTED.exec(bytes.toString('latin1', 0, 2_000)) ?? []
  if (day === undefined) return { path, bytes }
  const date = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`
  const accepted = newYorkToUtc(date, Number(hour) * 3600 + Number(minute) * 60 + Number(second))
  return { path, bytes, firstSeenAt: new Date((accepted + 40) * 1000) }
}

const ACCEPTED = /<ACCEPTANCE-DATETIME>(\d{8})(\d\d)(\d\d)(\d\d)/
const submissionPaper = (spec: FilingSpec): Paper => paper(`${spec.accession}.txt`, submissionText(spec))

function fromTangled(count: number): Told[] {
  return tangledHistory(21, count).map(({ spec, by, undated }) =>
    toldBy(spec, by, undated ? paper(`${spec.accession}.nc`, disseminationText(spec)) : submissionPaper(spec)),
  )
}

function fromWorld(count: number): Told[] {
  return withDataSets(arbitraryWorld(13, count), 13).map(({ spec, by, path }) =>
    toldBy(spec, by, path.endsWith('.xml') ? paper(path, ownershipXml(spec)) : submissionPaper(spec)),
  )
}

async function quartersOf(size: InventedVolume, told: Told[]): Promise<Material['quarters']> {
  const bySet = Map.groupBy(
    told.filter(({ isInSet }) => isInSet),
    ({ filing }) => quarterFor(filing, size.quarters),
  )
  const quarters: Material['quarters'] = []
  for (const [place, quarter] of size.quarters.entries()) {
    const many = await inventedTables(quarter, size)
    const own = (bySet.get(quarter) ?? []).map(({ filing }) => filing)
    const tables = joined(many, dataSetOf(own, { seed: place + 1, aff10b5One: isWithBox(quarter) }))
    const before = quarters.at(-1)
    quarters.push([quarter, withRejects(before ? joined(tables, someOf(before, quarter)) : tables)])
  }
  return quarters
}

/** The quarter of the day, or the one nearest to it. */
function quarterFor({ header }: Filing, quarters: string[]): string {
  const filed = header?.filedAsOf ?? header?.acceptedAt ?? ''
  const wanted = `${filed.slice(0, 4)}q${Math.ceil(Number(filed.slice(4, 6)) / 3)}`
  return quarters.findLast((quarter) => quarter <= wanted) ?? quarters[0]!
}

const isWithBox = (quarter: string): boolean => quarter >= '2024q1'

async function inventedTables(quarter: string, { rows, issuers, skew }: InventedVolume): Promise<Tables> {
  const folder = mkdtempSync(join(tmpdir(), 'test-evidence-sets-'))
  try {
    const aff10b5One = isWithBox(quarter)
    await writeInventedDataSet({ folder, quarter, rows, issuers, skew, seed: 46, unpacked: true, aff10b5One })
    return eachTable((table) => readFileSync(join(folder, `${quarter}_form345`, `${table}.tsv`), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns one quarter's lines and then the other's, which lack the box of plans if their quarter did. */
function joined(one: Tables, other: Tables): Tables {
  return eachTable((table) => {
    const [header, lines] = split(other[table])
    const [wanted] = split(one[table])
    const lacking = wanted.split('\t').length - header.split('\t').length
    if (lacking < 0) throw new Error(`${table} of the first has fewer columns`)
    return one[table] + lines.replaceAll('\n', `${'\t'.repeat(lacking)}\n`)
  })
}

const split = (text: string): [header: string, lines: string] => {
  const end = text.indexOf('\n')
  return [text.slice(0, end), text.slice(end + 1)]
}

/** All lines of each twentieth filing of a quarter, which the next names again. */
function someOf([quarter, tables]: Material['quarters'][number], next: string): Tables {
  const isNamedAgain = (line: string) => shareOf(quarter, next, line.slice(0, line.indexOf('\t'))) < 0.05
  return eachTable((table) => {
    const [header, lines] = split(tables[table])
    const again = lines.split('\n').filter((line) => line !== '' && isNamedAgain(line))
    return [header, ...again, ''].join('\n')
  })
}

/** With lines that must be rejected: of no filing, of a filing without an owner, and of one that is there. */
function withRejects(tables: Tables): Tables {
  return eachTable((table) => {
    const [header, lines] = split(tables[table])
    const first = lines.slice(0, lines.indexOf('\n') + 1)
    const alone = first.replace(/^[^\t]*/, table === 'SUBMISSION' ? '0009999999-24-000001' : '0009999999-24-000002')
    return `${header}\n${alone}${lines}${table === 'SUBMISSION' ? first : ''}`
  })
}

/** Documents in an order that tells nothing. */
function inOrder(documents: Paper[]): Paper[] {
  return documents.toSorted((one, other) => hashOf(one.path) - hashOf(other.path) || (one.path < other.path ? -1 : 1))
}

function withoutRepeats(listings: Listing[]): Listing[] {
  return [...new Map(listings.map((listing) => [listing.ticker, listing])).values()]
}

/** Closes of weekdays from a day on, for four years. */
function pricesOf(tickers: string[], from: string): string {
  const prices: Prices = {}
  const days = weekdays(from, `${Number(from.slice(0, 4)) + 2}-12-31`)
  for (const ticker of new Set(tickers)) {
    const random = seeded(hashOf('closes', ticker))
    let close = 5 + random() * 200
    prices[ticker] = Object.fromEntries(
      days.flatMap((day) => {
        close *= 0.97 + random() * 0.0605
        return random() < 0.05 ? [] : [[day, Number(close.toFixed(4))]]
      }),
    )
  }
  return csvOf(prices)
}
