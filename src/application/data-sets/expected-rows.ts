// The rows that quarters are expected to have before all of them were read.
import type { Quarter } from '../../domain/shared/quarter.ts'

/** A quarter of a load, and what is known of it so far. */
export interface AskedQuarter {
  /** Of its zip; null as long as it isn't stored. */
  bytes: number | null
  /** Lines of Table I that are to be loaded; null as long as they aren't counted. */
  rows: number | null
}

export interface ExpectedQuarter {
  bytes: number
  rows: number
}

/** Bytes of a zip for each row of Table I until a quarter was read: some 9 MB for some 55,000. */
const BYTES_A_ROW = 165
/** Bytes of a zip that isn't stored, where no other is. */
const BYTES_A_ZIP = 9_000_000

/**
 * Returns what each is expected to have. Rows that weren't counted follow from the size of the zip, in the ratio of the
 * others, and quarters that aren't stored are as large as the others on average.
 */
export function expectedRows(asked: ReadonlyMap<Quarter, AskedQuarter>): Map<Quarter, ExpectedQuarter> {
  const quarters = [...asked.values()]
  const counted = quarters.filter(({ bytes, rows }) => bytes !== null && rows !== null && rows > 0)
  const bytesARow = counted.length > 0 ? sumOf(counted, 'bytes') / sumOf(counted, 'rows') : BYTES_A_ROW
  const stored = quarters.filter(({ bytes }) => bytes !== null)
  const bytesAZip = stored.length > 0 ? sumOf(stored, 'bytes') / stored.length : BYTES_A_ZIP
  const expected = ({ bytes, rows }: AskedQuarter): ExpectedQuarter => {
    const size = Math.round(bytes ?? bytesAZip)
    return { bytes: size, rows: rows ?? Math.round(size / bytesARow) }
  }
  return new Map([...asked].map(([quarter, one]) => [quarter, expected(one)]))
}

const sumOf = (quarters: readonly AskedQuarter[], what: keyof AskedQuarter): number =>
  quarters.reduce((sum, each) => sum + (each[what] ?? 0), 0)
