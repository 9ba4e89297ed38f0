// DataSetStore on ClickHouse: stages data sets in the steps of the files beside this one.
import { LATEST } from '../../../application/data-sets/derive-set.ts'
import type {
  DataSetCounts,
  DataSetFiles,
  DataSetStore,
  IssuerRange,
  NeededRoom,
  RejectedFiling,
} from '../../../application/ports/data-sets.ts'
import { filingTime } from '../../../domain/filings/acceptance-time.ts'
import { cleanSymbols } from '../../../domain/filings/ticker-symbol.ts'
import { cikOf, type AccessionNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import type { Quarter } from '../../../domain/shared/quarter.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { requireRoom } from '../disk-space.ts'
import { groupFilings, keepRejects, setCounts } from './group-filings.ts'
import { emptyLines, emptyStaging, stageLines } from './stage.ts'
import { STAGED_COLUMNS, toFiling, type StagedRow } from './staged-filing.ts'
import { BULK } from './tsv-fields.ts'

/** Few enough for their lines to be made in a turn of the event loop. */
const LEDGER_FILINGS_BATCH = 1_000
/** Few enough for the text of one statement. */
const ACCESSIONS_BATCH = 5_000
/** Of ten digits. */
const LARGEST_CIK = 9_999_999_999
/** Stored trades of a range's issuers, and filings, each of which weighs as much as so many trades. */
const RANGE_WEIGHT = 5_000
const FILING_WEIGHT = 2
/** Disk that a data set takes while it is staged, for each byte of its zip: 1.2 in the end, 3.1 at most. */
const STAGED_BYTES = 3
/** Disk that a line of Table I takes in all tables together until their parts are merged; afterwards it is 1,100. */
const ROW_BYTES = 2_000

export class ClickHouseDataSetStore implements DataSetStore {
  readonly #store: ClickHouse
  readonly #rangeWeight: number

  constructor(store: ClickHouse, rangeWeight = RANGE_WEIGHT) {
    this.#store = store
    this.#rangeWeight = rangeWeight
  }

  empty(): Promise<void> {
    return emptyStaging(this.#store)
  }

  requireRoom({ quarters, bytes, rows }: NeededRoom): Promise<void> {
    const needed = bytes * STAGED_BYTES + rows * ROW_BYTES
    const advice = `load fewer than ${quarters} quarters at a time, or make room`
    return requireRoom(this.#store, needed, quarters > 1 ? advice : 'make room')
  }

  async drop(quarter: Quarter): Promise<void> {
    await this.#store.command(sql`ALTER TABLE staged_filings DROP PARTITION ${quarter}`)
    await emptyLines(this.#store)
  }

  async stage(quarter: Quarter, files: DataSetFiles): Promise<void> {
    await this.drop(quarter)
    await stageLines(this.#store, files)
    await groupFilings(this.#store, quarter, files)
    await keepRejects(this.#store, quarter, files)
  }

  counts(quarter: Quarter, files: DataSetFiles): Promise<DataSetCounts> {
    return setCounts(this.#store, quarter, files)
  }

  async transactionsOf(quarter: Quarter, accessions: AccessionNumber[]): Promise<number> {
    let transactions = 0
    for (let from = 0; from < accessions.length; from += ACCESSIONS_BATCH) {
      const [found] = await this.#store.rows<{ rows: number }>(sql`
        SELECT sum(length(places)) AS rows
        FROM staged_filings
        WHERE quarter = ${quarter} AND form IN ('4', '4/A')
          AND accession IN ${accessions.slice(from, from + ACCESSIONS_BATCH)}
        ${BULK}`)
      transactions += found!.rows
    }
    return transactions
  }

  async *ledgerLines(quarter: Quarter): AsyncIterable<string> {
    for (let after: LedgerRow | undefined; ;) {
      const isNext = after
        ? sql`issuer_cik >= ${after.issuer} AND (issuer_cik > ${after.issuer} OR accession > ${after.accession})`
        : sql`1`
      const filings: LedgerRow[] = await this.#store.rows<LedgerRow>(sql`
        SELECT
          accession, form, issuer_cik AS issuer, filed_day AS filedDay, symbol,
          if(isNull(toDate32OrNull(filed_day)) OR filed_day < '1994' OR filed_day >= '2101', content, '') AS content,
          arrayStringConcat(owner_ciks, ',') AS owners,
          multiIf(
            form NOT IN ('4', '4/A'), '', row_count = 1 AND notEmpty(places), '1', arrayStringConcat(places, ',')
          ) AS placed
        FROM staged_filings
        WHERE quarter = ${quarter} AND ${isNext}
        ORDER BY issuer_cik, accession
        LIMIT ${LEDGER_FILINGS_BATCH}
        ${BULK}`)
      yield filings.map(ledgerLine).join('')
      if (filings.length < LEDGER_FILINGS_BATCH) return
      after = filings.at(-1)
    }
  }

  async issuersOf(accessions: AccessionNumber[]): Promise<Map<AccessionNumber, Cik>> {
    const issuers = new Map<AccessionNumber, Cik>()
    for (let from = 0; from < accessions.length; from += ACCESSIONS_BATCH) {
      const found = await this.#store.rows<{ accession: AccessionNumber; issuer: number }>(sql`
        SELECT accession, issuer_cik AS issuer
        FROM staged_filings
        WHERE accession IN ${accessions.slice(from, from + ACCESSIONS_BATCH)}
        ${BULK}`)
      for (const { accession, issuer } of found) issuers.set(accession, cikOf(issuer))
    }
    return issuers
  }

  async ranges(): Promise<IssuerRange[]> {
    const parts = await this.#store.rows<{ from: number; rows: number }>(sql`
      SELECT min(issuer) AS from, sum(rows) AS rows
      FROM (
        SELECT
          issuer, sum(lines) AS rows,
          intDiv(sum(sum(weight)) OVER (ORDER BY issuer ROWS UNBOUNDED PRECEDING) - 1, ${this.#rangeWeight}) AS part
        FROM (
          SELECT issuer_cik AS issuer, sum(length(places)) AS lines, count() * ${FILING_WEIGHT} AS weight
          FROM staged_filings
          GROUP BY issuer
          UNION ALL
          SELECT issuer_cik, 0, count()
          FROM trades
          WHERE issuer_cik IN (SELECT issuer_cik FROM staged_filings)
          GROUP BY issuer_cik
        )
        GROUP BY issuer
      )
      GROUP BY part
      ORDER BY from
      ${BULK}`)
    const starts = [0, ...parts.slice(1).map(({ from }) => from)]
    return starts.map((from, index) => ({
      from,
      to: (starts[index + 1] ?? LARGEST_CIK + 1) - 1,
      rows: parts[index]?.rows ?? 0,
    }))
  }

  filings({ from, to }: IssuerRange): Promise<Uint8Array> {
    return this.#store.lines(sql`
      SELECT ${new Sql(STAGED_COLUMNS)}
      FROM staged_filings
      WHERE issuer_cik >= ${from} AND issuer_cik <= ${to}
      ${BULK}`)
  }

  async keys({ from, to }: IssuerRange): Promise<{ accession: AccessionNumber; issuerCik: Cik }[]> {
    const filings = await this.#store.arrays<[accession: AccessionNumber, issuer: number]>(sql`
      SELECT DISTINCT accession, issuer_cik
      FROM staged_filings
      WHERE issuer_cik >= ${from} AND issuer_cik <= ${to}
      ${BULK}`)
    return filings.map(([accession, issuer]) => ({ accession, issuerCik: cikOf(issuer) }))
  }

  async reject(filings: RejectedFiling[]): Promise<void> {
    await this.#store.insert(
      'set_rejects',
      filings.flatMap(({ quarter, accession, reason, lines }) =>
        Object.entries(lines).flatMap(([file, count]) =>
          Array.from({ length: count }, () => ({ quarter, file, accession, reason, line: '' })),
        ),
      ),
    )
  }
}

interface LedgerRow extends StagedRow {
  symbol: string
  owners: string
  placed: string
}

/** `content` is empty where the filing's day is known. */
function ledgerLine(row: LedgerRow): string {
  const { accession, form, issuer, symbol, owners, placed } = row
  const { filing } = toFiling({ ...row, content: row.content || '{"file":"SUBMISSION"}' })
  const filedAt = new Date(filingTime(filing, LATEST).at * 1000).toISOString()
  const symbols = cleanSymbols(symbol).join(',')
  return `${[accession, form, issuer, filedAt, `{${owners}}`, `{${symbols}}`, `{${placed}}`].join('\t')}\n`
}
