import { assert } from 'chai'
import {
  parseRows,
  requireColumns,
  requireLines,
  requireOneShape,
  requireParquet,
  UnexpectedAnswer,
} from '../../../../../src/infrastructure/clickhouse/connection/answer-shape.ts'

const refused = (act: () => unknown) => assert.throws(act, UnexpectedAnswer)

describe('the shape of an answer', () => {
  it('is so many columns in the first row and the last of tab-separated text', () => {
    for (const [text, columns] of [
      ['', 3],
      ['a\n', 1],
      ['\n', 1],
      ['\t\n', 2],
      ['a\tb\nc\td\n', 2],
    ] as const)
      assert.strictEqual(requireColumns(text, columns), text)
    for (const [text, columns] of [
      ['a', 1],
      ['a\n', 2],
      ['a\tb\nc\n', 2],
      ['c\na\tb\n', 2],
      ['{"other":1}\na\tb\n', 2],
      ['a\tb\nc\td', 2],
    ] as const)
      refused(() => requireColumns(text, columns))
  })

  it('is the same names in the first object and the last of JSON rows', () => {
    const read = (text: string) => requireOneShape(parseRows(Buffer.from(text)), 'JSONEachRow')
    assert.deepEqual(read(''), [])
    assert.deepEqual(read('{"a":1}\n{"a":2}\n'), [{ a: 1 }, { a: 2 }])
    for (const text of ['{"b":1}\n{"a":2}\n', '[1]\n', '1\n', 'null\n', '1\t2\n{"a":2}\n', '{"a":1', 'PAR1'])
      refused(() => read(text))
  })

  it('is as many values in the first list and the last of compact JSON rows', () => {
    const read = (text: string) => requireOneShape(parseRows(Buffer.from(text)), 'JSONCompactEachRow')
    assert.deepEqual(read('[1,"a"]\n[2,"b"]\n'), [
      [1, 'a'],
      [2, 'b'],
    ])
    for (const text of ['[1]\n[1,2]\n', '{"a":1}\n[1]\n', '[1]\n{"a":1}\n', 'null\n']) refused(() => read(text))
  })

  it('is looked for in the first line and the last of rows that are parsed elsewhere', () => {
    const read = (text: string) => requireLines(Buffer.from(text), 'JSONCompactEachRow').toString()
    for (const text of ['', '[1,"a"]\n', '[1,"a"]\n[2,"b"]\n', '[1]\nnot looked at\n[2]\n'])
      assert.strictEqual(read(text), text)
    for (const text of ['[1]', '[1]\n[2]', '[1]\n[1,2]\n', '[1]\n{"a":1}\n', 'x\n[1]\n', '[1]\nx\n', '\n', '\n[1]\n'])
      refused(() => read(text))
  })

  it('is the marks of the format at both ends of a Parquet file', () => {
    const file = Buffer.from('PAR1 rows PAR1')
    assert.strictEqual(requireParquet(file), file)
    for (const text of ['', 'PAR1', '{"a":1}\nPAR1 rows PAR1', 'PAR1 cut'])
      if (text !== 'PAR1') refused(() => requireParquet(Buffer.from(text)))
  })
})
