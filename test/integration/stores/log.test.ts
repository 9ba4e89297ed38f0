// The service's log on a full disk, and its rotation.
import { spawn } from 'node:child_process'
import { openSync, closeSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { isSameFile, trimLog } from '../../../src/infrastructure/embedded/data-dir.ts'

const LOG = new URL('../../../src/service/logger.ts', import.meta.url).href
// Longer than what waits at most, then a while in which the event loop must turn, then an end of its own accord. Where
// it does not turn, the process is killed.
const FILLING = `import { openLog } from ${JSON.stringify(LOG)}
const log = openLog('info')
for (let line = 0; line < 2_000; line += 1) log.info({ text: 'x'.repeat(1_000) }, 'a line')
let turns = 0
const timer = setInterval(() => {
  log.info('later')
  if ((turns += 1) < 10) return
  clearInterval(timer)
  process.stderr.write('turns ' + turns)
}, 10)`

describe('the log', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'insider-log-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** What it says on stderr and how it ends, with `file` as stdout. */
  const run = (file: string, program = FILLING) =>
    new Promise<{ said: string; code: number | null }>((resolve) => {
      const stdout = openSync(file, 'a')
      const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
        stdio: ['ignore', stdout, 'pipe'],
        timeout: 30_000,
        killSignal: 'SIGKILL',
      })
      closeSync(stdout)
      let said = ''
      child.stderr!.on('data', (chunk: Buffer) => {
        said += chunk.toString()
      })
      child.once('close', (code) => resolve({ said, code }))
    })

  it('on a full disk does not block the service, neither while it runs nor when it stops', async () => {
    const { said, code } = await run('/dev/full')
    assert.include(said, 'turns 10')
    assert.strictEqual(code, 0)
  })

  it('has every line if the disk has room', async () => {
    const file = join(folder, 'whole.log')
    assert.strictEqual((await run(file)).code, 0)
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string })
    assert.lengthOf(
      lines.filter(({ msg }) => msg === 'a line'),
      2_000,
    )
  })

  for (const [end, expected] of [
    ["log.info('last'); process.exit(1)", 'last'],
    ["log.info('last'); throw new Error('unexpected')", 'last'],
    ["log.fatal('last'); process.kill(process.pid, 'SIGKILL')", 'last'],
    ["log.info('last\\u001b[31m\\u202e'); process.exit(0)", 'last\u001b[31m\u202e'],
  ] as const)
    it(`has the last line, with control characters escaped, after ${end}`, async () => {
      const file = join(folder, 'last.log')
      writeFileSync(file, '')

      await run(file, `import { openLog } from ${JSON.stringify(LOG)}\nconst log = openLog('info')\n${end}`)

      const line = readFileSync(file, 'utf8')
      assert.match(line, /^[ -~]+\n$/)
      assert.strictEqual((JSON.parse(line) as { msg: string }).msg, expected)
    })

  it('is rotated at 10 MB while it is written, and one older file is kept', () => {
    const file = join(folder, 'service.log')
    writeFileSync(file, 'small')
    trimLog(file)
    assert.deepEqual([readFileSync(file, 'utf8'), existsSync(`${file}.1`)], ['small', false])
    writeFileSync(file, 'x'.repeat(10 * 1024 * 1024 + 1))
    const before = statSync(file)
    trimLog(file)
    assert.deepEqual([statSync(file).size, statSync(`${file}.1`).size], [0, 10 * 1024 * 1024 + 1])
    assert.strictEqual(isSameFile(file, before), true, "the writer's own file")
    trimLog(join(folder, 'none.log'))
  })
})
