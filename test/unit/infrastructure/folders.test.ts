// Folders as anybody may fill them: names of any bytes, paths of any length, pipes, devices and links to all of those.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { fetchCompanyList } from '../../../src/infrastructure/edgar/listings/company-list.ts'
import {
  filesBelow,
  readDocumentFile,
  readRegularFile,
} from '../../../src/infrastructure/edgar/documents/document-folder.ts'
import { DataSetArchive } from '../../../src/infrastructure/edgar/data-sets/archive.ts'
import { makeOverlongPath } from '../../support/filings/overlong-path.ts'

const FILES = 50_000

describe('a folder of documents', function () {
  this.timeout(120_000)
  let folder: string
  const at = (...parts: string[]) => join(folder, ...parts)
  const below = async (path = folder) => {
    const { paths, skipped } = await filesBelow(path)
    return {
      names: paths.map((found) => found.path.slice(folder.length + 1)),
      reasons: paths.flatMap(({ reason }) => reason ?? []),
      skipped,
    }
  }
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'read',
      (error: Error) => error.message,
    )

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'folder of a test-'))
  })
  // Node's own rm does not take over-long paths either.
  afterEach(() => {
    execFileSync('rm', ['-rf', folder])
  })

  it('gives its regular files and links to such, in name order, and reads them', async () => {
    for (const name of ['b', 'b/2', 'a', 'c/.hidden', '.dots']) mkdirSync(at(name), { recursive: true })
    for (const name of ['b/2/x', 'b/y', 'a/z', 'c/.hidden/not', '.dots/not', '.not', 'c/last', 'b.first'])
      writeFileSync(at(name), name)
    symlinkSync(at('a', 'z'), at('linked'))
    assert.deepEqual(await below(), {
      names: ['a/z', 'b/2/x', 'b/y', 'b.first', 'c/last', 'linked'],
      reasons: [],
      skipped: 0,
    })
    assert.deepEqual(await below(`${folder}/`), await below())
    const { paths } = await filesBelow(folder)
    assert.deepEqual(await readDocumentFile(paths[0]!), { path: at('a', 'z'), bytes: Buffer.from('a/z') })
    assert.strictEqual(String((await readDocumentFile(paths.at(-1)!)).bytes), 'a/z')
    assert.lengthOf((await filesBelow(at('linked'))).paths, 1)
  })

  it('with names that are no UTF-8, or hold controls, is read all the same', async () => {
    const names = [
      Buffer.from([0x63, 0x61, 0x66, 0xe9]),
      Buffer.from('new\nline'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('\x1b[2J'),
    ]
    for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), name]), name)
    const deep = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xe9])])
    mkdirSync(deep)
    writeFileSync(Buffer.concat([deep, Buffer.from('/x')]), 'x')
    const { paths } = await filesBelow(folder)
    assert.deepEqual(
      paths.map(({ path }) => path.slice(folder.length + 1)),
      ['\x1b[2J', 'caf\\xe9', 'new\nline', '\\xe9/x', '\\xff\\xfe'],
    )
    const read = await Promise.all(paths.map(readDocumentFile))
    assert.deepEqual(
      read.map(({ bytes }) => bytes.toString('latin1')),
      ['\x1b[2J', 'caf\xe9', 'new\nline', 'x', '\xff\xfe'],
    )
  })

  it('continues behind a path longer than the system takes', async () => {
    makeOverlongPath(folder)
    writeFileSync(at('z'), 'z')
    const { paths } = await filesBelow(folder)
    assert.include(paths.at(-1), { path: at('z'), reason: null })
    assert.deepEqual(
      paths.flatMap(({ reason }) => reason ?? []),
      ['the path is too long'],
    )
    assert.lengthOf(
      paths.filter(({ path }) => /\/(near|far)$/.test(path)),
      1,
    )
  })

  it('skips pipes, devices, sockets and links to them, to folders, to nothing and in circles', async () => {
    writeFileSync(at('file'), 'file')
    execFileSync('mkfifo', [at('pipe')])
    const socket = createServer().listen(at('socket'))
    await new Promise((resolve) => socket.once('listening', resolve))
    const links = {
      device: '/dev/zero',
      terminal: '/dev/tty',
      toPipe: at('pipe'),
      nothing: at('none'),
      itself: at('itself'),
      up: folder,
      there: at('back'),
      back: at('there'),
    }
    for (const [name, target] of Object.entries(links)) symlinkSync(target, at(name))
    try {
      assert.deepEqual(await below(), { names: ['file'], reasons: [], skipped: Object.keys(links).length + 2 })
      for (const path of ['/dev/zero', at('pipe'), at('socket')]) {
        assert.strictEqual(await refusal(filesBelow(path)), 'neither a file nor a folder', path)
        assert.strictEqual(await refusal(readRegularFile(path, 100)), 'not a regular file', path)
        assert.strictEqual(await refusal(fetchCompanyList(path, undefined)), 'not a regular file', path)
      }
      // A pipe where a zip is looked for.
      execFileSync('mkfifo', [at('2024q3_form345.zip')])
      symlinkSync(at('none'), at('2024q4_form345.zip'))
      assert.include(await refusal(new DataSetArchive(at('kept')).take(folder)), 'no data set in')
    } finally {
      socket.close()
    }
  })

  it('with a link to a file that waits for the kernel takes it for empty', async function () {
    if (process.platform !== 'linux') return this.skip()
    for (const name of ['kmsg', 'self/mounts']) symlinkSync(`/proc/${name}`, at(name.replace('/', '-')))
    assert.strictEqual(readlinkSync(at('kmsg')), '/proc/kmsg')
    const { paths } = await filesBelow(folder)
    for (const found of paths) assert.lengthOf((await readDocumentFile(found)).bytes, 0)
  })

  it('that changes while it is read gives the reason, and no more of a file than 20 MB', async () => {
    writeFileSync(at('gone'), 'x')
    const {
      paths: [gone],
    } = await filesBelow(folder)
    rmSync(at('gone'))
    assert.strictEqual(await refusal(readDocumentFile(gone!)), 'it no longer exists')
    execFileSync('mkfifo', [at('gone')])
    assert.strictEqual(await refusal(readDocumentFile(gone!)), 'not a regular file')
    execFileSync('truncate', ['-s', '1T', at('huge')])
    const { paths } = await filesBelow(at('huge'))
    assert.lengthOf((await readDocumentFile(paths[0]!)).bytes, 20 * 1024 * 1024 + 1)
  })

  it(`of ${FILES} files is found whole, whatever is between them`, async () => {
    for (let each = 0; each < 10; each += 1) mkdirSync(at(String(each)))
    for (let number = 0; number < FILES; number += 1) writeFileSync(at(String(number % 10), `${number}.txt`), '')
    execFileSync(
      'mkfifo',
      Array.from({ length: 100 }, (_, number) => at(String(number % 10), `pipe ${number}`)),
    )
    for (let number = 0; number < 100; number += 1)
      symlinkSync(at(String(number % 10)), at(String(number % 10), `up ${number}`))
    const { paths, skipped } = await filesBelow(folder)
    assert.strictEqual(new Set(paths.map(({ path }) => path)).size, FILES)
    assert.strictEqual(skipped, 200)
  })
})
