// Processor time and memory of a process, as Linux tells them.
import { readFileSync } from 'node:fs'

// Of Linux on every machine that Node runs on.
const TICKS_PER_SECOND = 100

/** Returns user and system time of all threads so far, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Returns resident memory in MiB: now, and at most so far. */
export function memoryMiB(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024
  return { now: of('VmRSS'), peak: of('VmHWM') }
}
