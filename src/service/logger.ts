// The service's log: JSON lines on stdout. A full disk takes no line, and must take nothing else from us.
import { fstatSync } from 'node:fs'
import { pino, type Logger } from 'pino'
import { isSameFile, trimLog } from '../infrastructure/embedded/data-dir.ts'
import { lineOf } from '../infrastructure/printable.ts'

/** Lines that could not be written yet; what comes beyond is dropped. */
const MAX_WAITING_BYTES = 4 * 1_048_576
const LOOK_MS = 10_000

export function openLog(level: string): Logger {
  let isFailing = false
  // Before pino's own, which would write what is left again and again until the disk takes it.
  process.once('exit', () => {
    if (isFailing) to.destroy()
  })
  const to = pino.destination({ fd: 1, sync: false, maxLength: MAX_WAITING_BYTES })
  // Without a listener the process ends.
  to.on('error', () => {
    isFailing = true
  })
  to.on('write', () => {
    isFailing = false
  })
  return pino({ level, hooks: { streamWrite } }, to)
}

/** What others wrote, such as a caller's User-Agent, must not reach a terminal that follows the file as it came. */
const streamWrite = (line: string): string => lineOf(line.trimEnd())

/** Where stdout is that file, as `make up` has it, keeps it from growing on. */
export function keepLogSmall(path: string): void {
  if (!isSameFile(path, fstatSync(1))) return
  setInterval(() => trimLog(path), LOOK_MS).unref()
}
