// PriceStore on ClickHouse: closing prices that the operator brings. The engine reads the files, each column as text
// and each line of CSV on its own, so that a row that can't be used says why and ends nothing.
import { createReadStream } from 'node:fs'
import type { PriceFile, PriceStore, PriceYear, RaisedSignal, ReadPrices } from '../../../application/ports/prices.ts'
import { LONGEST_DAYS, dayOfNextClose, type Closes, type PriceLookup } from '../../../domain/prices/returns.ts'
import { CIK, WELL_FORMED } from '../../../domain/filings/ticker-symbol.ts'
import { dateOfDay } from '../../../domain/shared/calendar.ts'
import type { Ticker } from '../../../domain/shared/identifiers.ts'
import { BULK } from '../data-sets/tsv-fields.ts'
import type { ClickHouse } from '../connection/client.ts'
import { Sql, sql } from '../connection/sql.ts'

/** Closes read at once on their way in: some megabyte as text, which is parsed in a turn of the event loop. */
const CLOSES_BATCH = 40_000
/** Signals read at once, and those whose closes are. */
const [SIGNALS_READ, SIGNALS_BATCH] = [10_000, 2_000]
/** Years of symbols that a statement reads, of some 250 closes each. */
const YEARS_BATCH = 250
const SHOWN_REJECTS = 20

export class ClickHousePriceStore implements PriceStore {
  readonly #store: ClickHouse

  constructor(store: ClickHouse) {
    this.#store = store
  }

  async stage(file: PriceFile, today: number): Promise<ReadPrices> {
    await this.empty()
    const source = await this.#sourceOf(file)
    await this.#store.command(sql`INSERT INTO staged_prices ${stagingSql(file, source, today)} ${IN_ORDER}`)
    const [counts] = await this.#store.rows<Omit<ReadPrices, 'rejects'>>(STAGED_SQL)
    const rejects = await this.#store.rows<{ line: number; reason: string }>(REJECTS_SQL)
    return { ...counts!, rejects }
  }

  async empty(): Promise<void> {
    for (const table of STAGED) await this.#store.command(sql`TRUNCATE TABLE ${table}`)
  }

  /** The embedded engine reads the file; to a server it is sent. */
  async #sourceOf({ path, format }: PriceFile): Promise<Sql> {
    const { name, structure, table, settings } = SOURCES[format]
    if (this.#store.isEmbedded) return sql`file(${path}, ${name}, ${structure})`
    await this.#store.insertStream(sql`${table} ${settings}`.text, name, createReadStream(path))
    return table
  }

  async hasStaged(symbol: Ticker): Promise<boolean> {
    const found = await this.#store.rows(
      sql`SELECT 1 AS one FROM staged_prices WHERE symbol = ${symbol} AND problem = '' LIMIT 1`,
    )
    return found.length > 0
  }

  async *staged(): AsyncIterable<PriceYear[]> {
    const symbols = await this.#store.rows<{ symbol: Ticker; closes: number }>(sql`
      SELECT symbol, count() AS closes
      FROM staged_prices
      WHERE problem = ''
      GROUP BY symbol
      ORDER BY symbol
      ${BULK}`)
    for (const [first, last] of inBatches(symbols, ({ closes }) => closes, CLOSES_BATCH))
      yield await this.#store.rows<PriceYear>(stagedYearsSql(first.symbol, last.symbol))
  }

  async write(years: PriceYear[], version: number): Promise<void> {
    await this.#store.insert(
      'prices',
      years.map((year) => ({ ...year, version })),
    )
  }

  async publish({ benchmark, rules }: Parameters<PriceStore['publish']>[0], version: number): Promise<void> {
    await this.#store.insert('price_state', [
      { key: 0, benchmark: benchmark ?? '', rules: JSON.stringify(rules), version },
    ])
  }

  closes(lookups: readonly PriceLookup[]): Promise<Map<Ticker, Closes>> {
    return closesOf(this.#store, lookups)
  }

  allCloses(symbol: Ticker): Promise<Closes> {
    return allClosesOf(this.#store, symbol)
  }

  async *raisedSignals(): AsyncIterable<RaisedSignal[]> {
    type Row = Pick<RaisedSignal, 'symbol' | 'type' | 'direction'> & { at: number }
    const symbols = await this.#store.rows<{ symbol: Ticker; signals: number }>(SYMBOLS_OF_RAISED_SQL)
    for (const [first, last] of inBatches(symbols, ({ signals }) => signals, SIGNALS_READ)) {
      const raised = await this.#store.rows<Row>(raisedSql(first.symbol, last.symbol))
      for (let from = 0; from < raised.length; from += SIGNALS_BATCH)
        yield raised
          .slice(from, from + SIGNALS_BATCH)
          .map(({ at, ...signal }) => ({ ...signal, from: dayOfNextClose(at) }))
    }
  }
}

/** Divides items into runs of some weight; yields the first and the last of each. */
function* inBatches<T>(
  items: readonly T[],
  weightOf: (item: T) => number,
  most: number,
): Iterable<[first: T, last: T]> {
  let [start, weight] = [0, 0]
  for (const [place, item] of items.entries()) {
    weight += weightOf(item)
    if (weight < most && place < items.length - 1) continue
    yield [items[start]!, item]
    ;[start, weight] = [place + 1, 0]
  }
}

const SOURCES = {
  csv: { name: 'LineAsString', structure: 'line String', table: new Sql('staged_lines'), settings: new Sql('') },
  parquet: {
    name: 'Parquet',
    structure: 'ticker Nullable(String), date Nullable(String), close Nullable(String)',
    table: new Sql('staged_price_rows'),
    settings: new Sql('SETTINGS input_format_parquet_case_insensitive_column_matching = 1'),
  },
}

const STAGED = [new Sql('staged_prices'), SOURCES.csv.table, SOURCES.parquet.table]

/** By one thread, so that rows are counted as they are in the file. */
const IN_ORDER = new Sql(`
  SETTINGS
    max_threads = 1, max_execution_time = 0, max_memory_usage = 1200000000, min_insert_block_size_rows = 65536,
    min_insert_block_size_bytes = 0, max_block_size = 32768, input_format_parallel_parsing = 0,
    input_format_parquet_preserve_order = 1, input_format_parquet_case_insensitive_column_matching = 1`)

/** Returns the SELECT that reads and checks the rows of a source. */
function stagingSql(file: PriceFile, source: Sql, today: number): Sql {
  const texts = file.format === 'csv' ? csvTexts(source, file.columns) : parquetTexts(source)
  const shown = (text: string) =>
    new Sql(`concat('"', replaceAll(toValidUTF8(substring(${text}, 1, 40)), char(0), ''), '"')`)
  return sql`
    SELECT
      line, if(problem = '', replaceRegexpAll(upper(ticker), '[./]', '-'), '') AS symbol,
      if(problem = '', assumeNotNull(toInt32(day)), 0) AS day, if(problem = '', assumeNotNull(price), 0) AS close,
      problem
    FROM (
      SELECT
        line, ticker, toDate32OrNull(substring(date, 1, 10)) AS day, toFloat64OrNull(close) AS price,
        multiIf(
          ticker = '', 'has no ticker',
          NOT match(ticker, ${WELL_FORMED.source}) OR match(ticker, ${`(?i)${CIK.source}`}),
          concat('ticker is not a symbol: ', ${shown('ticker')}),
          date = '', 'has no date',
          isNull(day) OR NOT match(date, '^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T].*)?$')
            OR toString(day) != substring(date, 1, 10),
          concat('date is not a day such as 2026-03-31: ', ${shown('date')}),
          toDayOfWeek(day) > 5, concat('date is a Saturday or Sunday: ', ${shown('date')}),
          toInt32(day) > ${today}, concat('date has no close yet: ', ${shown('date')}),
          close = '', 'has no close',
          isNull(price) OR NOT isFinite(price), concat('close is not a number: ', ${shown('close')}),
          price <= 0, concat('close is not above 0: ', ${shown('close')}),
          ''
        ) AS problem
      FROM (${texts})
    )`
}

/** Splits lines at commas outside quotes; the first line is the header. */
function csvTexts(source: Sql, { ticker, date, close }: { ticker: number; date: number; close: number }): Sql {
  const field = (place: number) => {
    const text = new Sql(`trimBoth(fields[${place + 1}])`)
    return sql`
      if(
        startsWith(${text}, '"') AND endsWith(${text}, '"') AND length(${text}) > 1,
        trimBoth(replaceAll(substring(${text}, 2, length(${text}) - 2), '""', '"')), ${text}
      )`
  }
  return sql`
    SELECT number AS line, ${field(ticker)} AS ticker, ${field(date)} AS date, ${field(close)} AS close
    FROM (
      SELECT rowNumberInAllBlocks() + 1 AS number, text,
        extractAll(concat(',', text), ',("(?:[^"]|"")*"|[^,]*)') AS fields
      FROM (SELECT trimRight(line, '\\r') AS text FROM ${source})
    )
    WHERE number > 1 AND trimBoth(text) != ''`
}

const parquetTexts = (source: Sql): Sql => sql`
  SELECT
    rowNumberInAllBlocks() + 1 AS line, trimBoth(ifNull(ticker, '')) AS ticker, trimBoth(ifNull(date, '')) AS date,
    trimBoth(ifNull(close, '')) AS close
  FROM ${source}`

const STAGED_SQL = sql`
  SELECT
    countIf(problem = '') AS rows, uniqExactIf(symbol, problem = '') AS symbols,
    uniqExactIf(
      symbol,
      problem = '' AND symbol NOT IN (SELECT key FROM directory WHERE kind = 'symbol')
        AND symbol NOT IN (SELECT ticker FROM company_list)
    ) AS unknownSymbols,
    if(rows = 0, NULL, toString(toDate32(minIf(day, problem = '')))) AS firstDay,
    if(rows = 0, NULL, toString(toDate32(maxIf(day, problem = '')))) AS lastDay, countIf(problem != '') AS rejected
  FROM staged_prices
  ${BULK}`

const REJECTS_SQL = sql`
  SELECT line, problem AS reason
  FROM staged_prices
  WHERE problem != ''
  ORDER BY line
  LIMIT ${SHOWN_REJECTS}`

/** The last line of a day counts. */
const stagedYearsSql = (first: Ticker, last: Ticker): Sql => sql`
  SELECT
    symbol, toYear(toDate32(day)) AS year, arraySort(groupArray((day, close))) AS rows, rows.1 AS days, rows.2 AS closes
  FROM (
    SELECT symbol, day, argMax(close, line) AS close
    FROM staged_prices
    WHERE symbol >= ${first} AND symbol <= ${last} AND problem = ''
    GROUP BY symbol, day
  )
  GROUP BY symbol, year
  ORDER BY symbol, year`

const RAISED = sql`path = 'issuer' AND toUnixTimestamp(ended_at) = 0 AND ticker != ''`

const SYMBOLS_OF_RAISED_SQL = sql`
  SELECT ticker AS symbol, count() AS signals
  FROM signals FINAL
  WHERE ${RAISED}
  GROUP BY ticker
  ORDER BY ticker`

const raisedSql = (first: Ticker, last: Ticker): Sql => sql`
  SELECT ticker AS symbol, type, direction,
    toUnixTimestamp(detected_at) AS at
  FROM signals FINAL
  WHERE ${RAISED} AND ticker >= ${first} AND ticker <= ${last}
  ORDER BY ticker, detected_at, id`

type Row = [symbol: Ticker, days: number[], closes: number[]]

/** Selects the closes of these years from one day to another. */
export const closesSql = (years: readonly Sql[], from: number, to: number): Sql => sql`
  SELECT
    symbol, arrayFilter(day -> day >= ${from} AND day <= ${to}, days),
    arrayFilter((_, day) -> day >= ${from} AND day <= ${to}, closes, days)
  FROM prices FINAL
  WHERE (symbol, year) IN ${years}
  ORDER BY symbol, year`

/** Reads the closes that returns from these days need. */
export async function closesOf(store: ClickHouse, lookups: readonly PriceLookup[]): Promise<Map<Ticker, Closes>> {
  const years = new Map<string, Sql>()
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { symbol, from } of lookups) {
    for (const year of new Set([yearOf(from), yearOf(from + LONGEST_DAYS)]))
      years.set(`${symbol} ${year}`, sql`(${symbol}, ${year})`)
    first = Math.min(first, from)
    last = Math.max(last, from + LONGEST_DAYS)
  }
  const wanted = years
    .keys()
    .toArray()
    .sort()
    .map((name) => years.get(name)!)
  const found: Row[] = []
  for (let from = 0; from < wanted.length; from += YEARS_BATCH)
    found.push(...(await store.arrays<Row>(closesSql(wanted.slice(from, from + YEARS_BATCH), first, last))))
  return joined(found)
}

async function allClosesOf(store: ClickHouse, symbol: Ticker): Promise<Closes> {
  const found = await store.arrays<Row>(
    sql`SELECT symbol, days, closes FROM prices FINAL WHERE symbol = ${symbol} ORDER BY symbol, year`,
  )
  return joined(found).get(symbol) ?? { days: [], closes: [] }
}

const yearOf = (day: number): number => Number(dateOfDay(day).slice(0, 4))

/** Joins the years of each symbol, which come in their order. */
function joined(rows: readonly Row[]): Map<Ticker, Closes> {
  const closes = new Map<Ticker, { days: number[]; closes: number[] }>()
  for (const [symbol, days, prices] of rows) {
    const known = closes.get(symbol)
    if (known) {
      known.days.push(...days)
      known.closes.push(...prices)
    } else closes.set(symbol, { days, closes: prices })
  }
  return closes
}
