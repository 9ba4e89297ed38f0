// The rows that quarters are expected to have before all of them were read.
import type { Quarter } from '../../domain/shared/quarter.ts'

/** A quarter of a load, and what is known of it so far. */
export interface AskedQuarter {
  /** Of its zip; null as long as it isn't stored. */
  bytes: number | null
  /** Lines of Table I that are to be loaded; null as long as they aren't counted. */
  rows: number | null
}

/** Bytes of a zip for each row of Table I until a quarter was read: some 8 MB for some 60,000. */
const BYTES_A_ROW = 140
/** Bytes of a zip that isn't stored, where no other is. */
const BYTES_A_ZIP = 8_000_000

/**
 * Returns the rows of each. Those that weren't counted follow from the size of the zip, in the ratio of the others, and
 * those that aren't stored are as large as the others on average.
 */
export function expectedRows(asked: ReadonlyMap<Quarter, AskedQuarter>): Map<Quarter, number> {
  const quarters = [...asked.values()]
  const counted = quarters.filter(({ bytes, rows }) => bytes !== null && rows !== null && rows > 0)
  const bytesARow = counted.length > 0 ? sumOf(counted, 'bytes') / sumOf(counted, 'rows') : BYTES_A_ROW
  const stored = quarters.filter(({ bytes }) => bytes !== null)
  const bytesAZip = stored.length > 0 ? sumOf(stored, 'bytes') / stored.length : BYTES_A_ZIP
  const rowsOf = ({ bytes, rows }: AskedQuarter) => rows ?? Math.round((bytes ?? bytesAZip) / bytesARow)
  return new Map([...asked].map(([quarter, one]) => [quarter, rowsOf(one)]))
}

const sumOf = (quarters: readonly AskedQuarter[], what: keyof AskedQuarter): number =>
  quarters.reduce((sum, each) => sum + (each[what] ?? 0), 0)
