// What another user can have written is refused: by the rights and owners of files, of their folders, and of links.
import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { requireOwnDataDir } from '../../../src/infrastructure/embedded/data-dir.ts'
import { NotOurs, readOwn } from '../../../src/infrastructure/ownership.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const OTHER = 54_321

describe('a file that this process acts upon', () => {
  const at = temporaryFolder()
  let path: string
  const refusal = (read: () => unknown = () => readOwn(path)): string => {
    try {
      read()
      return 'read'
    } catch (error) {
      assert.instanceOf(error, NotOurs)
      return error.message
    }
  }

  beforeEach(() => {
    path = at('record')
    writeFileSync(path, 'text', { mode: 0o600 })
  })

  it('is read where only we can write it; a missing one is none', () => {
    for (const mode of [0o600, 0o644, 0o444]) {
      chmodSync(path, mode)
      assert.strictEqual(readOwn(path), 'text')
    }
    chmodSync(at(), 0o755)
    assert.strictEqual(readOwn(path), 'text')
    for (const missing of [at('none'), join(path, 'x'), at('none', 'x')]) assert.isNull(readOwn(missing))
    symlinkSync(path, at('link'))
    assert.strictEqual(readOwn(at('link')), 'text')
  })

  it('is refused where its group or everybody can write it', () => {
    for (const mode of [0o620, 0o602, 0o666]) {
      chmodSync(path, mode)
      assert.strictEqual(
        refusal(),
        `${path} is not used, since other users can write to it (mode 0${mode.toString(8)}): ` +
          `check what it holds, then chmod go-w ${path}`,
      )
    }
  })

  it('is refused in a folder that others can write, and behind a link into one', () => {
    const open = at('open')
    mkdirSync(open)
    writeFileSync(join(open, 'file'), 'text', { mode: 0o600 })
    symlinkSync(join(open, 'file'), at('link'))
    for (const mode of [0o777, 0o775]) {
      chmodSync(open, mode)
      for (const each of [join(open, 'file'), at('link')]) {
        assert.include(
          refusal(() => readOwn(each)),
          `${open} is not used, since other users can write to it`,
        )
      }
    }
    // Nobody can replace our file there.
    chmodSync(open, 0o1777)
    assert.strictEqual(readOwn(join(open, 'file')), 'text')
  })

  it('is refused as a folder', () => {
    const folderAsFile = at('folder')
    mkdirSync(folderAsFile)
    assert.throws(() => readOwn(folderAsFile), 'is not a file')
  })

  describe('of another user', () => {
    before(function () {
      if (process.getuid?.() === 0) return
      this.test!.parent!.title += ' (skipped: takes root)'
      this.skip()
    })

    it('is refused, itself, its folder or the link to it', () => {
      chownSync(path, OTHER, OTHER)
      assert.strictEqual(
        refusal(),
        `${path} is not used by root, since it belongs to user ${OTHER}: run this as that user, or check what it ` +
          `holds, then chown 0 ${path}`,
      )
      chownSync(path, 0, 0)
      chownSync(at(), OTHER, OTHER)
      assert.match(refusal(), /insider-test-\S+ is not used by root, since it belongs to user 54321/)
      chownSync(at(), 0, 0)
      // A link made by somebody else in a folder that everybody can write: they say which file of ours it shows.
      chmodSync(at(), 0o1777)
      symlinkSync(path, at('link'))
      assert.strictEqual(readOwn(at('link')), 'text')
      lchownSync(at('link'), OTHER, OTHER)
      assert.include(
        refusal(() => readOwn(at('link'))),
        '/link is not used by root',
      )
    })

    it('makes a DATA_DIR unusable, but for the data of the user that PostgreSQL runs as', () => {
      for (const name of ['logs', 'run', 'postgres']) mkdirSync(at(name))
      chownSync(at('postgres'), OTHER, OTHER)
      requireOwnDataDir(at())
      chmodSync(at('postgres'), 0o777)
      assert.include(
        refusal(() => requireOwnDataDir(at())),
        '/postgres is not used, since other users can write',
      )
      chmodSync(at('postgres'), 0o700)
      chownSync(at('run'), OTHER, OTHER)
      assert.include(
        refusal(() => requireOwnDataDir(at())),
        '/run is not used by root',
      )
    })
  })

  it('lies in no folder of DATA_DIR that others can write, sticky or not', () => {
    for (const name of ['logs', 'run', 'redis']) mkdirSync(at(name))
    requireOwnDataDir(at())
    for (const name of ['.', 'logs', 'run', 'redis']) {
      for (const mode of [0o777, 0o1777, 0o775]) {
        chmodSync(at(name), mode)
        assert.match(
          refusal(() => requireOwnDataDir(at())),
          /other users can write to it \(mode \d+\).*chmod -R go-w /,
        )
      }
      chmodSync(at(name), 0o755)
    }
    requireOwnDataDir(at('none'))
  })
})
