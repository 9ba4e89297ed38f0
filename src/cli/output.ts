// What a command says. People read lines on stdout; with JSON=1 stdout holds one JSON object, last, and everything else
// goes to stderr. All of it passes through here, where control characters are escaped and keys are blotted out.
import type { Config } from '../config.ts'
import { lineOf, printable } from '../infrastructure/printable.ts'

export interface Output {
  /** Progress and remarks, a line each, always on stderr. */
  note(text: string): void
  /** A bar on a terminal, now and then a line elsewhere; on stderr. */
  progress(label: string, total: number): ProgressBar
  /**
   * Once, at the end: the object with JSON=1 (`ok: true` is added), else the lines. Of keys and secrets it shows only
   * those in `secrets`.
   */
  result(fields: Record<string, unknown>, lines: string[], secrets?: readonly string[]): void
  /** A failed command's one line, or its object with `ok: false`. */
  failure(message: string, fields?: Record<string, unknown>): void
}

export interface ProgressBar {
  /** `done` of the total so far; `total` may be corrected on the way. */
  update(done: number, total?: number): void
  /** Shown in place of the bar until the next update: what has to happen before it begins. */
  waits(reason: string): void
  stop(): Promise<void>
}

/** A command's module under cli/. */
export interface Command {
  /** The text of `--help`. */
  help: string
  /** `args` are the words behind the command's name. The number, if any, is the exit status. */
  run(config: Config, args: string[], out: Output): Promise<number | void>
}

/** Wrong use of the command line, exit status 2. */
export function usageError(message: string): Error {
  return Object.assign(new Error(message), { exitCode: 2 })
}

export function createOutput(json: boolean): Output {
  return {
    note: (text) => void process.stderr.write(lineOf(text)),
    progress: (label, total) => (process.stderr.isTTY ? bar(label, total) : lines(label, total)),
    result: (fields, lines, secrets) => {
      const said = json ? [JSON.stringify({ ok: true, ...fields })] : lines
      process.stdout.write(said.map((line) => lineOf(line, secrets)).join(''))
    },
    failure: (message, fields = {}) => {
      process.stderr.write(lineOf(`error: ${message}`))
      if (json) process.stdout.write(lineOf(JSON.stringify({ ok: false, error: message, ...fields })))
    },
  }
}

const BAR = ' [{bar}] {value}/{total} {rate}/s, {eta_formatted} left'

// Loaded when first drawn: most commands never draw one and start the sooner.
function bar(label: string, total: number): ProgressBar {
  let latest = { done: 0, total }
  const rate = rateOf()
  const drawn = import('cli-progress').then(({ default: { Format, SingleBar } }) => {
    const single = new SingleBar({
      format: (options, params, { reason, ...payload }) =>
        reason
          ? printable(`${label} waits ${reason}`)
          : Format.Formatter({ ...options, format: label + BAR }, params, payload),
      hideCursor: true,
      clearOnComplete: true,
      etaBuffer: 200,
    })
    process.once('exit', showCursor)
    single.start(latest.total, latest.done, { rate: 0 })
    return single
  })
  return {
    update: (done, corrected = latest.total) => {
      latest = { done, total: corrected }
      void drawn.then((single) => {
        single.setTotal(latest.total)
        single.update(latest.done, { rate: rate(latest.done), reason: '' })
      })
    },
    waits: (reason) => void drawn.then((single) => single.update({ reason })),
    stop: async () => {
      ;(await drawn).stop()
      process.off('exit', showCursor)
    },
  }
}

/** For a command that ends while its bar is drawn: the cursor, and lines that wrap. */
function showCursor(): void {
  process.stderr.write('\x1b[?25h\x1b[?7h')
}

/** Whole things a second since the beginning. */
function rateOf(): (done: number) => number {
  const begun = performance.now()
  return (done) => Math.round(done / Math.max(0.001, (performance.now() - begun) / 1000))
}

// One line every 5 s keeps a log of CI readable.
function lines(label: string, total: number): ProgressBar {
  let said = performance.now()
  let waited = ''
  const rate = rateOf()
  return {
    update: (done, corrected = total) => {
      if (performance.now() - said < 5_000) return
      said = performance.now()
      const perSecond = rate(done)
      const left = perSecond > 0 ? `, ${Math.ceil((corrected - done) / perSecond)} s left` : ''
      process.stderr.write(`${label}: ${done} of ${corrected}, ${perSecond}/s${left}\n`)
    },
    waits: (reason) => {
      if (reason !== waited) process.stderr.write(lineOf(`${label} waits ${reason}`))
      waited = reason
    },
    stop: async () => {},
  }
}
