// Writes the evidence of positions for the filings of a data set. The domain makes it from the stored lines of a filing
// in the same way as from a document.
import { isEstimated } from '../../../domain/filings/acceptance-time.ts'
import { cikOf, type AccessionNumber, type DateText } from '../../../domain/shared/identifiers.ts'
import { evidenceOf } from '../../../domain/positions/evidence.ts'
import type { FormType } from '../../../domain/filings/filing.ts'
import { inSlices } from '../../../application/shared/time-slices.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { sql } from '../connection/sql.ts'
import { balanceRow } from '../stores/balances.ts'
import { filingContentsSql } from './filing-details.ts'
import { accessionRanges, inRange, type AccessionRange } from './join-filings.ts'
import { toFilingDetails } from './read-details.ts'
import { BULK } from './tsv-fields.ts'

/** Filings whose texts are in memory at once. */
const FILINGS_BATCH = 4_000

interface SetFiling {
  accession: AccessionNumber
  form: FormType
  issuer: number
  filedAt: number
  filedDay: DateText
  withdrawnAt: number
  content: string
}

/**
 * Returns the steps that write the evidence. If not `hasAllFiles`, the files with holdings are missing, and the steps
 * remove the evidence of an earlier load instead.
 */
export async function balanceSteps(
  store: ClickHouse,
  version: number,
  hasAllFiles: boolean,
): Promise<(() => Promise<void>)[]> {
  const ranges = await accessionRanges(store, sql`staged_filings`, FILINGS_BATCH)
  return ranges.map(
    (range) => () => (hasAllFiles ? writeRange(store, range, version) : removeRange(store, range, version)),
  )
}

async function writeRange(store: ClickHouse, range: AccessionRange, version: number): Promise<void> {
  const found = await store.rows<SetFiling>(sql`
    SELECT
      accession, form, issuer_cik AS issuer, toUnixTimestamp(filed_at) AS filedAt, toString(filed_day) AS filedDay,
      toUnixTimestamp(w.withdrawn) AS withdrawnAt, content
    FROM (${filingContentsSql(range)}) AS f
    LEFT JOIN (SELECT accession, received_at AS withdrawn FROM staged_withdrawn) AS w ON f.accession = w.accession
    ${BULK}`)
  const rows: InsertRow[] = []
  for await (const filing of inSlices(found)) {
    const { accession, form, filedAt, filedDay, withdrawnAt } = filing
    const { content, filedBasis } = toFilingDetails(
      { accession, form, issuerCik: cikOf(filing.issuer) },
      filing.content,
    )
    const evidence = evidenceOf(content, { at: filedAt, day: filedDay })
    const stored = {
      evidence,
      isEstimated: isEstimated(filedBasis),
      withdrawnAt: withdrawnAt > 0 ? Math.max(filedAt, withdrawnAt) : null,
    }
    rows.push(balanceRow(stored, version))
  }
  await store.insertBatches('balances', rows)
}

function removeRange(store: ClickHouse, range: AccessionRange, version: number): Promise<void> {
  return store.command(sql`
    INSERT INTO balances (issuer_cik, accession, version, deleted)
    SELECT issuer_cik, accession, ${version}, 1
    FROM staged_filings
    WHERE ${inRange(range)} AND accession NOT IN (SELECT accession FROM staged_known)
    ${BULK}`)
}
