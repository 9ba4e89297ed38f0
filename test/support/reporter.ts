// Mocha's usual output and a last line that programs can read: `N passed, N failed, N skipped`, or with the option json=1
// the same as JSON, all else on stderr.
import Mocha from 'mocha'

const { Base, Spec } = Mocha.reporters

export default class CountingSpec extends Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    const { json } = (options.reporterOptions ?? {}) as { json?: string }
    const asJson = json !== undefined && !/^(0|false|no|off|)$/.test(json)
    if (asJson) Base.consoleLog = (...words: unknown[]) => console.error(...words)
    super(runner, options)
    // Behind Spec's own, which prints the failures.
    runner.once('end', () => {
      const { passes: passed, failures: failed, pending: skipped } = this.stats
      if (asJson) console.log(JSON.stringify({ ok: failed === 0 && passed > 0, passed, failed, skipped }))
      else console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
    })
  }
}
