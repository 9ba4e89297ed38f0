// Checks that an answer has the shape that its statement asked for. Sessions are clean before they are used again
// (embedded-engine.ts); should one return what belongs to another statement nevertheless, that is no answer.

/** An answer that is not of its statement: it is never used, and the caller may ask again. */
export class UnexpectedAnswer extends Error {
  constructor(expected: string) {
    super(`the answer is not ${expected}`)
  }
}

/** Returns tab-separated rows unless the first or the last one has another number of columns. */
export function requireColumns(text: string, columns: number): string {
  if (text === '') return text
  const isRow = (from: number, to: number) => text.slice(from, to).split('\t').length === columns
  const isWhole = text.endsWith('\n')
  if (isWhole && isRow(0, text.indexOf('\n')) && isRow(text.lastIndexOf('\n', text.length - 2) + 1, text.length - 1))
    return text
  throw new UnexpectedAnswer(`rows of ${columns} columns`)
}

export type JsonFormat = 'JSONEachRow' | 'JSONCompactEachRow'

/** Parses rows of JSON, a line each. */
export function parseRows<T>(lines: Uint8Array): T[] {
  if (lines.length === 0) return []
  try {
    return JSON.parse(
      `[${Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString().trimEnd().replaceAll('\n', ',')}]`,
    ) as T[]
  } catch {
    throw new UnexpectedAnswer('rows of JSON')
  }
}

/** Returns the rows unless the first and the last one differ in shape: in their names, or in the number of values. */
export function requireOneShape<T>(rows: T[], format: JsonFormat): T[] {
  if (rows.length === 0) return rows
  const [first, last] = [shapeOf(rows[0], format), shapeOf(rows.at(-1), format)]
  if (first === null || first !== last) throw new UnexpectedAnswer(`rows of ${format}`)
  return rows
}

/** Returns rows of JSON, a line each, unless the first and the last one differ in shape. The others are not parsed. */
export function requireLines(lines: Buffer, format: JsonFormat): Buffer {
  if (lines.length === 0) return lines
  const first = lines.subarray(0, lines.indexOf(LINE_FEED) + 1)
  const last = lines.subarray(lines.lastIndexOf(LINE_FEED, -2) + 1)
  const ends = [...parseRows(first), ...parseRows(last)]
  if (lines.at(-1) !== LINE_FEED || ends.length !== 2) throw new UnexpectedAnswer('rows of JSON')
  requireOneShape(ends, format)
  return lines
}

const LINE_FEED = 0x0a

/** Returns the names of an object or the number of values of a list, as the format has it; null for anything else. */
function shapeOf(row: unknown, format: JsonFormat): string | null {
  if (typeof row !== 'object' || row === null || Array.isArray(row) !== (format === 'JSONCompactEachRow')) return null
  return Array.isArray(row) ? String(row.length) : Object.keys(row).join()
}

/** Every Parquet file begins and ends with these bytes. */
const PARQUET_MARK = Buffer.from('PAR1')

/** Returns a Parquet file unless it lacks the format's marks. */
export function requireParquet(bytes: Buffer): Buffer {
  const [head, tail] = [bytes.subarray(0, PARQUET_MARK.length), bytes.subarray(-PARQUET_MARK.length)]
  if (head.equals(PARQUET_MARK) && tail.equals(PARQUET_MARK)) return bytes
  throw new UnexpectedAnswer('a Parquet file')
}
