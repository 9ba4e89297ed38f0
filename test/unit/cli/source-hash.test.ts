// The hash of everything that a build is made of: a change makes the next command build again.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { assert } from 'chai'
import { sourceHash } from '../../../src/cli/bootstrap/checkout.ts'

describe('the hash of the source', () => {
  let root: string
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'source-hash-'))
    for (const path of ['package-lock.json', 'tsconfig.json', ...FILES]) write(path, 'before')
  })
  after(() => rmSync(root, { recursive: true, force: true }))

  const FILES = ['src/a.ts', 'src/client/README.md', 'openapi/openapi.yaml', 'openapi/README.md', 'openapi/guides/x.md']

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }

  it('changes with each file that is built or served, including guides', () => {
    for (const path of FILES) {
      const before = sourceHash(root)
      write(path, 'after')
      assert.notStrictEqual(sourceHash(root), before, path)
    }
  })

  it('does not change with a document that is neither', () => {
    const before = sourceHash(root)
    write('src/architecture.md', 'new')
    assert.strictEqual(sourceHash(root), before)
  })
})
