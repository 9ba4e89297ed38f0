// Transaction ids: split into accession number, kind and row, and refused where they are not one.
import { assert } from 'chai'
import { parseTransactionId, transactionId } from '../../../../src/domain/shared/identifiers.ts'

describe('the id of a transaction', () => {
  it('is split into what it was made of', () => {
    const accession = '0001999001-26-000005'

    assert.deepStrictEqual(parseTransactionId(transactionId(accession, 12)), { accession, place: 12 })
    assert.deepStrictEqual(parseTransactionId(`${accession}-ds-3`), { accession, place: 3 })
    assert.deepStrictEqual(parseTransactionId('local-0123456789abcdef-nd-1'), {
      accession: 'local-0123456789abcdef',
      place: 1,
    })
  })

  it('is refused where it is not one', () => {
    for (const id of ['', 'x', '0001999001-26-000005', '0001999001-26-000005-xx-1', '0001999001-26-000005-nd-']) {
      assert.throws(() => parseTransactionId(id), /not a transaction id/)
    }
  })
})
