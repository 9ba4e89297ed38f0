// The bar of a command on a terminal, and its lines elsewhere: how far it is, and what a queued job waits for.
import { spawnSync } from 'node:child_process'
import { expect } from 'chai'

const OUTPUT = new URL('../../../src/cli/output.ts', import.meta.url).href
const program = (isTerminal: boolean) => `import { createOutput } from ${JSON.stringify(OUTPUT)}
import { setTimeout as sleep } from 'node:timers/promises'
if (${isTerminal}) Object.assign(process.stderr, { isTTY: true, columns: 200 })
const bar = createOutput(false).progress('backfill', 1)
for (const reason of ['for job 1', 'for job 1', 'for the service\\x1b[2J']) { bar.waits(reason); await sleep(300) }
bar.update(5, 10)
await sleep(300)
bar.update(10)
await bar.stop()`

describe('progress', function () {
  this.timeout(30_000)
  const said = (isTerminal: boolean) => {
    const { stderr, status } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', program(isTerminal)],
      { encoding: 'utf8' },
    )
    expect(status, stderr).to.equal(0)
    return stderr
  }

  it('is a bar on a terminal, with what is waited for in its place until it begins', () => {
    const shown = said(true)
    expect(shown).to.contain('backfill waits for job 1').and.contain('backfill waits for the service\\u001b[2J')
    expect(shown).to.match(/backfill \[[^\]]+\] 5\/10 \d+\/s, \S+ left/)
    expect(shown.indexOf('5/10')).to.be.greaterThan(shown.indexOf('waits for the service'))
  })

  it('is a line for each thing waited for elsewhere', () => {
    expect(said(false)).to.equal('backfill waits for job 1\nbackfill waits for the service\\u001b[2J\n')
  })
})
