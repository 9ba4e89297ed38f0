// Feed statistics: the largest trades and signals of the last 24 hours. Suspect prices and those of foreign
// securities are left out.
import type { components } from '../../../contract.ts'
import { madeFrom } from '../../../application/changes/dependence.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import type { ClickHouse } from '../connection/client.ts'
import { sql, type Sql } from '../connection/sql.ts'
import { FEED } from './feed.ts'
import { LISTED, SIGNAL_COLUMNS } from './signals.ts'
import { NEWEST_FIRST, TRANSACTION_COLUMNS } from './transaction-columns.ts'
import type { Clock } from '../../../application/ports/system.ts'

type Schemas = components['schemas']

export function topTradesSql(type: 'buy' | 'sell', now: Date): Sql {
  return sql`
    SELECT ${TRANSACTION_COLUMNS}
    FROM trades FINAL
    WHERE ${FEED}
      AND filed_at > ${dayBefore(now)}
      AND filed_at <= ${now}
      AND type = ${type}
      AND price_status NOT IN ('suspect', 'foreign')
    ORDER BY total_value DESC, ${NEWEST_FIRST}
    LIMIT 10`
}

export function topSignalsSql(now: Date): Sql {
  return sql`
    SELECT ${SIGNAL_COLUMNS}
    FROM signals FINAL
    WHERE ${LISTED} AND detected_at > ${dayBefore(now)} AND detected_at <= ${now}
    ORDER BY severity DESC, total_value DESC, detected_at DESC, id
    LIMIT 10`
}

/** Selects the next instant at which something enters the window: what was accepted by a clock ahead of ours. */
export function comingSql(now: Date): Sql {
  return sql`SELECT toUnixTimestamp(min(filed_at)) AS at FROM trades
    WHERE ${FEED} AND filed_at > ${now}
    HAVING count() > 0
    UNION ALL
    SELECT toUnixTimestamp(min(detected_at)) AS at FROM signals
    WHERE ${LISTED} AND detected_at > ${now}
    HAVING count() > 0`
}

export function feedStats(store: ClickHouse, clock: Clock): Queries['feedStats'] {
  return async () => {
    const now = new Date(clock())
    const [topSignals, topBuys, topSells, coming] = await Promise.all([
      store.rows<Schemas['Signal']>(topSignalsSql(now)),
      store.rows<Schemas['Transaction']>(topTradesSql('buy', now)),
      store.rows<Schemas['Transaction']>(topTradesSql('sell', now)),
      store.rows<{ at: number }>(comingSql(now)),
    ])
    const times = [...topBuys, ...topSells].map(({ filingDate }) => filingDate)
    const leaving = [...times, ...topSignals.map(({ detectedAt }) => detectedAt)].map((at) => Date.parse(at) + DAY_MS)
    return madeFrom(
      { topSignals, topBuys, topSells },
      {
        parts: ['signals'],
        feed: { from: Math.floor(dayBefore(now).getTime() / 1000), to: Number.POSITIVE_INFINITY },
        until: Math.min(...leaving, ...coming.map(({ at }) => at * 1000)),
      },
    )
  }
}

const DAY_MS = 86_400_000
const dayBefore = (now: Date) => new Date(now.getTime() - DAY_MS)
