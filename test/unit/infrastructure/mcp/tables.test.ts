// Text of strangers in tables: it can't end a cell or a line, hide, or fill the answer.
import { assert } from 'chai'
import { cell, part, shortNumber, table } from '../../../../src/infrastructure/mcp/tables.ts'

describe('tables for language models', () => {
  const numbers: [value: number, text: string][] = [
    [0, '0'],
    [18.7, '18.7'],
    [48.1275, '48.13'],
    [0.0034, '0.0034'],
    [9_999.99, '9999.99'],
    [10_000, '10K'],
    [121_550.63, '122K'],
    [999_949, '1M'],
    [1_203_187.5, '1.2M'],
    [-2_345_678, '-2.35M'],
    [4_000_000_000, '4B'],
    [1.5e13, '15T'],
    [1e18, '1000000T'],
  ]
  for (const [value, text] of numbers)
    it(`write ${value} as ${text}`, () => assert.strictEqual(shortNumber(value), text))

  it('have a header, a line for each row, and a dash for nothing', () => {
    const columns = { name: (row: { a: string; b: number | null }) => row.a, sum: (row: { b: number | null }) => row.b }
    assert.strictEqual(
      table(
        [
          { a: 'x', b: 1 },
          { a: '', b: null },
        ],
        columns,
      ),
      'name | sum\nx | 1\n– | –',
    )
    assert.strictEqual(part('Title', [], columns), 'Title: none')
  })

  it('leave out a column that no row has', () => {
    type Row = { a: number; b?: number | null }
    const columns = { a: (row: Row) => row.a, b: (row: Row) => row.b }
    assert.strictEqual(table<Row>([{ a: 1 }], columns), 'a\n1')
    assert.strictEqual(table<Row>([{ a: 1 }, { a: 2, b: null }], columns), 'a | b\n1 | –\n2 | –')
  })

  it('keep text of strangers within its cell', () => {
    assert.strictEqual(cell('A | B'), String.raw`A \| B`)
    assert.strictEqual(cell('one\ntwo\r\t'), String.raw`one\ntwo\r\t`)
    assert.strictEqual(cell('\u0007\u001B[31m\u202Edlog\u2028'), String.raw`\u0007\u001b[31m\u202edlog\u2028`)
    assert.strictEqual(cell('x'.repeat(80)), 'x'.repeat(80))
    assert.strictEqual(cell('x'.repeat(100_000)), `${'x'.repeat(79)}…`)
    assert.strictEqual(cell(`${'x'.repeat(78)}😀😀`), String.raw`${'x'.repeat(78)}\ud83d…`)
  })
})
