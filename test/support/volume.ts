// Volumes of tests: short in the daily run, long under TEST_LONG=1, as `make test-faults` and the nightly workflow run
// them.
import Mocha from 'mocha'

const isLong = /^(1|true|yes|on)$/i.test(process.env.TEST_LONG ?? '')
const left: string[] = []

/** Returns `long` under TEST_LONG=1, else `short`; what is left out then is printed at the end of the run. */
export function volume<T>(what: string, short: T, long: T): T {
  if (isLong) return long
  left.push(`${what}: ${String(short)} of ${String(long)}`)
  return short
}

/** Defines a test of the nightly run, which the daily one shows as skipped. */
export function nightly(title: string, test: Mocha.AsyncFunc): void {
  if (isLong) it(title, test)
  else it.skip(`${title} (nightly)`, test)
}

after(() => {
  if (left.length > 0) Mocha.reporters.Base.consoleLog(`\n  left to make test-faults: ${left.join('; ')}`)
})
