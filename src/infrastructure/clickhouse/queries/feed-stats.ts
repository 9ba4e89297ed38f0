// The query of the feed's statistics: the largest trades and signals of the last 24 hours. Trades at suspect prices and
// of foreign securities are left out.
import type { components } from '../../../contract.ts'
import { withDependencies } from '../../../application/changes/data-dependencies.ts'
import { JsonText } from '../../../application/queries/json-text.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { newestFirst, placeInKey } from '../sort-key.ts'
import { BLOCK_ROWS, FEED_LIST, keyAt, placeOf } from './shared/transaction-list.ts'
import type { Clock } from '../../../application/ports/system.ts'

type Statistics = components['schemas']['FeedStatistics']

/**
 * Selects the largest buys and sells, and separately the largest whose filing time is in the future (`coming`), because
 * EDGAR's clock may be ahead of this machine's.
 */
export function topTradesSql(now: number): Sql {
  return sql`
    SELECT type, key >= ${keyAt(FEED_LIST, now + 1)} AS coming, key, transaction
    FROM transaction_lists FINAL
    WHERE key >= ${keyAt(FEED_LIST, now - DAY + 1)}
      AND key < ${`${FEED_LIST};`}
      AND type IN ('buy', 'sell')
      AND credible
    ORDER BY total_value DESC, key DESC
    LIMIT 10 BY type, coming`
}

export function topSignalsSql(now: number): Sql {
  return sql`
    SELECT key < ${newestFirst(now)} AS coming, key, signal
    FROM signal_list FINAL
    WHERE key < ${newestFirst(now - DAY)}
    ORDER BY severity DESC, total_value DESC, key
    LIMIT 10 BY coming`
}

const DAY = 86_400

export function feedStats(store: ClickHouse, clock: Clock): Queries['feedStats'] {
  return async () => {
    const now = Math.floor(clock() / 1000)
    const [signals, trades] = await Promise.all([
      store.texts<[coming: string, key: string, signal: string]>(topSignalsSql(now), 3, BLOCK_ROWS),
      store.texts<[type: string, coming: string, key: string, json: string]>(topTradesSql(now), 4, BLOCK_ROWS),
    ])
    const top = trades.filter(([, coming]) => coming === '0')
    const topSignals = signals.filter(([coming]) => coming === '0')
    const statistics = JsonText.object<Statistics>({
      topSignals: JsonText.list(topSignals.map(([, , signal]) => signal)),
      topBuys: JsonText.list(top.filter(([type]) => type === 'buy').map((row) => row[3])),
      topSells: JsonText.list(top.filter(([type]) => type === 'sell').map((row) => row[3])),
    })
    const shownAt = [
      ...top.map(([, , key]) => placeOf(key).filedAt),
      ...topSignals.map(([, key]) => placeInKey(key)[0]),
    ]
    const hasComing = top.length < trades.length || topSignals.length < signals.length
    return withDependencies(statistics, {
      parts: ['signals'],
      feed: { from: now - DAY, to: Number.POSITIVE_INFINITY },
      // A row with a time in the future may count from the next second on.
      until: Math.min(...shownAt.map((at) => at + DAY), hasComing ? now + 1 : Infinity) * 1000,
    })
  }
}
