// The keys by which the lists of finished rows are sorted: numbers as eight hexadecimal digits, which sort as text in
// the order of the numbers.
import { sql } from './connection/sql.ts'

/** The largest number that has a key: a DateTime of the engine holds as much. */
export const MAX_SORTED = 0xffff_ffff

/** Returns the key of a number from 0 to `MAX_SORTED`, such as seconds since 1970. */
export function sortKey(number: number): string {
  return number.toString(16).toUpperCase().padStart(8, '0')
}

/** Returns a key that sorts later times first, all times in seconds since 1970. */
export const newestFirst = (time: number): string => sortKey(MAX_SORTED - time)

/** Returns the key of a row in a list that has the newest first. */
export const newestFirstKey = (time: number, id: string): string => `${newestFirst(time)} ${id}`

/** Returns the time and the id in such a key. */
export const placeInKey = (key: string): [time: number, id: string] => [
  MAX_SORTED - Number.parseInt(key.slice(0, 8), 16),
  key.slice(9),
]

/** Returns the conditions that such keys are from one time on and before another. Keys ascend as times descend. */
export const keysWithin = ({ from, before }: { from?: number | undefined; before?: number | undefined }) => [
  before === undefined || before > MAX_SORTED ? null : before > 0 ? sql`key > ${newestFirst(before - 1)}` : sql`0`,
  from === undefined ? null : sql`key < ${`${newestFirst(from)}~`}`,
]
