// The output of commands: lines on stdout, or with JSON=1 one JSON object on stdout and everything else on stderr. All
// output passes through here, where control characters are escaped and keys are redacted.
import type { Pace } from '../application/ports/system.ts'
import type { Config } from '../config.ts'
import { lineOf, printable } from '../infrastructure/printable.ts'
import { paceText, percent } from './progress-text.ts'

export interface Output {
  /** Writes a note as one line, always on stderr. */
  note(text: string): void
  /** Shows progress on stderr: a bar on a terminal, a line every 5 s elsewhere. */
  progress(label: string, total: number): ProgressBar
  /**
   * Writes the result, once, at the end: the object with JSON=1 (`ok: true` is added), else the lines. Redacts all keys
   * and secrets except those in `secrets`.
   */
  result(fields: Record<string, unknown>, lines: string[], secrets?: readonly string[]): void
  /** Writes the error of a failed command: one line, or with JSON=1 an object with `ok: false`. */
  failure(message: string, fields?: Record<string, unknown>): void
}

export interface ProgressBar {
  /** Sets how much is done; `total` can be corrected at the same time. `pace` is shown in place of the rate. */
  update(done: number, total?: number, pace?: Pace): void
  /** Shows what the work waits for, in place of the bar, until the next update. */
  waits(reason: string): void
  stop(): Promise<void>
}

/** The exports of a command's module under cli/. */
export interface Command {
  /** Text of `--help`. */
  help: string
  /** Runs the command. `args` are the words after its name. The number returned, if any, is the exit status. */
  run(config: Config, args: string[], out: Output): Promise<number | void>
}

/** Returns the error for wrong usage of the command line, with exit status 2. */
export function usageError(message: string): Error {
  return Object.assign(new Error(message), { exitCode: 2 })
}

export function createOutput(json: boolean): Output {
  return {
    note: (text) => void process.stderr.write(lineOf(text)),
    progress: (label, total) => (process.stderr.isTTY ? bar(label, total) : lines(label, total)),
    result: (fields, lines, secrets) => {
      const printed = json ? [JSON.stringify({ ok: true, ...fields })] : lines
      process.stdout.write(printed.map((line) => lineOf(line, secrets)).join(''))
    },
    failure: (message, fields = {}) => {
      process.stderr.write(lineOf(`error: ${message}`))
      if (json) process.stdout.write(lineOf(JSON.stringify({ ok: false, error: message, ...fields })))
    },
  }
}

const BAR = ' [{bar}] '
const COUNTED = '{value}/{total} {rate}/s, {eta_formatted} left'
const PACED = '{percentage} %, {pace}'

// Loaded when first drawn: most commands never draw one, and start faster without it.
function bar(label: string, total: number): ProgressBar {
  let latest = { done: 0, total }
  const rate = rateOf()
  const drawn = import('cli-progress').then(({ default: { Format, SingleBar } }) => {
    const single = new SingleBar({
      format: (options, params, { reason, ...payload }) =>
        reason
          ? printable(`${label} waits ${reason}`)
          : Format.Formatter({ ...options, format: label + BAR + (payload.pace ? PACED : COUNTED) }, params, payload),
      hideCursor: true,
      clearOnComplete: true,
      etaBuffer: 200,
    })
    process.once('exit', showCursor)
    single.start(latest.total, latest.done, { rate: 0 })
    return single
  })
  return {
    update: (done, corrected, pace) => {
      latest = { done, total: corrected ?? latest.total }
      void drawn.then((single) => {
        single.setTotal(latest.total)
        const shown = pace && printable(paceText(pace))
        single.update(latest.done, { rate: rate(latest.done), pace: shown ?? '', reason: '' })
      })
    },
    waits: (reason) => void drawn.then((single) => single.update({ reason })),
    stop: async () => {
      ;(await drawn).stop()
      process.off('exit', showCursor)
    },
  }
}

/** Restores the cursor and line wrapping of the terminal, for a command that ends while its bar is drawn. */
function showCursor(): void {
  process.stderr.write('\x1b[?25h\x1b[?7h')
}

/** Returns the rate since the start, as whole items a second. */
function rateOf(): (done: number) => number {
  const begun = performance.now()
  return (done) => Math.round(done / Math.max(0.001, (performance.now() - begun) / 1000))
}

// One line every 5 s keeps CI logs readable.
function lines(label: string, total: number): ProgressBar {
  let said = performance.now()
  let waited = ''
  const rate = rateOf()
  return {
    update: (done, corrected, pace) => {
      if (performance.now() - said < 5_000) return
      said = performance.now()
      const all = corrected ?? total
      if (pace) {
        process.stderr.write(lineOf(`${label}: ${percent(done, all)}, ${paceText(pace)}`))
        return
      }
      const perSecond = rate(done)
      const left = perSecond > 0 ? `, ${Math.ceil((all - done) / perSecond)} s left` : ''
      process.stderr.write(`${label}: ${done} of ${all}, ${perSecond}/s${left}\n`)
    },
    waits: (reason) => {
      if (reason !== waited) process.stderr.write(lineOf(`${label} waits ${reason}`))
      waited = reason
    },
    stop: async () => {},
  }
}
