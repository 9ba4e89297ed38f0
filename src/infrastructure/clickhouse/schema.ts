// The schema of ClickHouse: the tables of schema.sql, and what the rest needs to know of them.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { STORED_COLUMNS } from '../../application/queries/transactions/transaction-fields.ts'
import { definitionsOf } from './stores/declared-columns.ts'
import { NOTICE_FIELDS } from './stores/notice-columns.ts'

interface SchemaTable {
  name: string
  /** The statement that creates it. */
  statement: string
  /** Types by the names of the columns, as `system.columns` shows them. */
  columns: ReadonlyMap<string, string>
  /** Whether its rows are part of the store; not those of staging tables. */
  isKept: boolean
}

export interface Schema {
  /** Changes with any statement, not with comments and layout. */
  hash: string
  /** In the order of the file. */
  statements: readonly string[]
  tables: readonly SchemaTable[]
}

/** Statements end with a semicolon at the end of a line. */
export function parseSchema(text: string): Schema {
  const statements = text
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter(Boolean)
  const hash = createHash('sha256').update(statements.map(onOneLine).join(';')).digest('hex')
  return { hash, statements, tables: statements.flatMap((statement) => tableOf(statement) ?? []) }
}

/** Columns that are declared with what they are made from. */
const DECLARED = {
  '{fields of transactions}': definitionsOf(STORED_COLUMNS),
  '{fields of notices}': definitionsOf(Object.values(NOTICE_FIELDS)),
}

export const SCHEMA = parseSchema(
  Object.entries(DECLARED).reduce(
    (text, [place, columns]) => text.replace(place, columns),
    readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8'),
  ),
)

/** Returns null for a statement that creates nothing. */
function tableOf(statement: string): SchemaTable | null {
  const [, name, columns] = /^CREATE TABLE IF NOT EXISTS (\w+) \((.*)\) ENGINE = /.exec(onOneLine(statement)) ?? []
  if (name === undefined) return null
  return { name, statement, columns: columnsOf(columns!), isKept: !name.startsWith('staged_') }
}

function columnsOf(list: string): Map<string, string> {
  return new Map(
    splitOutside(list, ',').map((column) => {
      const [name, ...rest] = splitOutside(column.trim(), ' ')
      const end = rest.findIndex((word) => /^(DEFAULT|ALIAS|CODEC\b.*)$/.test(word))
      return [name!.replaceAll('`', ''), rest.slice(0, end === -1 ? undefined : end).join(' ')]
    }),
  )
}

/** Splits where the separator stands in no parentheses. */
function splitOutside(text: string, separator: ',' | ' '): string[] {
  const parts = ['']
  let depth = 0
  for (const character of text) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === separator && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

function onOneLine(statement: string): string {
  return statement.replaceAll(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')')
}
