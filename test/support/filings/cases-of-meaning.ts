// Cases of what filings mean, each in every way in which its filings can come: in order, in the reverse order, by data
// sets, and by both; and what the answers then show: the company's rows and totals, sums, rankings, the profiles of
// owners, signals. Rows are written as `title code A/D shares@price →after D/I`.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import type { Filing, ReportingOwner } from '../../../src/domain/filings/filing.ts'
import { dataSetOf } from '../edgar/invented/data-set-files.ts'
import { loadSets } from '../edgar/invented/in-data-set.ts'
import type { TestService } from '../service/service.ts'
import { filingOf, ownershipXml, submissionText, type FilingSpec, type RowSpec } from './filing-builder.ts'

export interface CasePaper extends Omit<FilingSpec, 'rows' | 'owners' | 'accession' | 'acceptedAt'> {
  /** Days after the first filing; default its place. */
  day?: number
  /** The accession number's place in its agent's, and the agent: by default numbers of one agent, far apart. */
  number?: number
  agent?: number
  owners?: (Partial<ReportingOwner> & Pick<ReportingOwner, 'cik' | 'name'>)[]
  rows?: (string | [row: string, more: RowSpec])[]
  /** A document without an accession number, and without a day on record. */
  isBare?: boolean
}

/** Symbols and names that begin with `INV` do so with other letters for each company. */
export interface MeaningCase {
  name: string
  filings: CasePaper[]
  /** The rows that the company's list then shows, in any order, as `show` writes them. */
  shown: string[]
  /** Buys, sells, dollars bought and sold, as `1, 0, 60000, 0`. In every case they are what `shown` adds up to. */
  totals?: string
  /** The rows in the profile of an owner, by name. */
  profiles?: Record<string, string[]>
  /** The company's signals, as `cluster_buy 3 60000`: type, persons, dollars. */
  signals?: string[]
  /** The symbol in the answer, by what the company is asked for by; null where nothing is found. */
  symbols?: Record<string, string | null>
  /** The name that is found, by what is searched. */
  found?: Record<string, string>
  /** A data set lacks what decides: symbols abroad, and more than 10 characters of the others. */
  isByDocument?: boolean
}

/** How a row of an answer is written in `shown`. */
export type Show = (row: ShownRow) => string

interface ShownRow {
  id: string
  ticker: string
  insiderTitle: string
  transactionType: string
  shares: number
  pricePerShare: number
  totalValue: number
  significance: string
  detail?: {
    transactionCode: string
    acquiredDisposed: string
    ownership: string
    tradeDate: string
    tradeDateStatus: string
    businessDaysToFile: number | null
    late: boolean | null
    priceStatus: string
    plan10b51: string
    planSource: string
    sharesStatus: string
    securityTitle: string
    ambiguousAmendment: boolean
  }
}

const WAYS = [
  'in order',
  'in reverse order',
  'by a data set',
  'by a data set and then documents',
  'the reverse',
] as const
type Way = (typeof WAYS)[number]
const ROW = new RegExp(
  String.raw`^(?:(?<title>.+?) )?(?<code>[A-Z]) (?<side>[AD]) (?<shares>[\d.]+)@(?<price>[\d.]*)` +
    String.raw`(?: →(?<after>\d+))?(?: (?<held>D|I)(?: (?<nature>.+))?)?$`,
)

/** Reads a row such as `P A 1000@20 →11000 I By IRA`. */
function rowOf(given: string | [string, RowSpec], date: string): RowSpec {
  const [text, more] = typeof given === 'string' ? [given, {}] : given
  const { title, code, side, shares, price, after, held, nature } = ROW.exec(text)!.groups!
  return {
    date,
    code: code!,
    acquiredDisposed: side as 'A' | 'D',
    shares: shares!,
    price: price || null,
    ...(title !== undefined && { securityTitle: title }),
    ...(after !== undefined && { sharesAfter: after }),
    ...(held === 'I' && { directIndirect: 'I', nature: nature ?? 'By Trust' }),
    ...more,
  }
}

const DAY_MS = 86_400_000
/** A Monday. */
const FIRST_FILED = Date.UTC(2024, 6, 15)
export const TRADED = '2024-07-12'

/** Returns the day, as `2024-07-15`, that is so many days after that of the first filing. */
export const dayAfter = (days: number): string => new Date(FIRST_FILED + days * DAY_MS).toISOString().slice(0, 10)

const OFFICER: NonNullable<CasePaper['owners']> = [
  { cik: '0001999101', name: 'SAMPLE ADA', isOfficer: true, officerTitle: 'Chief Example Officer' },
]

/** Four letters for each company. */
const stemOf = (issuer: number): string =>
  `Z${[676, 26, 1].map((place) => String.fromCodePoint(65 + (Math.floor(issuer / place) % 26))).join('')}`
const withStem = (text: string, issuer: number): string => text.replaceAll('INV', stemOf(issuer))
const withoutStem = (text: string, issuer: number): string => text.replaceAll(stemOf(issuer), 'INV')
/** Each company has owners of its own. */
const ownerCik = (cik: string, issuer: number): string => `${String(issuer).padStart(5, '0')}${cik.slice(-5)}`

function specOf(each: CasePaper, place: number, issuer: number): FilingSpec & { accession: string } {
  const { day = place, number = 100 * place, agent = 1, rows = [], owners = OFFICER, isBare: _, ...spec } = each
  const filed = dayAfter(day).replaceAll('-', '')
  const prefix = String(1_000_000 + issuer * 10 + agent).padStart(10, '0')
  return {
    ...spec,
    // Of each issuer another agent.
    accession: `${prefix}-24-00${1000 + number}`,
    acceptedAt: `${filed}1${place}0000`,
    filedAsOf: filed,
    periodOfReport: spec.periodOfReport ?? TRADED,
    signatures: [{ date: dayAfter(day) }],
    issuer: {
      cik: String(issuer).padStart(10, '0'),
      ...spec.issuer,
      tickerRaw: withStem(spec.issuer?.tickerRaw ?? 'NONE', issuer),
      name: withStem(spec.issuer?.name ?? 'Example Widgets Inc', issuer),
    },
    owners: owners.map((owner) => ({
      ...owner,
      cik: ownerCik(owner.cik, issuer),
      name: withStem(owner.name, issuer),
    })),
    rows: rows.map((row) => rowOf(row, TRADED)),
  }
}

const isBare = ({ filings }: MeaningCase): boolean => filings.some((filing) => filing.isBare)

/** Returns the ways in which a case can come. */
function waysOf(each: MeaningCase): readonly Way[] {
  return WAYS.filter(
    (way) =>
      (way !== 'in reverse order' || each.filings.length > 1) &&
      (way !== 'by a data set' || !each.isByDocument) &&
      (way.startsWith('in ') || !isBare(each)),
  )
}

/** The quarter in which rows are filed. */
const QUARTER = '2024-07-01'
/** Days in which rankings have all of them. */
const ALL_DAYS = 5_000
const MARKED = ['suspect', 'foreign', 'other_unit']

const isMarked = ({ detail }: ShownRow): boolean =>
  MARKED.includes(detail!.priceStatus) || detail!.sharesStatus === 'suspect'

/** What rows add up to: all of them, and those whose numbers are not marked. */
function figuresOf(rows: readonly ShownRow[]) {
  const of = (type: string) => rows.filter(({ transactionType }) => transactionType === type)
  const counted = (type: string) => of(type).filter((row) => !isMarked(row))
  const dollars = (type: string) => counted(type).reduce((sum, { totalValue }) => sum + totalValue, 0)
  return {
    totals: { totalBuys: of('buy').length, totalSells: of('sell').length },
    sums: {
      ...{ buys: counted('buy').length, sells: counted('sell').length },
      ...{ buyValue: dollars('buy'), sellValue: dollars('sell') },
    },
  }
}

/** Puts all cases in, in each way, and declares a test for every case. `service` is asked when these run. */
export function itShows(service: () => TestService, cases: readonly MeaningCase[], show: Show): void {
  const issuerOf = (place: number, way: Way) => 1_000 + place * WAYS.length + WAYS.indexOf(way)
  const specsOf = (each: MeaningCase, place: number, way: Way) =>
    each.filings.map((filing, index) => specOf(filing, index, issuerOf(place, way)))
  const coming = (way: Way) => [...cases.entries()].filter(([, each]) => waysOf(each).includes(way))
  let market: Promise<Market> | undefined

  before(async () => {
    /** Takes the first documents of all companies together, then the second ones. */
    const take = async (way: Way, isReverse = false) => {
      const companies = coming(way).map(([place, each]) => {
        const documents = specsOf(each, place, way).map((spec, index) =>
          each.filings[index]!.isBare
            ? { path: `${issuerOf(place, way)}-${index}.xml`, text: ownershipXml(spec) }
            : { path: `${spec.accession}.txt`, text: submissionText(spec) },
        )
        return isReverse ? documents.toReversed() : documents
      })
      for (let index = 0; companies.some((documents) => documents.length > index); index += 1) {
        const taken = await service().take(...companies.flatMap((documents) => documents[index] ?? []))
        for (const { outcome, path } of taken) assert.strictEqual(outcome, 'ingested', path)
      }
    }
    await take('in order')
    await take('in reverse order', true)
    await take('the reverse')
    const ways = ['by a data set', 'by a data set and then documents', 'the reverse'] as const
    const history = ways.flatMap((way) => coming(way).flatMap(([place, each]) => specsOf(each, place, way)))
    const filings: Filing[] = history.map((spec) => filingOf({ ...spec, acceptedAt: null }))
    const [loaded] = await loadSets(service(), [['2024q3', dataSetOf(filings, { aff10b5One: true })]])
    assert.strictEqual(loaded!.rejected, 0)
    await take('by a data set and then documents')
    await service().detectSignals()
  })

  /** Briefly, without what other tests ask before and after a rebuild. */
  const check = async (each: MeaningCase, place: number, way: Way, isBrief = false) => {
    const { queries } = service()
    const issuer = issuerOf(place, way)
    const cik = String(issuer).padStart(10, '0')
    const textsOf = (rows: readonly unknown[]) =>
      rows.map((row) => withoutStem(show(row as ShownRow), issuer)).toSorted()

    const company = await queries.company(`CIK${cik}`, true)
    const rows = (company?.recentTransactions ?? []) as ShownRow[]
    assert.deepEqual(textsOf(rows), each.shown.toSorted())
    for (const marked of rows.filter(isMarked)) assert.strictEqual(marked.significance, 'low', marked.id)
    const { totals, sums } = figuresOf(rows)
    assert.deepInclude(company ?? NOTHING, totals)
    if (each.totals !== undefined) {
      const { buyValue, sellValue } = sums
      assert.strictEqual([totals.totalBuys, totals.totalSells, buyValue, sellValue].join(', '), each.totals)
    }
    market ??= marketOf(service())
    assert.deepEqual((await market).ranked.get(cik) ?? NO_SUMS, sums, 'rankings')
    const signals = (await market).signals.get(issuer) ?? []
    if (each.signals) assert.deepEqual(signals.toSorted(), each.signals.toSorted(), 'signals')
    if (isBrief) return

    const asked = { company: { ticker: null, cik }, interval: 'quarter', by: 'filed', starts: [QUARTER] } as const
    assert.deepInclude((await queries.sentiment(asked)).points[0], sums, 'sums')

    if (!isBare(each)) {
      const now = Math.floor(Date.now() / 1000)
      const then = await queries.company(`CIK${cik}`, true, now)
      assert.deepEqual(textsOf(then?.recentTransactions ?? []), each.shown.toSorted(), 'as of now')
      assert.deepInclude(then ?? NOTHING, totals, 'as of now')
    }

    const owners = new Map(each.filings.flatMap((filing) => filing.owners ?? OFFICER).map((one) => [one.cik, one.name]))
    for (const [owner, name] of owners) {
      const profile = await queries.insider(ownerCik(owner, issuer), true)
      const own = (profile?.recentTransactions ?? []) as ShownRow[]
      const figures = figuresOf(own)
      assert.deepEqual(profile?.stats ?? NOTHING, figures.totals, name)
      const top = company?.topInsiders.find((insider) => insider.cik === ownerCik(owner, issuer))
      const { buyValue, sellValue } = figures.sums
      // Those whose rows are all shown in filings of others are not there.
      if (top)
        assert.deepInclude(top, { ...figures.totals, totalValue: buyValue + sellValue }, `${name} at the company`)
      if (each.profiles) assert.deepEqual(textsOf(own), (each.profiles[name] ?? []).toSorted(), name)
    }

    for (const [symbol, ticker] of Object.entries(each.symbols ?? {})) {
      const answer = await queries.company(withStem(symbol, issuer))
      assert.strictEqual(answer && withoutStem(answer.ticker, issuer), ticker, symbol)
    }
    for (const [query, name] of Object.entries(each.found ?? {})) {
      const { results } = await queries.search({ q: withStem(query, issuer), limit: 20 })
      assert.include(
        results.map((result) => withoutStem(result.name, issuer)),
        name,
        query,
      )
    }
  }

  for (const [place, each] of cases.entries()) {
    for (const way of waysOf(each)) it(`${each.name}: ${way}`, () => check(each, place, way))
  }

  it('and the same after a rebuild', async () => {
    await service().container.get(TYPES.rebuild)(() => {})
    await service().detectSignals()
    market = undefined
    for (const [place, each] of cases.entries()) {
      for (const way of waysOf(each)) {
        await check(each, place, way, true).catch((error: unknown) => {
          throw new Error(`${each.name}: ${way}`, { cause: error })
        })
      }
    }
  })
}

const NOTHING = { totalBuys: 0, totalSells: 0 }
type Sums = Record<'buys' | 'sells' | 'buyValue' | 'sellValue', number>
const NO_SUMS: Sums = { buys: 0, sells: 0, buyValue: 0, sellValue: 0 }
/** What is asked of all companies at once, by company. */
interface Market {
  ranked: Map<string, Sums>
  signals: Map<number, string[]>
}

async function marketOf({ queries }: TestService): Promise<Market> {
  const ranked = new Map<string, Sums>()
  for (const by of ['buys', 'sells'] as const) {
    const { companies = [] } = await queries.rankings({ of: 'companies', by, days: ALL_DAYS, limit: 10_000 })
    for (const { cik, buys, sells, buyValue, sellValue } of companies)
      ranked.set(cik, { buys, sells, buyValue, sellValue })
  }
  const signals = new Map<number, string[]>()
  for (let cursor: string | undefined; ;) {
    const page = await queries.signals({ limit: 100, ...(cursor !== undefined && { cursor }) })
    for (const { id, type, insiderCount, totalValue } of page.signals) {
      const issuer = Number(id.split('-')[1])
      signals.set(issuer, [...(signals.get(issuer) ?? []), `${type} ${insiderCount} ${totalValue}`])
    }
    if (!page.hasMore) return { ranked, signals }
    cursor = page.nextCursor
  }
}
