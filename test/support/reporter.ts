// Mocha's usual output, where the time went, and a last line that programs can read: `N passed, N failed, N skipped`,
// or with the option json=1 the same as JSON, all else on stderr.
import { relative } from 'node:path'
import Mocha from 'mocha'

const { Base, Spec } = Mocha.reporters

export default class CountingSpec extends Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    const { json } = (options.reporterOptions ?? {}) as { json?: string }
    const asJson = json !== undefined && !/^(0|false|no|off|)$/.test(json)
    if (asJson) Base.consoleLog = (...words: unknown[]) => console.error(...words)
    super(runner, options)
    const seconds = secondsOfFiles(runner)
    // Behind Spec's own, which prints the failures.
    runner.once('end', () => {
      const { passes: passed, failures: failed, pending: skipped } = this.stats
      const slowest = [...seconds]
        .toSorted(([, one], [, other]) => other - one)
        .filter(([, each]) => each >= SLOW_SECONDS)
      for (const [file, each] of slowest) Base.consoleLog(`${each.toFixed(1).padStart(8)} s  ${file}`)
      if (asJson) console.log(JSON.stringify({ ok: failed === 0 && passed > 0, passed, failed, skipped }))
      else console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
    })
  }
}

const SLOW_SECONDS = 3

/** Hooks included, filled during the run. */
function secondsOfFiles(runner: Mocha.Runner): Map<string, number> {
  const seconds = new Map<string, number>()
  const begun = new Map<Mocha.Suite, number>()
  runner.on('suite', (suite) => {
    if (suite.parent?.root) begun.set(suite, performance.now())
  })
  runner.on('suite end', (suite) => {
    const start = begun.get(suite)
    if (start === undefined) return
    const file = relative(process.cwd(), suite.file ?? '')
    seconds.set(file, (seconds.get(file) ?? 0) + (performance.now() - start) / 1000)
  })
  return seconds
}
