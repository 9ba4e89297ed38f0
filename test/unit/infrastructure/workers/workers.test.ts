// Computations in worker threads: with the function's own result or error, repeated once where a thread ends or does
// not answer, and none of one urgency waits for one of another.
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { ServiceError, UnstorableError } from '../../../../src/application/errors.ts'
import { Workers, type WorkersOptions } from '../../../../src/infrastructure/workers/workers.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import type { TestComputations } from '../../../support/workers/computations.ts'

const code = new URL('../../../support/workers/computations.ts', import.meta.url)

const rejection = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    (value) => assert.fail(`resolved: ${String(value)}`),
    (error: Error) => error,
  )

describe('worker threads', function () {
  const inFolder = temporaryFolder()
  const opened: Workers<TestComputations>[] = []
  const open = (options?: WorkersOptions, module = code) => {
    const workers = new Workers<TestComputations>(module, options)
    opened.push(workers)
    return workers
  }
  const { compute } = open()
  after(async function () {
    for (const workers of opened) await workers.close()
  })

  it('compute by name, many at once, each with its own result', async function () {
    assert.deepEqual(await Promise.all([1, 2, 3].map((n) => compute('live', 'double', n))), [2, 4, 6])
  })

  it('receive copies of bytes, and hand over those of a result', async function () {
    const bytes = new Uint8Array([1, 2, 3])
    assert.strictEqual(await compute('live', 'sum', bytes), 6)
    assert.lengthOf(bytes, 3)
    const { body } = await compute('live', 'bytes', 5)
    assert.deepEqual([...body], [7, 7, 7, 7, 7])
  })

  it('keep their thread from one computation to the next, and answer after an error as before it', async function () {
    const thread = await compute('live', 'thread', null)
    assert.strictEqual((await rejection(compute('live', 'range', 'x'))).message, 'x')
    assert.strictEqual(await compute('live', 'thread', null), thread)
  })

  it("reject with the computation's own error, of its class and with its parts", async function () {
    const refused = await rejection(compute('live', 'refuse', 'not now'))
    assert.instanceOf(refused, ServiceError)
    const { message, code: errorCode, details, retryAfterSeconds, isForCallers } = refused
    assert.deepEqual(
      { message, errorCode, details, retryAfterSeconds, isForCallers },
      {
        message: 'not now',
        errorCode: 'unavailable',
        details: [{ path: 'x', message: 'not now' }],
        retryAfterSeconds: 3,
        isForCallers: true,
      },
    )
    assert.instanceOf(await rejection(compute('live', 'damaged', 'x')), UnstorableError)
    const range = await rejection(compute('live', 'range', 'too far'))
    assert.instanceOf(range, RangeError)
    assert.match(range.stack!, /computations\.ts/)
  })

  it('repeat by a new thread what a thread that ended had begun, and what waited for it', async function () {
    const before = await compute('live', 'thread', null)
    const answers = [compute('live', 'end', inFolder('ended')), compute('live', 'double', 4)]
    assert.deepEqual(await Promise.all(answers), ['answered', 8])
    assert.notStrictEqual(await compute('live', 'thread', null), before)
  })

  it('reject what ends its thread twice, and compute what comes after it', async function () {
    const answers = [rejection(compute('live', 'end', null)), compute('live', 'double', 5)]
    const [error, next] = await Promise.all(answers)
    assert.match((error as Error).message, /exited/)
    assert.notInstanceOf(error, ServiceError)
    assert.strictEqual(next, 10)
  })

  it('reject a result that can not be copied', async function () {
    assert.match((await rejection(compute('live', 'uncopied', null))).message, /^uncopied was not computed: /)
    assert.strictEqual(await compute('live', 'double', 6), 12)
  })

  it('repeat by a new thread what does not answer in time', async function () {
    const limited = open({ limitMs: 3_000 })
    assert.strictEqual(await limited.compute('live', 'hang', inFolder('hung')), 'answered')
  })

  it('answer live computations and those of callers while history is computed', async function () {
    const history = compute('history', 'sleep', 60_000)
    history.catch(() => {})
    assert.strictEqual(await compute('live', 'double', 1), 2)
    assert.strictEqual(await compute('caller', 'double', 2), 4)
  })

  it('do not begin what the caller has given up', async function () {
    const given = new AbortController()
    const sleeping = compute('caller', 'sleep', 200)
    const waiting = rejection(compute('caller', 'double', 1, given.signal))
    given.abort(new Error('gone'))
    assert.strictEqual((await waiting).message, 'gone')
    assert.strictEqual(await sleeping, 'timed-out')
  })

  it('end once idle, and start again for the next computation', async function () {
    const brief = open({ idleMs: { live: 50, history: 50, caller: 50 } })
    const first = await brief.compute('live', 'thread', null)
    await sleep(300)
    assert.notStrictEqual(await brief.compute('live', 'thread', null), first)
  })

  it('reject what they compute and what waits once closed, and begin nothing more', async function () {
    const closing = open()
    const pending = [closing.compute('live', 'sleep', 60_000), closing.compute('live', 'double', 1)].map(rejection)
    await closing.close()
    const late = rejection(closing.compute('history', 'double', 1))
    for (const error of await Promise.all([...pending, late])) {
      assert.propertyVal(error, 'code', 'unavailable')
      assert.match(error.message, /closed/)
    }
  })

  it('reject at once where no thread can be started', async function () {
    const broken = open({}, new URL('data:text/javascript,import "none-such"'))
    const error = await rejection(broken.compute('live', 'double', 1))
    assert.propertyVal(error, 'code', 'unavailable')
    assert.match(error.message, /none-such/)
  })
})
