// Rules of alerts as the dashboard's form has them: of the filters of the feed, and as the API takes them.
import { assert } from 'chai'
import { conditionsOf, conditionWords, fieldsOfFilter, settingsOf, settingsOfAlert } from '../../../src/web/rule.ts'
import type { components } from '../../../src/contract.ts'
import { contract } from '../../support/http/contract-client.ts'

type Schemas = components['schemas']

/** Every condition that a rule can have. */
const FILTER: Required<Schemas['AlertFilter']> = {
  tickers: ['EXWI', 'EXGD'],
  issuerCiks: ['1999001'],
  insiderCiks: ['1999101', '1999105'],
  transactionTypes: ['buy', 'sell'],
  transactionCodes: ['P', 'none'],
  roles: ['ceo', 'director'],
  sectors: ['Health Care', 'Energy'],
  ownership: 'direct',
  plan10b51: ['no', 'unknown'],
  routine: 'no',
  minSignificance: 'medium',
  minValue: 0.5,
  maxValue: 1_000_000,
  minShares: 0,
  maxShares: 200,
  minHoldingChange: -0.5,
  maxHoldingChange: 0.25,
  firstBuyInYears: 3,
  late: false,
}

/** Returns the fields of a form that shows a rule. */
function formOf({ name, events, filter, signalTypes = [], ...rule }: Schemas['Alert']): FormData {
  const form = new FormData()
  // A field that is empty is sent all the same.
  for (const each of Object.keys(FILTER)) form.set(each, fieldsOfFilter(filter)[each] ?? '')
  for (const event of events) form.append('events', event)
  for (const type of signalTypes) form.append('signalTypes', type)
  form.set('name', ` ${name} `)
  form.set('minSeverity', rule.minSeverity ?? '')
  form.set('url', rule.destination.url)
  form.set('format', rule.destination.format!)
  if (rule.detail) form.set('detail', 'on')
  return form
}

const ALERT: Schemas['Alert'] = {
  id: 'alr_00000000000000000000',
  name: 'Chiefs buy',
  enabled: true,
  events: ['transaction.created', 'signal.escalated'],
  filter: FILTER,
  signalTypes: ['ceo_trade'],
  minSeverity: 'high',
  destination: { url: 'https://alerts.example.com/', format: 'slack' },
  detail: true,
  createdAt: '2026-11-01T00:00:00Z',
  updatedAt: '2026-11-01T00:00:00Z',
  lastMatchedAt: null,
  health: { status: 'ok', since: null, lastError: null },
}

describe('the rules of the dashboard', () => {
  it('lose nothing of a rule that is opened in the form and saved again', () => {
    const { properties } = contract.components.schemas.AlertFilter
    assert.sameMembers(Object.keys(FILTER), Object.keys(properties))
    const { signalTypes: _, minSeverity: _s, ...rest } = ALERT
    const plain: Schemas['Alert'] = { ...rest, filter: {}, enabled: false, detail: false }
    for (const alert of [ALERT, plain]) {
      assert.deepEqual(settingsOf(formOf(alert), alert.enabled), settingsOfAlert(alert))
    }
  })

  it('take the filters of the feed, and say which they leave out', () => {
    for (const [query, filter, leftOut] of [
      ['', {}, []],
      ['filter=buys&tickers=EXWI&plan10b51=no,unknown', { ...buy, tickers: 'EXWI', plan10b51: 'no,unknown' }, []],
      ['filter=buys&transactionTypes=buy,sell', buy, []],
      ['filter=sells', { transactionTypes: 'sell' }, []],
      ['filter=high&minSignificance=medium', { minSignificance: 'high' }, []],
      ['filter=high&minSignificance=critical', { minSignificance: 'critical' }, []],
      ['filter=ceo_cfo', { roles: 'ceo,cfo' }, []],
      ['filter=ceo_cfo&roles=director', { roles: 'director' }, ['CEO & CFO, beside another role']],
      ['filedFrom=2026-01-01&filedTo=2026-02-01&sort=value', {}, ['filed from', 'filed to', 'order']],
      ['filter=constructor&toString=1&constructor=1', {}, []],
    ] as const) {
      const found = conditionsOf(new URLSearchParams(query))
      assert.deepEqual(found, { filter, leftOut: [...leftOut] }, query)
    }
  })

  it('are said in words', () => {
    assert.strictEqual(conditionWords({}), 'all trades')
    assert.strictEqual(
      conditionWords({ roles: ['ceo', 'cfo'], minValue: 250_000 }),
      'Roles: ceo,cfo; Value at least ($): 250000',
    )
  })
})

const buy = { transactionTypes: 'buy' }
