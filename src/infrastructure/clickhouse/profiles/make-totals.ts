// Makes the totals of long lists (list-totals.ts): of those that changed lately, and of those found without, as after a
// load of history. Called where no rows are written at the same time, so that what is made is true when it is stored.
import type { ProfileTotals } from '../../../application/ports/analytics.ts'
import { pausing } from '../../../application/shared/pausing.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { PROFILE_ROWS, totalsOfRows, totalsRow, type ListedRow } from './list-totals.ts'

/** Lists of a statement: planning grows with them. */
const LISTS_AT_ONCE = 25
/** Rows read at once as far as is known, some 4 MB. */
const ROWS_AT_ONCE = 20_000
/** Summed up without a pause: some 2 ms. */
const ROWS_PER_TURN = 2_000
/** What was changed just now may change again with the next filing. */
const AT_REST_MS = 1_000

/** Finds long lists that have no totals, or rows newer than these, as an earlier version of the service wrote them. */
export const missingSql = (longerThan: number): Sql => sql`
  SELECT substring(key, 1, 11) AS list, countIf(NOT totals AND NOT deleted) AS rows
  FROM (
    SELECT key, substring(key, 12, 1) = '=' AS totals, version, deleted
    FROM transaction_lists
    WHERE (key >= 'c' AND key < 'd') OR (key >= 'i' AND key < 'j')
  )
  GROUP BY list
  HAVING rows > ${longerThan}
    AND (argMaxIf(deleted, version, totals) != 0 OR maxIf(version, totals) <= maxIf(version, NOT totals))
  SETTINGS max_execution_time = 0`

/** Reads what the profiles of these lists sum up, the newest first in each. */
export function rowsSql(lists: readonly string[]): Sql {
  const starts = lists.map((list) => sql`startsWith(key, ${list})`.text).join(' OR ')
  return sql`
    SELECT key, summed
    FROM transaction_lists FINAL
    WHERE indexHint(${new Sql(starts)}) AND substring(key, 1, 11) IN ${lists} AND substring(key, 12, 1) != '='
    ORDER BY key DESC`
}

export class ClickHouseProfileTotals implements ProfileTotals {
  readonly #store: ClickHouse
  readonly #nextVersion: () => Promise<number>
  readonly #longerThan: number
  /** Rows of lists to make the totals of, as far as they are known. */
  readonly #waiting = new Map<string, number>()
  #changedAt = Number.NEGATIVE_INFINITY

  /** Lists with more rows than `longerThan` have totals. */
  constructor(store: ClickHouse, nextVersion: () => Promise<number>, longerThan = PROFILE_ROWS) {
    this.#store = store.forBulk
    this.#nextVersion = nextVersion
    this.#longerThan = longerThan
  }

  /** Notes lists whose totals were removed. */
  changed(lists: readonly string[]): void {
    // On a cluster totals and rows of a list would lie on different nodes, which write them at different instants.
    if (this.#store.cluster) return
    for (const list of lists) if (!this.#waiting.has(list)) this.#waiting.set(list, 0)
    this.#changedAt = performance.now()
  }

  async findMissing(): Promise<void> {
    if (this.#store.cluster) return
    for (const { list, rows } of await this.#store.rows<{ list: string; rows: number }>(missingSql(this.#longerThan)))
      this.#waiting.set(list, rows)
  }

  async make(): Promise<{ read: number; waiting: number }> {
    const isAtRest = performance.now() - this.#changedAt >= AT_REST_MS
    if (this.#waiting.size === 0 || !isAtRest) return { read: 0, waiting: this.#waiting.size }
    const lists = this.#next()
    // Before the rows are read: whatever is written after them has a higher one.
    const version = await this.#nextVersion()
    const rows = (await this.#store.texts(rowsSql(lists), ROWS_PER_TURN)) as [key: string, summed: string][]
    const rowsOf = new Map<string, ListedRow[]>()
    for await (const [key, summed] of pausing(rows, ROWS_PER_TURN)) {
      const list = key.slice(0, 11)
      const own = rowsOf.get(list)
      if (own) own.push({ key, summed })
      else rowsOf.set(list, [{ key, summed }])
    }
    const made = []
    const long = [...rowsOf].filter(([, own]) => own.length > this.#longerThan)
    for await (const [list, own] of pausing(long, ROWS_PER_TURN, ([, each]) => each.length))
      made.push(totalsRow(list, totalsOfRows(own), version))
    await this.#store.insert('transaction_lists', made)
    for (const list of lists) this.#waiting.delete(list)
    return { read: lists.length, waiting: this.#waiting.size }
  }

  #next(): string[] {
    const lists: string[] = []
    let sum = 0
    for (const [list, rows] of this.#waiting) {
      if (lists.length > 0 && (lists.length === LISTS_AT_ONCE || sum + rows > ROWS_AT_ONCE)) break
      lists.push(list)
      sum += rows
    }
    return lists
  }
}
