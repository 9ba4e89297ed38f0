// The hash of everything that a build is made of: a change makes the next command build again.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { assert } from 'chai'
import { sourceHash } from '../../../src/cli/bootstrap/checkout.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('the hash of the source', () => {
  const at = temporaryFolder()
  beforeEach(() => {
    for (const path of ['package-lock.json', 'tsconfig.json', ...FILES]) write(path, 'before')
  })

  const FILES = ['src/a.ts', 'src/client/README.md', 'openapi/openapi.yaml', 'openapi/README.md', 'openapi/guides/x.md']

  function write(path: string, text: string): void {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }

  it('changes with each file that is built or served, including guides', () => {
    for (const path of FILES) {
      const before = sourceHash(at())
      write(path, 'after')
      assert.notStrictEqual(sourceHash(at()), before, path)
    }
  })

  it('does not change with a document that is neither', () => {
    const before = sourceHash(at())
    write('src/architecture.md', 'new')
    assert.strictEqual(sourceHash(at()), before)
  })
})
