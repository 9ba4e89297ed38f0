// The lists of transactions in `transaction_lists`: the feed, and one for each company and each insider. Each list is a
// range of keys, in the order in which pages show the rows.
import { cikOf, type Cik } from '../../../../domain/shared/identifiers.ts'
import { sql, Sql } from '../../connection/sql.ts'
import { sortKey } from '../../sort-key.ts'
import type { TradeTexts } from '../../stores/trade-rows.ts'

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

const COLUMNS: TradeTexts = { transaction: new Sql('transaction'), detail: new Sql('detail') }

/** Returns SQL for a Transaction as JSON text, from the columns or the given expressions. */
export const transactionJson = (isDetailed: boolean, { transaction, detail } = COLUMNS): Sql =>
  isDetailed
    ? sql`concat(substring(${transaction}, 1, length(${transaction}) - 1), ',"detail":', ${detail}, '}')`
    : transaction

/** A row that is read as a text under its key. */
export type KeyedText = [key: string, text: string]

/** Rows per block: few, because a page in the order of keys needs only the first block. */
export const BLOCK_ROWS = 256
