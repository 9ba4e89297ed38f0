// DataSetStore on ClickHouse: loads data sets into the tables that answer queries, in the steps of the files beside
// this one.
import { detailFiles } from '../../../application/data-sets/detail-files.ts'
import type {
  AmendmentTexts,
  CountedRow,
  DataSetCounts,
  DataSetFile,
  DataSetFiles,
  DataSetStore,
  DatedSubmission,
  RowFacts,
  TextFiling,
  OwnerText,
  PointedTitle,
  ResolvedTexts,
  Slice,
} from '../../../application/ports/data-sets.ts'
import { inSlices } from '../../../application/shared/time-slices.ts'
import type { WithdrawnFilings } from '../../../domain/trades/reconciliation/related-filing.ts'
import { cikNumber, cikOf, type AccessionNumber, type Cik } from '../../../domain/shared/identifiers.ts'
import type { Quarter } from '../../../domain/shared/quarter.ts'
import type {
  CandidateTrade,
  CandidateVerdict,
  RelatedTrades,
} from '../../../domain/trades/reconciliation/reconcile-subset.ts'
import { SIGNIFICANCE_FLOORS, type SignificanceFloors } from '../../../domain/trades/significance.ts'
import type { Trade, TradeKey } from '../../../domain/trades/trade.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'
import { TRADE_COLUMNS, toTrade } from '../stores/trade-rows.ts'
import {
  accessionRanges,
  inRange,
  type AccessionRange,
  joinFilings,
  joinTrades,
  keepRejects,
  setCounts,
} from './join-filings.ts'
import { BULK, linesOf } from './tsv-fields.ts'
import * as texts from './distinct-texts.ts'
import { emptyStaging, stageFiles } from './stage.ts'
import {
  amendableRows,
  equalRows,
  issuersToReconcile,
  jointFilings,
  pricedRows,
  slices,
} from './find-related-trades.ts'
import { countedRows, textFilings } from './text-filings.ts'
import { writeStaged } from './publish.ts'

/** The filings of so many rows have their footnotes in memory at once. */
const TEXT_ROWS_BATCH = 100_000
const LEDGER_FILINGS_BATCH = 50_000
const FILINGS_READ_BATCH = 1_000
/** Few enough for the text of one statement. */
const ISSUERS_BATCH = 5_000

export class ClickHouseDataSetStore implements DataSetStore {
  readonly #store: ClickHouse
  readonly #floors: SignificanceFloors

  constructor(store: ClickHouse, floors: SignificanceFloors = SIGNIFICANCE_FLOORS) {
    this.#store = store
    this.#floors = floors
  }

  empty(): Promise<void> {
    return emptyStaging(this.#store)
  }

  async stage(files: DataSetFiles): Promise<void> {
    await emptyStaging(this.#store)
    await stageFiles(this.#store, files)
  }

  ownerTexts(): Promise<OwnerText[]> {
    return texts.ownerTexts(this.#store)
  }

  chiefTexts(): Promise<{ title: string; companyName: string }[]> {
    return texts.chiefTexts(this.#store)
  }

  async pointedTitles(titles: string[], file: DataSetFile | null): Promise<PointedTitle[]> {
    const footnotes = file && titles.length > 0 ? { file, lines: await linesOf(this.#store, file) } : null
    return texts.pointedTitles(this.#store, titles, footnotes)
  }

  async amendmentTexts(file: DataSetFile | null): Promise<AmendmentTexts[]> {
    return texts.amendmentTexts(this.#store, file && { file, lines: await linesOf(this.#store, file) })
  }

  async *textFilings(file: DataSetFile | null): AsyncIterable<TextFiling[]> {
    const footnotes = file && { file, lines: await linesOf(this.#store, file) }
    for (const range of await accessionRanges(this.#store, sql`staged_rows`, TEXT_ROWS_BATCH)) {
      yield await textFilings(this.#store, footnotes, range)
    }
  }

  keepRowFacts(facts: RowFacts[]): Promise<void> {
    return this.#keep(
      'staged_row_facts',
      facts.values().flatMap(({ accession, sks, holding, holderNames, otherUnit, plan, planSource, ...prices }) => {
        const { averagePrice, lowPrice, highPrice } = prices
        const row = {
          ...{ holding, holder_names: holderNames, other_unit: otherUnit, plan, plan_source: planSource },
          ...{ average_price: averagePrice, low_price: lowPrice, high_price: highPrice },
        }
        return sks.map((sk) => ({ accession, sk, ...row }))
      }),
    )
  }

  countedRows(): Promise<CountedRow[]> {
    return countedRows(this.#store)
  }

  keepSuspectShares(rows: Pick<CountedRow, 'accession' | 'sk'>[]): Promise<void> {
    return this.#keep(
      'staged_suspect_shares',
      rows.values().map(({ accession, sk }) => ({ accession, sk })),
    )
  }

  undatedFilings(signatures: DataSetFile | null): Promise<DatedSubmission[]> {
    return texts.undatedFilings(this.#store, signatures)
  }

  async symbolTexts(): Promise<string[]> {
    return (await texts.symbolTexts(this.#store)).map(({ symbol }) => symbol)
  }

  async keepNames({ titles, pointed, chiefs, symbols, times, amendments }: ResolvedTexts): Promise<void> {
    await this.#keep(
      'staged_amendment_words',
      amendments.values().map((amendment) => ({ ...amendment })),
    )
    await this.#keep(
      'staged_titles',
      titles.values().map(({ roles, title, otherText, shown }) => ({ roles, title, other_text: otherText, shown })),
    )
    await this.#keep(
      'staged_pointed_titles',
      pointed.values().map((title) => ({ ...title, cik: cikNumber(title.cik) })),
    )
    await this.#keep(
      'staged_chiefs',
      chiefs.values().map(({ title, companyName, ceo, cfo }) => ({ title, company_name: companyName, ceo, cfo })),
    )
    await this.#keep(
      'staged_symbols',
      symbols.values().map(({ symbol, symbols: cleaned }) => ({ symbol, symbols: cleaned })),
    )
    await this.#keep(
      'staged_times',
      times.values().map((time) => ({
        accession: time.accession,
        filed_at: time.filedAt,
        filed_day: time.filedDay,
        filed_basis: time.filedBasis,
      })),
    )
  }

  async join(quarter: Quarter): Promise<void> {
    await joinFilings(this.#store)
    await keepRejects(this.#store, quarter)
  }

  counts(quarter: Quarter): Promise<DataSetCounts> {
    return setCounts(this.#store, quarter)
  }

  async *ledgerLines(): AsyncIterable<string> {
    for (const range of await accessionRanges(this.#store, sql`staged_filings`, LEDGER_FILINGS_BATCH)) {
      yield await this.#store.tabSeparated(ledgerLinesSql(range), LEDGER_COLUMNS)
    }
  }

  async keepKnown(accessions: AccessionNumber[]): Promise<void> {
    await this.#keep(
      'staged_known',
      accessions.values().map((accession) => ({ accession })),
    )
    await joinTrades(this.#store)
  }

  async keepWithdrawn(withdrawn: WithdrawnFilings): Promise<void> {
    if (withdrawn.size === 0) return
    await this.#keep(
      'staged_withdrawn',
      [...withdrawn].map(([accession, receivedAt]) => ({ accession, received_at: receivedAt })),
    )
    await this.#store.command(WITHDRAWN_VERDICTS)
  }

  issuerSymbols(): ReturnType<DataSetStore['issuerSymbols']> {
    return texts.issuerSymbols(this.#store)
  }

  keepTickers(tickers: Parameters<DataSetStore['keepTickers']>[0]): Promise<void> {
    return this.#keep(
      'staged_tickers',
      tickers.values().map(({ issuerCik, ...ticker }) => ({ issuer_cik: cikNumber(issuerCik), ...ticker })),
    )
  }

  async withTrades(issuers: Cik[]): Promise<Cik[]> {
    if (issuers.length === 0) return []
    const found = await this.#store.rows<{ issuer: number }>(sql`
      SELECT DISTINCT subject AS issuer
      FROM trades
      WHERE path = 'issuer' AND subject IN ${issuers.map(cikNumber)}`)
    return found.map(({ issuer }) => cikOf(issuer))
  }

  slices(): Promise<Slice[]> {
    return slices(this.#store)
  }

  async relatedTrades(slice: Slice): Promise<RelatedTrades> {
    // One after the other, because the hash tables of each take memory.
    const amendable = await amendableRows(this.#store, slice)
    const equal = await equalRows(this.#store, slice)
    const issuers = [...new Set(equal.map(({ issuerCik }) => issuerCik))]
    const joint: RelatedTrades['joint'] = []
    for (let from = 0; from < issuers.length; from += ISSUERS_BATCH) {
      joint.push(...(await jointFilings(this.#store, issuers.slice(from, from + ISSUERS_BATCH))))
    }
    return { amendable, equal, priced: await pricedRows(this.#store, slice), joint }
  }

  issuersToReconcile(slice: Slice): Promise<Cik[]> {
    return issuersToReconcile(this.#store, slice)
  }

  keepVerdicts(verdicts: { trade: CandidateTrade; verdict: CandidateVerdict }[]): Promise<void> {
    return this.#keep(
      'staged_verdicts',
      verdicts.values().map(({ trade, verdict }) => ({
        accession: trade.accession,
        sk: trade.setKey,
        price_status: verdict.priceStatus ?? '',
        suspect_until: verdict.suspectUntil,
        duplicate_of: verdict.duplicateOf,
        superseded_by: verdict.supersededBy,
        superseded_at: verdict.supersededAt,
        ambiguous: verdict.ambiguous,
        profile_ciks: verdict.profileCiks.map(cikNumber),
      })),
    )
  }

  write(files: DataSetFiles, version: number, advance: (rows: number) => void): Promise<void> {
    const hasAllFiles = detailFiles(files) !== null
    return writeStaged(this.#store, { version, floors: this.#floors, hasAllFiles, advance })
  }

  async filingsOf(keys: Pick<TradeKey, 'issuerCik' | 'filedAt' | 'accession'>[]): Promise<Trade[]> {
    const filings = [...new Map(keys.map((key) => [key.accession, key])).values()]
    const rows: unknown[][] = []
    for (let from = 0; from < filings.length; from += FILINGS_READ_BATCH) {
      rows.push(...(await this.#store.arrays<unknown[]>(filingsSql(filings.slice(from, from + FILINGS_READ_BATCH)))))
    }
    const trades: Trade[] = []
    for await (const row of inSlices(rows)) trades.push(toTrade(row))
    return trades
  }

  /** Appends to one of the small staging tables. */
  #keep(table: string, rows: Iterable<InsertRow>): Promise<void> {
    return this.#store.insertBatches(table, rows)
  }
}

/** Marks the rows of withdrawn filings as superseded by these filings themselves, from the withdrawal on. */
const WITHDRAWN_VERDICTS = sql`
  INSERT INTO staged_verdicts (accession, sk, superseded_by, superseded_at, profile_ciks)
  SELECT accession, sk, accession, greatest(filed_at, received_at), owner_ciks
  FROM staged_trades
  INNER JOIN staged_withdrawn USING accession`

/** Columns of a line for the ledger. */
const LEDGER_COLUMNS = 7

function ledgerLinesSql(range: AccessionRange): Sql {
  const list = (values: string) => new Sql(`concat('{', arrayStringConcat(${values}, ','), '}')`)
  return sql`
    SELECT
      f.accession, form, issuer_cik, concat(toString(filed_at), '+00'), ${list('owner_ciks')},
      ${list('f.symbols')},
      if(form NOT IN ('4', '4/A'), '{}', if(row_count = 1 AND notEmpty(r.sks), '{1}', ${list('r.sks')}))
    FROM (SELECT * FROM staged_filings WHERE ${inRange(range)}) AS f
    LEFT JOIN (
      SELECT accession, arraySort(groupUniqArray(sk)) AS sks
      FROM staged_rows
      WHERE problem = '' AND ${inRange(range)}
      GROUP BY accession
    ) AS r ON f.accession = r.accession
    ${BULK}`
}

function filingsSql(filings: Pick<TradeKey, 'issuerCik' | 'filedAt' | 'accession'>[]): Sql {
  return sql`
    SELECT ${new Sql(TRADE_COLUMNS)}
    FROM trades FINAL
    WHERE path = 'issuer'
      AND subject IN ${filings.map(({ issuerCik }) => cikNumber(issuerCik))}
      AND filed_at IN ${filings.map(({ filedAt }) => new Date(filedAt * 1000))}
      AND accession IN ${filings.map(({ accession }) => accession)}`
}
