// Parameters with several values or a meaning: how they are read, and the messages when they are refused.
import { assert } from 'chai'
import fc from 'fast-check'
import { ServiceError } from '../../../../src/application/errors.ts'
import { newYorkDay } from '../../../../src/domain/shared/new-york-time.ts'
import {
  parseAmounts,
  parseCiks,
  parseCompanies,
  parseDays,
  parseInstant,
  parseTimeSpan,
  parseTickers,
  parseWords,
} from '../../../../src/infrastructure/http/parameters.ts'

/** Returns what a refusal says of each parameter. */
function refusal(parse: () => unknown): string[] {
  try {
    parse()
  } catch (error) {
    assert.instanceOf(error, ServiceError)
    assert.strictEqual(error.code, 'invalid_parameter')
    return error.details!.map(({ path, message }) => `${path}: ${message}`)
  }
  return assert.fail('was not refused')
}

const seconds = (text: string) => Date.parse(text) / 1000

describe('lists in parameters', () => {
  const list = (text: string) => text.split(',')

  it('are read as sorted elements, each once', () => {
    const roles = ['officer', 'director', 'ceo'] as const

    assert.deepEqual(parseWords({ roles: list('officer,CEO,officer') }, 'roles', roles), ['ceo', 'officer'])
    assert.deepEqual(parseCiks({ insiderCiks: list('1999105,0001999101,01999105') }, 'insiderCiks', 2), [
      '0001999101',
      '0001999105',
    ])
    assert.strictEqual(parseCiks({}, 'insiderCiks' as never, 2), undefined)
  })

  it('name the elements at fault', () => {
    assert.deepEqual(
      refusal(() => parseCiks({ insiderCiks: list('1,,x, 2,12345678901') }, 'insiderCiks', 9)),
      [
        'query.insiderCiks: element 2, "", must be a CIK of 1 to 10 digits',
        'query.insiderCiks: element 3, "x", must be a CIK of 1 to 10 digits',
        'query.insiderCiks: element 4, " 2", must be a CIK of 1 to 10 digits',
        'query.insiderCiks: element 5, "12345678901", must be a CIK of 1 to 10 digits',
      ],
    )
    assert.deepEqual(
      refusal(() => parseWords({ forms: list('4,6') }, 'forms', ['4', '4/A'])),
      ['query.forms: element 2, "6", must be one of 4, 4/A'],
    )
    assert.deepEqual(
      refusal(() => parseCiks({ insiderCiks: list('') }, 'insiderCiks', 9)),
      ['query.insiderCiks: element 1, "", must be a CIK of 1 to 10 digits'],
    )
    assert.lengthOf(
      refusal(() => parseCiks({ insiderCiks: list(','.repeat(500)) }, 'insiderCiks', 9)),
      10,
    )
    assert.include(
      refusal(() => parseCiks({ insiderCiks: [`\u001b[2J${'x'.repeat(99)}`] }, 'insiderCiks', 9))[0],
      '\\u001b',
    )
  })

  it('have a limit, which counts repeated elements once', () => {
    assert.lengthOf(parseCiks({ insiderCiks: list('1,2,01,001') }, 'insiderCiks', 2)!, 2)
    assert.deepEqual(
      refusal(() => parseCiks({ insiderCiks: list('1,2,3') }, 'insiderCiks', 2)),
      ['query.insiderCiks: must have at most 2 elements'],
    )
  })

  it('of companies keep their order, each once', () => {
    assert.deepEqual(parseTickers({ tickers: list('msft,brk.b,1999001,BRK/B,AAPL,CIK1999001') }, 4), [
      { ticker: 'MSFT', cik: null },
      { ticker: 'BRK-B', cik: null },
      { ticker: null, cik: '0001999001' },
      { ticker: 'AAPL', cik: null },
    ])
    assert.deepEqual(
      refusal(() => parseTickers({ tickers: list('a,b,c') }, 2)),
      ['query.tickers: must have at most 2 elements'],
    )
  })

  it('of companies accept every form of a symbol, and CIKs', () => {
    assert.deepEqual(parseCompanies({ tickers: list('brk.b,BRK-B,CIK1999001,EXWI'), issuerCiks: list('1999001,7') }), [
      { ticker: 'BRK-B', cik: null },
      { ticker: null, cik: '0001999001' },
      { ticker: 'EXWI', cik: null },
      { ticker: null, cik: '0000000007' },
    ])
    assert.strictEqual(parseCompanies({}), undefined)
    const many = (from: number, count: number) => Array.from({ length: count }, (_, index) => String(from + index))
    assert.lengthOf(parseCompanies({ tickers: many(1, 60), issuerCiks: many(21, 80) })!, 100)
    assert.lengthOf(
      refusal(() => parseCompanies({ tickers: many(1, 60), issuerCiks: many(61, 41) })),
      2,
    )
  })
})

describe('days and instants in parameters', () => {
  const span = (filedFrom?: string, filedTo?: string) =>
    parseTimeSpan({ ...(filedFrom && { filedFrom }), ...(filedTo && { filedTo }) }, 'filedFrom', 'filedTo')

  it('are days in New York, in winter and in summer', () => {
    assert.deepEqual(span('2026-01-06', '2026-01-06'), {
      from: seconds('2026-01-06T05:00:00Z'),
      before: seconds('2026-01-07T05:00:00Z'),
    })
    assert.deepEqual(span('2026-07-06', '2026-07-07'), {
      from: seconds('2026-07-06T04:00:00Z'),
      before: seconds('2026-07-08T04:00:00Z'),
    })
  })

  it('are complete on days on which the clocks change', () => {
    const { from, before } = span('2026-03-08', '2026-03-08')!
    assert.strictEqual(before! - from!, 23 * 3600)
    const autumn = span('2026-11-01', '2026-11-01')!
    assert.strictEqual(autumn.before! - autumn.from!, 25 * 3600)
  })

  it('include exactly the instants of their day, for any day', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1987-01-02'), max: new Date('2105-01-01'), noInvalidDate: true }),
        (date) => {
          const day = date.toISOString().slice(0, 10)
          const { from, before } = span(day, day)!
          assert.deepEqual([from!, before! - 1].map(newYorkDay), [day, day])
          assert.notInclude([from! - 1, before!].map(newYorkDay), day)
        },
      ),
    )
  })

  it('are instants, of which the last is excluded', () => {
    assert.deepEqual(span('2026-11-06T15:00:00Z', '2026-11-06T15:00:01Z'), {
      from: seconds('2026-11-06T15:00:00Z'),
      before: seconds('2026-11-06T15:00:01Z'),
    })
    assert.deepEqual(span('2026-11-06'), { from: seconds('2026-11-06T05:00:00Z') })
    assert.deepEqual(span(undefined, '2026-11-06T15:00:00Z'), { before: seconds('2026-11-06T15:00:00Z') })
    assert.strictEqual(span(), undefined)
    assert.strictEqual(parseInstant({ asOf: '2026-11-06T15:00:00Z' }, 'asOf'), seconds('2026-11-06T15:00:00Z'))
  })

  it('may have an offset from UTC, whose plus may arrive as a space', () => {
    const at = seconds('2026-11-06T15:00:00Z')
    for (const text of [
      '2026-11-06T15:00:00+00:00',
      '2026-11-06T15:00:00-00:00',
      '2026-11-06T15:00:00 00:00',
      '2026-11-06T10:00:00-05:00',
      '2026-11-06T20:30:00+05:30',
      '2026-11-07T05:00:00 14:00',
    ]) {
      assert.strictEqual(parseInstant({ asOf: text }, 'asOf'), at, text)
      assert.deepEqual(span(text, text), { from: at, before: at }, text)
    }
    assert.strictEqual(parseInstant({ asOf: '1970-01-01T00:00:00-01:00' }, 'asOf'), 3_600)
    for (const bad of [
      '2026-11-06T15:00:00+0000',
      '2026-11-06T15:00:00+24:00',
      '2026-11-06T15:00:00+05:60',
      '2026-11-06T15:00:00+05',
      '2026-11-06T15:00:00Z+00:00',
      '1970-01-01T00:00:00+01:00',
      '2105-12-31T23:59:59-00:01',
      '2026-02-30T00:00:00+01:00',
    ])
      assert.match(refusal(() => parseInstant({ asOf: bad }, 'asOf'))[0]!, /must be an instant/, bad)
  })

  it('are refused if they do not exist or are out of order', () => {
    for (const bad of [
      '2026-02-30',
      '2026-1-1',
      '2026-11-06T24:00:00Z',
      '2026-11-06T15:00:00',
      '1969-12-31',
      'x',
      '',
    ]) {
      assert.match(
        refusal(() => parseTimeSpan({ filedTo: bad }, 'filedFrom' as never, 'filedTo')).join(),
        /^query.filedTo: must be a day/,
      )
    }
    const inOrder = [
      'query.filedFrom: filedFrom must not be after filedTo',
      'query.filedTo: filedFrom must not be after filedTo',
    ]
    assert.deepEqual(
      refusal(() => span('2026-11-07', '2026-11-06')),
      inOrder,
    )
    assert.deepEqual(
      refusal(() => span('2026-11-07T05:00:00Z', '2026-11-06')),
      inOrder,
    )
    assert.deepEqual(
      refusal(() => span('2026-11-06T15:00:01Z', '2026-11-06T15:00:00Z')),
      inOrder,
    )
    assert.match(refusal(() => parseInstant({ asOf: '2026-11-06' }, 'asOf'))[0]!, /must be an instant/)
  })

  it('of trades are days only, both included', () => {
    const days = { tradedFrom: '2026-11-05', tradedTo: '2026-11-06' }
    assert.deepEqual(parseDays(days, 'tradedFrom', 'tradedTo'), { from: '2026-11-05', to: '2026-11-06' })
    assert.deepEqual(parseDays({ tradedTo: '2026-11-06' }, 'tradedFrom' as never, 'tradedTo'), { to: '2026-11-06' })
    assert.lengthOf(
      refusal(() => parseDays({ a: '2026-11-06', b: '2026-11-05' }, 'a', 'b')),
      2,
    )
    assert.lengthOf(
      refusal(() => parseDays({ a: '2026-11-06T15:00:00Z' }, 'a', 'b' as never)),
      1,
    )
  })
})

describe('amounts in parameters', () => {
  const amounts = (minValue?: string, maxValue?: string) =>
    parseAmounts(
      { ...(minValue !== undefined && { minValue }), ...(maxValue !== undefined && { maxValue }) },
      'minValue',
      'maxValue',
      2,
    )

  it('are exact, in one form', () => {
    assert.deepEqual(amounts('0250000.50', '999999999999999.99'), {
      min: '250000.5',
      max: '999999999999999.99',
    })
    assert.deepEqual(amounts('.5', '5.'), { min: '0.5', max: '5' })
    assert.deepEqual(amounts(), {})
  })

  it('are refused with a sign, an exponent, more places or out of order', () => {
    for (const bad of ['-1', '+1', '1e3', '1.234', '.', '', '1 ', '0x10', '1,000', '1000000000000000']) {
      assert.lengthOf(
        refusal(() => amounts(bad)),
        1,
        bad,
      )
    }
    assert.deepEqual(
      refusal(() => amounts('10', '9.99')),
      ['query.minValue: minValue must not be above maxValue', 'query.maxValue: minValue must not be above maxValue'],
    )
    assert.deepEqual(amounts('9.99', '9.99'), { min: '9.99', max: '9.99' })
  })
})
