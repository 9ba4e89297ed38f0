// What rules of alerts cost a filing: from the document in hand until its event is queued, with 10,000 rules of a
// hundred keys and with none, in turns. RULES=10000, FILINGS=300 in all, and the volumes of the store. One JSON line.
import { setTimeout as sleep } from 'node:timers/promises'
import { createContainer } from '../../src/container/container.ts'
import { TYPES } from '../../src/container/tokens.ts'
import { openPool } from '../../src/infrastructure/postgres/pool.ts'
import { inventedListings } from '../support/edgar/invented/world.ts'
import { addKey } from '../support/service/alerts.ts'
import { databaseUrlOf } from '../support/stores/embedded.ts'
import { accessionOf, documentOf } from './support/live-filing.ts'
import { median, printBench, quantile, volume } from './support/measure.ts'
import { productStore } from './support/product-store.ts'

const RULES = volume('RULES', 10_000)
const FILINGS = volume('FILINGS', 300)
const KEYS = 100
const TURNS = 6
/** Of each turn: the first reads the rules. */
const WARM_UP = 5
const POLL_MS = 2
/** Other keys each time: a kept store has those of before. */
const KEY = `bench${Date.now()}`

const store = await productStore('base')
try {
  await store.up()
  const pool = openPool({ url: databaseUrlOf(store.dataDir), name: 'bench' })
  try {
    const record = createContainer({ pool }).get(TYPES.recordFilings)
    const companies = inventedListings()
    for (let key = 0; key < KEYS; key += 1) await addKey(pool, `${KEY}-${key}`)
    // Nothing is at this address, nor ever will be.
    await pool.query(
      `INSERT INTO watchlist (key_id, ticker, webhook_url)
      SELECT $1, ticker, 'https://bench.invalid/' FROM unnest($2::text[]) AS ticker`,
      [`${KEY}-0`, companies.map(({ ticker }) => ticker)],
    )
    const times = { none: [] as number[], rules: [] as number[] }
    let number = 0
    for (let turn = 0; turn < TURNS; turn += 1) {
      const kind = turn % 2 === 0 ? 'none' : 'rules'
      await setRules(kind === 'rules' ? RULES : 0)
      const most = Math.ceil(FILINGS / TURNS)
      for (let filing = 0; filing < most + WARM_UP; filing += 1) {
        number += 1
        const accession = accessionOf(number)
        const bytes = Buffer.from(documentOf(accession, companies[number % companies.length]!))
        const begun = performance.now()
        await record([{ path: `${accession}.txt`, bytes }])
        while (!(await isQueued(number))) await sleep(POLL_MS)
        if (filing >= WARM_UP) times[kind].push(performance.now() - begun)
      }
    }
    const figures = (each: number[]) => ({ p50: median(each), p99: quantile(each, 0.99) })
    printBench('rules', {
      ...{ rows: store.rows, filings: FILINGS, rules: RULES },
      ...{ noneMs: figures(times.none), rulesMs: figures(times.rules) },
      moreMs: median(times.rules) - median(times.none),
    })
    await setRules(0)
    await pool.query('DELETE FROM watchlist WHERE key_id = $1', [`${KEY}-0`])

    /**
     * Sets as many rules as this, all different: of companies, insiders, roles, amounts and sectors. Each hundredth
     * matches every filing.
     */
    async function setRules(count: number): Promise<void> {
      const rules = Array.from({ length: count }, (_, place) => ({
        id: `alr_${String(place).padStart(20, '0')}`,
        key: `${KEY}-${place % KEYS}`,
        filter: place % 100 === 0 ? {} : filterOf(place),
      }))
      await pool.query('DELETE FROM alert_rules')
      await pool.query(
        `INSERT INTO alert_rules (
          id, key_id, name, enabled, events, filter, url, format, detail, created_at, updated_at)
        SELECT id, key, id, true, '{transaction.created,signal.detected}', filter, 'https://bench.invalid/', 'standard',
          false, now(), now()
        FROM jsonb_to_recordset($1::jsonb) AS rule (id text, key text, filter jsonb)`,
        [JSON.stringify(rules)],
      )
      await pool.query(
        `INSERT INTO alert_rules_version AS known (version)
        VALUES (1)
        ON CONFLICT (one) DO UPDATE
          SET version = known.version + 1`,
      )
    }

    function filterOf(place: number): object {
      const minValue = 10_000_000 + place
      const { ticker } = companies[place % companies.length]!
      return [
        { tickers: [ticker], minValue },
        { insiderCiks: [String(place + 1).padStart(10, '0')] },
        { roles: ['ceo', 'cfo'], transactionTypes: ['buy'], minValue },
        { transactionTypes: ['buy', 'sell'], minValue, maxShares: place + 1 },
        { sectors: ['Energy', 'Technology'], minValue },
        { minSignificance: 'high', minShares: 1_000_000 + place },
      ][place % 6]!
    }

    /** Each filing has one transaction, and so one event of that type for the watchlist. */
    async function isQueued(count: number): Promise<boolean> {
      const { rows } = await pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM deliveries JOIN events ON events.id = event_id
        WHERE key_id = $1 AND type = 'transaction.created'`,
        [`${KEY}-0`],
      )
      return rows[0]!.n >= count
    }
  } finally {
    await pool.end()
  }
} finally {
  await store.close()
}
