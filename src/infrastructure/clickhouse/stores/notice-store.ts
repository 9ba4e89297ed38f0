// NoticeStore on ClickHouse: notices of proposed sales, the sales that count for them, and who reports sales. Rows are
// read and made in worker threads, by notice-rows.ts.
import type { NoticeRows, NoticeStore, StoredOfIssuers } from '../../../application/ports/notices.ts'
import { cikNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, toCik, type Sql } from '../connection/sql.ts'
import { readTradeLines } from './trade-rows.ts'

export class ClickHouseNoticeStore implements NoticeStore {
  readonly #store: ClickHouse

  constructor(store: ClickHouse) {
    this.#store = store
  }

  ofIssuers(issuers: Cik[]): Promise<StoredOfIssuers> {
    return storedOfIssuers(this.#store, issuers)
  }

  // The notices come last: changes are found by comparing with them, so a process killed in between writes both again.
  async write({ sales, notices }: NoticeRows): Promise<void> {
    for (const lines of sales) await this.#store.insertLines('notice_sales', lines)
    for (const lines of notices) await this.#store.insertLines('notices', lines)
  }
}

/** Reads what is stored of issuers; `known` leaves out owners' filings whose day is only estimated. */
export async function storedOfIssuers(
  store: ClickHouse,
  issuers: Cik[],
  which: 'all' | 'known' = 'all',
): Promise<StoredOfIssuers> {
  if (issuers.length === 0) return { sales: NOTHING, owners: NOTHING, notices: NOTHING }
  const ciks = issuers.map(cikNumber)
  const [sales, owners, notices] = await Promise.all([
    readTradeLines(store, sql`issuer_cik IN ${ciks} AND code = 'S' AND acquired_disposed = 'D'`),
    store.lines(ownersSql(ciks, which)),
    store.lines(noticesSql(ciks)),
  ])
  return { sales, owners, notices }
}

const NOTHING = new Uint8Array()

/** Selects the reporting owners of these issuers by Forms 3, 4 and 5, a row for each filing and owner. */
const ownersSql = (issuers: number[], which: 'all' | 'known'): Sql => sql`
  SELECT
    issuer_cik AS issuer, ${toCik('owner')} AS cik, name, toUnixTimestamp(filed_at) AS filedAt, period AS day,
    exit AS left
  FROM balances FINAL
  ARRAY JOIN owner_ciks AS owner, owner_names AS name
  WHERE issuer_cik IN ${issuers} AND toUnixTimestamp(withdrawn_at) = 0
    AND ${which === 'all' ? sql`1` : sql`NOT estimated`}`

/**
 * Selects all notices of these issuers. The inner statement reads one column of all notices, the outer one a few rows.
 */
const noticesSql = (issuers: number[]): Sql => sql`
  SELECT whole
  FROM notices FINAL
  WHERE key IN (SELECT key FROM notices WHERE issuer_cik IN ${issuers})`
