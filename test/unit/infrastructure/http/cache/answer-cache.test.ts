// The answers kept in memory: which are given again, what leaves when the memory is full, and their compressed
// variants.
import { gunzipSync } from 'node:zlib'
import { assert } from 'chai'
import { ChangeTracker } from '../../../../../src/application/changes/change-tracker.ts'
import type { Dependence } from '../../../../../src/application/changes/dependence.ts'
import { AnswerCache } from '../../../../../src/infrastructure/http/cache/answer-cache.ts'
import type { CachedAnswer } from '../../../../../src/infrastructure/http/cache/cached-answer.ts'
import { prepareAnswer, variantOf } from '../../../../../src/infrastructure/http/cache/prepared-answer.ts'

const answer = (bytes: number, dependence: Dependence = { parts: ['signals'] }, version = 0): CachedAnswer => ({
  operation: 'listFeed',
  plain: prepareAnswer({ bytes: Buffer.alloc(bytes, 'a'), etag: '"x"' }),
  gzip: undefined,
  path: '/v1/feed',
  query: undefined,
  dependence,
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

  it('gives an answer again until what it was made from changes', () => {
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

  it('ends an answer at the very millisecond from which time alone makes another', () => {
    cache.keep('/v1/feed/stats', answer(10, { parts: [], until: 2_000 }))

    now = 1_999
    assert.isDefined(cache.find('/v1/feed/stats'))

    now = 2_000
    assert.isUndefined(cache.find('/v1/feed/stats'))
  })

  it('neither gives nor keeps an answer that was made later than it is', () => {
    cache.keep('/v1/feed', answer(10))

    now = 999
    assert.isUndefined(cache.find('/v1/feed'))
    assert.isFalse(cache.keep('/v1/feed', answer(10)))

    now = 1_000
    assert.isUndefined(cache.find('/v1/feed'))
    assert.isTrue(cache.keep('/v1/feed', answer(10)))
  })

  it('neither gives nor keeps answers while changes of other processes may be unknown, and does so afterwards', () => {
    cache.keep('/v1/feed', answer(10))

    isUpToDate = false
    assert.isUndefined(cache.find('/v1/feed'))
    cache.keep('/v1/signals', answer(10))

    isUpToDate = true
    assert.isDefined(cache.find('/v1/feed'))
    assert.isUndefined(cache.find('/v1/signals'))
  })

  it('stays within its bytes, and lets go of what was used longest ago for what is asked for again', () => {
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

  it('packs what it has no room for, and gives it as it was, in both encodings, until its data changes', async () => {
    const text = (number: number) => Buffer.from(`{"number":${number},"rows":"${'ab'.repeat(4_000)}"}`)
    const kept = (number: number): CachedAnswer => ({
      ...answer(0, { parts: [`issuer:000000000${number}`] }),
      plain: prepareAnswer({ bytes: text(number), etag: `"${number}"` }, { headers: { 'X-Own': String(number) } }),
    })
    const targets = Array.from({ length: 10 }, (_, number) => `/v1/companies/${number}`)
    const zero = kept(0)
    cache.keep(targets[0]!, zero)
    const variant = await cache.compressed(targets[0]!, zero)
    for (const [number, target] of targets.entries()) if (number > 0) cache.keep(target, kept(number))

    assert.strictEqual(cache.size().answers, 10)
    assert.isBelow(cache.size().bytes, 10 * 8_000)
    changes.record({ parts: ['issuer:0000000001'], feed: [] })
    for (const [number, target] of targets.entries()) {
      const found = cache.find(target)
      if (number === 1) assert.isUndefined(found)
      else {
        assert.deepEqual(variantOf(found!.plain), { bytes: text(number), etag: `"${number}"` })
        assert.deepEqual(found!.plain.headers, { 'X-Own': String(number) })
        assert.deepEqual(found!.gzip && variantOf(found!.gzip), number === 0 ? variant! : undefined)
      }
    }
    assert.strictEqual(cache.size().answers, 9)
  })

  it('keeps an answer that is made again for its compressed variant, however full it is', async () => {
    for (let number = 0; number < 20; number += 1) cache.keep(`/v1/companies/${number}`, answer(8_000))
    const target = '/v1/companies/19'
    assert.isUndefined(cache.find(target)!.gzip)

    const again = answer(8_000)
    assert.isTrue(cache.keep(target, again))
    await cache.compressed(target, again)

    assert.isDefined(cache.find(target)!.gzip)
  })

  it('remembers of what it packs that it is too short to be compressed', async () => {
    const short = answer(10)
    cache.keep('/v1/short', short)
    assert.isNull(await cache.compressed('/v1/short', short))
    for (let number = 0; number < 20; number += 1) {
      cache.keep(`/v1/companies/${number}`, answer(8_000))
      cache.find(`/v1/companies/${number}`)
    }

    assert.isNull(cache.find('/v1/short')!.gzip)
  })

  it('packs no long answer', () => {
    for (let number = 0; number < 20; number += 1)
      for (let time = 0; time < 2; time += 1) cache.keep(`/v1/feed?cursor=${number}`, answer(30_000))

    assert.strictEqual(cache.size().answers, 2)
  })

  it('lets go of nothing for what is asked for once, such as the pages of a walk', () => {
    const companies = Array.from({ length: 10 }, (_, number) => `/v1/companies/${number}`)
    for (const target of companies) cache.keep(target, answer(4_000))

    for (let page = 0; page < 1_000; page += 1) cache.keep(`/v1/feed?cursor=${page}`, answer(30_000))
    assert.isFalse(cache.keep('/v1/feed?cursor=last', answer(30_000)))

    for (const target of companies) assert.isDefined(cache.find(target))
    assert.isAtMost(cache.size().bytes, 100_000)
  })

  it('keeps the next answer of a target whose answer was outdated, however full it is', () => {
    cache.keep('/v1/feed', answer(4_000))
    for (let page = 0; page < 100; page += 1) cache.keep(`/v1/feed?cursor=${page}`, answer(4_000, { parts: [] }))
    changes.record({ parts: ['signals'], feed: [] })
    assert.isUndefined(cache.find('/v1/feed'))
    cache.keep('/v1/feed?cursor=next', answer(4_000, { parts: [] }, changes.version()))

    cache.keep('/v1/feed', answer(4_000, { parts: ['signals'] }, changes.version()))

    assert.isDefined(cache.find('/v1/feed'))
  })

  it('compresses an answer once, with an ETag of its own, and counts the bytes', async () => {
    const kept = answer(5_000)
    cache.keep('/v1/feed', kept)
    const before = cache.size().bytes

    const [one, two] = await Promise.all([cache.compressed('/v1/feed', kept), cache.compressed('/v1/feed', kept)])

    assert.deepEqual(one, two)
    assert.strictEqual(one!.etag, '"x-g"')
    assert.deepEqual(gunzipSync(one!.bytes), variantOf(kept.plain).bytes)
    assert.strictEqual(cache.size().bytes, before + one!.bytes.length)
  })

  it('leaves short answers uncompressed', async () => {
    const kept = answer(1_023)
    cache.keep('/v1/feed', kept)

    assert.isNull(await cache.compressed('/v1/feed', kept))
  })
})
