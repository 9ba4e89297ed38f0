// Cases of what filings mean, each in every way in which its filings can come: in order, in the reverse order, by data
// sets, and by both. Rows are written as `title code A/D shares@price →after D/I`.
import { assert } from 'chai'
import { TYPES } from '../../../src/container/tokens.ts'
import type { Filing } from '../../../src/domain/filings/filing.ts'
import { dataSetOf } from '../edgar/invented/data-set-files.ts'
import { loadSets } from '../edgar/invented/in-data-set.ts'
import type { TestService } from '../service/service.ts'
import { filingOf, submissionText, type FilingSpec, type RowSpec } from './filing-builder.ts'

export interface CasePaper extends Omit<FilingSpec, 'rows' | 'accession' | 'acceptedAt'> {
  /** Days after the first filing; default its place. */
  day?: number
  /** The accession number's place in its agent's, and the agent: by default numbers of one agent, far apart. */
  number?: number
  agent?: number
  rows?: (string | [row: string, more: RowSpec])[]
}

export interface MeaningCase {
  name: string
  filings: CasePaper[]
  /** The rows that the company's list then shows, in any order, as `show` writes them. */
  shown: string[]
}

/** How a row of an answer is written in `shown`. */
export type Show = (row: ShownRow) => string

interface ShownRow {
  insiderName: string
  shares: number
  pricePerShare: number
  significance: string
  detail?: {
    transactionCode: string
    acquiredDisposed: string
    ownership: string
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

function specOf(each: CasePaper, place: number, issuer: number): FilingSpec & { accession: string } {
  const { day = place, number = 100 * place, agent = 1, rows = [], ...spec } = each
  const filed = dayAfter(day).replaceAll('-', '')
  const prefix = String(1_000_000 + issuer * 10 + agent).padStart(10, '0')
  return {
    ...spec,
    // Of each issuer another agent.
    accession: `${prefix}-24-00${1000 + number}`,
    acceptedAt: `${filed}1${place}0000`,
    filedAsOf: filed,
    periodOfReport: spec.periodOfReport ?? TRADED,
    issuer: { cik: String(issuer).padStart(10, '0'), tickerRaw: 'NONE', ...spec.issuer },
    rows: rows.map((row) => rowOf(row, TRADED)),
  }
}

/** Puts all cases in, in each way, and declares a test for every case. `service` is asked when these run. */
export function itShows(service: () => TestService, cases: readonly MeaningCase[], show: Show): void {
  const issuerOf = (place: number, way: Way) => 1_000 + place * WAYS.length + WAYS.indexOf(way)
  const filingsOf = (each: MeaningCase, place: number, way: Way) =>
    each.filings.map((filing, index) => specOf(filing, index, issuerOf(place, way)))
  const shownOf = async (place: number, way: Way, asOf?: number) => {
    const cik = String(issuerOf(place, way)).padStart(10, '0')
    const found = await service().queries.company(`CIK${cik}`, true, asOf)
    return (found?.recentTransactions ?? []).map((row) => show(row as ShownRow)).sort()
  }

  before(async () => {
    const take = async (specs: FilingSpec[]) => {
      for (const spec of specs) {
        const accession = spec.accession!
        await service().take({ path: `${accession}.txt`, text: submissionText(spec) })
      }
    }
    const all = (way: Way) => cases.map((each, place) => filingsOf(each, place, way))
    await take(all('in order').flat())
    await take(all('in reverse order').flatMap((each) => each.toReversed()))
    await take(all('the reverse').flat())
    const history = (['by a data set', 'by a data set and then documents', 'the reverse'] as const).flatMap(all).flat()
    const filings: Filing[] = history.map((spec) => filingOf({ ...spec, acceptedAt: null }))
    const [loaded] = await loadSets(service(), [['2024q3', dataSetOf(filings, { aff10b5One: true })]])
    assert.strictEqual(loaded!.rejected, 0)
    await take(all('by a data set and then documents').flat())
  })

  for (const [place, each] of cases.entries()) {
    for (const way of WAYS) {
      it(`${each.name}: ${way}`, async () => {
        assert.deepEqual(await shownOf(place, way), each.shown.toSorted())
        const now = Date.now() / 1000
        assert.deepEqual(await shownOf(place, way, Math.floor(now)), each.shown.toSorted(), 'as of now')
      })
    }
  }

  it('and the same after a rebuild', async () => {
    await service().container.get(TYPES.rebuild)(() => {})
    for (const [place, each] of cases.entries()) {
      for (const way of WAYS) assert.deepEqual(await shownOf(place, way), each.shown.toSorted(), `${each.name}: ${way}`)
    }
  })
}
