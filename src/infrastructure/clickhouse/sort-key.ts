// The keys by which the lists of finished rows are sorted: numbers as eight hexadecimal digits, which sort as text in
// the order of the numbers. Tables made in bulk write the same in SQL (the views of migrations/0001_schema.sql).

/** The largest number that has a key: a DateTime of the engine holds as much. */
export const MAX_SORTED = 0xffff_ffff

/** Returns the key of a number from 0 to `MAX_SORTED`, such as seconds since 1970. */
export function sortKey(number: number): string {
  return number.toString(16).toUpperCase().padStart(8, '0')
}

/** Returns a key that sorts larger numbers first. */
export function descendingSortKey(number: number): string {
  return sortKey(MAX_SORTED - number)
}
