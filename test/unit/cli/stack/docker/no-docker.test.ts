// A Docker stack on a machine without Docker: refused before anything in DATA_DIR is written.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'

const root = join(import.meta.dirname, '../../../../..')

describe('make up STACK=docker', function () {
  this.timeout(60_000)
  const at = temporaryFolder()
  beforeEach(() => mkdirSync(at('bin')))

  /** Returns the error, with the folder `bin` alone on the PATH. */
  function errorOfUp(): string {
    const dataDir = at('data')
    const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', 'src/main.ts', 'up'], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: at('bin'), HOME: at(), STACK: 'docker', DATA_DIR: dataDir, JSON: '1' },
    })
    assert.notStrictEqual(status, 0)
    // Else the folder could get no other stack.
    for (const name of ['stack.json', 'secrets', 'docker.env']) assert.isFalse(existsSync(join(dataDir, name)), name)
    return (JSON.parse(stdout) as { error: string }).error
  }

  const program = (lines: string): void => {
    writeFileSync(at('bin', 'docker'), `#!/bin/sh\n${lines}\n`)
    chmodSync(at('bin', 'docker'), 0o755)
  }

  it('says that there is no Docker', () => {
    assert.match(errorOfUp(), /^STACK=docker needs Docker, and there is no command named docker: install it/)
  })

  it('says if the engine does not answer or Compose is missing', () => {
    program('echo "Cannot connect to the Docker daemon" >&2; exit 1')
    assert.strictEqual(errorOfUp(), 'no Docker engine answers: Cannot connect to the Docker daemon')
    program('[ "$1" = version ]')
    assert.strictEqual(errorOfUp(), 'STACK=docker needs Docker Compose, and "docker compose" is not installed')
  })
})
