// Judgement of a notice's numbers and texts: prices, dates, values, plans, roles and classes.
import { assert } from 'chai'
import { classKey, DEPOSITARY } from '../../../../src/domain/notices/class-key.ts'
import {
  judgeNotice,
  medianPrice,
  pricePerUnit,
  saleDateStatus,
  type NoticeContext,
} from '../../../../src/domain/notices/judge-notice.ts'
import type { NoticeLine } from '../../../../src/domain/notices/notice.ts'
import { noticePlan } from '../../../../src/domain/notices/notice-plan.ts'
import { relationshipRoles } from '../../../../src/domain/notices/relationship-roles.ts'
import { addDays } from '../../../../src/domain/shared/calendar.ts'
import { filed, type NoticeSpec } from '../../../support/notices/notice-builder.ts'

const KNOWN: NoticeContext = { usualPrice: () => null, isNewSeller: false, isKnownBroker: () => true }

const valueStatus = (line: Partial<NoticeLine>, context: Partial<NoticeContext> = {}, spec: NoticeSpec = {}) =>
  judgeNotice(filed({ ...spec, lines: [line] }), { ...KNOWN, ...context }).lines[0]!.valueStatus

describe('judgement of notices', () => {
  it('the price of a unit is value by units, rounded to four places', () => {
    assert.strictEqual(pricePerUnit({ units: 2500, marketValue: '90000.00' }), '36')
    assert.strictEqual(pricePerUnit({ units: 17_087, marketValue: '1282000.00' }), '75.0278')
    assert.strictEqual(pricePerUnit({ units: 3, marketValue: '.0002' }), '0.0001')
    for (const [units, marketValue] of [
      [0, '1'],
      [null, '1'],
      [1, null],
      [1, '0.00'],
    ] as const) {
      assert.isNull(pricePerUnit({ units, marketValue }))
    }
  })

  it('a sale date is suspect over 30 days before or 120 after the filing', () => {
    const filedDay = '2026-06-01'
    const status = (days: number) => saleDateStatus(addDays(filedDay, days), filedDay)
    assert.deepEqual([-31, -30, 0, 120, 121].map(status), ['suspect', 'plausible', 'plausible', 'plausible', 'suspect'])
    assert.strictEqual(saleDateStatus(null, filedDay), 'unreadable')
  })

  it('a value is suspect above 5 times the usual price, or below a fifth of it', () => {
    const at = (marketValue: string) => valueStatus({ units: 1000, marketValue }, { usualPrice: () => '18.37' })
    assert.strictEqual(at('18370.00'), 'plausible')
    assert.strictEqual(at('91850.00'), 'plausible')
    assert.strictEqual(at('91850.01'), 'suspect')
    assert.strictEqual(at('3674.00'), 'plausible')
    assert.strictEqual(at('3673.99'), 'suspect')
    assert.strictEqual(at('0.00'), 'suspect')
    assert.strictEqual(valueStatus({ units: 1, marketValue: '1000000' }), 'plausible')
    assert.strictEqual(valueStatus({ units: 225_000, marketValue: '0.00' }), 'suspect')
  })

  it('a value is suspect with more units than are outstanding, and above 10 billion', () => {
    assert.strictEqual(valueStatus({ units: 1001, unitsOutstanding: 1000 }), 'suspect')
    assert.strictEqual(valueStatus({ units: 1000, unitsOutstanding: 1000 }), 'plausible')
    assert.strictEqual(valueStatus({ units: 1000, unitsOutstanding: 0 }), 'plausible')
    assert.strictEqual(valueStatus({ marketValue: '10000000000' }), 'plausible')
    assert.strictEqual(valueStatus({ marketValue: '10000000000.01' }), 'suspect')
    assert.strictEqual(valueStatus({ marketValue: null }), 'unreadable')
    assert.strictEqual(valueStatus({ units: null, marketValue: '10000000001' }), 'suspect')
  })

  it('a value of a billion is suspect for a new seller without an agent or a known broker', () => {
    const line = { marketValue: '1000000001' }
    const stranger = { isNewSeller: true, isKnownBroker: () => false }
    const own: NoticeSpec = { accession: '0001999101-26-000001' }
    assert.strictEqual(valueStatus(line, stranger, own), 'suspect')
    assert.strictEqual(valueStatus({ ...line, broker: null }, { isNewSeller: true }, own), 'suspect')
    assert.strictEqual(valueStatus({ marketValue: '1000000000' }, stranger, own), 'plausible')
    assert.strictEqual(valueStatus(line, stranger), 'plausible')
    assert.strictEqual(valueStatus(line, { ...stranger, isNewSeller: false }, own), 'plausible')
    assert.strictEqual(valueStatus(line, { ...stranger, isKnownBroker: () => true }, own), 'plausible')
  })

  it('judges each line, and notes past sales beside "nothing to report"', () => {
    const notice = filed({ lines: [{}, { saleDate: null }], pastSales: [{}], nothingSold: true })
    assert.deepEqual(judgeNotice(notice, KNOWN), {
      lines: [
        { pricePerUnit: '25', saleDateStatus: 'plausible', valueStatus: 'plausible' },
        { pricePerUnit: '25', saleDateStatus: 'unreadable', valueStatus: 'plausible' },
      ],
      contradictoryPastSales: true,
      plan: 'not_stated',
      source: 'none',
    })
  })

  it('the median leaves out prices that are not positive', () => {
    assert.isNull(medianPrice([]))
    assert.isNull(medianPrice(['0', 'x']))
    assert.strictEqual(medianPrice(['9', '10.5', '0', '100']), '10.5')
    assert.strictEqual(medianPrice(['9.25', '10']), '9.625')
    assert.strictEqual(medianPrice(['100', '99', '9.0001', '10']), '54.5')
  })

  it('a plan is stated by its dates, else by remarks without a negation', () => {
    const plan = (remarks: string | null, planAdoptionDates: string[] = []) => {
      const { plan, source } = noticePlan({ remarks, planAdoptionDates })
      return `${plan} ${source}`
    }
    assert.strictEqual(plan(null), 'not_stated none')
    assert.strictEqual(plan(null, ['2025-01-02']), 'yes field')
    assert.strictEqual(plan('Not under a 10b5-1 plan.', ['2025-01-02']), 'yes field')
    for (const remarks of [
      'The sales are made pursuant to a Rule 10b5-1 trading plan adopted on August 1, 2025.',
      'A selling plan dated 11-15-22 that is intended to comply with Rule 10b5-1(c).',
      '10b5-1',
      'Rule 10b5-1 Plan adopted 3/1/2025',
      'Shares of the Sample Trust; 10b5-1 sales plan of 12/1/24.',
    ]) {
      assert.strictEqual(plan(remarks), 'yes remarks', remarks)
    }
    for (const remarks of [
      'These sales are not made under a Rule 10b5-1 plan.',
      'No 10b5-1 plan.',
      'Outside of the 10b5-1 plan',
      "The seller doesn't have a 10b5-1 plan",
      'The 10b5-1 plan was terminated on 3/1/2025.',
      'Sold under Rule 10b-5.',
      'Sold under a plan.',
      'See attached.',
    ]) {
      assert.strictEqual(plan(remarks), 'not_stated none', remarks)
    }
  })

  it('roles are read from the words of a relationship', () => {
    const roles: Record<string, string[]> = {
      Officer: ['officer'],
      Director: ['director'],
      'Managing Director': ['officer'],
      'Former Officer': ['officer', 'former'],
      'Retired Board Member': ['director', 'former'],
      'Ex-CFO': ['officer', 'former'],
      'Former Affiliate': ['former', 'other'],
      'CEO, Chariman': ['officer', 'director'],
      'Chairman of the Board': ['director'],
      'EVP and General Counsel': ['officer'],
      'Member of 10% Owner': ['tenPercent'],
      'Ten Percent Holder': ['tenPercent'],
      'Officer, Director and 10% Stockholder': ['officer', 'director', 'tenPercent'],
      Affiliate: ['other'],
      'See Remarks': ['other'],
      'Nonprofit founded by an insider': ['other'],
    }
    for (const [text, expected] of Object.entries(roles)) assert.deepEqual(relationshipRoles(text), expected, text)
  })

  it('titles of one class have one key', () => {
    const keys: Record<string, string[]> = {
      '': [
        'Common',
        'Common Stock',
        'Ordinary Shares',
        'COM',
        'Common Stock, par value $0.0001 per share',
        'Capital Stock',
      ],
      classa: ['Class A', 'Class A Common', 'Common Stock, Class A', 'CLASS A COMMON STOCK, $.01 PAR VALUE', 'A'],
      classb: ['Class B Ordinary Shares'],
      seriesc: ['Series C Common Stock'],
      [DEPOSITARY]: ['ADS', 'American Depositary Shares, each of 1 Class A Ordinary Share', 'ADRs'],
      units: ['Common Units'],
    }
    for (const [key, titles] of Object.entries(keys)) {
      for (const title of titles) assert.strictEqual(classKey(title), key, title)
    }
  })
})
