// The cache of answers: which it returns again, what it drops when memory is full, and compressed variants.
import { gunzipSync } from 'node:zlib'
import { assert } from 'chai'
import { ChangeTracker } from '../../../../../src/application/changes/change-tracker.ts'
import type { DataDependencies } from '../../../../../src/application/changes/data-dependencies.ts'
import { AnswerCache, type CachedAnswer } from '../../../../../src/infrastructure/http/cache/answer-cache.ts'

const answer = (bytes: number, dependencies: DataDependencies = { parts: ['signals'] }, version = 0): CachedAnswer => ({
  operation: { id: 'listFeed', query: new Map(), takesBody: false },
  content: { type: 'application/json', bytes: Buffer.alloc(bytes, 'a'), etag: '"x"' },
  gzip: undefined,
  query: undefined,
  dependencies,
  madeAt: 1_000,
  version,
})

describe('the answer cache', () => {
  let now = 1_000
  let isUpToDate = true
  let changes: ChangeTracker
  let cache: AnswerCache
  beforeEach(() => {
    now = 1_000
    isUpToDate = true
    changes = new ChangeTracker()
    cache = new AnswerCache({ maxBytes: 100_000, changes, clock: () => now, isUpToDate: () => isUpToDate })
  })

  it('returns an answer until its data changes', () => {
    cache.keep('/v1/feed', answer(10))
    assert.isDefined(cache.find('/v1/feed'))

    changes.record({ parts: ['symbol:EXMP'], feed: [] })
    assert.isDefined(cache.find('/v1/feed'))

    changes.record({ parts: ['signals'], feed: [] })
    assert.isUndefined(cache.find('/v1/feed'))
    assert.strictEqual(cache.size().answers, 0)
  })

  it('does not keep an answer whose data changed while it was being made', () => {
    const version = changes.version()
    changes.record({ parts: ['signals'], feed: [] })

    cache.keep('/v1/feed', answer(10, { parts: ['signals'] }, version))

    assert.isUndefined(cache.find('/v1/feed'))
  })

  it('expires an answer at the exact millisecond of its `until`', () => {
    cache.keep('/v1/feed/stats', answer(10, { parts: [], until: 2_000 }))

    now = 1_999
    assert.isDefined(cache.find('/v1/feed/stats'))

    now = 2_000
    assert.isUndefined(cache.find('/v1/feed/stats'))
  })

  it('neither returns nor keeps an answer from the future', () => {
    cache.keep('/v1/feed', answer(10))

    now = 999
    assert.isUndefined(cache.find('/v1/feed'))
    assert.isFalse(cache.keep('/v1/feed', answer(10)))

    now = 1_000
    assert.isUndefined(cache.find('/v1/feed'))
    assert.isTrue(cache.keep('/v1/feed', answer(10)))
  })

  it('neither returns nor keeps answers while changes of others may be unknown, but does so afterwards', () => {
    cache.keep('/v1/feed', answer(10))

    isUpToDate = false
    assert.isUndefined(cache.find('/v1/feed'))
    cache.keep('/v1/signals', answer(10))

    isUpToDate = true
    assert.isDefined(cache.find('/v1/feed'))
    assert.isUndefined(cache.find('/v1/signals'))
  })

  it('stays within its memory limit, and drops the least recently used answers', () => {
    for (let number = 0; number < 100; number += 1) {
      cache.keep(`/v1/companies/${number}`, answer(4_000))
      cache.find(`/v1/companies/${number}`)
      cache.find('/v1/companies/0')
    }

    assert.isAtMost(cache.size().bytes, 100_000)
    assert.isAtLeast(cache.size().answers, 10)
    assert.isDefined(cache.find('/v1/companies/0'))
    assert.isUndefined(cache.find('/v1/companies/1'))
    assert.isDefined(cache.find('/v1/companies/99'))
  })

  it('compresses an answer once, with an ETag of its own, and counts the bytes', async () => {
    const kept = answer(5_000)
    cache.keep('/v1/feed', kept)
    const before = cache.size().bytes

    const [one, two] = await Promise.all([cache.compressed('/v1/feed', kept), cache.compressed('/v1/feed', kept)])

    assert.strictEqual(one, two)
    assert.strictEqual(await cache.compressed('/v1/feed', kept), one)
    assert.strictEqual(one!.etag, '"x-g"')
    assert.deepEqual(gunzipSync(one!.bytes), kept.content.bytes)
    assert.strictEqual(cache.size().bytes, before + one!.bytes.length)
    assert.deepEqual(cache.find('/v1/feed')!.gzip!.bytes, one!.bytes)
  })

  it('makes room for the compressed variant by dropping the least recently used answers', async () => {
    for (let number = 0; number < 20; number += 1) cache.keep(`/v1/companies/${number}`, answer(8_000))
    const newest = cache.find('/v1/companies/19')!

    await cache.compressed('/v1/companies/19', newest)

    assert.isOk(cache.find('/v1/companies/19')!.gzip)
    assert.isAtMost(cache.size().bytes, 100_000)
  })

  it('returns no compressed variant of an outdated answer', async () => {
    const kept = answer(5_000)
    cache.keep('/v1/feed', kept)
    const compressing = cache.compressed('/v1/feed', kept)
    changes.record({ parts: ['signals'], feed: [] })

    await compressing

    assert.isUndefined(cache.find('/v1/feed'))
  })

  it('keeps no answer that is larger than the cache', () => {
    assert.isFalse(cache.keep('/v1/feed', answer(200_000)))
    assert.strictEqual(cache.size().answers, 0)
  })

  it('leaves short answers uncompressed', async () => {
    const kept = answer(1_023)
    cache.keep('/v1/feed', kept)

    assert.isNull(await cache.compressed('/v1/feed', kept))
  })
})
