// Makes the totals of lists (list-totals.ts): of those that changed lately, and of those found without, as after a
// load of history. Called where no rows are written at the same time, so that what is made is true when it is stored.
import type { ProfileTotals } from '../../../application/ports/analytics.ts'
import { inSlices } from '../../../application/shared/time-slices.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { PROFILE_ROWS, totalsOfRows, totalsRow, type ListedRow } from './list-totals.ts'

/** Lists that changed of which one statement reads the rows: planning grows with them. */
const CHANGED_AT_ONCE = 25
/** Rows read at once of lists found missing, in 25 ms with their sums. */
const ROWS_AT_ONCE = 10_000
/** Summed up without a pause: some 2 ms. */
const ROWS_PER_TURN = 2_000
/** Totals stored at once, so that a load does not leave hundreds of parts. */
const TOTALS_PER_INSERT = 5_000
/** What was changed just now may change again with the next filing. */
const AT_REST_MS = 1_000

/**
 * Finds companies' lists, and longer ones of insiders, that have no totals, or rows newer than these, as an earlier
 * version of the service wrote them.
 */
export const missingSql = (longerThan: number): Sql => sql`
  SELECT substring(key, 1, 11) AS list, countIf(NOT totals AND NOT deleted) AS rows
  FROM (
    SELECT key, substring(key, 12, 1) = '=' AS totals, version, deleted
    FROM transaction_lists
    WHERE (key >= 'c' AND key < 'd') OR (key >= 'i' AND key < 'j')
  )
  GROUP BY list
  HAVING rows > if(startsWith(list, 'c'), 0, ${longerThan})
    AND (argMaxIf(deleted, version, totals) != 0 OR maxIf(version, totals) <= maxIf(version, NOT totals))
  ORDER BY list DESC
  SETTINGS max_execution_time = 0`

/** Reads what the profiles of these lists sum up, the newest first in each. */
export function rowsSql(lists: readonly string[]): Sql {
  const starts = lists.map((list) => sql`startsWith(key, ${list})`.text).join(' OR ')
  return ofLists(sql`indexHint(${new Sql(starts)})`, lists)
}

/** Reads the same of many lists in the order of their keys, through what lies between them. */
export const rangeSql = (lists: readonly string[]): Sql =>
  ofLists(sql`key >= ${lists[0]!} AND key < ${`${lists.at(-1)!}>`}`, lists)

const ofLists = (within: Sql, lists: readonly string[]): Sql => sql`
  SELECT key, summed
  FROM transaction_lists FINAL
  WHERE ${within} AND substring(key, 1, 11) IN ${lists} AND substring(key, 12, 1) != '='
  ORDER BY key DESC`

export class ClickHouseProfileTotals implements ProfileTotals {
  readonly #store: ClickHouse
  readonly #nextVersion: () => Promise<number>
  readonly #longerThan: number
  readonly #changed = new Set<string>()
  #changedAt = Number.NEGATIVE_INFINITY
  /** In the order of their keys, the last first. */
  #missing: { list: string; rows: number }[] = []
  /** Made and not stored yet. What is written in the meantime has a higher version, and so removes them as well. */
  #made: InsertRow[] = []

  /** Companies' lists have totals, and those of insiders with more rows than `longerThan`. */
  constructor(store: ClickHouse, nextVersion: () => Promise<number>, longerThan = PROFILE_ROWS) {
    this.#store = store.forBulk
    this.#nextVersion = nextVersion
    this.#longerThan = longerThan
  }

  changed(lists: readonly string[]): void {
    // On a cluster totals and rows of a list would lie on different nodes, which write them at different instants.
    if (this.#store.cluster) return
    for (const list of lists) this.#changed.add(list)
    this.#changedAt = performance.now()
  }

  async findMissing(): Promise<void> {
    if (this.#store.cluster) return
    this.#missing = await this.#store.rows<{ list: string; rows: number }>(missingSql(this.#longerThan))
  }

  async make(): Promise<{ read: number; waiting: number }> {
    const isAtRest = performance.now() - this.#changedAt >= AT_REST_MS
    const changed = isAtRest ? [...this.#changed].slice(0, CHANGED_AT_ONCE) : []
    const lists = changed.length > 0 ? changed : this.#nextMissing()
    if (lists.length > 0) {
      // Before the rows are read: whatever is written after them has a higher one.
      const version = await this.#nextVersion()
      this.#made.push(...(await this.#totalsOf(changed.length > 0 ? rowsSql(lists) : rangeSql(lists), version)))
    }
    if (this.#made.length >= TOTALS_PER_INSERT || this.#missing.length === 0) {
      await this.#store.insert('transaction_lists', this.#made)
      this.#made = []
    }
    for (const list of changed) this.#changed.delete(list)
    return { read: lists.length, waiting: this.#changed.size + this.#missing.length }
  }

  async #totalsOf(query: Sql, version: number): Promise<InsertRow[]> {
    const found = (await this.#store.texts(query, ROWS_PER_TURN)) as [key: string, summed: string][]
    const rowsOf = Map.groupBy(
      found.map(([key, summed]): ListedRow => ({ key, summed })),
      ({ key }) => key.slice(0, 11),
    )
    const wanted = [...rowsOf].filter(([list, own]) => list.startsWith('c') || own.length > this.#longerThan)
    const made = []
    for await (const [list, own] of inSlices(wanted)) made.push(totalsRow(list, totalsOfRows(own), version))
    return made
  }

  /** Takes the next lists, as many as fit. Those whose rows can't be read are found again after the next start. */
  #nextMissing(): string[] {
    const lists: string[] = []
    for (let sum = 0; this.#missing.length > 0;) {
      const { list, rows } = this.#missing.at(-1)!
      sum += rows
      if (lists.length > 0 && sum > ROWS_AT_ONCE) break
      lists.push(list)
      this.#missing.pop()
    }
    return lists
  }
}
