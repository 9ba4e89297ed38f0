// .ci/release in a copy of the checkout: what it refuses, and the files that it makes. Docker, which would build
// images, is hidden from it.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { copyBuild, copyOfCheckout } from '../../support/service/tools/checkout-copy.ts'
import { hasGit, gitIn } from '../../support/service/tools/git.ts'

const root = join(import.meta.dirname, '../../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const TAG = `v${version}`
const FILES = [
  'SHA256SUMS',
  `insider-trading-client-${version}.tgz`,
  `insider-trading-data-service-${version}.spdx.json`,
  `insider-trading-data-service-${version}.tar.gz`,
  `insider-trading-data-service-chart-${version}.tgz`,
  'insider_trading.py',
]

describe(`a release${hasGit() ? '' : ' (skipped: no git)'}`, function () {
  this.timeout(120_000)
  let checkout = ''
  let git: (...args: string[]) => string
  before(function () {
    if (!hasGit()) return this.skip()
    checkout = copyOfCheckout()
    copyBuild(checkout)
    cpSync(join(root, '.ci'), join(checkout, '.ci'), { recursive: true })
    mkdirSync(join(checkout, 'none'))
    // A docker that no engine answers.
    writeFileSync(join(checkout, 'none/docker'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    git = gitIn(checkout)
    git('init', '--quiet')
    appendFileSync(join(checkout, '.git/info/exclude'), 'node_modules\nbuild\nnone\n')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'all')
  })
  after(() => {
    if (checkout !== '') rmSync(checkout, { recursive: true, force: true })
  })

  const release = (...args: string[]) => {
    const env = { ...process.env, PATH: `${join(checkout, 'none')}:${process.env.PATH}`, RELEASE_TESTS: '0', JSON: '' }
    const { status, stdout, stderr } = spawnSync('bash', [join(checkout, '.ci/release'), ...args], {
      cwd: checkout,
      env,
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  const refusal = (...args: string[]) => {
    const { status, stderr } = release(...args)
    assert.strictEqual(status, 1, stderr)
    return stderr.trim().split('\n').at(-1)
  }

  it('is refused without a tag, with another version, and unless the tag is annotated and checked out', () => {
    assert.strictEqual(refusal(), `error: name the tag: .ci/release ${TAG}`)
    assert.strictEqual(refusal('v0.9.0'), `error: the tag is v0.9.0 and package.json has ${version}`)
    assert.include(refusal(TAG), `${TAG} is no annotated tag`)
    git('tag', TAG)
    assert.include(refusal(TAG), `${TAG} is no annotated tag`)
    git('tag', '--force', '--annotate', TAG, '--message', 'The first one')
    git('commit', '--quiet', '--allow-empty', '--message', 'later')
    assert.strictEqual(refusal(TAG), `error: ${TAG} is not what is checked out`)
    git('checkout', '--quiet', TAG)
    appendFileSync(join(checkout, 'LICENSE'), 'changed')
    assert.strictEqual(refusal(TAG), 'error: the checkout has changes')
    git('checkout', '--quiet', '--', 'LICENSE')
  })

  it('is refused until the contract of its version is recorded', () => {
    const kept = join(checkout, 'openapi/released')
    const { version: contract } = JSON.parse(readFileSync(join(kept, readdirSync(kept).at(-1)!), 'utf8')).info
    rmSync(join(kept, `${contract}.json`))
    assert.include(refusal(TAG), `openapi/released has no ${contract}.json`)
    git('checkout', '--quiet', '--', 'openapi/released')
  })

  it('has the source, the clients, a bill of materials, and checksums', () => {
    const { status, stdout, stderr } = release(TAG)
    assert.strictEqual(status, 0, stderr)
    assert.include(stdout, 'no image is built: no Docker engine answers')
    const folder = join(checkout, 'build/release')
    assert.deepEqual(readdirSync(folder).toSorted(), FILES)
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n')
    assert.deepEqual(sums.map((line) => line.replace(/^[0-9a-f]{64} [ *]/, '')).toSorted(), FILES.slice(1))
    const read = (...args: string[]) => execFileSync('tar', args, { cwd: folder, encoding: 'utf8' })
    const client = JSON.parse(read('-xzOf', FILES[1]!, 'package/package.json')) as { version: string }
    assert.strictEqual(client.version, version)
    assert.include(read('-tzf', FILES[3]!), `insider-trading-data-service-${version}/src/main.ts\n`)
    assert.include(read('-tzf', FILES[4]!), 'insider-trading-data-service/templates/deployments.yaml\n')
    const parts = JSON.parse(readFileSync(join(folder, FILES[2]!), 'utf8')).packages as { name: string }[]
    const names = parts.map(({ name }) => name)
    assert.includeMembers(names, ['express', '@clickhouse/client', 'chdb'])
    assert.notInclude(names, 'mocha')
    assert.isFalse(existsSync(join(folder, '..', 'SHA256SUMS')))
  })
})
