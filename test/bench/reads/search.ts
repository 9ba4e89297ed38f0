// The search against `SELECT 1` of the same engine, in one run: beginnings of words of names, one letter included, and
// several words. Over an invented directory, written by the product's own code, whose terms it makes. COMPANIES=20000
// OWNERS=400000 ASKED=2000. STORE keeps the directory. One JSON line.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DirectoryEntry } from '../../../src/application/ports/analytics.ts'
import { ChangeTracker } from '../../../src/application/changes/change-tracker.ts'
import { searchWords } from '../../../src/domain/wording/search-words.ts'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { migrateClickHouse } from '../../../src/infrastructure/clickhouse/connection/migrate.ts'
import { ClickHouseQueries } from '../../../src/infrastructure/clickhouse/queries/queries.ts'
import { ClickHouseAnalyticsStore } from '../../../src/infrastructure/clickhouse/stores/analytics-store.ts'
import { ClickHouseSearchTerms } from '../../../src/infrastructure/clickhouse/stores/search-terms.ts'
import { seeded } from '../../support/edgar/invented/seeded.ts'
import { printBench, quantile, SELECT_1 } from '../support/measure.ts'

const COMPANIES = Number(process.env.COMPANIES ?? 20_000)
const OWNERS = Number(process.env.OWNERS ?? 400_000)
const ASKED = Number(process.env.ASKED ?? 2_000)
const ENTRIES_PER_WRITE = 5_000

/** The most frequent names of people in the United States, with their shares in percent. */
const GIVEN =
  'James 1.7 John 1.6 Robert 1.6 Michael 1.5 William 1.2 David 1.2 Richard .9 Joseph .7 Thomas .7 Charles .7 Mary 1.3 ' +
  'Patricia .5 Jennifer .5 Linda .5 Elizabeth .5 Christopher .6 Daniel .6 Matthew .5 Mark .5 Steven .4 Paul .4 Andrew .4'
const SURNAMES =
  'Smith .83 Johnson .66 Williams .55 Brown .49 Jones .48 Garcia .4 Miller .4 Davis .38 Rodriguez .37 Martinez .36 ' +
  'Wilson .27 Anderson .27 Thomas .26 Taylor .26 Moore .25 Jackson .24 Martin .24 Lee .24 Thompson .23 White .23'

const SYLLABLES = 'an ber co da el fi gor ha in ja ka lo mar ne or pe quin ro san to ul va wil xe yo zu'.split(' ')

const random = seeded(7)
const folder = process.env.STORE ?? mkdtempSync(join(tmpdir(), 'bench-search-'))
const made = join(folder, 'made-by-bench-search')
const store = await ClickHouse.open({ path: join(folder, 'clickhouse'), database: 'insider' })
try {
  await migrateClickHouse(store)
  if (!existsSync(made)) await writeDirectory()
  writeFileSync(made, '')
  const begun = performance.now()
  await new ClickHouseSearchTerms(store, Date.now).make(new AbortController().signal)
  const makingSeconds = (performance.now() - begun) / 1_000
  printBench('search', { companies: COMPANIES, owners: OWNERS, makingSeconds, ...(await measured()) })
} finally {
  await store.close()
  if (process.env.STORE === undefined) rmSync(folder, { recursive: true, force: true })
}

/** Draws a frequent name by its share, else one of thirty thousand made of syllables. */
function nameOf(shares: string): string {
  let place = random() * 100
  const words = shares.split(' ')
  for (let index = 0; index < words.length; index += 2) {
    place -= Number(words[index + 1])
    if (place < 0) return words[index]!
  }
  return invented(Math.floor(30_000 ** random()))
}

function invented(number: number): string {
  const digits = [number, Math.floor(number / 26), Math.floor(number / 676)].map((each) => SYLLABLES[each % 26]!)
  return digits.slice(0, number < 676 ? 2 : 3).join('')
}

async function writeDirectory(): Promise<void> {
  const analytics = new ClickHouseAnalyticsStore(store)
  const companies = Array.from({ length: COMPANIES }, (_, number) => ({
    issuerCik: cik(1_000_000 + number),
    companyName: `${invented(number + 700)} ${nameOf(SURNAMES)} ${['Inc', 'Corp', 'Holdings Inc', 'Ltd'][number % 4]}`,
    symbols: [symbolOf(number)],
  }))
  for (let from = 0, version = 1; from < OWNERS; from += ENTRIES_PER_WRITE, version += 1) {
    const entries = Array.from({ length: Math.min(ENTRIES_PER_WRITE, OWNERS - from) }, (_, place): DirectoryEntry => {
      const number = from + place
      const initial = String.fromCharCode(65 + (number % 26))
      return {
        ...companies[number % COMPANIES]!,
        accession: `${cik(number)}-26-000001`,
        form: '4',
        filedAt: 1_700_000_000 + number,
        ...{ sic: null, office: null, sector: 'Unknown', isEstimated: false },
        ...{ originalDate: null, period: null, amendmentWords: [] },
        owners: [
          { cik: cik(5_000_000 + number), name: `${nameOf(SURNAMES)} ${nameOf(GIVEN)} ${initial}`.toUpperCase() },
        ],
      }
    })
    await analytics.write({ trades: [], goneTrades: [], entries, goneEntries: [], goneDetails: [] }, version)
  }
}

function cik(number: number): string {
  return String(number).padStart(10, '0')
}

function symbolOf(number: number): string {
  return [676 * 26, 676, 26, 1].map((place) => String.fromCharCode(65 + (Math.floor(number / place) % 26))).join('')
}

/** Asks for beginnings of words of names as they come, and `SELECT 1` between them. */
async function measured() {
  const { search } = new ClickHouseQueries(store, Date.now, { changes: new ChangeTracker(), isUpToDate: () => true })
  const names = (
    await store.rows<{ shown: string }>({
      text: `SELECT shown FROM search_terms WHERE list = 'party' ORDER BY cityHash64(cik) LIMIT ${ASKED}`,
    })
  ).map(({ shown }) => searchWords((JSON.parse(shown) as { name: string }).name))
  const some = <T>(values: T[]): T => values[Math.floor(random() * values.length)]!
  const start = (word: string, least = 1) => word.slice(0, least + Math.floor(random() * (word.length - least + 1)))
  const several = (words: string[], length: (word: string) => string) =>
    words.toSorted(() => random() - 0.5).slice(0, 2).map(length).join(' ') // oxfmt-ignore
  const times: Record<string, number[]> = { 'SELECT 1': [], letter: [], word: [], words: [], short: [] }
  const slowest: Record<string, [ms: number, q: string]> = {}
  const time = async (name: string, act: () => Promise<unknown>, q = '') => {
    const begun = performance.now()
    await act()
    const took = performance.now() - begun
    times[name]!.push(took)
    if (took > (slowest[name]?.[0] ?? 0)) slowest[name] = [took, q]
  }
  const ask = (name: string, q: string) => time(name, () => search({ q, limit: 10 }), q)
  await search({ q: 'warm up', limit: 10 })
  for (const words of names) {
    await time('SELECT 1', () => store.rows({ text: SELECT_1 }))
    await ask('letter', some(words).slice(0, 1))
    await ask('word', start(some(words)))
    const long = words.filter((word) => word.length >= 3)
    if (long.length >= 2)
      await ask(
        'words',
        several(long, (word) => start(word, 3)),
      )
    if (words.length >= 2)
      await ask(
        'short',
        several(words, (word) => start(word.slice(0, 2))),
      )
  }
  const floor = quantile(times['SELECT 1']!, 0.5)
  const figures = Object.fromEntries(
    Object.entries(times).map(([name, each]) => [
      name,
      {
        ...{ p50: quantile(each, 0.5), p99: quantile(each, 0.99) },
        ...{ p50ToSelect1: quantile(each, 0.5) / floor, p99ToSelect1: quantile(each, 0.99) / floor },
      },
    ]),
  )
  return { figures, slowest }
}
