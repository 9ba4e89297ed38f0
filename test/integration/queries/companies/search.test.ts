// The search over real stores, against plain JavaScript over everything filed and listed: every word and every
// beginning of a word, several words, symbols, and the order of results.
import { assert } from 'chai'
import fc from 'fast-check'
import type { components } from '../../../../src/contract.ts'
import { dependenciesOf } from '../../../../src/application/changes/data-dependencies.ts'
import type { DirectoryEntry } from '../../../../src/application/ports/analytics.ts'
import { TYPES } from '../../../../src/container/tokens.ts'
import { queriedWords, searchTerms, searchWords } from '../../../../src/domain/wording/search-words.ts'
import { testService, type TestService } from '../../../support/service/service.ts'
import { disseminationText, type FilingSpec } from '../../../support/filings/filing-builder.ts'
import { changeInserts } from '../../../../src/infrastructure/clickhouse/stores/change-inserts.ts'

type Result = components['schemas']['SearchResult']

const NOW = Date.UTC(2026, 2, 1)
const cik = (number: number) => String(number).padStart(10, '0')

/** A company or an insider, as the oracle knows it. */
interface Party {
  kind: Result['kind']
  cik: string
  names: string[]
  symbols: string[]
  recent: number
  all: number
  isFiled: boolean
}

const SURNAMES = ['SAMPLE', 'Ångström', "O'NEIL", 'EXEMPLAR', 'DE LA PLACE', 'Müßig', 'ΣΊΣΥΦΟΣ', 'Łoś', '例題', '%_\\']
/** Names in several spellings, each of which finds all of them that are in its row. */
const SPELLINGS = [
  ["O'BRIEN", 'O’Brien', 'O BRIEN', 'OBRIEN', 'Oʼbrien'],
  ['MC DONALD', 'MCDONALD', 'McDonald', 'Mc-Donald'],
  ['DE LA CRUZ', 'DELACRUZ', 'De La Cruz', 'DELA CRUZ', 'DE LACRUZ'],
  ['JEAN-CLAUDE', 'JEANCLAUDE', 'Jean Claude', 'Jean‐Claude'],
  ['VAN DYKE', 'VANDYKE', 'Van-Dyke'],
  ["D'ANGELO", 'DANGELO', 'D ANGELO'],
  ['Łoś', 'LOS'],
  ['Müßig', 'MUSSIG'],
  ['Sørensen', 'SORENSEN'],
  ['Æther', 'AETHER'],
  ['Đukić', 'DUKIC'],
  ['Þórðarson', 'THORDARSON'],
  ['Ħal', 'HAL'],
  ['Yıldız', 'YILDIZ'],
  ['Œuvre', 'OEUVRE'],
]
const GIVEN = ['JOHN', 'JOHNNY Q', 'ADA', 'JÖRG', 'BRUNO "Q"', 'CLARA, JR.', 'XI', "'; DROP TABLE search_terms --"]
const THINGS = ['Widgets', 'Gadgets', 'Café', 'Sample', 'Xi Holdings', 'J&J', '3D Things', 'Ω Labs']
const SYMBOLS = [['EXWI'], ['EX', 'EX-B'], ['J'], ['XI'], ['EXWX', 'OLD'], [], ['EXG-A'], ['SAMP']]

/** Filings of 24 companies; each insider files for several, and each second one in two spellings. */
const specs = Array.from({ length: 150 }, (_, index): FilingSpec & { accession: string } => {
  const [company, owner] = [index % 24, (index * 7) % 40]
  const spelling = index % 2 === 0 ? '' : ` ${GIVEN[owner % GIVEN.length]!.slice(0, 1)}`
  return {
    accession: `0001999001-26-${String(index + 1).padStart(6, '0')}`,
    acceptedAt: `${index % 5 === 0 ? 2021 : 2025}${['01', '04', '11'][index % 3]}${10 + (index % 18)}120000`,
    issuer: {
      cik: cik(1999000 + company),
      name: `${THINGS[company % 8]} ${company} ${index > 120 ? 'Renamed' : 'Inc'}`,
      tickerRaw: SYMBOLS[company % 8]!.map((symbol) => (company < 8 ? symbol : `${symbol}${company}`)).join(', '),
    },
    owners: [
      { cik: cik(1999100 + owner), name: `${SURNAMES[owner % 10]} ${GIVEN[owner % 8]}${spelling}`, isDirector: true },
    ],
    rows: Array.from({ length: index % 4 }, (_, row) => ({
      ...{ shares: String(1_000 + index * 10 + row), price: '10', date: '2021-01-04' },
      ...(row === 2 && { code: 'G', acquiredDisposed: 'D' as const }),
    })),
  }
})
const LISTED = [
  { cik: cik(1999000), ticker: 'EXWI', name: 'EXAMPLE WIDGETS INC', exchange: 'NYSE' },
  { cik: cik(1999000), ticker: 'EXWI-P', name: 'EXAMPLE WIDGETS INC', exchange: 'NYSE' },
  { cik: cik(1998000), ticker: 'EXW', name: 'Sample Unfiled Corp', exchange: null },
  { cik: cik(1998001), ticker: 'JOHN', name: 'Another Unfiled Corp', exchange: 'Nasdaq' },
]
/** Many names that begin alike. */
const crowd = Array.from({ length: 900 }, (_, index): DirectoryEntry => ({
  ...{ accession: `0001999002-26-${String(index + 1).padStart(6, '0')}`, form: '3', filedAt: 1_740_000_000 + index },
  ...{ issuerCik: cik(1997000), companyName: 'Crowded Examples Inc', symbols: ['CRWD'] },
  ...{ sic: null, office: null, sector: 'Unknown', isEstimated: false },
  ...{ originalDate: null, period: null, amendmentWords: [] },
  owners: [{ cik: cik(1990000 + index), name: `JOHNSON${index} ${index % 2 ? 'JAMES' : 'SAM'} ${index}` }],
}))

function partiesOf(): Party[] {
  const parties = new Map<string, Party>()
  const party = (kind: Result['kind'], id: string) => {
    const found = parties.get(kind + id) ?? { kind, cik: id, names: [], symbols: [], recent: 0, all: 0, isFiled: false }
    parties.set(kind + id, found)
    return found
  }
  const filed = (each: Party, name: string, trades: { recent: number; all: number }) => {
    each.names.push(name)
    each.recent += trades.recent
    each.all += trades.all
    each.isFiled = true
  }
  for (const { issuer, owners, rows, acceptedAt } of specs) {
    const counted = rows!.filter(({ code }) => code !== 'G').length
    const trades = { recent: acceptedAt!.startsWith('2025') ? counted : 0, all: rows!.length }
    const company = party('company', issuer!.cik!)
    filed(company, issuer!.name!, trades)
    company.symbols.push(...issuer!.tickerRaw!.split(', ').filter(Boolean))
    for (const owner of owners!) filed(party('insider', owner.cik!), owner.name!, trades)
  }
  for (const entry of crowd) {
    const company = party('company', entry.issuerCik)
    filed(company, entry.companyName, { recent: 0, all: 0 })
    company.symbols.push(...entry.symbols)
    for (const owner of entry.owners) filed(party('insider', owner.cik), owner.name, { recent: 0, all: 0 })
  }
  for (const { cik: id, ticker, name } of LISTED) {
    const company = party('company', id)
    company.names.push(name)
    company.symbols.push(ticker)
  }
  return [...parties.values()]
}

const parties = partiesOf()
const wordsOf = ({ names, symbols }: Party) => [...new Set([...names, ...symbols].flatMap(searchTerms))]

/** What a query must find, in its order. */
function expected(q: string, kinds?: readonly string[]) {
  const words = queriedWords(q)
  const symbol = q.split(/\s+/).map(searchWords).find((each) => each.length > 0)!.join(' ') // oxfmt-ignore
  const matched = ({ symbols }: Party) => {
    const folded = symbols.map((each) => searchWords(each).join(' '))
    return folded.includes(symbol) ? 2 : folded.some((each) => each.startsWith(symbol)) ? 1 : 0
  }
  return parties
    .filter((party) => !kinds || kinds.includes(party.kind))
    .filter((party) =>
      words.every((forms) => wordsOf(party).some((each) => forms.some((form) => each.startsWith(form)))),
    )
    .sort(
      (a, b) =>
        matched(b) - matched(a) ||
        b.recent - a.recent ||
        b.all - a.all ||
        Number(b.isFiled) - Number(a.isFiled) ||
        Number(a.cik) - Number(b.cik),
    )
    .map((party) => `${party.kind} ${party.cik} ${matched(party) > 0 ? 'ticker' : 'name'}`)
}

describe('the search', function () {
  this.timeout(120_000)
  let service: TestService
  const refreshAll = async () =>
    service.container.get(TYPES.analytics).refreshParties({ nextVersion: service.container.get(TYPES.nextVersion) })
  const found = async (q: string, limit = 20, kinds?: Result['kind'][]) =>
    (await service.queries.search({ q, limit, ...(kinds && { kinds }) })).results
  const keys = (results: Result[]) => results.map(({ kind, cik: id, matched }) => `${kind} ${id} ${matched}`)

  before(async () => {
    service = await testService(() => NOW)
    await service.container.get(TYPES.companyList).replace(LISTED, 'test', Buffer.alloc(32))
    await service.container.get(TYPES.refreshCompanies)(() => {})
    await service.take(...specs)
    const none = { trades: [], goneTrades: [], goneEntries: [], goneDetails: [] }
    await service.container.get(TYPES.analytics).write(changeInserts({ ...none, entries: crowd }, 1))
  })
  after(() => service.close())

  it('finds every name and symbol by each of its words and their beginnings', async () => {
    const starts = new Set(
      parties
        .slice(0, 90)
        .flatMap(wordsOf)
        .flatMap((word) => [...word].map((_, place) => [...word].slice(0, place + 1).join(''))),
    )
    for (const start of [...starts, 'johnson', 'johnson8', 'jame', 'sam', 'crwd', '89'])
      assert.deepEqual(keys(await found(start)), expected(start).slice(0, 20), start)
  })

  it('finds names by several words in any order, and first of all by symbols', async () => {
    const word = fc.constantFrom(...parties.filter((_, index) => index % 9 === 0).flatMap(wordsOf))
    const start = fc.tuple(word, fc.nat(6)).map(([each, length]) => [...each].slice(0, length + 1).join(''))
    const typed = fc.constantFrom(
      'ex-b',
      'EX.B',
      'exw',
      'brk-b',
      'Exwi',
      'j s',
      'John Jr',
      'exwi widg',
      'xi hol',
      'inc j',
    )
    const query = fc.oneof(
      fc.array(start, { minLength: 1, maxLength: 3 }).map((each) => each.join(' ')),
      typed,
    )
    const kinds = fc.constantFrom<Result['kind'][] | undefined>(undefined, ['company'], ['insider'])
    await fc.assert(
      fc.asyncProperty(query, kinds, fc.integer({ min: 1, max: 20 }), async (q, wanted, limit) => {
        assert.deepEqual(keys(await found(q, limit, wanted)), expected(q, wanted).slice(0, limit), q)
      }),
      { numRuns: 150 },
    )
  })

  it('shows the newest name, and of insiders title and company', async () => {
    assert.deepEqual(await found('exwi', 1), [
      {
        ...{ kind: 'company', cik: cik(1999000), ticker: 'EXWI', name: 'EXAMPLE WIDGETS INC', exchange: 'NYSE' },
        matched: 'ticker',
      },
    ])
    const [insider] = await found('angstrom', 1, ['insider'])
    const profile = await service.queries.insider(insider!.cik)
    const newest = profile!.companies[0]!
    assert.deepInclude(insider, { name: profile!.name, title: newest.title, ticker: newest.ticker })
    assert.deepEqual(await found('unfiled another'), [
      {
        ...{ kind: 'company', cik: cik(1998001), ticker: 'JOHN', name: 'Another Unfiled Corp', exchange: 'Nasdaq' },
        matched: 'name',
      },
    ])
  })

  it('treats any input as words', async () => {
    for (const q of ["o'neil", '%', "' OR 1=1 --", 'a\\', '\\\'"', '=exwi=', '__proto__ x', '💥x', 'x'.repeat(64)]) {
      if (searchWords(q).length > 0) assert.deepEqual(keys(await found(q)), expected(q).slice(0, 20), q)
    }
    assert.isNotEmpty(await found("o'neil"))
  })

  it('finds names in each of their spellings by all others', async () => {
    const filings = SPELLINGS.flatMap((spellings, row) =>
      spellings.map((name, place): FilingSpec => ({
        ...{
          accession: `0001999004-26-${String(row * 10 + place + 1).padStart(6, '0')}`,
          acceptedAt: '20260226120000',
        },
        issuer: { cik: cik(1995000), name: 'Spelling Examples Inc', tickerRaw: 'SPLX' },
        owners: [{ cik: cik(1995100 + row * 10 + place), name: `${name} Quentin`, isDirector: true }],
      })),
    )
    await service.take(...filings)
    for (const isRefreshed of [false, true]) {
      if (isRefreshed) await refreshAll()
      for (const [row, spellings] of SPELLINGS.entries()) {
        const all = spellings.map((_, place) => cik(1995100 + row * 10 + place))
        for (const spelling of [...spellings, ...spellings.map((each) => each.toLowerCase())]) {
          const ciks = (await found(`${spelling} quentin`, 20, ['insider'])).map((each) => each.cik)
          assert.sameMembers(ciks, all, `${spelling} ${isRefreshed}`)
        }
      }
    }
    assert.isEmpty(await found('johns quentin'))
  })

  it('finds first-time filers at once, and does not find replaced names', async () => {
    const answer = await service.textQueries.search({ q: 'newcomer', limit: 5 })
    const changes = service.container.get(TYPES.changes)
    const version = changes.version()
    const filed = (name: string, owner: number): FilingSpec & { accession: string } => ({
      ...{ accession: '0001999003-26-000001', acceptedAt: '20260227120000' },
      issuer: { cik: cik(1996001), name: `${name} Example Corp`, tickerRaw: 'NEWC1' },
      owners: [{ cik: cik(owner), name: `NEWCOMER ${name}`, isDirector: true }],
    })

    const early = filed('EARLY', 1996101)
    await service.take({ path: `${early.accession}.nc`, text: disseminationText(early) })
    assert.isFalse(changes.isCurrent(dependenciesOf(answer)!, version))
    const insider = { kind: 'insider', cik: cik(1996101), name: 'NEWCOMER EARLY', title: 'Director', ticker: 'NEWC1' }
    const company = { kind: 'company', cik: cik(1996001), name: 'EARLY Example Corp', ticker: 'NEWC1' }
    for (const [q, party] of Object.entries({
      'newcomer e': insider,
      new: insider,
      'early corp': company,
      newc1: company,
    })) {
      const own = (await found(q)).find((each) => each.kind === party.kind && each.cik === party.cik)
      assert.deepInclude(own as object, party, q)
    }

    // Another copy of the document names another owner and company.
    await service.take(filed('LATER', 1996102))
    assert.isEmpty(await found('early'))
    assert.deepEqual(
      (await found('newcomer')).map((each) => each.cik),
      [cik(1996102)],
    )
  })

  it('ranks by filings as they arrive, and by those of three years after a refresh', async () => {
    let now = NOW
    const own = await testService(() => now)
    try {
      const ranked = async () =>
        (await own.queries.search({ q: 'rankexample', limit: 5 })).results.map((each) => each.cik)
      const filed = (number: number, owner: number, year: number, buys: number): FilingSpec => ({
        ...{ accession: `0001999005-26-${String(number).padStart(6, '0')}`, acceptedAt: `${year}0227120000` },
        issuer: { cik: cik(1996001), name: 'Other Corp', tickerRaw: 'OTHC' },
        owners: [{ cik: cik(owner), name: 'RANKEXAMPLE', isDirector: true }],
        rows: Array.from({ length: buys }, (_, row) => ({ shares: String(1_000 * number + row), price: '10' })),
      })
      await own.take(filed(1, 1996201, 2024, 2), filed(2, 1996202, 2026, 1))
      assert.deepEqual(await ranked(), [cik(1996201), cik(1996202)])
      await own.take(filed(3, 1996202, 2026, 2))
      assert.deepEqual(await ranked(), [cik(1996202), cik(1996201)])
      await own.take(filed(4, 1996201, 2024, 4))
      assert.deepEqual(await ranked(), [cik(1996201), cik(1996202)])
      now = Date.UTC(2028, 2, 1)
      await own.container.get(TYPES.analytics).refreshParties({ nextVersion: own.container.get(TYPES.nextVersion) })
      assert.deepEqual(await ranked(), [cik(1996202), cik(1996201)])
    } finally {
      await own.close()
    }
  })

  it("finds a company without filings while the SEC's list has it", async () => {
    const list = async (listed: typeof LISTED) => {
      await service.container.get(TYPES.companyList).replace(listed, 'test', Buffer.alloc(32, listed.length))
      await service.container.get(TYPES.refreshCompanies)(() => {})
    }
    const before = await found('unfiled')
    assert.lengthOf(before, 2)
    await list(LISTED.filter(({ ticker }) => ticker !== 'JOHN'))
    assert.deepEqual(
      (await found('unfiled')).map((each) => each.cik),
      [cik(1998000)],
    )
    await list(LISTED)
    assert.deepEqual(await found('unfiled'), before)
  })
})
