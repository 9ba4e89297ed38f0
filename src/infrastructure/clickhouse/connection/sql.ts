// SQL as text with typed literals. Not bound parameters: the embedded engine serializes those process-wide. A value
// reaches SQL only through one of the encoders below.

/** A piece of SQL that is safe to put into another. */
export class Sql {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = Sql | number | Date | string
/**
 * The value of a literal. A number is a whole number, a Date an instant to the second, a string any text, an array a
 * list.
 */
type Literal = Value | readonly Value[]

export function sql(strings: TemplateStringsArray, ...values: Literal[]): Sql {
  const text = strings.reduce((joined, part, index) => joined + encode(values[index - 1]!) + part)
  return new Sql(text)
}

/** Returns the conditions joined with AND, or `1` if there are none. */
export function all(conditions: (Sql | null)[]): Sql {
  const given = conditions.filter((condition) => condition !== null)
  return given.length === 0 ? new Sql('1') : new Sql(given.map((condition) => condition.text).join(' AND '))
}

/** Returns the conditions joined with OR, in parentheses. */
export const any = (conditions: readonly Sql[]): Sql => new Sql(`(${conditions.map(({ text }) => text).join(' OR ')})`)

/** Returns SQL for a column with a CIK as its ten digits. */
export const toCik = (column: string): Sql => new Sql(`leftPad(toString(${column}), 10, '0')`)

function encode(value: Literal): string {
  if (value instanceof Sql) return value.text
  if (value instanceof Date) return `toDateTime(${encodeInteger(Math.floor(value.getTime() / 1000))}, 'UTC')`
  if (typeof value === 'number') return encodeInteger(value)
  if (typeof value === 'string') return encodeText(value)
  if (value.length === 0) throw new Error('an empty list cannot be written as SQL')
  return `(${value.map(encode).join(', ')})`
}

function encodeInteger(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`)
  return String(value)
}

function encodeText(value: string): string {
  if (value.includes('\0')) throw new Error('text with a NUL character cannot be written as SQL')
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
