// The progress of a job in words.
import type { JobState } from '../application/ports/jobs.ts'
import type { Pace } from '../application/ports/system.ts'
import { counted } from './counted.ts'

/** Returns the progress of a job, such as `45 %`, or its status. */
export function shareOf({ status, done, total }: Pick<JobState, 'status' | 'done' | 'total'>): string {
  return status === 'queued' || !total ? status : percent(done, total)
}

export const percent = (done: number, total: number): string => `${Math.floor((100 * done) / Math.max(1, total))} %`

/** Returns what a job does at present, such as `write 3400000 of 9800000 rows, 6200/s, 17 min left`. */
export function paceText({ phase, rows, totalRows, rowsPerSecond, secondsLeft }: Pace): string {
  const rate = rowsPerSecond === null ? '' : `, ${rowsPerSecond}/s`
  const left = secondsLeft === null ? '' : `, ${durationText(secondsLeft)} left`
  return `${phase} ${rows} of ${counted(totalRows, 'row')}${rate}${left}`
}

/** As coarse as an estimate is. */
function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
