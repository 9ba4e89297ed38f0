// Queries on ClickHouse: each question has one file beside this one.
import type { Queries } from '../../../application/queries/queries.ts'
import type { ClickHouse } from '../connection/client.ts'
import { rowsAreCurrent } from '../stores/generation.ts'
import { company } from './company.ts'
import { feedStats } from './feed-stats.ts'
import { feed, type Freshness } from './feed.ts'
import { insider } from './insider.ts'
import { signal } from './signal.ts'
import { signals } from './signals.ts'
import { detailOf } from './transaction-columns.ts'
import type { Clock } from '../../../application/ports/system.ts'

export class ClickHouseQueries implements Queries {
  readonly feed: Queries['feed']
  readonly company: Queries['company']
  readonly insider: Queries['insider']
  readonly signals: Queries['signals']
  readonly signal: Queries['signal']
  readonly feedStats: Queries['feedStats']

  constructor(store: ClickHouse, clock: Clock, freshness: Freshness) {
    const detail = detailOf(rowsAreCurrent(store))
    this.feed = feed(store, detail, freshness)
    this.company = company(store, detail)
    this.insider = insider(store, detail)
    this.signals = signals(store)
    this.signal = signal(store, detail)
    this.feedStats = feedStats(store, clock)
  }
}
