// Rows as the bytes of inserts.
import type { TableInserts } from '../../../application/ports/analytics.ts'
import type { InsertRow } from '../connection/client.ts'

/** Rows of one insert, each of which becomes one part of the table. */
const ROWS_PER_INSERT = 10_000

/** Returns the rows as JSON, a line each. Takes them as they are made: all rows at once would take much memory. */
export function tableInserts(table: string, rows: Iterable<InsertRow>, most = ROWS_PER_INSERT): TableInserts {
  const inserts: TableInserts['inserts'] = []
  const encoder = new TextEncoder()
  let lines: string[] = []
  const close = () => {
    if (lines.length > 0) inserts.push(encoder.encode(lines.join('')))
    lines = []
  }
  for (const row of rows) if (lines.push(`${JSON.stringify(row)}\n`) === most) close()
  close()
  return { table, inserts }
}
