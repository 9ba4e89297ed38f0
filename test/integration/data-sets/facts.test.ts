// What a bulk load stores of a filing equals what the domain computes, as far as data sets have the facts.
import { assert } from 'chai'
import fc from 'fast-check'
import type { BackfillResult } from '../../../src/application/data-sets/load-quarters.ts'
import { directoryEntry } from '../../../src/application/projection/directory-entry.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import type { Filing } from '../../../src/domain/filings/filing.ts'
import { cleanSymbols } from '../../../src/domain/filings/ticker-symbol.ts'
import { tradeDateStatus } from '../../../src/domain/trades/trade-date.ts'
import { tradeFacts } from '../../../src/domain/trades/extract-trades.ts'
import type { Trade, TradeFacts } from '../../../src/domain/trades/trade.ts'
import { ClickHouseAnalyticsStore } from '../../../src/infrastructure/clickhouse/stores/analytics-store.ts'
import { sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { arbitraryFiling } from '../../support/filings/arbitrary-filing.ts'
import { dataSetOf, type DataSetOptions } from '../../support/edgar/invented/data-set-files.ts'
import { inDataSet, linesOf, loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { priceOf, WORDINGS } from '../../support/filings/average-prices.ts'
import { addDays } from '../../../src/domain/shared/calendar.ts'
import { seeded } from '../../support/edgar/invented/seeded.ts'
import { filingOf, type FilingSpec, type RowSpec } from '../../support/filings/filing-builder.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import type { DirectoryEntry } from '../../../src/application/ports/analytics.ts'
import { reconcileIssuer } from '../../../src/domain/trades/reconciliation/reconcile-issuer.ts'

/** After every date that a filing may have: a set does not tell when a filing came in. */
const RECEIVED = 4_133_980_799

let filings = 0
const accession = () => `0001999001-24-${String((filings += 1)).padStart(6, '0')}`
const filed = (spec: FilingSpec = {}): Filing =>
  filingOf({
    accession: accession(),
    acceptedAt: null,
    filedAsOf: '20240715',
    periodRaw: '2024-07-12',
    issuer: { cik: String(1999000 + filings).padStart(10, '0') },
    ...spec,
    rows: (spec.rows ?? [{}]).map((row) => ({ date: '2024-07-12', ...row })),
  })

describe('history from data sets', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.close())

  const stored = async (issuers: string[]) => new ClickHouseAnalyticsStore(service.store).trades([...new Set(issuers)])

  /** Loads the filings and compares all that is stored of them. */
  async function expectFacts(all: Filing[], options: DataSetOptions = {}): Promise<Trade[]> {
    const tables = dataSetOf(all, options)
    const [{ loaded, rejected }] = (await loadSets(service, [['2024q3', tables]])) as [BackfillResult]
    assert.strictEqual(rejected, 0, JSON.stringify(loaded))
    const shown = all.map((filing) => inDataSet(filing, options))
    const trades = await stored(all.map(({ issuer }) => issuer.cik))
    assert.deepEqual(factsOf(trades), factsOf(shown.flatMap((filing) => tradeFacts(filing, RECEIVED))))
    expectIds(trades, linesOf(tables, 'NONDERIV_TRANS'))
    assert.deepEqual(
      await directory(),
      shown.flatMap((filing) => directoryRows(directoryEntry(filing, RECEIVED))).sort(),
    )
    return trades
  }

  async function directory(): Promise<string[]> {
    const rows = await service.store
      .rows<object>(sql`SELECT kind, key, toUnixTimestamp(filed_at) AS at, accession, issuer_cik, name, form,
      symbols, sic, office, sector FROM directory FINAL`)
    return rows.map((row) => JSON.stringify(Object.values(row))).sort()
  }

  for (const options of [
    { quotes: 'doubled', aff10b5One: true },
    { quotes: 'plain', seed: 2 },
  ] as const) {
    it(`has every fact of all kinds of filings, with quotes ${options.quotes}`, async () => {
      const days = ['20240715', '20240229', '19940103', '20991231', '20061029', null]
      const all = fc.sample(arbitraryFiling, { numRuns: 700, seed: 20240715 }).map((spec, index) =>
        filingOf({
          ...spec,
          acceptedAt: null,
          filedAsOf: days[index % days.length]!,
          accession: accession(),
          owners: [...new Map(spec.owners!.map((owner) => [owner.cik, owner])).values()],
          footnotes: [...new Map(spec.footnotes!.map((note) => [note.id, note])).values()],
        }),
      )
      // Where quotes are not doubled, a text in quotes can't be told from a quoted one.
      const clear = options.quotes === 'plain' ? all.filter((filing) => !/"\\"/.test(JSON.stringify(filing))) : all
      const trades = await expectFacts(clear, options)
      assert.isAbove(trades.length, 50)
    })
  }

  it('follows titles that refer to remarks or footnotes, and finds CEOs and CFOs by them', async () => {
    const officer = (officerTitle: string, spec: FilingSpec = {}) =>
      filed({ owners: [{ isOfficer: true, officerTitle }], ...spec })
    const trades = await expectFacts([
      officer('See Remarks', { remarks: 'Title: Chief Executive Officer' }),
      officer('See Remarks', { remarks: 'EVP, "Global" Sales\nand more' }),
      officer('See Remarks'),
      officer('(See Footnote 2)', {
        footnotes: [
          { id: 'F1', text: 'Held by a trust.' },
          { id: 'F10', text: 'No.' },
          { id: 'F2', text: 'Title: President and CFO' },
        ],
      }),
      officer('(1)', { footnotes: [{ id: 'F1', text: 'Chief Financial Officer' }] }),
      officer('Chief Executive Officer'),
      officer('Former CFO'),
      officer('CEO, Example Widgets'),
      officer('CEO, Other Gadgets LLC'),
      officer('Chief Legal Officer'),
      officer('C.F.O.'),
      officer('Principal Financial Officer'),
      officer(''),
      filed({ owners: [{ isDirector: true, officerTitle: 'Chief Executive Officer' }] }),
      filed({ owners: [{ isOther: true, otherText: 'Member of "a" Group', isTenPercentOwner: true }] }),
    ])
    assert.lengthOf(
      trades.filter(({ ceo, cfo }) => ceo || cfo),
      7,
    )
  })

  it('finds CEOs and CFOs by abbreviated, misspelt and cut titles, and by remarks and footnotes only', async () => {
    const officer = (officerTitle: string, spec: FilingSpec = {}) =>
      filed({ owners: [{ isOfficer: true, officerTitle }], ...spec })
    const notes = (...texts: string[]) => ({ footnotes: texts.map((text, index) => ({ id: `F${index + 1}`, text })) })
    const chiefs = await expectFacts(
      [
        ...['PEO', 'Chief Executive Officer (PEO)', 'CEO, PEO', 'CFO (PFO & PAO)', 'P.F.O.', 'Cheif Executive Officer'],
        ...['Chf Financial Officer', 'Chairman, President & Chief Ex', 'EVP & Chief Financial Of'],
        ...['CEO and Class I Director', 'President, Co-Founder and CE'],
      ]
        .map((title) => officer(title))
        .concat([
          // oxfmt-ignore
          officer('See Remarks', { remarks: 'Exhibit 24 - Power of Attorney; Chief Executive Officer' }),
          officer('See Remarks', { remarks: 'title is: Chief Financial Officer' }),
          officer('(1)', notes('Chief Executive Officer of the Issuer')),
          officer('See FN 1', notes('PFO', 'Sold to cover tax.')),
        ]),
    )
    assert.deepEqual(
      chiefs.filter(({ ceo, cfo }) => ceo === cfo).map(({ insiderTitle }) => insiderTitle),
      [],
    )
    const none = await expectFacts([
      ...['PAO', 'Former PEO', 'CEO of Other Gadgets LLC'].map((title) => officer(title)),
      officer('See Remarks', { remarks: 'Filed late due to an administrative error.' }),
      officer('See Remarks', { remarks: 'A. Perch no longer serves as Chief Executive Officer.' }),
      officer('See Remarks', { remarks: 'Until March 1, 2024, A. Perch was the Chief Financial Officer.' }),
      officer('(1)', notes('x'.repeat(101))),
    ])
    const shown = none.map(({ insiderTitle, ceo, cfo }) => `${insiderTitle} ${ceo || cfo}`)
    assert.sameMembers(
      shown.filter((each) => each.startsWith('Officer')),
      Array.from({ length: 4 }, () => 'Officer false'),
    )
    assert.isEmpty(shown.filter((each) => each.endsWith('true')))
  })

  it("shows the symbol of the row's class if there are several", async () => {
    const rows = ['Class A Common Stock', 'Class B Common Stock', 'Common Stock', 'Class B Common, $.01 par'].map(
      (securityTitle, index): RowSpec => ({ securityTitle, shares: String(100 + index) }),
    )
    const classes = (cik: string, tickerRaw: string) => filed({ rows, issuer: { cik, tickerRaw } })
    const all = [
      classes('0000003001', 'IV.A, IV.B'),
      classes('0000003002', 'LEN, LEN.B'),
      classes('0000003003', 'BFXA, BFXB'),
      classes('0000003004', 'ONE'),
    ]
    const expected = (trades: Trade[]) =>
      trades.map(({ issuerCik, shares, ticker }) => `${Number(issuerCik)} ${Number(shares)} ${ticker}`).sort()
    const trades = await expectFacts(all)
    assert.deepEqual(expected(trades), [
      ...['3001 100 IV-A', '3001 101 IV-B', '3001 102 IV-A', '3001 103 IV-B'],
      ...['3002 100 LEN', '3002 101 LEN-B', '3002 102 LEN', '3002 103 LEN-B'],
      ...['3003 100 BFXA', '3003 101 BFXB', '3003 102 BFXA', '3003 103 BFXB'],
      ...['3004 100 ONE', '3004 101 ONE', '3004 102 ONE', '3004 103 ONE'],
    ])
    const byDomain = all.flatMap((filing) =>
      reconcileIssuer(tradeFacts(filing, RECEIVED), [], cleanSymbols(filing.issuer.tickerRaw)),
    )
    assert.deepEqual(expected(byDomain), expected(trades))
  })

  it('shows joint owners in the order of their CIKs, acting the first officer, else director', async () => {
    const owners = [
      { cik: '0000000009', name: 'NINE', isTenPercentOwner: true },
      { cik: '0000000007', name: 'SEVEN', isDirector: true },
      { cik: '0000000008', name: 'EIGHT "VIII"', isOfficer: true, officerTitle: 'See Remarks' },
    ]
    const trades = await expectFacts([
      filed({ owners, remarks: 'Chief Financial Officer' }),
      filed({ owners: owners.slice(0, 2) }),
      filed({ owners: owners.slice(0, 1) }),
    ])
    assert.deepEqual(trades.map(({ insiderName }) => insiderName).sort(), ['EIGHT "VIII"', 'NINE', 'SEVEN'])
  })

  it('cleans typed symbols in every form', async () => {
    const typed = ['NONE', 'NYSE: ABC', '', 'brk.b', 'LEN, LEN.B', '"QUO"', 'N/A', 'NULL', 'abcdefghijklm', '(XYZ)']
    typed.push('#N/A', 'NA', '-', 'TBD', 'Not publicly traded')
    await expectFacts([
      ...typed.map((tickerRaw, index) => filed({ issuer: { cik: String(2000 + index).padStart(10, '0'), tickerRaw } })),
      ...(['3', '3/A', '4', '4/A', '5', '5/A'] as const).map((formType) =>
        filed({ formType, dateOfOriginalSubmission: '2024-07-01' }),
      ),
      filed({ formType: '3', rows: [] }),
      filed({ rows: [] }),
      filed({ rows: [{ kind: 'holding' }] }),
    ])
  })

  it('dates a filing without a filing date by its signature, else its period, else any date it has', async () => {
    const undated = (spec: FilingSpec) => filed({ acceptedAt: null, filedAsOf: null, ...spec })
    const signed = (...dates: (string | null)[]) => dates.map((date) => ({ date }))
    const trades = await expectFacts([
      undated({ signatures: signed('2024-07-14', '2024-07-13', '2204-01-01') }),
      undated({ signatures: signed(null) }),
      undated({ signatures: [] }),
      undated({ signatures: signed('2023-01-01') }),
      undated({ periodRaw: '0024-07-12', signatures: signed('0024-07-14') }),
      undated({ periodRaw: '0024-07-12', signatures: [], formType: '4/A', dateOfOriginalSubmission: '2024-08-01' }),
      undated({ periodRaw: '0024-07-12', signatures: [], rows: [{ date: '0024-07-12' }] }),
      ...['20240231', '02240715', '20070311', '20061030'].map((filedAsOf) => filed({ filedAsOf })),
    ])
    assert.deepEqual(
      new Set(trades.map(({ filedBasis }) => filedBasis)),
      new Set(['signature', 'period', 'unknown', 'filed-date']),
    )
  })

  it('keeps impossible dates as filed, and parses possible ones', async () => {
    const day = (filedAsOf: string, ...dates: string[]) => filed({ filedAsOf, rows: dates.map((date) => ({ date })) })
    const trades = await expectFacts([
      day(
        '20240229',
        '2024-02-29',
        '2024-03-01',
        '2021-02-28',
        '2021-02-27',
        '2023-02-29',
        '0024-02-28',
        '2024-02-30',
        '2024-02-31',
      ),
      day('20240301', '2021-03-01', '2021-02-28', '2024-02-29', '9999-12-31', '0001-01-01'),
      day('20230228', '2020-02-28', '2020-02-29', '2020-02-27'),
    ])
    assert.sameMembers(
      trades.filter(({ tradeDay }) => tradeDay !== null).map(({ date }) => date),
      ['2024-02-29', '2021-02-28', '2021-03-01', '2024-02-29', '2020-02-28', '2020-02-29'],
    )
  })

  it('doubts dates that the period contradicts as the domain does', async () => {
    const chance = seeded(12)
    const of = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!
    const days = ['2026-01-07', '2024-02-29', '2023-03-02', '2002-09-06', '2021-06-22', '2025-01-10', '2028-03-01']
    const trades = await expectFacts(
      days.flatMap((day) =>
        Array.from({ length: 12 }, (_, number) => {
          const period = of([0, 0, 1, 2, 3, 4, 365, -1].map((back) => addDays(day, -back)))
          const isAmendment = number % 3 === 0
          return filed({
            filedAsOf: day.replaceAll('-', ''),
            formType: isAmendment ? '4/A' : '4',
            dateOfOriginalSubmission: of([
              null,
              addDays(day, -1),
              addDays(period, 1),
              addDays(period, 9),
              '2024-02-30',
            ]),
            periodRaw: of([period, period, period, period, '2024-02-30', '0024-01-05']),
            rows: Array.from({ length: 20 }, (): RowSpec => {
              const date = addDays(period, -of([0, 1, 2, 3, 4, 5, 6, 8, 30, 335, 365, 366, 730, 1_090, 1_200, -1]))
              const deemed = of([null, null, null, 1, 2, 3, 5, 365])
              return {
                date,
                code: of([...'PPPSSAMFGGJL', null]),
                acquiredDisposed: of(['A', 'D'] as const),
                formType: of(['4', '4', '4', '4', '5', null]),
                timeliness: of([null, null, null, 'E', 'L']),
                deemedExecutionDate: deemed === null ? null : addDays(date, deemed),
              }
            }),
          })
        }),
      ),
    )
    const statuses = Map.groupBy(trades, tradeDateStatus)
    for (const status of ['plausible', 'doubtful', 'impossible'] as const)
      assert.isAbove(statuses.get(status)!.length, 50, status)
    const doubtful = statuses.get('doubtful')!
    for (const amendment of [true, false])
      assert.isAbove(doubtful.filter((trade) => trade.amendment === amendment).length, 20, String(amendment))
  })

  it('counts business days to the filing and says what was late as the domain does', async () => {
    const chance = seeded(11)
    const of = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!
    const days = ['2024-07-08', '2018-12-07', '2023-03-01', '2021-06-22', '2002-09-03', '2025-01-10', '2024-02-29']
    const trades = await expectFacts(
      days.flatMap((day) =>
        [0, 1, 2].map((number) =>
          filed({
            filedAsOf: day.replaceAll('-', ''),
            formType: number === 2 ? '4/A' : '4',
            dateOfOriginalSubmission: number === 2 ? day : null,
            rows: Array.from({ length: 60 }, (_, index): RowSpec => {
              const date = addDays(day, -(index % 12))
              const deemed = of([null, null, 0, 1, 2, 5, 30, -1])
              return {
                date,
                code: of([...'PSAMFGJWLCU', null]),
                acquiredDisposed: of(['A', 'D'] as const),
                formType: of(['4', '4', '4', '5', null]),
                timeliness: of([null, null, 'E', 'L']),
                deemedExecutionDate: deemed === null ? null : addDays(date, deemed),
              }
            }),
          }),
        ),
      ),
    )
    for (const late of [true, false, null])
      assert.isAbove(trades.filter((trade) => trade.late === late).length, 50, String(late))
    assert.sameMembers([...new Set(trades.map(({ businessDays }) => businessDays))], [0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('finds prices that are averages in footnotes of the price alone', async () => {
    const footnotes = WORDINGS.map(([text], index) => ({ id: `F${index + 1}`, text }))
    const notes = footnotes.map(({ id }) => id)
    const trades = await expectFacts([
      filed({
        footnotes,
        rows: [
          ...WORDINGS.map((wording, index): RowSpec => ({
            shares: String(index + 1),
            price: priceOf(wording),
            footnotes: { price: [notes[index]!] },
          })),
          ...notes.map((id, index): RowSpec => ({ shares: String(1000 + index), footnotes: { title: [id] } })),
          { shares: '5000', price: '50', footnotes: { price: notes.slice(0, 2) } },
          { shares: '5001', price: '73.16', footnotes: { price: notes.slice(0, 2) } },
          { shares: '5002', price: null, footnotes: { price: notes.slice(0, 2) } },
        ],
      }),
    ])
    const byShares = new Map(trades.map((trade) => [Number(trade.shares), trade]))
    const found = (shares: number) => {
      const { averagePrice, lowPrice, highPrice } = byShares.get(shares)!
      return [averagePrice, lowPrice, highPrice]
    }
    for (const [index, [text, ...expected]] of WORDINGS.entries()) {
      assert.deepEqual(found(index + 1), expected, text)
      assert.deepEqual(found(1000 + index), [false, null, null])
    }
    assert.deepEqual(found(5000), [true, '10', '73.15'])
    assert.deepEqual(found(5001), [true, null, null])
    assert.deepEqual(found(5002), [true, '10', '73.15'])
  })

  it('computes type, value, price status and significance as the domain does', async () => {
    const rows = generatedRows(4_000)
    const owners = [{ isOfficer: true }, { isDirector: true }, { isTenPercentOwner: true }, { isOther: true }, {}]
    const all = Array.from({ length: 400 }, (_, index) => {
      const cik = String(3000 + index).padStart(10, '0')
      const owner = { ...owners[index % owners.length], cik: index % 20 === 0 ? cik : '0000000077' }
      return filed({
        issuer: { cik },
        owners: [owner],
        aff10b5One: [true, false, null][index % 3]!,
        rows: rows.slice(index * 10, index * 10 + 10),
      })
    })
    const trades = await expectFacts(all, { aff10b5One: true })
    assert.lengthOf(trades, 4_000)
    for (const own of Map.groupBy(trades, ({ issuerCik }) => issuerCik).values()) {
      assert.deepEqual(byId(own), byId(reconcileIssuer(own, [], own[0]!.symbols)))
    }
    for (const [part, count] of [
      ['significance', 4],
      ['priceStatus', 4],
      ['type', 16],
      ['plan', 3],
    ] as const) {
      assert.isAtLeast(new Set(trades.map((trade) => trade[part])).size, count, part)
    }
  })

  it("shows symbols from the SEC's list, then from the newest filing", async () => {
    const listed = ['LSTD', 'LSTD-B'].map((ticker) => ({ ticker, cik: '0000000001', name: 'Listed', exchange: null }))
    await service.container.get(TYPES.companyList).replace(listed, 'test', Buffer.alloc(32))
    await service.container.get(TYPES.refreshCompanies)(() => {})
    const typed = (cik: number, filedAsOf: string, tickerRaw: string) =>
      filed({ filedAsOf, rows: [{ shares: filedAsOf }], issuer: { cik: String(cik).padStart(10, '0'), tickerRaw } })
    await expectFacts([
      typed(1, '20240701', 'LSTD.B'),
      typed(1, '20240702', 'OLD'),
      typed(2, '20240701', 'OLD'),
      typed(2, '20240702', 'NEW'),
      typed(2, '20240703', 'NONE'),
      typed(3, '20240701', ''),
    ])
    const { transactions } = await service.queries.feed({ limit: 10 })
    assert.deepEqual(transactions.map(({ ticker }) => ticker).sort(), ['', 'LSTD', 'LSTD-B', 'NEW', 'NEW', 'NEW'])
  })
})

/** Amounts around every limit and half cent, codes of all kinds. */
function generatedRows(count: number): RowSpec[] {
  const chance = seeded(7)
  const of = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!
  const amount = () =>
    of([
      () => String(Math.floor(chance() * 1_000)),
      () => (chance() * 100).toFixed(2),
      () => (chance() * 100).toFixed(4),
      () => `${Math.floor(chance() * 40)}.5`,
      () =>
        of([
          '0',
          '0.01',
          '0.005',
          '0.015',
          '1',
          '100000',
          '99999.99',
          '1000000',
          '1000000.01',
          '50000',
          '999999999999.9999',
        ]),
    ])()
  return Array.from({ length: count }, () => ({
    code: of([...'PPPPSSSSAMFGJCDUWLEHIZKXOV', null, '?']),
    acquiredDisposed: of(['A', 'D', null] as const),
    directIndirect: of(['D', 'I', null] as const),
    shares: of([amount, amount, amount, () => null])(),
    price: of([amount, amount, amount, () => null])(),
    sharesAfter: of([amount, () => null])(),
  }))
}

const byId = (trades: Trade[]) => trades.toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** Without place and id, which a set's rows have of their own; in an order that equal facts share. */
function factsOf(facts: TradeFacts[]): string[] {
  const verdict = [
    'ticker',
    'priceStatus',
    'suspectUntil',
    'listed',
    'duplicateOf',
    'supersededBy',
    'supersededAt',
    'ambiguous',
    'profileCiks',
    'significance',
    'signals',
    'signalled',
    'routine',
    'earlier',
    'firstBuyYears',
    'previousBuy',
  ]
  const left = new Set([...verdict, 'id', 'place'])
  return facts
    .map((trade) =>
      JSON.stringify(
        Object.entries(trade)
          .filter(([part]) => !left.has(part))
          .sort(),
      ),
    )
    .sort()
}

/** `-nd-1` for a filing's only row, else the set's number of the row whose amounts it has. */
function expectIds(trades: Trade[], lines: Record<string, string>[]): void {
  const byAccession = Map.groupBy(lines, (line) => line.ACCESSION_NUMBER!)
  for (const trade of trades) {
    const own = byAccession.get(trade.accession)!
    const line =
      own.length === 1 ? own[0]! : own.find(({ NONDERIV_TRANS_SK }) => Number(NONDERIV_TRANS_SK) === trade.place)!
    assert.deepEqual(
      [trade.id, trade.place],
      own.length === 1
        ? [`${trade.accession}-nd-1`, 1]
        : [`${trade.accession}-ds-${line.NONDERIV_TRANS_SK}`, Number(line.NONDERIV_TRANS_SK)],
    )
    assert.deepEqual(
      [trade.shares, trade.priceFiled ?? ''].map(Number),
      [line.TRANS_SHARES, line.TRANS_PRICEPERSHARE].map(Number),
    )
  }
}

function directoryRows(entry: DirectoryEntry): string[] {
  const row = (kind: string, key: string, name: string, more: unknown[]) =>
    JSON.stringify([kind, key, entry.filedAt, entry.accession, Number(entry.issuerCik), name, ...more])
  return [
    row('issuer', entry.issuerCik, entry.companyName, [entry.form, entry.symbols, '', '', entry.sector]),
    ...entry.owners.map(({ cik, name }) => row('owner', cik, name, ['', [], '', '', ''])),
    ...entry.symbols.map((symbol) => row('symbol', symbol, '', ['', [], '', '', ''])),
  ]
}
