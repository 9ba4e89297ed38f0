// The lists of transactions in `transaction_lists`: the feed, and one for each company and each insider. Each list is a
// range of keys, in the order in which pages show the rows.
import { cikOf, type Cik } from '../../../../domain/shared/identifiers.ts'
import { sql, type Sql } from '../../connection/sql.ts'
import { sortKey } from '../../sort-key.ts'

/**
 * The position of a transaction in a list: filing time in seconds since 1970, accession number, place in the filing.
 */
interface ListPlace {
  filedAt: number
  accession: string
  place: number
}

const FEED = 'f'
/** Lists with a capital letter have the superseded rows: see as-of.ts. */
export type TransactionList = typeof FEED | `c${Cik}` | `i${Cik}` | 'F' | `C${Cik}` | `I${Cik}`
export const FEED_LIST: TransactionList = FEED
export const listOfCompany = (issuer: number): TransactionList => `c${cikOf(issuer)}`
export const listOfInsider = (owner: number): TransactionList => `i${cikOf(owner)}`

/** Returns the part of a key that follows the list. */
export const placeText = ({ filedAt, accession, place }: ListPlace): string =>
  `${sortKey(filedAt)}${accession} ${sortKey(place)}`

/** Returns the beginning of the keys with this filing time. */
export const keyAt = (list: TransactionList, filedAt: number): string => `${list}:${sortKey(filedAt)}`

/** Returns the place in a key, or in the part of it that follows the list. */
export function placeOf(key: string): ListPlace {
  const [, filedAt, accession, place] = /^(?:[^:]+:)?([0-9A-F]{8})(\S+) ([0-9A-F]{8})$/.exec(key)!
  return { filedAt: Number.parseInt(filedAt!, 16), accession: accession!, place: Number.parseInt(place!, 16) }
}

/** Selects the keys of a list. */
export const withinList = (list: TransactionList): Sql => sql`key >= ${`${list}:`} AND key < ${`${list};`}`

/** A transaction of a list. */
export interface ListedTransaction {
  /** The contract's Transaction as JSON, without `detail`. */
  transaction: string
  /** What the filing alone says in its `detail`, as JSON; '' where it is not asked for. */
  detail: string
  issuer: number
  code: string
}

/** The columns of a listed transaction as texts. */
type ListedTexts = readonly [transaction: string, detail?: string, issuer?: string, code?: string]

/** Selects the columns of a listed transaction: 4 with details, else 1. */
export const listedColumns = (isDetailed: boolean): Sql =>
  isDetailed ? sql`transaction, detail, issuer_cik, code` : sql`transaction`

/** Returns the number of these columns. */
export const listedWidth = (isDetailed: boolean): number => (isDetailed ? 4 : 1)

export const listedOf = ([transaction, detail = '', issuer = '0', code = '']: ListedTexts): ListedTransaction => ({
  transaction,
  detail,
  issuer: Number(issuer),
  code,
})

/** Returns a transaction as JSON; with details, those that are added come last. */
export const transactionJson = ({ transaction, detail }: ListedTransaction, added: object = {}): string =>
  detail === ''
    ? transaction
    : extended(transaction, `"detail":${extended(detail, JSON.stringify(added).slice(1, -1))}`)

/** Adds fields at the end of an object that has some. */
const extended = (object: string, fields: string): string =>
  fields === '' ? object : `${object.slice(0, -1)},${fields}}`

/** A row that is read as a text under its key. */
export type KeyedText = [key: string, text: string]

/** Rows per block: few, because a page in the order of keys needs only the first block. */
export const BLOCK_ROWS = 256
