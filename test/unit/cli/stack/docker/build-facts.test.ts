// The facts that make up STACK=docker passes to the build of the image.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'

const root = join(import.meta.dirname, '../../../../..')
const git = (...words: string[]) => spawnSync('git', words, { cwd: root, encoding: 'utf8' }).stdout?.trim()

describe('the build of make up STACK=docker', function () {
  this.timeout(60_000)
  const at = temporaryFolder()
  beforeEach(() => {
    mkdirSync(at('bin'))
    // Keeps the env file that Compose would read, and fails.
    const docker = at('bin', 'docker')
    writeFileSync(docker, `#!/bin/sh\ncase " $* " in *" up "*) cp "$7" "${at('docker.env')}"; exit 1 ;; esac\n`)
    chmodSync(docker, 0o755)
  })

  it('has the version, and the commit of a checkout without changes', function () {
    const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', 'src/main.ts', 'up'], {
      cwd: root,
      encoding: 'utf8',
      env: {
        ...{ PATH: `${at('bin')}:${process.env.PATH}`, HOME: at() },
        ...{ STACK: 'docker', DATA_DIR: at('data'), JSON: '1', VERSION: '9.9.9', REVISION: 'another' },
      },
    })
    assert.strictEqual(status, 1, stdout)
    const env = at('docker.env')
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
