// Page cursors: the sort key of the last row shown, with a checksum against damage. The checksum is not secret:
// anyone can write a cursor with any content, so its content is checked like every other input.
import { createHash } from 'node:crypto'
import { ServiceError } from '../application/errors.ts'

/** What each part of a key can be: the range of the column it is compared with. */
const PARTS = {
  /** Seconds since 1970 of a DateTime, or a number of a UInt32. */
  number: (part: unknown) => Number.isInteger(part) && (part as number) >= 0 && (part as number) <= 0xffff_ffff,
  /** Microseconds since 1970. */
  instant: (part: unknown) => Number.isSafeInteger(part) && (part as number) >= 0,
  /** Dollars and cents, as a text. */
  amount: (part: unknown) => typeof part === 'string' && /^\d{1,36}(?:\.\d{1,2})?$/.test(part),
  /** A fraction with up to 4 places, as a text. */
  change: (part: unknown) => typeof part === 'string' && /^\d{1,34}(?:\.\d{1,4})?$/.test(part),
  /** An accession number, or the id of a signal or a delivery. */
  id: (part: unknown) => typeof part === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(part),
}
type Part = keyof typeof PARTS
type Shape = readonly Part[]
type Key<S extends Shape> = { -readonly [Place in keyof S]: S[Place] extends 'number' | 'instant' ? number : string }

/** Returns a short text that stands for a filter in the name of a list. */
export const digestOf = (filter: unknown): string =>
  createHash('sha256').update(JSON.stringify(filter)).digest('base64url').slice(0, 16)

/** Returns a cursor. `of` names the list and its filters: a cursor of one is refused by another. */
export function encodeCursor(of: string, key: (string | number)[]): string {
  const payload = JSON.stringify([of, ...key])
  return Buffer.from(checksum(payload) + payload).toString('base64url')
}

/** Returns the key that `encodeCursor` was given. Throws `invalid_cursor`, also if the key has another shape. */
export function decodeCursor<const S extends Shape>(of: string, cursor: string, shape: S): Key<S> {
  const payload = payloadOf(cursor)
  if (!Array.isArray(payload)) throw damaged()
  const [madeFor, ...key] = payload as unknown[]
  if (key.length !== shape.length || !shape.every((part, place) => PARTS[part](key[place]))) throw damaged()
  if (madeFor !== of) {
    throw refused('The cursor belongs to another list or filter. Use it only with the same parameters.')
  }
  return key as Key<S>
}

/** Returns the content of the cursor, of any shape. Throws `invalid_cursor` if it is damaged or not JSON. */
function payloadOf(cursor: string): unknown {
  // Buffer's decoder skips what is not base64url; only text that it would write itself is accepted.
  const text = cursor.length <= 400 ? Buffer.from(cursor, 'base64url').toString() : ''
  const payload = text.slice(CHECKSUM_LENGTH)
  const isOurs = Buffer.from(text).toString('base64url') === cursor
  if (!isOurs || checksum(payload) !== text.slice(0, CHECKSUM_LENGTH)) throw damaged()
  try {
    return JSON.parse(payload)
  } catch {
    throw damaged()
  }
}

function damaged(): ServiceError {
  return refused('The cursor is damaged or was not made by this service. Start again without it.')
}

function refused(message: string): ServiceError {
  return new ServiceError('invalid_cursor', message)
}

const CHECKSUM_LENGTH = 8
const checksum = (payload: string) =>
  createHash('sha256').update('cursor-1').update(payload).digest('base64url').slice(0, CHECKSUM_LENGTH)
