// The ledger of the closing prices that the operator has loaded: one row per share and year.
import type { PriceLedger, PriceYear, ReadPrices } from '../../../application/ports/prices.ts'
import type { Ticker } from '../../../domain/shared/identifiers.ts'
import { rows, type Pool } from '../pool.ts'

/** Rows that are read at once. */
const YEARS_BATCH = 200

export class PostgresPriceLedger implements PriceLedger {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  record(years: PriceYear[]): Promise<PriceYear[]> {
    return rows<PriceYear>(this.#pool, RECORD, [JSON.stringify(years)])
  }

  async loaded(source: string, { rows: count, rejected }: ReadPrices, benchmark: string | null): Promise<void> {
    await rows(
      this.#pool,
      `INSERT INTO price_loads (source, rows, rejected, benchmark)
       SELECT $1, $2, $3, coalesce($4, (SELECT benchmark FROM price_loads ORDER BY id DESC LIMIT 1), '')`,
      [source, count, rejected, benchmark],
    )
  }

  async state(): Promise<{ benchmark: Ticker | null } | null> {
    const [last] = await rows<{ benchmark: Ticker }>(
      this.#pool,
      'SELECT benchmark FROM price_loads ORDER BY id DESC LIMIT 1',
    )
    return last === undefined ? null : { benchmark: last.benchmark || null }
  }

  async has(symbol: Ticker): Promise<boolean> {
    return (await rows(this.#pool, 'SELECT FROM closing_prices WHERE symbol = $1 LIMIT 1', [symbol])).length > 0
  }

  async *all(): AsyncIterable<PriceYear[]> {
    for (let [symbol, year] = ['', 0]; ;) {
      const found = await rows<PriceYear>(
        this.#pool,
        `SELECT symbol, year, days, closes
         FROM closing_prices
         WHERE (symbol, year) > ($1, $2::integer)
         ORDER BY symbol, year
         LIMIT $3`,
        [symbol, year, YEARS_BATCH],
      )
      if (found.length > 0) yield found
      if (found.length < YEARS_BATCH) return
      ;({ symbol, year } = found.at(-1)!)
    }
  }
}

const RECORD = `
  WITH given AS MATERIALIZED (
    SELECT *
    FROM json_to_recordset($1) AS given (symbol text, year smallint, days integer[], closes double precision[])
  ), all_closes AS (
    SELECT symbol, year, day, close, 0 AS precedence
    FROM given, unnest(days, closes) AS each (day, close)
    UNION ALL
    SELECT symbol, year, day, close, 1
    FROM closing_prices, unnest(days, closes) AS each (day, close)
    WHERE (symbol, year) IN (SELECT symbol, year FROM given)
  ), counting AS (
    SELECT DISTINCT ON (symbol, year, day) symbol, year, day, close
    FROM all_closes
    ORDER BY symbol, year, day, precedence
  )
  INSERT INTO closing_prices AS stored (symbol, year, days, closes)
  SELECT symbol, year, array_agg(day ORDER BY day), array_agg(close ORDER BY day)
  FROM counting
  GROUP BY symbol, year
  ON CONFLICT (symbol, year) DO UPDATE
    SET days = excluded.days, closes = excluded.closes
  RETURNING symbol, year, days, closes`
