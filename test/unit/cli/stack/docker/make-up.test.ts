// make up STACK=docker beside a program named docker of the test's own: what is refused before anything in DATA_DIR is
// written, and the facts that are passed to the build of the image.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'

const root = join(import.meta.dirname, '../../../../..')
const git = (...words: string[]) => spawnSync('git', words, { cwd: root, encoding: 'utf8' }).stdout?.trim()

describe('make up STACK=docker', function () {
  this.timeout(60_000)
  const at = temporaryFolder()
  beforeEach(() => mkdirSync(at('bin')))

  const program = (lines: string): void => {
    writeFileSync(at('bin', 'docker'), `#!/bin/sh\n${lines}\n`)
    chmodSync(at('bin', 'docker'), 0o755)
  }
  const up = (path: string, more: Record<string, string> = {}) =>
    spawnSync(process.execPath, ['--import', 'tsx', 'src/main.ts', 'up'], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: path, HOME: at(), STACK: 'docker', DATA_DIR: at('data'), JSON: '1', ...more },
    })
  /** Returns the error, with the folder `bin` alone on the PATH. */
  function errorOfUp(): string {
    const { status, stdout } = up(at('bin'))
    assert.notStrictEqual(status, 0)
    // Else the folder could get no other stack.
    for (const name of ['stack.json', 'secrets', 'docker.env']) assert.isFalse(existsSync(at('data', name)), name)
    return (JSON.parse(stdout) as { error: string }).error
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

  it('builds with the version, and the commit of a checkout without changes', () => {
    const env = at('docker.env')
    // Keeps the env file that Compose would read, and fails.
    program(`case " $* " in *" up "*) cp "$7" "${env}"; exit 1 ;; esac`)
    const { status, stdout } = up(`${at('bin')}:${process.env.PATH}`, { VERSION: '9.9.9', REVISION: 'another' })
    assert.strictEqual(status, 1, stdout)
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    const isClean = git('status', '--porcelain', '--', 'src', 'openapi', 'docker', '*.json') === ''
    const revision = isClean ? git('rev-parse', 'HEAD') : ''
    assert.include(readFileSync(env, 'utf8'), `VERSION="${version}"\nREVISION="${revision}"\n`)

    if (spawnSync('docker', ['compose', 'version']).status !== 0) {
      process.stdout.write('      skipped: whether Compose hands them on; it is not installed\n')
      return
    }
    const words = ['compose', '--file', 'docker/compose.yml', '--env-file', env, 'config', '--format', 'json']
    const { VERSION: _version, REVISION: _revision, ...own } = process.env
    const composed = spawnSync('docker', words, { cwd: root, encoding: 'utf8', env: own })
    const { services } = JSON.parse(composed.stdout) as { services: { migrate: { build: { args: object } } } }
    assert.deepInclude(services.migrate.build.args, { VERSION: version, REVISION: revision })
  })
})
