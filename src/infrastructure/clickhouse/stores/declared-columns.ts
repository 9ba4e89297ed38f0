// Columns that are declared once, with what they are made from: the schema, the rows and the month files follow.
import type { FieldType } from '../../../application/queries/transactions/transaction-fields.ts'
import type { InsertRow } from '../connection/client.ts'

/** A column that is made from a `Source`. */
export interface DeclaredColumn<Source> {
  name: string
  type: FieldType
  /** May be null. */
  isOptional: boolean
  of: (source: Source) => unknown
}

/** What the engine calls the types of columns. */
const TYPES: Record<FieldType, string> = {
  string: 'String',
  boolean: 'Bool',
  int32: 'Int32',
  double: 'Float64',
  date: 'Date32',
  'timestamp(ms, UTC)': `DateTime64(3, 'UTC')`,
  'decimal(18,4)': 'Decimal(18, 4)',
  'decimal(38,2)': 'Decimal(38, 2)',
  'list<string>': 'Array(String)',
}

/** Returns the columns as in a CREATE statement. */
export const definitionsOf = (columns: readonly Omit<DeclaredColumn<never>, 'of'>[]): string =>
  columns
    .map(({ name, type, isOptional }) => `\`${name}\` ${isOptional ? `Nullable(${TYPES[type]})` : TYPES[type]}`)
    .join(', ')

/** Returns the values of the columns by their names. */
export const valuesOf = <Source>(columns: readonly DeclaredColumn<Source>[], source: Source): InsertRow =>
  Object.fromEntries(columns.map(({ name, of }) => [name, of(source)]))
