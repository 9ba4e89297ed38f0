// Lines on their way to the log: written in pieces, in their order, and none left behind.
import { once } from 'node:events'
import { assert } from 'chai'
import { LineBuffer } from '../../../src/service/line-buffer.ts'

describe('the line buffer', () => {
  it('writes a piece when it is long enough, with every line in its order', () => {
    const pieces: string[] = []
    const buffer = new LineBuffer({ write: (text) => pieces.push(text) }, { pieceLength: 6, waitMs: 60_000 })

    for (const line of ['a\n', 'bb\n', 'ccc\n', 'dd\n']) buffer.write(line)
    assert.deepEqual(pieces, ['a\nbb\nccc\n'])

    buffer.flush()
    buffer.flush()
    assert.deepEqual(pieces, ['a\nbb\nccc\n', 'dd\n'])
  })

  it('writes a line that no other follows', async () => {
    const written = new EventTarget()
    const buffer = new LineBuffer(
      { write: (text) => written.dispatchEvent(new CustomEvent('piece', { detail: text })) },
      { pieceLength: 1_000, waitMs: 1 },
    )
    const piece = once(written, 'piece')
    // The buffer's own timer keeps no process alive.
    const alive = setInterval(() => {}, 1_000)

    buffer.write('alone\n')

    const [{ detail }] = (await piece) as [CustomEvent]
    clearInterval(alive)
    assert.strictEqual(detail, 'alone\n')
  })
})
