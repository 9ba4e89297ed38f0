// Parts of a file by the header Range (RFC 9110 §14): one range of bytes. Several at once are answered with all of it,
// as a server may.

/** Bytes from `start` to `end`, which is one behind the last. */
export interface ByteRange {
  start: number
  end: number
}

const RANGE = /^bytes=[ \t]*(?:([0-9]+)-([0-9]*)|-([0-9]+))[ \t]*$/i

/**
 * Returns the range that is asked for of so many bytes, null for all of them, or `unsatisfiable`. What is not one range
 * of bytes is ignored.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | null | 'unsatisfiable' {
  const found = header === undefined ? null : RANGE.exec(header)
  if (!found) return null
  const [, first, last, suffix] = found
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size)
    return length > 0 ? { start: size - length, end: size } : 'unsatisfiable'
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}
