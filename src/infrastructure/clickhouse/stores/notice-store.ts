// NoticeStore on ClickHouse: notices of proposed sales, the sales that count for them, and who reports sales.
import type { LinkedNotice, NoticeStore } from '../../../application/ports/notices.ts'
import { finalFrom, marketValueOf, valueStatusOf } from '../../../application/notices/notice-answer.ts'
import type { OwnerReport } from '../../../domain/notices/link-notices.ts'
import { cikNumber, cikOf, type Cik } from '../../../domain/shared/identifiers.ts'
import type { Trade } from '../../../domain/trades/trade.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { sql } from '../connection/sql.ts'
import { newestFirstKey } from '../sort-key.ts'
import { readTrades } from './trade-rows.ts'

const ROWS_PER_INSERT = 5_000

export class ClickHouseNoticeStore implements NoticeStore {
  readonly #store: ClickHouse

  constructor(store: ClickHouse) {
    this.#store = store
  }

  sales(issuers: Cik[]): Promise<Trade[]> {
    return salesOf(this.#store, issuers)
  }

  owners(issuers: Cik[]): Promise<(OwnerReport & { issuerCik: Cik })[]> {
    return ownersOf(this.#store, issuers)
  }

  stored(issuers: Cik[]): Promise<LinkedNotice[]> {
    return noticesOf(this.#store, issuers)
  }

  // The notices come last: changes are found by comparing with them, so a process killed in between writes both again.
  async write(notices: LinkedNotice[], gone: LinkedNotice[], former: LinkedNotice[], version: number): Promise<void> {
    const goneSales = [...gone, ...former].flatMap((each) => saleRows(each, version, 1))
    const sales = notices.flatMap((each) => saleRows(each, version, 0))
    // Of rows with equal keys and versions the one inserted last counts.
    await this.#store.insertBatches('notice_sales', [...goneSales, ...sales], ROWS_PER_INSERT)
    const rows = [
      ...gone.map((each) => ({ ...keyOf(each), version, deleted: 1 })),
      ...notices.map((each) => noticeRow(each, version)),
    ]
    await this.#store.insertBatches('notices', rows, ROWS_PER_INSERT)
  }
}

/** Reads the sales of Table I of Forms 4 of these issuers, with those that were superseded. */
export async function salesOf(store: ClickHouse, issuers: Cik[]): Promise<Trade[]> {
  if (issuers.length === 0) return []
  return readTrades(store, sql`issuer_cik IN ${issuers.map(cikNumber)} AND code = 'S' AND acquired_disposed = 'D'`)
}

/**
 * Reads the reporting owners of these issuers by Forms 3, 4 and 5, a row for each filing and owner; `known` leaves out
 * filings whose day is only estimated.
 */
export async function ownersOf(
  store: ClickHouse,
  issuers: Cik[],
  which: 'all' | 'known' = 'all',
): Promise<(OwnerReport & { issuerCik: Cik })[]> {
  if (issuers.length === 0) return []
  const reports = await store.rows<{
    issuer: number
    cik: Cik
    name: string
    filedAt: number
    day: string
    left: 0 | 1
  }>(sql`
    SELECT
      issuer_cik AS issuer, JSONExtractString(owner, 'cik') AS cik, JSONExtractString(owner, 'name') AS name,
      toUnixTimestamp(filed_at) AS filedAt, JSONExtractString(content, 'period') AS day,
      JSONExtractBool(content, 'exit') AS left
    FROM balances FINAL
    ARRAY JOIN JSONExtractArrayRaw(content, 'owners') AS owner
    WHERE issuer_cik IN ${issuers.map(cikNumber)} AND toUnixTimestamp(withdrawn_at) = 0
      AND ${which === 'all' ? sql`1` : sql`NOT estimated`}`)
  return reports.map(({ issuer, left, ...report }) => ({ issuerCik: cikOf(issuer), ...report, left: left === 1 }))
}

/** Reads all notices of these issuers. */
export async function noticesOf(store: ClickHouse, issuers: Cik[]): Promise<LinkedNotice[]> {
  if (issuers.length === 0) return []
  // The inner statement reads one column of all notices, the outer one a few rows by their keys.
  const notices = await store.rows<{ whole: string }>(sql`
    SELECT whole
    FROM notices FINAL
    WHERE key IN (SELECT key FROM notices WHERE issuer_cik IN ${issuers.map(cikNumber)})`)
  return notices.map(({ whole }) => JSON.parse(whole) as LinkedNotice)
}

function keyOf({ notice }: LinkedNotice): InsertRow {
  return {
    key: newestFirstKey(notice.filedAt, notice.accession),
    issuer_cik: cikNumber(notice.issuer.cik),
  }
}

function noticeRow(linked: LinkedNotice, version: number): InsertRow {
  const { notice, judgement, link } = linked
  return {
    ...keyOf(linked),
    seller_cik: cikNumber(notice.seller.cik),
    form: notice.form,
    plan: judgement.plan === 'yes',
    value: valueStatusOf(judgement) === 'plausible' ? marketValueOf(notice) : null,
    state: link.state,
    final_from: finalFrom(link),
    final_state: link.finalState,
    whole: JSON.stringify(linked),
    version,
    deleted: 0,
  }
}

const saleRows = ({ notice, link }: LinkedNotice, version: number, deleted: 0 | 1): InsertRow[] =>
  link.allocations.map(({ saleId, units }) => ({
    sale_id: saleId,
    accession: notice.accession,
    units,
    plan_adopted_on: [...new Set(notice.planAdoptionDates)],
    version,
    deleted,
  }))
