// Page cursors: the sort key of the last row shown, readable by us alone, with a checksum against damage.
import { createHash } from 'node:crypto'
import { ServiceError } from '../../application/errors.ts'

/** `of` names the list and its filters: a cursor made for one is refused by another. */
export function encodeCursor(of: string, key: (string | number)[]): string {
  const payload = JSON.stringify([of, ...key])
  return Buffer.from(checksum(payload) + payload).toString('base64url')
}

/** The key that `encodeCursor` was given. Throws `invalid_cursor`. */
export function decodeCursor(of: string, cursor: string): (string | number)[] {
  // Buffer's decoder skips what is not base64url; only text that it would write itself is accepted.
  const text = cursor.length <= 400 ? Buffer.from(cursor, 'base64url').toString() : ''
  const payload = text.slice(CHECKSUM_LENGTH)
  if (Buffer.from(text).toString('base64url') !== cursor || checksum(payload) !== text.slice(0, CHECKSUM_LENGTH)) {
    throw new ServiceError('invalid_cursor', 'The cursor is damaged or not one of ours. Start again without it.')
  }
  const [madeFor, ...key] = JSON.parse(payload) as (string | number)[]
  if (madeFor !== of) {
    throw new ServiceError('invalid_cursor', 'The cursor belongs to another list or filter. Use it only with the same parameters.')
  }
  return key
}

const CHECKSUM_LENGTH = 8
const checksum = (payload: string) =>
  createHash('sha256').update('cursor-1').update(payload).digest('base64url').slice(0, CHECKSUM_LENGTH)
