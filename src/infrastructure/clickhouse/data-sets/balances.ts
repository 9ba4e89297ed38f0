// The evidence of positions in the filings of a data set. It is made by the domain from the lines that are stored of
// each filing, as from documents, so that both say the same.
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

/** Filings read at once: their texts take some 6 MiB. */
const FILINGS_BATCH = 4_000
const ROWS_PER_INSERT = 10_000

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
 * Returns the steps that write it. `isWhole`: the data set has all files; without the holdings nothing is known of
 * positions, and nothing may be left of an earlier load.
 */
export async function balanceSteps(
  store: ClickHouse,
  version: number,
  isWhole: boolean,
): Promise<(() => Promise<void>)[]> {
  const ranges = await accessionRanges(store, sql`staged_filings`, FILINGS_BATCH)
  return ranges.map((range) => () => (isWhole ? writeRange(store, range, version) : removeRange(store, range, version)))
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
  await store.insertBatches('balances', rows, ROWS_PER_INSERT)
}

function removeRange(store: ClickHouse, range: AccessionRange, version: number): Promise<void> {
  return store.command(sql`
    INSERT INTO balances (issuer_cik, accession, version, deleted)
    SELECT issuer_cik, accession, ${version}, 1
    FROM staged_filings
    WHERE ${inRange(range)} AND accession NOT IN (SELECT accession FROM staged_known)
    ${BULK}`)
}
