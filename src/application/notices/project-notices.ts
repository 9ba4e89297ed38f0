// Judges the notices of issuers and links them to sales, once the filings of these issuers are visible. All notices and
// sales of an issuer are processed together, so any order of arrival gives the same links.
import type { FiledNotice } from '../../domain/notices/notice.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { RaiseNotices } from '../alerts/raise-events.ts'
import { combined } from '../changes/change-scope.ts'
import type { ChangeScope, ChangeTracker } from '../changes/change-tracker.ts'
import type { DataPart } from '../changes/data-dependencies.ts'
import type { LinkedNotice, NoticeLedger, NoticeQueue, NoticeStore } from '../ports/notices.ts'
import type { Clock, Progress } from '../ports/system.ts'
import { eachApart } from '../shared/each-apart.ts'
import { judgedNotices } from './judged-notices.ts'

export interface ProjectNotices {
  /**
   * Links the notices of some of the waiting issuers; returns how many those were. An issuer that fails is reported and
   * leaves the queue; its next notice or filing, or a rebuild, tries again.
   */
  pending(failed: (issuer: Cik, error: unknown) => void): Promise<number>
  /** Links the notices of every issuer, without alerts. */
  everything(progress: Progress): Promise<void>
}

/** Issuers per batch of statements. */
const ISSUERS = 50
const DOUBTFUL_VALUE = 1_000_000_000

interface ProjectNoticesDependencies {
  store: NoticeStore
  ledger: NoticeLedger
  queue: NoticeQueue
  nextVersion: () => Promise<number>
  clock: Clock
  /** Absent if no events are to be raised. */
  alerts?: RaiseNotices
  /** The tracker of the store in use; absent for another store. */
  changes?: Pick<ChangeTracker, 'record'>
}

export function makeProjectNotices(dependencies: ProjectNoticesDependencies): ProjectNotices {
  const { store, ledger, queue, nextVersion, clock, alerts, changes } = dependencies
  /**
   * Scopes of writes that the log has not announced yet. After a failure, the next attempt finds these rows unchanged.
   */
  const unannounced: ChangeScope[] = []
  const link = async (issuers: Cik[]): Promise<LinkedNotice[]> => {
    const [notices, sales, owners, stored] = await Promise.all([
      ledger.ofIssuers(issuers),
      store.sales(issuers),
      store.owners(issuers),
      store.stored(issuers),
    ])
    const doubtful = notices.filter(isDoubtful).map(({ accession }) => accession)
    const fromUnknownSellers = await ledger.fromUnknownSellers(doubtful)
    const now = Math.floor(clock() / 1000)
    const all = await judgedNotices({ notices, sales, owners, fromUnknownSellers, now })
    const before = new Map(stored.map((each) => [keyOf(each), JSON.stringify(each)]))
    const changed = all.filter((each) => before.get(keyOf(each)) !== JSON.stringify(each))
    const present = new Set(all.map(keyOf))
    const gone = stored.filter((each) => !present.has(keyOf(each)))
    if (changed.length + gone.length === 0) return all
    const keys = new Set(changed.map(keyOf))
    const former = stored.filter((each) => keys.has(keyOf(each)))
    const touched = scopeOf([...changed, ...gone, ...former], sales)
    unannounced.push(touched)
    await store.write(changed, gone, former, await nextVersion()).finally(() => changes?.record(touched))
    return all
  }
  return {
    pending: async (failed) => {
      const taken = await queue.next(ISSUERS)
      if (taken.length === 0) return 0
      const done = async (some: typeof taken) => {
        const notices = await link(some.map(({ issuerCik }) => issuerCik))
        const events = (await alerts?.ofNotices(notices)) ?? []
        await queue.done(some, { events, touched: combined(...unannounced) })
        unannounced.length = 0
      }
      await eachApart(taken, done, async (each, error) => {
        failed(each.issuerCik, error)
        await queue.done([each], {})
      })
      return taken.length
    },
    everything: async (progress) => {
      const issuers = await ledger.issuers()
      for (let from = 0; from < issuers.length; from += ISSUERS) {
        await link(issuers.slice(from, from + ISSUERS))
        progress(Math.min(issuers.length, from + ISSUERS), issuers.length)
      }
    },
  }
}

const keyOf = ({ notice: { accession, filedAt } }: LinkedNotice): string => `${filedAt} ${accession}`

/** Whether the seller filed the notice without an agent, with an unusually high value. */
const isDoubtful = ({ accession, seller, lines }: FiledNotice): boolean =>
  accession.startsWith(seller.cik) && lines.some(({ marketValue }) => Number(marketValue) > DOUBTFUL_VALUE)

/** Returns the scope of written notices, with the sales that count for them, since these show the notices. */
function scopeOf(notices: LinkedNotice[], sales: Trade[]): ChangeScope {
  const parts = new Set<DataPart>(['notices'])
  const feed = new Set<number>()
  const saleOf = new Map(sales.map((sale) => [sale.id, sale]))
  for (const { notice, link } of notices) {
    parts.add(`issuer:${notice.issuer.cik}`)
    parts.add(`insider:${notice.seller.cik}`)
    for (const { saleId } of link.allocations) {
      const sale = saleOf.get(saleId)
      if (!sale) continue
      for (const cik of sale.ownerCiks) parts.add(`insider:${cik}`)
      feed.add(sale.filedAt)
    }
  }
  return { parts, feed }
}
