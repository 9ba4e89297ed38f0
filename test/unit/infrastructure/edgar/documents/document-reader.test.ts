// Large documents are read in a thread beside: with the same result, while the loop keeps running, and a thread that
// ends takes one document with it and nothing else.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { assert } from 'chai'
import {
  LARGE_BYTES,
  OwnershipDocumentReader,
} from '../../../../../src/infrastructure/edgar/documents/document-reader.ts'
import { readDocument } from '../../../../../src/infrastructure/edgar/documents/read-document.ts'
import { filingOf, submissionText } from '../../../../support/filings/filing-builder.ts'

const small = Buffer.from(submissionText())
const large = Buffer.from(`${submissionText().trim()}${' '.repeat(LARGE_BYTES)}`)
const broken = Buffer.from(large.toString().replace('</XML>', ''))

describe('the document reader and its thread', function () {
  it('reads small ones at once', function () {
    assert.deepEqual(new OwnershipDocumentReader().read(small, 'x'), readDocument(small, 'x'))
  })

  it('reads large ones in a thread, many at once, each with its own result, and keeps their bytes', async function () {
    const read = new OwnershipDocumentReader().read
    const before = Buffer.from(large)
    let turns = 0
    const counting = setInterval(() => {
      turns += 1
    }, 1)
    const readings = await Promise.all(
      [large, broken, large].map((bytes) => {
        const reading = read(bytes, 'x')
        assert.instanceOf(reading, Promise)
        return reading
      }),
    )
    clearInterval(counting)
    assert.deepEqual(readings[0], { kind: 'filing', filing: filingOf() })
    assert.deepEqual(readings[1], readDocument(broken, 'x'))
    assert.include(readings[1], { kind: 'rejected' })
    assert.deepEqual(readings[2], readings[0])
    assert.strictEqual(large.equals(before), true)
    assert.isAbove(turns, 2)
  })

  it('leaves nothing behind on the thread, however many it reads', async function () {
    const warnings: Error[] = []
    const warned = (warning: Error) => warnings.push(warning)
    process.on('warning', warned)
    try {
      const read = new OwnershipDocumentReader().read
      for (let nth = 0; nth < 12; nth += 1) await read(large, 'x')
      // Warnings come with the next turn of the loop.
      await sleep(10)
    } finally {
      process.off('warning', warned)
    }
    assert.deepEqual(warnings, [])
  })

  it('starts another thread where the last one ended after its answer', async function () {
    const reading = { kind: 'not-ownership', reason: 'read' } as const
    const code = `import { parentPort } from "node:worker_threads"
      parentPort.on("message", () => {
        parentPort.postMessage(${JSON.stringify(reading)})
        setTimeout(() => process.exit(1), 1)
      })`
    const read = new OwnershipDocumentReader(new URL(`data:text/javascript,${encodeURIComponent(code)}`)).read
    for (let nth = 0; nth < 2; nth += 1) {
      const started = once(process, 'worker') as Promise<[Worker]>
      const ended = started.then(([worker]) => once(worker, 'exit'))
      assert.deepEqual(await read(large, 'x'), reading)
      await ended
    }
  })

  for (const [what, code] of Object.entries({
    ends: 'import { parentPort } from "node:worker_threads"; parentPort.on("message", () => process.exit(1))',
    throws:
      'import { parentPort } from "node:worker_threads"; parentPort.on("message", () => { throw new Error("broken") })',
    'can not be started': 'import "none-such"',
  })) {
    it(`refuses the document at which its thread ${what}`, async function () {
      const read = new OwnershipDocumentReader(new URL(`data:text/javascript,${encodeURIComponent(code)}`)).read
      for (const path of ['0001999001-25-000009.txt', 'again']) {
        const reading = await read(large, path)
        assert.propertyVal(reading, 'kind', 'rejected')
        assert.match((reading as { reason: string }).reason, /^could not be read: /)
      }
      assert.propertyVal(await read(small, 'x'), 'kind', 'filing')
    })
  }
})
