// Large documents are read in a thread beside: with the same result, while the loop goes on, and a thread that ends takes one
// document with it and nothing else.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { LARGE_BYTES, openDocumentReader } from '../../../../../src/infrastructure/edgar/documents/document-reader.ts'
import { readDocument } from '../../../../../src/infrastructure/edgar/documents/read-document.ts'
import { filingOf, submissionText } from '../../../../support/filings/filing-builder.ts'

const small = Buffer.from(submissionText())
const large = Buffer.from(`${submissionText().trim()}${' '.repeat(LARGE_BYTES)}`)
const broken = Buffer.from(large.toString().replace('</XML>', ''))

describe('reader of documents', function () {
  it('reads small ones at once', function () {
    expect(openDocumentReader()(small, 'x')).to.deep.equal(readDocument(small, 'x'))
  })

  it('reads large ones in a thread, many at a time, each with its own result, and leaves their bytes alone', async function () {
    const read = openDocumentReader()
    const before = Buffer.from(large)
    let turns = 0
    const counting = setInterval(() => {
      turns += 1
    }, 1)
    const readings = await Promise.all(
      [large, broken, large].map((bytes) => {
        const reading = read(bytes, 'x')
        expect(reading).to.be.an.instanceOf(Promise)
        return reading
      }),
    )
    clearInterval(counting)
    expect(readings[0]).to.deep.equal({ kind: 'filing', filing: filingOf() })
    expect(readings[1]).to.deep.equal(readDocument(broken, 'x')).and.include({ kind: 'rejected' })
    expect(readings[2]).to.deep.equal(readings[0])
    expect(large.equals(before)).to.equal(true)
    expect(turns).to.be.above(2)
  })

  it('leaves nothing behind on the thread, however many it reads', async function () {
    const warnings: Error[] = []
    const warned = (warning: Error) => warnings.push(warning)
    process.on('warning', warned)
    try {
      const read = openDocumentReader()
      for (let nth = 0; nth < 12; nth += 1) await read(large, 'x')
      // Warnings come with the next turn of the loop.
      await sleep(10)
    } finally {
      process.off('warning', warned)
    }
    expect(warnings).to.deep.equal([])
  })

  it('starts another thread where the last one ended after its answer', async function () {
    const reading = { kind: 'not-ownership', reason: 'read' }
    const code = `import { parentPort } from "node:worker_threads"
      parentPort.on("message", () => {
        parentPort.postMessage(${JSON.stringify(reading)})
        setTimeout(() => process.exit(1), 1)
      })`
    const read = openDocumentReader(new URL(`data:text/javascript,${encodeURIComponent(code)}`))
    for (let nth = 0; nth < 2; nth += 1) {
      expect(await read(large, 'x')).to.deep.equal(reading)
      await sleep(1_000)
    }
  })

  for (const [what, code] of Object.entries({
    ends: 'import { parentPort } from "node:worker_threads"; parentPort.on("message", () => process.exit(1))',
    throws:
      'import { parentPort } from "node:worker_threads"; parentPort.on("message", () => { throw new Error("broken") })',
    'can not be started': 'import "none-such"',
  })) {
    it(`refuses the document at which its thread ${what}`, async function () {
      const read = openDocumentReader(new URL(`data:text/javascript,${encodeURIComponent(code)}`))
      for (const path of ['0001999001-25-000009.txt', 'again']) {
        const reading = await read(large, path)
        expect(reading).to.have.property('kind', 'rejected')
        expect(reading)
          .to.have.property('reason')
          .that.matches(/^could not be read: /)
      }
      expect(await read(small, 'x')).to.have.property('kind', 'filing')
    })
  }
})
