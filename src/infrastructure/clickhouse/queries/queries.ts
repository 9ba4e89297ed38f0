// The catalogue: each question of the application has one file beside this one.
import type { Queries } from '../../../application/queries/queries.ts'
import type { ClickHouse } from '../connection/client.ts'
import { rowsAreCurrent } from '../stores/generation.ts'
import { company } from './company.ts'
import { feedStats } from './feed-stats.ts'
import { feed } from './feed.ts'
import { insider } from './insider.ts'
import { signal } from './signal.ts'
import { signals } from './signals.ts'
import { detailOf } from './transaction-columns.ts'
import type { Clock } from '../../../application/ports/system.ts'

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
