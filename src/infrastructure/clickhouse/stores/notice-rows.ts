// Links notices from what the stores returned, and makes the rows of those that differ. A worker thread does it: an
// issuer may have thousands of notices and sales.
import type { Computations } from '../../../application/ports/computations.ts'
import type { LinkedNotice, NoticeRows, StoredOfIssuers } from '../../../application/ports/notices.ts'
import { changedNotices, isDoubtful } from '../../../application/notices/changed-notices.ts'
import { judgedNotices } from '../../../application/notices/judged-notices.ts'
import { finalFrom, marketValueOf, valueStatusOf } from '../../../application/notices/notice-answer.ts'
import type { OwnerReport } from '../../../domain/notices/link-notices.ts'
import type { FiledNotice } from '../../../domain/notices/notice.ts'
import { cikNumber, cikOf, type Cik } from '../../../domain/shared/identifiers.ts'
import { parseRows } from '../connection/answer-shape.ts'
import type { InsertRow } from '../connection/client.ts'
import { newestFirstKey } from '../sort-key.ts'
import { valuesOf } from './declared-columns.ts'
import { NOTICE_FIELDS } from './notice-columns.ts'
import { tradesOfLines } from './trade-rows.ts'

export const linkNoticesOfRows: Computations['linkNotices'] = (asked) => {
  const { now, recentSince, version, fromUnknownSellers } = asked
  const notices = asked.recorded.map((json) => JSON.parse(json) as FiledNotice)
  if (fromUnknownSellers === null) {
    const doubtful = notices.filter(isDoubtful).map(({ accession }) => accession)
    if (doubtful.length > 0) return { doubtful }
  }
  const { sales, owners, stored } = storedOf(asked.stored)
  const known = { notices, sales, owners, fromUnknownSellers: fromUnknownSellers ?? new Set(), now }
  const all = judgedNotices(known)
  const changes = changedNotices(all, stored, sales)
  return {
    changed: changes && { rows: noticeRows(changes, version), scope: changes.scope },
    recent: all.filter(({ notice }) => notice.filedAt >= recentSince),
  }
}

/** Returns the bytes of a result, which are handed over and not copied. */
export const bytesOfLinked = (linked: ReturnType<Computations['linkNotices']>) =>
  'doubtful' in linked || linked.changed === null ? [] : Object.values(linked.changed.rows).flat()

/** Returns what these rows say. */
export function storedOf({ sales, owners, notices }: StoredOfIssuers) {
  return {
    sales: tradesOfLines(sales),
    owners: parseRows<OwnerRow>(owners).map(toOwnerReport),
    stored: parseRows<[whole: string]>(notices).map(([whole]) => JSON.parse(whole) as LinkedNotice),
  }
}

type OwnerRow = [issuer: number, cik: Cik, name: string, filedAt: number, day: string, left: boolean]

const toOwnerReport = ([issuer, cik, name, filedAt, day, left]: OwnerRow): OwnerReport & { issuerCik: Cik } => ({
  ...{ issuerCik: cikOf(issuer), cik, name, filedAt, day, left },
})

/** Returns the rows of notices; of `former` and `gone`, what is stored and no longer counts. */
export function noticeRows(
  { changed, gone, former }: Record<'changed' | 'gone' | 'former', readonly LinkedNotice[]>,
  version: number,
): NoticeRows {
  const goneSales = [...gone, ...former].flatMap((each) => saleRows(each, version, 1))
  const sales = changed.flatMap((each) => saleRows(each, version, 0))
  return {
    // Of rows with equal keys and versions the one inserted last counts.
    sales: bodiesOf([...goneSales, ...sales]),
    notices: bodiesOf([
      ...gone.map((each) => ({ ...keyOf(each), version, deleted: 1 })),
      ...changed.map((each) => noticeRow(each, version)),
    ]),
  }
}

/** Rows of one insert, each of which becomes one part of the table. */
const ROWS_PER_INSERT = 5_000

function bodiesOf(rows: InsertRow[]): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder()
  const bodies: Uint8Array<ArrayBuffer>[] = []
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
    const lines = rows.slice(from, from + ROWS_PER_INSERT).map((row) => JSON.stringify(row))
    bodies.push(encoder.encode(lines.join('\n')))
  }
  return bodies
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
    ...valuesOf(Object.values(NOTICE_FIELDS), linked),
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
