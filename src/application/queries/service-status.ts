// The status of the service: how fresh and how complete its data is, read from both stores at most once a second,
// however many callers ask.
import type { components } from '../../contract.ts'
import { isSilenceSuspicious } from '../../domain/shared/edgar-hours.ts'
import type { DateText } from '../../domain/shared/identifiers.ts'
import { firstDayOf, startOfLastRun, type Quarter } from '../../domain/shared/quarter.ts'
import type { Clock, Monotonic } from '../ports/system.ts'
import type { IsPopulated } from './analytics-ready.ts'

/** Sources in the table of positions: there once another than EDGAR was asked; and the progress of a filling. */
export const OTHER_SOURCE = 'other-source'
export const FILLING = 'filling'

/** Without the versions, which are those of the process that responds. */
type DataStatus = Omit<components['schemas']['ServiceStatus'], 'version' | 'revision' | 'contract'>

export interface StatusQueries {
  status(): Promise<DataStatus>
}

/** What the record knows. */
export interface RecordedStatus extends Pick<DataStatus, 'follows' | 'invented' | 'lagSeconds' | 'days' | 'jobs'> {
  /** Acceptance of the newest filing that came live. */
  newestAcceptedAt: Date | null
  /** Loaded quarters, oldest first. */
  quarters: Quarter[]
  /** The oldest day whose index was read. */
  firstDay: DateText | null
  /** Of the latest filling of the analytics store, whether or not it has ended. */
  filling: DataStatus['filling']
  /** Of a rebuild that runs or waits. */
  rebuild: components['schemas']['WorkProgress'] | null
}

interface StatusSources {
  recorded: () => Promise<RecordedStatus>
  newestFilingAt: () => Promise<string | null>
  isPopulated: IsPopulated
  /** Whether no rows are left to be written again after an upgrade. */
  isCurrent: () => Promise<boolean>
  clock: Clock
  monotonic: Monotonic
}

const KEPT_MS = 1_000
const NOTHING_DONE = { done: 0, total: null, pace: null }

export function makeStatusQueries(sources: StatusSources): StatusQueries {
  let reading: { at: number; status: Promise<DataStatus> } | null = null
  return {
    status: async () => {
      const now = sources.monotonic()
      const isRecent = reading !== null && now - reading.at < KEPT_MS
      // One that fails is left to its own request, whose time may have ended.
      const shared = isRecent ? await reading!.status.catch(() => null) : null
      if (shared) return shared
      reading = { at: now, status: read(sources) }
      return reading.status
    },
  }
}

async function read(sources: StatusSources): Promise<DataStatus> {
  const { recorded, newestFilingAt, isPopulated, isCurrent, clock } = sources
  const [record, isFull, isUpgraded] = await Promise.all([recorded(), isPopulated(), isCurrent()])
  // A store that is not populated may have tables of another version.
  const newest = isFull ? await newestFilingAt() : null
  const { follows, invented, lagSeconds, newestAcceptedAt, quarters, firstDay, days, filling, rebuild, jobs } = record
  const last = newestAcceptedAt && newestAcceptedAt.getTime() / 1000
  const begun = startOfLastRun(quarters)
  return {
    follows,
    invented,
    newestFilingAt: newest,
    lagSeconds,
    silent: follows && isSilenceSuspicious(clock() / 1000, last),
    historyFrom: begun === null ? firstDay : firstDayOf(begun),
    days,
    filling: isFull ? null : (filling ?? NOTHING_DONE),
    upgrade: isFull && newest !== null && !isUpgraded ? { ...(rebuild ?? NOTHING_DONE), waits: ['rules'] } : null,
    jobs,
  }
}
