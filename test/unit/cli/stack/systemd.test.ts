// The systemd unit: valid by systemd's own check, with settings that the program knows, and with little exposure.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { configVariables } from '../../../support/config-variables.ts'

const root = join(import.meta.dirname, '../../../..')
const PATH = 'docker/systemd/insider-trading.service'
const unit = readFileSync(join(root, PATH), 'utf8')

const analyze = (...words: string[]) => spawnSync('systemd-analyze', words, { cwd: root, encoding: 'utf8' })

describe('docker/systemd', () => {
  it('uses only commands and settings of the program', () => {
    const [, variables = ''] = /^Environment=(.+)$/m.exec(unit) ?? []
    const names = variables.split(' ').map((each) => each.split('=')[0]!)
    assert.includeMembers([...configVariables(), 'DATA_DIR', 'NODE_ENV'], names)
    assert.match(unit, /^ExecStart=\/bin\/sh src\/cli\/bootstrap\/run\.sh app build serve$/m)
  })

  it('is valid for systemd, with an exposure of at most 3 of 10', function () {
    // The first that rates a unit of a file.
    if (!(Number(/^systemd (\d+)/.exec(analyze('--version').stdout ?? '')?.[1]) >= 250)) {
      process.stdout.write('    skipped: no systemd-analyze of systemd 250 or newer\n')
      return this.skip()
    }
    const verified = analyze('verify', PATH)
    assert.deepEqual([verified.status, verified.stderr], [0, ''])
    const { status, stdout, stderr } = analyze('security', '--offline=true', '--threshold=30', PATH)
    assert.strictEqual(status, 0, stdout.split('\n').at(-2) ?? stderr)
  })
})
