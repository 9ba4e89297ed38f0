// The schema of ClickHouse: the tables and the view of schema.sql, and what the rest needs to know of them.
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
  /** Types by the names of the columns, as `system.columns` shows them; null where the statement names none. */
  columns: ReadonlyMap<string, string> | null
  /** Whether its rows are part of the store; not those of staging tables and of what passes rows on. */
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

export const SCHEMA = parseSchema(completed(readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8')))

/** Adds the columns that are declared with what they are made from, and those that one table has of another. */
function completed(text: string): string {
  const ofPlace = ['key', 'side_cik', 'side_name', 'side_title']
  const lists = parseSchema(text).tables.find(({ name }) => name === 'transaction_lists')!.columns!
  const others = [...lists].filter(([name]) => !ofPlace.includes(name))
  return text
    .replace('{fields of transactions}', definitionsOf(STORED_COLUMNS))
    .replace('{fields of notices}', definitionsOf(Object.values(NOTICE_FIELDS)))
    .replace('{other columns of transaction_lists}', others.map((column) => column.join(' ')).join(', '))
}

/** Returns null for a statement that creates nothing. */
function tableOf(statement: string): SchemaTable | null {
  const [, kind, name] = /^CREATE (TABLE|MATERIALIZED VIEW) IF NOT EXISTS (\w+)/.exec(statement) ?? []
  if (name === undefined) return null
  const [, columns, engine] = / \((.*)\) ENGINE = (\w+)/.exec(onOneLine(statement)) ?? []
  const isKept = kind === 'TABLE' && !name.startsWith('staged_') && engine !== 'Null'
  return { name, statement, columns: columns === undefined ? null : columnsOf(columns), isKept }
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
