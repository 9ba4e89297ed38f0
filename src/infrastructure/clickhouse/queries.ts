// The catalogue: each question of the application has one file beside this one.
import type { Clock } from '../../application/ports.ts'
import type { Queries } from '../../application/queries.ts'
import type { ClickHouse } from './client.ts'
import { rowsAreCurrent } from './generation.ts'
import { company } from './queries/company.ts'
import { feedStats } from './queries/feed-stats.ts'
import { feed } from './queries/feed.ts'
import { insider } from './queries/insider.ts'
import { signal } from './queries/signal.ts'
import { signals } from './queries/signals.ts'
import { detailOf } from './queries/transaction-columns.ts'

export function openQueries(store: ClickHouse, clock: Clock): Queries {
  const detail = detailOf(rowsAreCurrent(store))
  return {
    feed: feed(store, detail),
    company: company(store, detail),
    insider: insider(store, detail),
    signals: signals(store),
    signal: signal(store, detail),
    feedStats: feedStats(store, clock),
  }
}
