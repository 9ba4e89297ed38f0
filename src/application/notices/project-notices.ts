// Judges the notices of issuers and links them to sales, once the filings of these issuers are visible. All notices and
// sales of an issuer are processed together, so any order of arrival gives the same links.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { RaiseNotices } from '../alerts/raise-events.ts'
import { combined } from '../changes/change-scope.ts'
import type { ChangeScope, ChangeTracker } from '../changes/change-tracker.ts'
import type { Compute, NoticesToLink, RelinkedNotices, Urgency } from '../ports/computations.ts'
import type { LinkedNotice, NoticeLedger, NoticeQueue, NoticeStore } from '../ports/notices.ts'
import type { Clock, Progress } from '../ports/system.ts'
import { eachApart } from '../shared/each-apart.ts'

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

interface ProjectNoticesDependencies {
  store: NoticeStore
  ledger: NoticeLedger
  queue: NoticeQueue
  nextVersion: () => Promise<number>
  clock: Clock
  compute: Compute
  /** Absent if no events are to be raised. */
  alerts?: RaiseNotices
  /** The tracker of the store in use; absent for another store. */
  changes?: Pick<ChangeTracker, 'record'>
}

export function makeProjectNotices(dependencies: ProjectNoticesDependencies): ProjectNotices {
  const { store, ledger, queue, nextVersion, clock, compute, alerts, changes } = dependencies
  /**
   * Scopes of writes that the log has not announced yet. After a failure, the next attempt finds these rows unchanged.
   */
  const unannounced: ChangeScope[] = []
  const relinked = async (urgency: Urgency, asked: NoticesToLink): Promise<RelinkedNotices> => {
    const linked = await compute(urgency, 'linkNotices', asked)
    if (!('doubtful' in linked)) return linked
    return relinked(urgency, { ...asked, fromUnknownSellers: await ledger.fromUnknownSellers(linked.doubtful) })
  }
  /** Returns the notices that may raise events. */
  const link = async (issuers: Cik[], urgency: Urgency): Promise<LinkedNotice[]> => {
    const [recorded, stored, version] = await Promise.all([
      ledger.ofIssuers(issuers),
      store.ofIssuers(issuers),
      nextVersion(),
    ])
    const { changed, recent } = await relinked(urgency, {
      ...{ recorded, stored, version, fromUnknownSellers: null },
      now: Math.floor(clock() / 1000),
      recentSince: alerts?.since() ?? Infinity,
    })
    if (changed !== null) {
      unannounced.push(changed.scope)
      await store.write(changed.rows).finally(() => changes?.record(changed.scope))
    }
    return recent
  }
  return {
    pending: async (failed) => {
      const taken = await queue.next(ISSUERS)
      if (taken.length === 0) return 0
      const done = async (some: typeof taken) => {
        const notices = await link(
          some.map(({ issuerCik }) => issuerCik),
          'live',
        )
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
        await link(issuers.slice(from, from + ISSUERS), 'history')
        progress(Math.min(issuers.length, from + ISSUERS), issuers.length)
      }
    },
  }
}
