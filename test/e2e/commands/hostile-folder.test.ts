// make ingest of a folder with hostile files, with the built program: each file is counted by its outcome, and the good
// ones appear in the feed.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { LARGE_BYTES } from '../../../src/infrastructure/edgar/documents/document-reader.ts'
import { submissionText, type FilingSpec } from '../../support/filings/filing-builder.ts'
import { HOSTILE_SHAPES } from '../../support/filings/hostile-documents.ts'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'
import { makeOverlongPath } from '../../support/filings/overlong-path.ts'

const accession = (number: number) => `0001999001-25-${String(number).padStart(6, '0')}`
const filing = (number: number, spec: FilingSpec = {}) =>
  submissionText({
    accession: accession(number),
    acceptedAt: '20250314163005',
    rows: [{ shares: String(number) }],
    ...spec,
  })

describe('make ingest of a hostile folder', function () {
  this.timeout(300_000)
  let stack: StackOfTest
  let folder: string
  before(async () => {
    stack = await stackOfTest()
    folder = mkdtempSync(join(tmpdir(), 'insider-hostile-'))
  })
  after(async () => {
    execFileSync('rm', ['-rf', folder])
    await stack.remove()
  })

  it('counts every file, records unusable ones with reasons, and succeeds', async () => {
    const write = (name: string | Buffer, content: string | Buffer) =>
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name as string)]), content)
    const padding = `<DOCUMENT>\n<TYPE>EX-99\n<TEXT>\n${'x'.repeat(LARGE_BYTES)}\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>`
    const good: [name: string | Buffer, text: string][] = [
      ['a.txt', filing(1)],
      ['z.txt', filing(2)],
      [Buffer.from([0x63, 0x61, 0x66, 0xe9]), filing(3)],
      ['large.txt', filing(4).replace('</SEC-DOCUMENT>', () => padding)],
      ['stamp.txt', filing(5, { acceptedAt: '99991231235959' })],
      ['new\nline.txt', filing(6)],
    ]
    for (const [name, text] of good) write(name, text)
    const hostile = HOSTILE_SHAPES.filter((_, index) => index % 6 === 0)
    // Each under an accession of its own, or those that can be read would be the same filing.
    hostile.forEach(({ make }, index) =>
      write(`hostile ${index}`, String(make(5000)).replaceAll('0001999001-25-000001', accession(1000 + index))),
    )
    write('broken.txt', filing(7).replace('</ownershipDocument>', '\0'))
    write('empty', '')
    execFileSync('mkfifo', [join(folder, 'pipe')])
    symlinkSync('/dev/zero', join(folder, 'zero'))
    symlinkSync(folder, join(folder, 'circle'))
    makeOverlongPath(folder)

    const { json, stderr, status } = await stack.make('ingest', { FROM: folder })
    assert.strictEqual(status, 0, stderr)
    const { ingested, alreadyKnown, rejected, notOwnershipDocuments, rejects } = json!
    // With the broken one, two that are empty, and the folder that can't be looked into.
    assert.strictEqual(ingested + alreadyKnown + rejected + notOwnershipDocuments, good.length + hostile.length + 4)
    assert.isAtLeast(ingested, good.length)
    assert.include(stderr, 'skipped 3 that are not regular files')
    const reasons = (rejects as { file: string; reason: string }[]).map(({ reason }) => reason)
    assert.include(reasons, "can't be read: the path is too long")
    assert.deepEqual(
      reasons.filter((reason) => /could not be (recorded|read|understood)/.test(reason)),
      [],
    )
    const again = await stack.make('ingest', { FROM: folder })
    assert.deepInclude(again.json, { ingested: 0, rejected, notOwnershipDocuments })
    assert.strictEqual((await stack.make('retry')).status, 0)
    assert.strictEqual((await stack.make('up')).status, 0)
    const page = (await (await fetch(`${stack.address}/v1/feed?limit=100`)).json()) as {
      data: { transactions: { id: string }[] }
    }
    assert.includeMembers(
      page.data.transactions.map(({ id }) => id),
      good.map((_, index) => `${accession(index + 1)}-nd-1`),
    )
  })
})
