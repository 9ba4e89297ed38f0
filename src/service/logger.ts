// The service's log: JSON lines on stdout. If the disk is full, lines are lost, but the service goes on.
import { fstatSync } from 'node:fs'
import { pino, type Logger } from 'pino'
import { isSameFile, trimLog } from '../infrastructure/embedded/data-dir.ts'
import { lineOf } from '../infrastructure/printable.ts'

/** Bytes of lines that could not be written yet; beyond that, lines are dropped. */
const MAX_WAITING_BYTES = 4 * 1_048_576
const TRIM_EVERY_MS = 10_000
/** Lines are collected before they are written, since a write takes as long as making a line. */
const GATHERED_BYTES = 4_096
const FLUSH_MS = 100

export function openLog(level: string): Logger {
  let isFailing = false
  // Registered before pino's own handler, which would retry the rest in a loop until the disk has room.
  process.once('exit', () => {
    if (isFailing) stdout.destroy()
  })
  const stdout = pino.destination({
    fd: 1,
    sync: false,
    minLength: GATHERED_BYTES,
    periodicFlush: FLUSH_MS,
    maxLength: MAX_WAITING_BYTES,
  })
  // Without a listener the error would end the process.
  stdout.on('error', () => {
    isFailing = true
  })
  stdout.on('write', () => {
    isFailing = false
  })
  return pino({ level, hooks: { streamWrite } }, stdout)
}

/**
 * Escapes text of callers, such as a User-Agent: a terminal that shows the log must not get their control characters.
 */
const streamWrite = (line: string): string => lineOf(line.trimEnd())

/** Limits the size of the log file if stdout is that file, as with `make up`. */
export function keepLogSmall(path: string): void {
  if (!isSameFile(path, fstatSync(1))) return
  setInterval(() => trimLog(path), TRIM_EVERY_MS).unref()
}
