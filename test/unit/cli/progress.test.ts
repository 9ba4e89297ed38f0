// The progress bar of a command on a terminal, and its lines elsewhere: how far it is, and what a queued job waits for.
import { spawnSync } from 'node:child_process'
import { assert } from 'chai'

const OUTPUT = new URL('../../../src/cli/output.ts', import.meta.url).href
const program = (isTerminal: boolean) => `import { createOutput } from ${JSON.stringify(OUTPUT)}
import { setTimeout as sleep } from 'node:timers/promises'
// Or loading it would take the time in which the first reason is shown.
await import('cli-progress')
if (${isTerminal}) Object.assign(process.stderr, { isTTY: true, columns: 200 })
const bar = createOutput(false).progress('backfill', 1)
for (const reason of ['for job 1', 'for job 1', 'for the service\\x1b[2J']) { bar.waits(reason); await sleep(300) }
bar.update(5, 10)
await sleep(300)
bar.update(6, 10, { phase: 'write\\x1b[2J', rows: 5, totalRows: 10, rowsPerSecond: 4, secondsLeft: 200 })
await sleep(300)
bar.update(10)
await bar.stop()`

describe('the progress display', function () {
  this.timeout(30_000)
  const said = (isTerminal: boolean) => {
    const { stderr, status } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', program(isTerminal)],
      { encoding: 'utf8' },
    )
    assert.strictEqual(status, 0, stderr)
    return stderr
  }

  it('is a bar on a terminal, or what the work waits for until it begins', () => {
    const shown = said(true)
    assert.include(shown, 'backfill waits for job 1')
    assert.include(shown, 'backfill waits for the service\\u001b[2J')
    assert.match(shown, /backfill \[[^\]]+\] 5\/10 \d+\/s, \S+ left/)
    assert.match(shown, /backfill \[[^\]]+\] 60 %, write\\u001b\[2J 5 of 10 rows, 4\/s, 3 min left/)
    assert.isAbove(shown.indexOf('5/10'), shown.indexOf('waits for the service'))
  })

  it('is a line for each reason to wait elsewhere', () => {
    assert.strictEqual(said(false), 'backfill waits for job 1\nbackfill waits for the service\\u001b[2J\n')
  })
})
