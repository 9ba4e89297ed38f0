// What rules of alerts cost a filing: from the document in hand until its event is queued, with 10,000 rules of a
// hundred keys and with none, in turns. RULES=10000, FILINGS=150 in all, and the volumes of the store. One JSON line.
import { setTimeout as sleep } from 'node:timers/promises'
import { addKey } from '../support/service/alerts.ts'
import { median, printBench, quantile, volume } from './support/measure.ts'
import { withWatchedFilings } from './support/watched-filings.ts'

const RULES = volume('RULES', 10_000)
const FILINGS = volume('FILINGS', 150)
const KEYS = 100
const TURNS = 6
/** Of each turn: the first reads the rules. */
const WARM_UP = 5
const POLL_MS = 5

await withWatchedFilings(async ({ store, pool, companies, key, record, allQueued }) => {
  for (let number = 0; number < KEYS; number += 1) await addKey(pool, `${key}-${number}`)
  const times = { none: [] as number[], rules: [] as number[] }
  for (let turn = 0; turn < TURNS; turn += 1) {
    const kind = turn % 2 === 0 ? 'none' : 'rules'
    await setRules(kind === 'rules' ? RULES : 0)
    const most = Math.ceil(FILINGS / TURNS)
    for (let filing = 0; filing < most + WARM_UP; filing += 1) {
      const { begun } = await record()
      while (!(await allQueued())) await sleep(POLL_MS)
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

  /**
   * Sets as many rules as this, all different: of companies, insiders, roles, amounts and sectors. Each hundredth
   * matches every filing.
   */
  async function setRules(count: number): Promise<void> {
    const rules = Array.from({ length: count }, (_, place) => ({
      id: `alr_${String(place).padStart(20, '0')}`,
      key: `${key}-${place % KEYS}`,
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
})
