// The command catch-up: fetches, records and projects the filings that are missing on some days, by the SEC's daily
// index.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { countAgain, type DayReport } from '../../../application/ingestion/follow-daily-index.ts'
import { isRealDate } from '../../../domain/shared/calendar.ts'
import type { Config } from '../../../config.ts'
import { connectEdgar, createContainer } from '../../../container/container.ts'
import { resolve } from '../../../container/named.ts'
import { TYPES } from '../../../container/tokens.ts'
import { tryAcquire } from '../../../infrastructure/postgres/coordination/leader-lock.ts'
import { WATCH_MS } from '../../../service/analytics-access.ts'
import { followJob } from '../../run-or-queue.ts'
import { edgarOf, recordSource } from '../../../service/roles/edgar-follower.ts'
import { usageError, type Output } from '../../output.ts'
import { projectAll, repeatUntilDone } from '../../await-projection.ts'
import { withLedger, type LedgerContext } from '../../with-database.ts'
import { counted } from '../../counted.ts'
import type { DateText } from '../../../domain/shared/identifiers.ts'

export const help = `catch-up FROM [TO]: fetch the missing Forms 3, 4, 5 and 144 of these days, by the SEC's daily indexes

  Days as 2026-11-01; TO defaults to FROM. If the running service follows EDGAR, it does the work.
  EDGAR_USER_AGENT   your name and contact, which the SEC requires`

export async function run(config: Config, args: string[], out: Output): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [from, to = from] = positionals
  if (!from || !to || positionals.length > 2)
    throw usageError('catch-up needs a day or two: make catch-up FROM=2026-11-02 TO=2026-11-06')
  const wrong = [from, to].find((day) => !isRealDate(day))
  if (wrong !== undefined) throw usageError(`catch-up takes days such as 2026-11-02, not "${wrong}"`)
  if (to < from) throw usageError(`TO=${to} is before FROM=${from}`)
  return withLedger(config, out, 'catch-up', async (at) => {
    const days = (await throughService(at, from, to)) ?? (await inThisProcess(at, from, to))
    await countAgain(at.fetchQueue, at.sourceProgress)
    await projectAll(at)
    return report(days, at)
  })
}

/** Queues the work for the service. Returns null if no process follows EDGAR. */
async function throughService(
  { databaseUrl, jobs, fetchQueue, out }: LedgerContext,
  from: DateText,
  to: DateText,
): Promise<DayReport[] | null> {
  const lock = await tryAcquire(databaseUrl, 'edgar')
  if (lock) {
    await lock.release()
    return null
  }
  const queued = jobs.queue('catch-up', { from, to })
  const indexes = out.progress('catch-up', 1)
  const { days } = (await followJob(jobs, queued, indexes).finally(() => indexes.stop())) as { days: DayReport[] }
  const countWaiting = () => fetchQueue.countWaiting()
  await repeatUntilDone(out, 'fetched', countWaiting, () => sleep(WATCH_MS * 4))
  return days
}

async function inThisProcess(
  { config, databaseUrl, pool, out, sourceProgress }: LedgerContext,
  from: DateText,
  to: DateText,
): Promise<DayReport[]> {
  const edgar = edgarOf(config)
  if (!edgar) throw new Error('set EDGAR_USER_AGENT to your name and contact, as the SEC asks')
  const lock = await tryAcquire(databaseUrl, 'edgar')
  if (!lock) throw new Error('another process has just started to use EDGAR: try again')
  try {
    const container = createContainer({ pool })
    connectEdgar(container, edgar)
    const { catchUp, followEdgar } = resolve(container, { catchUp: TYPES.catchUp, followEdgar: TYPES.followEdgar })
    await recordSource(config, sourceProgress)
    const days = await catchUp.days({ from, to })
    const total = days.reduce((sum, day) => sum + day.missing, 0)
    const progress = out.progress('fetched', total)
    let done = 0
    const problem = (what: string, reason: string) => out.note(`${what}: ${reason}`)
    const recorded = () => progress.update(Math.min((done += 1), total))
    await followEdgar.fetch(new AbortController().signal, { found: () => {}, recorded, problem }, true)
    await progress.stop()
    return days
  } finally {
    await lock.release()
  }
}

function report(days: DayReport[], { out }: LedgerContext): number {
  const missing = days.reduce((sum, day) => sum + day.missing, 0)
  out.result({ days, fetched: missing }, [
    ...days.map((day) => (day.listed === null ? `${day.day}: no index yet` : dayLine(day))),
    `caught up with ${counted(days.filter((day) => day.listed !== null).length, 'day')}: ` +
      `${counted(missing, 'filing')} fetched`,
  ])
  return 0
}

function dayLine({ day, missing, forms }: DayReport): string {
  const counts = Object.values(forms)
  const sum = (name: 'listed' | 'known') => counts.reduce((total, each) => total + each[name], 0)
  const byForm = Object.entries(forms).map(([form, { listed }]) => `${listed} of form ${form}`)
  const listed = `${sum('listed')} listed${byForm.length > 0 ? ` (${byForm.sort().join(', ')})` : ''}`
  return `${day}: ${listed}, ${sum('known')} known before, ${missing} fetched`
}
