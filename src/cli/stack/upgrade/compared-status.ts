// Compares the data in GET /v1/status before and after an upgrade, which must not lose any.
import { counted } from '../../counted.ts'
import { ask } from '../wait-ready.ts'

/** The part of GET /v1/status that is compared. */
export interface DataStatus {
  newestFilingAt: string | null
  historyFrom: string | null
  days: { date: string; filed: number | null; listed: number }[]
}

/** Returns the status of the service at `address`; null if it does not answer with 200 in five seconds. */
export function askStatus(address: string): Promise<DataStatus | null> {
  const read = async (response: Response) =>
    response.ok ? ((await response.json()) as { data: DataStatus }).data : null
  return ask(`${address}/v1/status`, read)
}

/** Returns a line for each value that fell. Values may rise meanwhile, and the oldest days leave the list. */
export function lostSince(before: DataStatus, after: DataStatus): string[] {
  const isEarlier = (one: string | null, other: string | null) => other !== null && (one === null || one < other)
  const lost: string[] = []
  if (isEarlier(after.newestFilingAt, before.newestFilingAt))
    lost.push(`the newest filing is of ${after.newestFilingAt ?? 'no time'}, was ${before.newestFilingAt}`)
  if (before.historyFrom !== null && (after.historyFrom === null || after.historyFrom > before.historyFrom))
    lost.push(`there is data from ${after.historyFrom ?? 'no day'} on, was ${before.historyFrom}`)
  for (const { date, listed } of before.days) {
    const now = after.days.find((day) => day.date === date)
    if (now !== undefined && now.listed < listed)
      lost.push(`${counted(now.listed, 'filing')} listed for ${date}, was ${listed}`)
  }
  return lost
}

/** Describes the figures in one line. */
export function statusLine({ newestFilingAt, historyFrom, days }: DataStatus): string {
  const listed = days.reduce((sum, day) => sum + day.listed, 0)
  const newest = newestFilingAt === null ? 'no filing' : `newest filing of ${newestFilingAt}`
  const data = historyFrom === null ? 'no history loaded' : `data from ${historyFrom} on`
  return `${newest}, ${data}, ${counted(listed, 'filing')} of ${counted(days.length, 'day')} of EDGAR's index`
}
