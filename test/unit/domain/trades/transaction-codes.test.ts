// Transaction codes of Form 4 and the types they stand for.
import { assert } from 'chai'
import { TRANSACTION_CODES, transactionType } from '../../../../src/domain/trades/transaction-codes.ts'

describe('transaction codes', () => {
  it('covers the complete list of the SEC', () => {
    assert.sameMembers(Object.keys(TRANSACTION_CODES), [...'PSADFIMCEHOXGLWZJUK'])
  })

  it('names every code', () => {
    const names = {
      A: 'award',
      M: 'exercise',
      X: 'exercise',
      O: 'exercise',
      C: 'conversion',
      F: 'tax_withholding',
      G: 'gift',
      D: 'issuer_disposition',
      U: 'tender',
      W: 'inheritance',
      L: 'small_acquisition',
      E: 'expiration',
      H: 'expiration',
      I: 'plan_transaction',
      Z: 'voting_trust',
      K: 'swap',
      J: 'other',
    }
    for (const [code, name] of Object.entries(names)) {
      for (const direction of ['A', 'D', null] as const)
        assert.strictEqual(transactionType(code, direction), name, code)
    }
  })

  it('takes P and S for trades only with the code that agrees', () => {
    assert.strictEqual(transactionType('P', 'A'), 'buy')
    assert.strictEqual(transactionType('S', 'D'), 'sell')
    for (const [code, direction] of [
      ['P', 'D'],
      ['S', 'A'],
      ['P', null],
      ['S', null],
    ] as const) {
      assert.strictEqual(transactionType(code, direction), 'other')
    }
  })

  it('calls everything else other', () => {
    for (const code of [null, '', 'V', 'Q', 'p', 'PS', 'toString', '__proto__'])
      assert.strictEqual(transactionType(code, 'A'), 'other')
  })
})
