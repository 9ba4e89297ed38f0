// One filing with all its contents, over real stores and HTTP, each answer checked against the contract.
import { assert } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { dependenciesOf } from '../../../../src/application/changes/data-dependencies.ts'
import type { components } from '../../../../src/contract.ts'
import { call } from '../../../support/http/contract-client.ts'
import { startExampleService, type ExampleService } from '../../../support/http/example-service.ts'
import { dataSetOf } from '../../../support/edgar/invented/data-set-files.ts'
import { loadSets } from '../../../support/edgar/invented/in-data-set.ts'
import { filingOf, ownershipXml, submissionText, type FilingSpec } from '../../../support/filings/filing-builder.ts'
import { documentsFolder, haveRealFilings, truth } from '../../../support/filings/truth.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

type Detail = components['schemas']['FilingDetail']
type Row = components['schemas']['FilingRow'] | components['schemas']['DerivativeRow']
type Json = Record<string, any>

const ORIGINAL = '0001999001-26-000002'
const AMENDMENT = '0001999001-26-000031'
const original: FilingSpec = {
  accession: ORIGINAL,
  acceptedAt: '20261103171545',
  rows: [
    { code: 'S', acquiredDisposed: 'D', shares: '8000', price: '18.6125', sharesAfter: '12000', date: '2026-11-02' },
    { kind: 'holding', sharesAfter: '.50', directIndirect: 'I', nature: 'By Trust' },
    { code: 'G', acquiredDisposed: 'D', shares: '5', price: null, date: '2026-11-02', footnotes: { price: ['F1'] } },
  ],
  derivativeRows: [{ kind: 'holding', derivativeFootnotes: { exerciseDate: ['F2'] } }, {}],
  footnotes: [
    { id: 'F1', text: 'A gift.' },
    { id: 'F2', text: '<b>Vested</b>' },
  ],
  remarks: 'Title: Chief Financial Officer',
  owners: [{ isOfficer: true, officerTitle: 'See Remarks' }],
}
const amendment: FilingSpec = {
  ...original,
  accession: AMENDMENT,
  formType: '4/A',
  acceptedAt: '20261112160211',
  dateOfOriginalSubmission: '2026-11-03',
  rows: [{ code: 'S', acquiredDisposed: 'D', shares: '8000', price: '18.7', sharesAfter: '12000', date: '2026-11-02' }],
}

describe('one filing', function () {
  this.timeout(120_000)
  let service: TestService
  let http: ExampleService
  beforeEach(async () => {
    service = await testService(() => Date.UTC(2026, 11, 1))
    http = await startExampleService({ queries: service.textQueries })
  })
  afterEach(async () => {
    await http.close()
    await service.close()
  })
  const ask = async (accession: string): Promise<Detail> =>
    (await call(http.url, 'GET', `/v1/filings/${accession}`)).body.data

  it('is answered as filed, with what was decided about each row', async () => {
    await service.take(original)
    const feed = (await service.queries.feed({ limit: 9, detail: true })).transactions

    const filing = await ask(ORIGINAL)

    assert.deepEqual(await ask(ORIGINAL.replaceAll('-', '')), filing)
    assert.strictEqual(filing.filingDate, '2026-11-03T22:15:45Z')
    assert.strictEqual(filing.seenAt, '2026-12-01T00:00:00Z')
    assert.strictEqual(filing.owners[0]!.title, 'Chief Financial Officer')
    assert.strictEqual(filing.owners[0]!.officerTitle, 'See Remarks')
    assert.strictEqual(filing.url, feed[0]!.detail!.url)
    assert.deepEqual([filing.amends, filing.amendedBy], [[], []])
    const [sale, held, gift] = filing.nonDerivative as [any, any, any]
    assert.deepEqual([sale.place, held.place, gift.place], [1, null, 2])
    assert.deepEqual([sale.id, held.id, gift.id], [`${ORIGINAL}-nd-1`, null, `${ORIGINAL}-nd-2`])
    assert.deepEqual([held.sharesOwnedAfter, held.ownership, held.natureOfOwnership], [0.5, 'indirect', 'By Trust'])
    assert.strictEqual(held.decision, null)
    assert.deepEqual([gift.pricePerShare, gift.footnotes], [null, { pricePerShare: ['F1'] }])
    for (const row of [sale, gift]) {
      const { transactionType, totalValue, significance, signals, detail } = feed.find(({ id }) => id === row.id)!
      const { priceStatus } = detail!
      assert.deepEqual(row.decision, {
        status: 'listed',
        supersededBy: null,
        supersededAt: null,
        duplicateOf: null,
        ...{ transactionType, totalValue, priceStatus, significance, signals },
      })
    }
    assert.deepEqual(
      filing.derivative!.map(({ kind, place }) => [kind, place]),
      [
        ['holding', null],
        ['transaction', 1],
      ],
    )
    assert.deepEqual(filing.derivative![0]!.footnotes, { exerciseDate: ['F2'] })
    assert.deepEqual(filing.footnotes, original.footnotes)
  })

  it('says of an old document that it was read after a fault of its XML was undone', async () => {
    const spec: FilingSpec = {
      ...original,
      accession: '0001999001-04-000002',
      acceptedAt: '20041103171545',
      rows: [{ date: '2004-11-02' }],
      issuer: { name: 'EXAMPLE & SONS INC' },
    }
    const text = submissionText(spec).replace('EXAMPLE &amp; SONS', 'EXAMPLE & SONS')
    await service.take(original, { path: `${spec.accession}.txt`, text })

    const [repaired, whole] = [await ask(spec.accession!), await ask(ORIGINAL)]

    assert.deepEqual([repaired.repaired, whole.repaired], [true, false])
    assert.strictEqual(repaired.issuer.name, 'EXAMPLE & SONS INC')
    assert.strictEqual(repaired.nonDerivative[0]!.decision!.status, 'listed')
  })

  it('names the amendment that superseded its rows, and the filings it amends', async () => {
    await service.take(original, amendment)

    const [amended, amending] = [await ask(ORIGINAL), await ask(AMENDMENT)]

    assert.deepEqual([amended.amends, amended.amendedBy], [[], [AMENDMENT]])
    assert.deepEqual([amending.amends, amending.amendedBy], [[ORIGINAL], []])
    const { status, supersededBy, supersededAt } = amended.nonDerivative[0]!.decision!
    assert.deepEqual([status, supersededBy, supersededAt], ['superseded', AMENDMENT, '2026-11-12T21:02:11Z'])
    assert.strictEqual(amending.nonDerivative[0]!.decision!.status, 'listed')
  })

  it('filed again is a duplicate of the transaction that is shown', async () => {
    await service.take(original, { ...original, accession: '0001999001-26-000003', acceptedAt: '20261104100000' })

    const { decision } = (await ask('0001999001-26-000003')).nonDerivative[0]!

    assert.deepEqual([decision!.status, decision!.duplicateOf], ['duplicate', `${ORIGINAL}-nd-1`])
  })

  it('of another form has rows without ids and decisions', async () => {
    await service.take({ ...original, formType: '5' })

    const filing = await ask(ORIGINAL)

    assert.deepEqual([filing.form, filing.issuer.ticker], ['5', 'EXWI'])
    assert.deepEqual(
      filing.nonDerivative.map(({ place, id, decision }) => [place, id, decision]),
      [
        [1, null, null],
        [null, null, null],
        [2, null, null],
      ],
    )
  })

  it('is found by the number that its document had before its full submission came', async () => {
    const [bare] = await service.take({ path: 'bare.xml', text: ownershipXml(original) })
    assert.match(bare!.accession!, /^local-/)
    const before = await ask(bare!.accession!)
    assert.deepEqual([before.accessionNumber, before.url], [bare!.accession, null])

    await service.take({ path: 'whole.txt', text: submissionText(original) })

    assert.deepEqual(await ask(bare!.accession!), await ask(ORIGINAL))
    assert.strictEqual((await ask(ORIGINAL)).accessionNumber, ORIGINAL)
  })

  it('is not found if its document could not be read', async () => {
    await service.take({
      path: `${ORIGINAL}.txt`,
      text: submissionText(original).replace('<transactionShares>', '<x>'),
    })

    for (const unknown of [ORIGINAL, AMENDMENT]) {
      const { status, body } = await call(http.url, 'GET', `/v1/filings/${unknown}`)
      assert.deepEqual([status, body.error.code], [404, 'unknown_filing'])
    }
  })

  it('is kept in memory with what its issuer consists of, and not while it waits to be projected', async () => {
    await service.record(original)
    const waiting = (await service.textQueries.filing(ORIGINAL))!
    assert.deepEqual(
      waiting.nonDerivative.map(({ decision }) => decision),
      [null, null, null],
    )
    assert.strictEqual(dependenciesOf(waiting), undefined)

    await service.project()

    assert.deepEqual(dependenciesOf((await service.textQueries.filing(ORIGINAL))!), { parts: ['issuer:0001999001'] })
  })

  it('from a data set is complete, under the ids of its rows, until its document arrives', async () => {
    const spec = { ...original, acceptedAt: null, filedAsOf: '20240715', accession: '0001999001-24-000007' }
    const dated = (row: object) => ({ ...row, date: '2024-07-12' })
    const filing = { ...spec, rows: spec.rows!.map(dated), derivativeRows: spec.derivativeRows!.map(dated) }
    await loadSets(service, [['2024q3', dataSetOf([filingOf(filing)])]])

    const { nonDerivative, ...answer } = await ask(spec.accession)

    assert.deepInclude(answer, { source: 'data_set', complete: true, seenAt: null, filingDateBasis: 'filed-date' })
    assert.deepEqual([answer.remarks, answer.footnotes], [original.remarks, original.footnotes])
    assert.strictEqual(answer.issuer.name, 'Example Widgets Inc')
    assert.deepEqual(
      answer.owners.map(({ name, title, officerTitle }) => [name, title, officerTitle]),
      [['SAMPLE ADA 1', 'Chief Financial Officer', 'See Remarks']],
    )
    const [one, two, held] = nonDerivative
    assert.sameMembers([one!.id, two!.id], await service.listed())
    assert.deepEqual([held!.kind, held!.id, held!.decision, held!.sharesOwnedAfter], ['holding', null, null, 0.5])
    assert.sameDeepMembers(
      answer.derivative!.map(({ kind, footnotes }) => [kind, footnotes]),
      [
        ['transaction', {}],
        ['holding', { exerciseDate: ['F2'] }],
      ],
    )
    await service.take(filing)
    assert.deepInclude(await ask(spec.accession), { source: 'document', complete: true })
  })

  describe(`of the real ones${haveRealFilings ? '' : ' (skipped: ../shared/filings is not here)'}`, () => {
    before(function () {
      if (!haveRealFilings) this.skip()
    })

    it('equals the documents in every field and footnote, without addresses', async () => {
      const names = readdirSync(documentsFolder).sort()
      const known = truth() as unknown as Record<string, Json>
      const documents = names.map((path) => ({ path, text: readFileSync(`${documentsFolder}/${path}`, 'utf8') }))
      const recorded = await service.take(...documents)
      let addresses = 0
      for (const [index, { accession }] of recorded.entries()) {
        const name = names[index]!
        const filing = await ask(accession!)
        // One of two copies of a filing leads to the better one.
        if (filing.accessionNumber === accession) assert.deepEqual(asTruth(filing), asKnown(known[name]!), name)
        const shown = JSON.stringify({ ...filing, footnotes: null, remarks: null }).toUpperCase()
        for (const text of addressesIn(documents[index]!.text)) {
          const address = JSON.stringify(text).slice(1, -1).toUpperCase()
          // Some type the name of the company into the street, which the answer has as a name.
          if (JSON.stringify(known[name]).toUpperCase().includes(address)) continue
          assert.notInclude(shown, address, name)
          addresses += 1
        }
      }
      assert.isAbove(addresses, 300)
    })
  })
})

/** Streets and postal codes, which no other field repeats; towns and states also occur in names. */
function addressesIn(text: string): string[] {
  const found = [
    ...text.matchAll(/<rptOwner(?:Street1|Street2|ZipCode)>\s*([^<]*?)\s*</g),
    ...text.matchAll(/^\s*(?:STREET 1|STREET 2|ZIP):\s*(.*?)\s*$/gm),
  ].map(([, address]) => address!)
  return [...new Set(found)].filter((address) => address.length > 6)
}

/** The answer in the shape of the truth. */
function asTruth(filing: Detail): Json {
  return {
    aff10b5One: filing.plan10b51Box,
    dateOfOriginalSubmission: filing.dateOfOriginalSubmission,
    derivative: filing.derivative!.map(truthRow),
    footnotes: filing.footnotes!.length,
    formType: filing.form,
    issuer: { cik: filing.issuer.cik, name: filing.issuer.name, tickerRaw: filing.issuer.tickerAsFiled },
    nonDerivative: filing.nonDerivative.map(truthRow),
    notSubjectToSection16: filing.notSubjectToSection16,
    owners: filing.owners.map(({ title: _, ...owner }) => owner),
    periodOfReport: filing.periodOfReport,
    remarks: filing.remarks,
    schemaVersion: filing.schemaVersion,
    signatures: filing.signatures,
  }
}

function truthRow(row: Row): Json {
  const cells: Record<string, string[]> = row.footnotes!
  const option = 'conversionPrice' in row ? row : null
  const at = (...names: string[]) => names.flatMap((name) => cells[name] ?? []).sort()
  return {
    ad: row.acquiredDisposed,
    allFn: [...new Set(Object.values(cells).flat())].sort(),
    code: row.transactionCode,
    codingFn: at('transactionFormType', 'transactionCode', 'equitySwap'),
    date: row.tradeDate,
    deemedExecutionDate: row.deemedExecutionDate,
    directIndirect: row.ownership && row.ownership.charAt(0).toUpperCase(),
    equitySwap: row.equitySwap,
    formType: row.transactionFormType,
    kind: row.kind,
    nature: row.natureOfOwnership,
    price: row.pricePerShare,
    priceFn: at('pricePerShare'),
    securityTitle: row.securityTitle,
    shares: row.shares,
    sharesAfter: row.sharesOwnedAfter,
    timeliness: row.timeliness,
    totalValue: option?.totalValue ?? null,
    valueAfter: row.valueOwnedAfter,
    ...(option && {
      conversionPrice: option.conversionPrice,
      conversionPriceFn: at('conversionPrice'),
      exerciseDate: option.exerciseDate,
      exerciseDateFn: at('exerciseDate'),
      expirationDate: option.expirationDate,
      expirationDateFn: at('expirationDate'),
      underlyingShares: option.underlyingShares,
      underlyingTitle: option.underlyingTitle,
      underlyingValue: option.underlyingValue,
    }),
  }
}

const AMOUNTS = /^(price|shares|sharesAfter|valueAfter|totalValue|conversionPrice|underlyingShares|underlyingValue)$/

/** The truth without what an answer does not have: amounts are numbers there, dates cut to the day. */
function asKnown({ counts, header: _, accession: __, periodRaw: ___, ...known }: Json): Json {
  const row = ({ dateRaw: ____, natureFn: _____, ...each }: Json): Json =>
    Object.fromEntries(
      Object.entries(each).map(([name, value]) => {
        if (name === 'kind') return [name, (value as string).endsWith('Holding') ? 'holding' : 'transaction']
        if (name.endsWith('Fn')) return [name, [...new Set(value as string[])].sort()]
        return [name, AMOUNTS.test(name) && value !== null ? Number(value) : value]
      }),
    )
  const { foreignTickerRaw: ______, ...issuer } = known.issuer
  return {
    ...known,
    issuer,
    footnotes: counts.footnotes,
    derivative: known.derivative.map(row),
    nonDerivative: known.nonDerivative.map(row),
  }
}
