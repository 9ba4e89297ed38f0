// The service's log: JSON lines on stdout. A full disk loses lines, and must not affect the service otherwise.
import { fstatSync } from 'node:fs'
import { pino, type Logger } from 'pino'
import { isSameFile, trimLog } from '../infrastructure/embedded/data-dir.ts'
import { lineOf } from '../infrastructure/printable.ts'

/** Size of the lines that could not be written yet; further ones are dropped. */
const MAX_WAITING_BYTES = 4 * 1_048_576
const LOOK_MS = 10_000
/** Lines are gathered, since each write of its own takes as long as making its line. */
const GATHERED_BYTES = 4_096
const FLUSH_MS = 100

export function openLog(level: string): Logger {
  let isFailing = false
  // Registered before pino's own handler, which would retry the rest in a loop until the disk has room.
  process.once('exit', () => {
    if (isFailing) to.destroy()
  })
  const to = pino.destination({
    fd: 1,
    sync: false,
    minLength: GATHERED_BYTES,
    periodicFlush: FLUSH_MS,
    maxLength: MAX_WAITING_BYTES,
  })
  // Without a listener the error would end the process.
  to.on('error', () => {
    isFailing = true
  })
  to.on('write', () => {
    isFailing = false
  })
  return pino({ level, hooks: { streamWrite } }, to)
}

/**
 * Escapes foreign text, such as a caller's User-Agent, which must not reach a terminal that shows the log unchanged.
 */
const streamWrite = (line: string): string => lineOf(line.trimEnd())

/** Resolves once all lines so far are written, which on a full disk they never are. */
export function writeOut(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()))
}

/** Limits the size of the log file if stdout is that file, as with `make up`. */
export function keepLogSmall(path: string): void {
  if (!isSameFile(path, fstatSync(1))) return
  setInterval(() => trimLog(path), LOOK_MS).unref()
}
