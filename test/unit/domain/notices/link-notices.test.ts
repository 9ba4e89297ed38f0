// Links of notices to sales, case by case. Unless a case says otherwise, the notice is: seller 7, 10,000 units of
// Common, sale date and filing on 1 June 2026.
import { assert } from 'chai'
import {
  linkNotices,
  type NoticeLink,
  type NoticesAndSales,
  type OwnerReport,
} from '../../../../src/domain/notices/link-notices.ts'
import type { FiledNotice } from '../../../../src/domain/notices/notice.ts'
import { newYorkToUtc } from '../../../../src/domain/shared/new-york-time.ts'
import { filed, type NoticeSpec } from '../../../support/notices/notice-builder.ts'
import { cikOf, saleOf } from '../../../support/notices/reported-sales.ts'

const N = '0001999201-26-000001'
const N2 = '0001999201-26-000002'
const N3 = '0001999201-26-000003'

const atNoon = (day: string): number => newYorkToUtc(day, 12 * 3600)
const offer = ({ seller, ...spec }: NoticeSpec = {}): FiledNotice =>
  filed({
    accession: N,
    acceptedAt: '20260601110000',
    seller: { cik: cikOf('7'), name: 'SAMPLE GRETA', ...seller },
    ...spec,
  })
const owner7: OwnerReport = { cik: cikOf('7'), name: 'SAMPLE GRETA', filedAt: 1e9, day: '2020-01-02', left: false }

/** Links as of 20 June 2026. */
const link = (
  notices: FiledNotice[],
  sales: NoticesAndSales['sales'],
  { asOf = '2026-06-20', owners = [] }: { asOf?: string; owners?: OwnerReport[] } = {},
): NoticeLink[] => linkNotices({ notices, sales, owners, asOf: atNoon(asOf) })
const summary = ({ state, linkedBy, reportedUnits }: NoticeLink) => [state, linkedBy, reportedUnits]

describe('links of notices to sales', () => {
  it('selling all units on the sale date fulfils a notice, by the CIK', () => {
    const sale = saleOf()
    assert.deepEqual(link([offer()], [sale]), [
      {
        accession: N,
        state: 'fulfilled',
        linkedBy: 'cik',
        reportedUnits: '10000',
        windowEnd: '2026-08-30',
        windowOpen: true,
        firstSale: '2026-06-01',
        lastSale: '2026-06-01',
        allocations: [{ saleId: sale.id, accession: sale.accession, units: '10000' }],
        unitsDiffer: false,
        group: null,
        replacedBy: null,
      },
    ])
  })

  it('sales of 6,000 and 4,000 fulfil a notice of 10,000 with the second', () => {
    const sales = [saleOf({ shares: '6000' }), saleOf({ shares: '4000', tradeDay: '2026-07-03' })]
    assert.deepEqual(link([offer()], sales).map(summary), [['partly', 'cik', '6000']])
    const [later] = link([offer()], sales, { asOf: '2026-07-06' })
    assert.deepInclude(later, { state: 'fulfilled', firstSale: '2026-06-01', lastSale: '2026-07-03' })
  })

  it('a sale of 9,999.6 fulfils a notice of 10,000, and a later sale does not count for the rest', () => {
    const sales = [saleOf({ shares: '9999.6' }), saleOf({ shares: '500', tradeDay: '2026-06-05' })]
    assert.deepEqual(link([offer()], sales).map(summary), [['fulfilled', 'cik', '9999.6']])
  })

  it('a notice with 4,000 of 10,000 sold stays partly after its window', () => {
    const [result] = link([offer()], [saleOf({ shares: '4000' })], { asOf: '2026-10-01' })
    assert.deepInclude(result, { state: 'partly', reportedUnits: '4000', windowOpen: false })
  })

  it('a sale on day 91 does not count; a seller who reports leaves the notice not reported ten days later', () => {
    const sales = [saleOf({ tradeDay: '2026-08-31' })]
    const on = (asOf: string, owners: OwnerReport[]) => link([offer()], sales, { asOf, owners })[0]!
    assert.deepInclude(on('2026-08-30', [owner7]), { state: 'open', windowOpen: true })
    assert.deepInclude(on('2026-08-31', [owner7]), { state: 'open', windowOpen: false })
    assert.deepInclude(on('2026-09-08', [owner7]), { state: 'open' })
    assert.deepInclude(on('2026-09-09', [owner7]), { state: 'not_reported', linkedBy: null, reportedUnits: '0' })
    assert.deepInclude(link([offer()], [saleOf({ tradeDay: '2026-08-30' })], { asOf: '2026-09-09' })[0], {
      state: 'fulfilled',
    })
  })

  it('no sale is expected of a seller who never reported, has left, or says so', () => {
    const ended = (owners: OwnerReport[], spec: NoticeSpec = {}) =>
      link([offer(spec)], [], { asOf: '2026-10-01', owners })
    const left = { ...owner7, day: '2026-05-01', filedAt: atNoon('2026-05-04'), left: true }
    const former = { seller: { relationships: ['Former Officer'] } }
    assert.deepEqual(ended([]).map(summary), [['not_expected', null, '0']])
    assert.deepEqual(ended([owner7, left]).map(summary), [['not_expected', null, '0']])
    assert.deepEqual(ended([left, { ...owner7, day: '2026-05-20', filedAt: atNoon('2026-05-20') }]).map(summary), [
      ['not_reported', null, '0'],
    ])
    assert.deepEqual(ended([owner7, { ...left, day: '2026-07-01' }]).map(summary), [['not_reported', null, '0']])
    assert.deepEqual(ended([owner7], former).map(summary), [['not_expected', null, '0']])
    assert.strictEqual(link([offer()], [], { asOf: '2026-08-31' })[0]!.state, 'not_expected')
  })

  it('a sale by a spouse who is not named leaves a notice open', () => {
    assert.deepEqual(link([offer()], [saleOf({ owner: '8', nature: 'By spouse' })]).map(summary), [['open', null, '0']])
  })

  it('a sale of a family trust named in the remarks fulfils a notice, by the holder', () => {
    const sales = [saleOf({ owner: '9', nature: 'See footnote', footnotes: ['Held by The Sample Living Trust.'] })]
    const remarks = 'The shares will be sold by The Sample Living Trust dtd 1/29/2016.'
    assert.deepEqual(link([offer({ remarks })], sales).map(summary), [['fulfilled', 'holder', '10000']])
    assert.deepEqual(link([offer({ remarks })], sales, { owners: [owner7] }).map(summary), [
      ['fulfilled', 'holder', '10000'],
    ])
    assert.deepEqual(link([offer({ remarks: 'Held by the Other Sample Trust.' })], sales).map(summary), [
      ['open', null, '0'],
    ])
  })

  it('a sale by a trust that is itself the seller fulfils a notice, by the holder', () => {
    const sales = [saleOf({ owner: '9', nature: 'By Sample Holdings LLC' })]
    const seller = { name: 'Sample Holdings, L.L.C.' }
    assert.deepEqual(link([offer({ seller })], sales).map(summary), [['fulfilled', 'holder', '10000']])
  })

  it('a company from which shares were acquired does not count as the seller', () => {
    const sales = [saleOf({ owner: '9', ownerName: 'Sample Ventures LP' })]
    const state = (remarks: string) => link([offer({ remarks })], sales)[0]!.state
    assert.strictEqual(state('The shares were received in a distribution of Sample Ventures LP.'), 'open')
    assert.strictEqual(state('The shares are held by Sample Ventures, L.P.'), 'fulfilled')
  })

  it('issuer and broker in the remarks do not count as holders', () => {
    const sales = [
      saleOf({ owner: '9', nature: 'By Invented Brokerage LLC' }),
      saleOf({ owner: '9', nature: 'By Example Widgets Inc' }),
    ]
    const remarks = 'Shares of Example Widgets, Inc. are held by Invented Brokerage LLC.'
    assert.deepEqual(link([offer({ remarks })], sales).map(summary), [['open', null, '0']])
  })

  it("a fund's sale does not count for an insider whom its footnote names", () => {
    const footnotes = [
      'Held by Sample Fund, L.P. Greta Sample is the manager of its general partner and disclaims them.',
    ]
    const sales = [saleOf({ owner: '9', nature: 'By Sample Fund', footnotes })]
    assert.deepEqual(link([offer()], sales, { owners: [owner7] }).map(summary), [['open', null, '0']])
  })

  it('two notices and two sales: both fulfilled, each by its day', () => {
    const second = offer({ accession: N2, acceptedAt: '20260608110000' })
    const sales = [saleOf({ tradeDay: '2026-06-08' }), saleOf()]
    const links = link([second, offer()], sales)
    assert.deepEqual(
      links.map(({ accession, state, firstSale, allocations }) => [
        accession,
        state,
        firstSale,
        allocations[0]!.saleId,
      ]),
      [
        [N, 'fulfilled', '2026-06-01', sales[1]!.id],
        [N2, 'fulfilled', '2026-06-08', sales[0]!.id],
      ],
    )
  })

  it('a sale of 12,000 on the day of the second of two notices fulfils that one, and the first partly', () => {
    const second = offer({ accession: N2, acceptedAt: '20260608110000' })
    assert.deepEqual(link([offer(), second], [saleOf({ shares: '12000', tradeDay: '2026-06-08' })]).map(summary), [
      ['partly', 'cik', '2000'],
      ['fulfilled', 'cik', '10000'],
    ])
  })

  it("of two notices of one day, the one whose units equal the day's total is fulfilled, even if it is younger", () => {
    const second = offer({ accession: N2, acceptedAt: '20260601120000', lines: [{ units: 7000 }] })
    const sales = [saleOf({ shares: '3000' }), saleOf({ shares: '4000.4' })]
    assert.deepEqual(link([offer(), second], sales).map(summary), [
      ['partly', 'cik', '0.4'],
      ['fulfilled', 'cik', '7000'],
    ])
  })

  it('notices of three co-trustees with the same remark are one group, fulfilled once', () => {
    const remarks = 'The shares are held by the Sample Lifetime Trust, of which the three of us are co-trustees.'
    const trustees = [
      offer({ remarks }),
      offer({
        accession: N2,
        acceptedAt: '20260602110000',
        seller: { cik: cikOf('17'), name: 'Specimen Bruno' },
        lines: [{ saleDate: '2026-06-01' }],
        remarks,
      }),
      offer({
        accession: N3,
        acceptedAt: '20260603110000',
        seller: { cik: cikOf('27'), name: 'Clara Exemplar' },
        lines: [{ saleDate: '2026-06-01' }],
        remarks,
      }),
    ]
    const sale = saleOf({ owner: '17' })
    const links = link(trustees, [sale])
    assert.deepEqual(
      links.map(({ accession }) => accession),
      [N, N2, N3],
    )
    for (const each of links) {
      assert.deepInclude(each, { state: 'fulfilled', linkedBy: 'cik', reportedUnits: '10000', group: N })
      assert.deepEqual(each.allocations, [{ saleId: sale.id, accession: sale.accession, units: '10000' }])
    }
    const twice = link(trustees, [sale, saleOf({ owner: '7' })])
    assert.deepEqual(
      twice.map(({ reportedUnits }) => reportedUnits),
      ['10000', '10000', '10000'],
    )
  })

  it("notices are one group only if one names the other's seller or mentions the same shares", () => {
    const other = (spec: NoticeSpec) =>
      offer({ accession: N2, seller: { cik: cikOf('17'), name: 'Specimen Bruno' }, ...spec })
    const groups = (first: NoticeSpec, second: NoticeSpec) =>
      link([offer(first), other(second)], []).map(({ group }) => group)
    const together = [N, N]
    const apart = [null, null]
    assert.deepEqual(groups({}, { remarks: 'Both notices relate to the same 10,000 shares.' }), together)
    assert.deepEqual(groups({ remarks: 'Bruno Specimen is a co-trustee and files too.' }, {}), together)
    const company = { seller: { cik: cikOf('17'), name: 'Sample Holdings LLC' } }
    assert.deepEqual(groups({ remarks: 'Sample Holdings, L.L.C. files too.' }, company), together)
    assert.deepEqual(groups({}, {}), apart)
    assert.deepEqual(groups({ remarks: 'Held by the Sample Trust.' }, { remarks: 'Held by the Other Trust.' }), apart)
    const same = { remarks: 'This is for the same shares.' }
    assert.deepEqual(groups(same, { lines: [{ marketValue: '250000.01' }] }), apart)
    assert.deepEqual(groups(same, { lines: [{ classTitle: 'Class A' }] }), apart)
    assert.deepEqual(groups(same, { lines: [{ saleDate: '2026-06-01' }], acceptedAt: '20260603110000' }), together)
    assert.deepEqual(groups(same, { lines: [{ saleDate: '2026-06-01' }], acceptedAt: '20260604110000' }), apart)
    assert.deepEqual(groups(same, { seller: { cik: cikOf('7') } }), apart)
  })

  it('COOK TIMOTHY D and Timothy D. Cook are linked by the name', () => {
    for (const [seller, ownerName] of [
      ['COOK TIMOTHY D', 'Timothy D. Cook'],
      ['Timothy D. Cook', 'COOK TIMOTHY D'],
      ['TIM COOK', 'COOK TIMOTHY D'],
      ['Jan van der Velden', 'VAN DER VELDEN JAN'],
      ['COOK T D', 'COOK TIMOTHY D'],
      ['Dr. Timothy Cook, Jr.', 'COOK TIMOTHY D'],
    ] as const) {
      const links = link([offer({ seller: { name: seller } })], [saleOf({ owner: '8', ownerName })])
      assert.deepEqual(links.map(summary), [['fulfilled', 'name', '10000']], seller)
    }
  })

  it('other names, entities and namesakes are not linked', () => {
    for (const [seller, ...owners] of [
      ['Marriott David S', 'MARRIOTT J W JR'],
      ['COOK TIMOTHY D JR', 'COOK TIMOTHY D SR'],
      ['SMITH JOHN DAVID', 'SMITH KAREN DAVID'],
      ['SMITH JOHN DAVID', 'SMITH DAVID'],
      ['SMITH JOHN A', 'SMITH JOHN B'],
      ['Silver Sample Partners IV LP', 'Silver Sample Partners V LP'],
      ['COOK T', 'COOK TIMOTHY', 'COOK THOMAS'],
      ['Cook', 'COOK TIMOTHY'],
    ] as const) {
      const sales = owners.map((ownerName, index) => saleOf({ owner: `8${index}`, ownerName }))
      assert.deepEqual(link([offer({ seller: { name: seller } })], sales).map(summary), [['open', null, '0']], seller)
    }
    const namesake = saleOf({ owner: '8', ownerName: 'SAMPLE GRETA' })
    assert.deepEqual(link([offer()], [namesake]).map(summary), [['fulfilled', 'name', '10000']])
    assert.deepEqual(link([offer()], [namesake], { owners: [owner7] }).map(summary), [['open', null, '0']])
  })

  it('a 144/A of 8,000 replaces a notice, and a sale of 8,000 fulfils the 144/A', () => {
    const corrected: NoticeSpec = {
      accession: N2,
      form: '144/A',
      acceptedAt: '20260602110000',
      lines: [{ units: 8000, saleDate: '2026-06-01' }],
    }
    const named = offer({ ...corrected, previousAccession: N })
    const [before, after] = link([named, offer()], [saleOf({ shares: '8000' })])
    assert.deepInclude(before, {
      state: 'replaced',
      replacedBy: N2,
      reportedUnits: '0',
      linkedBy: null,
      allocations: [],
    })
    assert.deepInclude(after, { state: 'fulfilled', replacedBy: null, reportedUnits: '8000' })
    assert.strictEqual(link([named, offer()], [], { asOf: '2026-06-01' })[0]!.state, 'open')
  })

  it('a sale of Class B leaves a notice of Class A open', () => {
    const classA = offer({ lines: [{ classTitle: 'Class A' }] })
    const titles = (...securityTitles: string[]) => securityTitles.map((securityTitle) => saleOf({ securityTitle }))
    assert.deepEqual(link([classA], titles('Class B Common Stock')).map(summary), [['open', null, '0']])
    assert.deepEqual(link([classA], titles('Class A Common Stock, par value $0.01')).map(summary), [
      ['fulfilled', 'cik', '10000'],
    ])
    assert.deepEqual(link([classA], titles('Common Stock')).map(summary), [['open', null, '0']])
  })

  it('a notice of `Common` fits the only class that the seller sold in the window', () => {
    const sales = (...securityTitles: string[]) =>
      link(
        [offer()],
        securityTitles.map((securityTitle) => saleOf({ securityTitle, shares: '4000' })),
      ).map(summary)
    assert.deepEqual(sales('Class B Common Stock'), [['partly', 'cik', '4000']])
    assert.deepEqual(sales('Class B Common Stock', 'Class A Common Stock'), [['open', null, '0']])
    assert.deepEqual(sales('Class B Common Stock', 'Common Stock'), [['partly', 'cik', '4000']])
    const old = saleOf({ securityTitle: 'Class A Common Stock', tradeDay: '2026-05-20' })
    assert.deepEqual(link([offer()], [old, saleOf({ securityTitle: 'Class B Common Stock' })]).map(summary), [
      ['fulfilled', 'cik', '10000'],
    ])
  })

  it('sales of depositary shares are not linked to a notice of ordinary ones, whose units differ', () => {
    const pairs: [string, string][] = [
      ['Common', 'American Depositary Shares'],
      ['Ordinary', 'ADS, each of eight ordinary shares'],
      ['American Depositary Shares', 'Ordinary Shares'],
    ]
    for (const [classTitle, securityTitle] of pairs) {
      const [result] = link([offer({ lines: [{ classTitle }] })], [saleOf({ securityTitle })])
      assert.deepInclude(result, { state: 'open', linkedBy: null, unitsDiffer: true }, classTitle)
    }
    const [linked] = link(
      [offer({ lines: [{ classTitle: 'ADS' }] })],
      [saleOf({ securityTitle: 'American Depositary Shares' })],
    )
    assert.deepInclude(linked, { state: 'fulfilled', unitsDiffer: false })
  })

  it('the window begins with the earlier of sale date and filing; a suspect sale date counts as the day of filing', () => {
    const state = (saleDate: string | null, tradeDay: string) =>
      link([offer({ lines: [{ saleDate }] })], [saleOf({ tradeDay })], { asOf: '2026-12-01' })[0]!.state
    assert.strictEqual(state('2026-05-20', '2026-05-20'), 'fulfilled')
    assert.strictEqual(state('2026-05-20', '2026-05-19'), 'not_reported')
    assert.strictEqual(state('2026-07-01', '2026-06-02'), 'fulfilled')
    assert.strictEqual(state('2026-07-01', '2026-05-31'), 'not_reported')
    assert.strictEqual(state('2026-07-01', '2026-09-29'), 'fulfilled')
    for (const saleDate of ['2026-04-30', '2026-10-01', null]) {
      assert.strictEqual(state(saleDate, '2026-08-30'), 'fulfilled')
      assert.strictEqual(state(saleDate, '2026-08-31'), 'not_reported')
      assert.strictEqual(state(saleDate, '2026-05-31'), 'not_reported')
    }
  })

  it('lines of several classes and brokers are one notice', () => {
    const lines = [
      { classTitle: 'Class A', units: 3000 },
      { classTitle: 'Class B', units: 2000 },
      { classTitle: 'Class A', units: 1000 },
    ]
    const sold = (securityTitle: string, shares: string) => saleOf({ securityTitle, shares })
    const results = (...sales: NoticesAndSales['sales']) => link([offer({ lines })], sales).map(summary)
    assert.deepEqual(results(sold('Class A Common Stock', '5000')), [['partly', 'cik', '4000']])
    assert.deepEqual(results(sold('Class A Common Stock', '5000'), sold('Class B Common Stock', '2000')), [
      ['fulfilled', 'cik', '6000'],
    ])
  })

  it('a notice without readable units stays without sales', () => {
    assert.deepEqual(link([offer({ lines: [{ units: null }] })], [saleOf()]).map(summary), [['open', null, '0']])
    assert.deepEqual(link([offer({ lines: [{ units: 1 }] })], []).map(summary), [['open', null, '0']])
  })

  it('a sale counts until an amendment supersedes it', () => {
    const supersededAt = atNoon('2026-06-10')
    const sales = [saleOf({ supersededAt }), saleOf({ shares: '2000', filedAt: supersededAt })]
    assert.deepEqual(link([offer()], sales, { asOf: '2026-06-09' }).map(summary), [['fulfilled', 'cik', '10000']])
    assert.deepEqual(link([offer()], sales).map(summary), [['partly', 'cik', '2000']])
  })
})
