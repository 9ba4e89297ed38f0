// What the build of the service's image takes over from this machine: certificates, npm's registry, proxies.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { proxyVariables } from '../../../../../src/config.ts'

const authority = (name: string) => join(import.meta.dirname, `../../../../fixtures/authorities/${name}.crt`)
const root = join(import.meta.dirname, '../../../../..')

describe('the build of the image', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'insider-build-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** In a process of its own: Node reads its certificates when it starts. */
  function takenOver(variables: Record<string, string>, npmrc = ''): { certificates: string; registry: string | null } {
    writeFileSync(join(folder, 'npmrc'), npmrc)
    const script = `
      import { npmSettings, trustedCertificates } from './src/cli/stack/docker/build-image.ts'
      const npm = await npmSettings('.')
      console.log(JSON.stringify({ certificates: trustedCertificates(npm), registry: npm.registry }))`
    const env = {
      PATH: process.env.PATH,
      npm_config_userconfig: join(folder, 'npmrc'),
      npm_config_globalconfig: '/dev/null',
      ...variables,
    }
    const args = ['--import', 'tsx', '--input-type=module', '-e', script]
    return JSON.parse(execFileSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' }))
  }

  it('takes over the certificates that Node and npm trust, each once', () => {
    const [first, second] = ['first', 'second'].map((name) => readFileSync(authority(name), 'utf8').trim())
    assert.strictEqual(takenOver({}).certificates, '')
    assert.strictEqual(takenOver({ NODE_EXTRA_CA_CERTS: authority('first') }).certificates.trim(), first)
    assert.strictEqual(takenOver({}, `cafile=${authority('second')}`).certificates.trim(), second)
    assert.strictEqual(
      takenOver({ NODE_EXTRA_CA_CERTS: authority('first') }, `cafile=${authority('second')}`).certificates.trim(),
      `${first}\n${second}`,
    )
    assert.strictEqual(
      takenOver({ NODE_EXTRA_CA_CERTS: authority('first') }, `cafile=${authority('first')}`).certificates.trim(),
      first,
    )
    const inline = `ca[]="${first!.replaceAll('\n', '\\n')}"\nca[]="${second!.replaceAll('\n', '\\n')}"`
    assert.strictEqual(takenOver({}, inline).certificates.trim(), `${first}\n${second}`)
  })

  it('takes over the registry of npm, but none that has a password', () => {
    assert.strictEqual(
      takenOver({}, 'registry=https://packages.example.com/npm/').registry,
      'https://packages.example.com/npm/',
    )
    assert.strictEqual(takenOver({}, 'registry=https://me:secret@packages.example.com/').registry, null)
  })

  it('hands on proxies that a container can reach', () => {
    assert.deepEqual(proxyVariables({}), [])
    assert.deepEqual(proxyVariables({ HTTPS_PROXY: 'http://proxy.example.com:3128', no_proxy: 'localhost' }), [
      'HTTPS_PROXY',
      'no_proxy',
    ])
    for (const here of [
      'http://127.0.0.1:3128',
      'http://localhost:3128',
      'http://me:pw@localhost',
      'http://[::1]:3128',
    ]) {
      assert.deepEqual(proxyVariables({ https_proxy: here }), [], here)
    }
  })
})
