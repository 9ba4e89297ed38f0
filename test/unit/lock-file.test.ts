// What is installed is what was reviewed: each package of the lock file by its checksum.
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
})
