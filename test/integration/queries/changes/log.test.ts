// The log of changes on a real PostgreSQL: numbered in the order of commits, read by other processes within moments,
// with no entry silently lost.
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { ChangeTracker, type Extent } from '../../../../src/application/changes/change-tracker.ts'
import { publishChanges } from '../../../../src/application/changes/publish-changes.ts'
import { ChangeFollower } from '../../../../src/infrastructure/postgres/changes/change-follower.ts'
import { PostgresChangeLog } from '../../../../src/infrastructure/postgres/changes/change-log.ts'
import { tryAcquire } from '../../../../src/infrastructure/postgres/coordination/leader-lock.ts'
import { rows } from '../../../../src/infrastructure/postgres/pool.ts'
import { startProxy, through, type Proxy } from '../../../support/stores/proxy.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

const ISSUER = '0009900001'

describe('the log of changes', function () {
  this.timeout(60_000)
  let service: TestService
  let proxy: Proxy
  let changes: ChangeTracker
  let follower: ChangeFollower
  let proxied: string
  const follow = () => {
    follower = new ChangeFollower({ databaseUrl: proxied, changes, onError: () => {} })
    return until(() => follower.isUpToDate())
  }
  /** The right to write, known to a follower, which drops everything when it notices another writer. */
  const noticedLock = async () => {
    const lock = await tryAcquire(service.databaseUrl)
    await follower.close()
    await follow()
    return lock!
  }
  before(async () => {
    service = await testService()
  })
  after(() => service.close())
  beforeEach(async () => {
    proxy = await startProxy(service.databaseUrl)
    changes = new ChangeTracker()
    proxied = through(service.databaseUrl, proxy)
    await follow()
  })
  afterEach(async () => {
    await follower.close()
    await proxy.close()
  })

  it('names what a projected filing and its signals touched', async () => {
    const lock = await noticedLock()
    const since = changes.version()

    await service.take({ accession: '0001999001-25-000001', issuer: { cik: ISSUER } })
    await service.detectSignals()

    await until(() => !changes.isCurrent({ parts: [`issuer:${ISSUER}`] }, since))
    assert.isFalse(changes.isCurrent({ parts: [], feed: { from: 0, to: Number.POSITIVE_INFINITY } }, since))
    assert.isTrue(changes.isCurrent({ parts: ['issuer:0009900002'] }, since))
    await lock.release()
  })

  it('has numbers without gaps in the order of commits, with concurrent writers', async () => {
    const log = new PostgresChangeLog(service.pool)
    const [{ last }] = await position()
    await Promise.all(Array.from({ length: 40 }, () => log.append('everything')))

    const found = await rows<{ seq: number }>(service.pool, 'SELECT seq FROM changes WHERE seq > $1 ORDER BY seq', [
      last,
    ])
    assert.deepEqual(
      found.map(({ seq }) => seq),
      Array.from({ length: 40 }, (_, index) => last + index + 1),
    )
  })

  it('names a change of what filings say, which leaves the company list as it was', async () => {
    const lock = await noticedLock()
    const since = changes.version()

    await new PostgresChangeLog(service.pool).append('filings')

    await until(() => !changes.isCurrent({ parts: [] }, since))
    assert.isTrue(changes.areListsCurrent(since))
    await new PostgresChangeLog(service.pool).append('everything')
    await until(() => !changes.areListsCurrent(since))
    await lock.release()
  })

  it('is read again after the connection was cut, without missing entries', async () => {
    const since = changes.version()
    proxy.cut()
    await new PostgresChangeLog(service.pool).append('everything')

    await until(() => follower.isUpToDate() && !changes.isCurrent({ parts: [] }, since))
  })

  it('is known up to a position once that was awaited, with a time limit', async () => {
    const lock = await noticedLock()
    for (let isKnown = false; !isKnown;) {
      const since = changes.version()
      const begun = performance.now()
      await new PostgresChangeLog(service.pool).append('everything')
      const [{ last }] = await position()
      await follower.reached(last)
      isKnown = !changes.isCurrent({ parts: [] }, since)
      // It gives up on a machine that stands still for long.
      if (!isKnown) assert.isAbove(performance.now() - begun, 300)
    }
    await lock.release()
    await proxy.set('hang')
    await new PostgresChangeLog(service.pool).append('everything')
    await follower.reached((await position())[0].last)
    assert.isFalse(follower.isUpToDate())
    await proxy.set('pass')
  })

  it('counts as unknown within a second of silence', async () => {
    await proxy.set('hang')
    const begun = performance.now()

    await until(() => !follower.isUpToDate())

    assert.isBelow(performance.now() - begun, 20_000)
    await proxy.set('pass')
    await until(() => follower.isUpToDate())
  })

  it('counts as changed while no process holds the lock, and when another one takes it', async () => {
    const unkept = changes.version()
    await until(() => !changes.isCurrent({ parts: [] }, unkept))

    const lock = await noticedLock()
    const since = changes.version()
    await sleep(600)
    assert.isTrue(changes.isCurrent({ parts: [] }, since))
    await lock.release()
    const other = await tryAcquire(service.databaseUrl)
    await until(() => !changes.isCurrent({ parts: [] }, since))
    await other!.release()
  })

  it('is taken over with a jump, which counts as a change of everything', async () => {
    const [{ last }] = await position()
    const since = changes.version()

    await new PostgresChangeLog(service.pool).takeOver()

    assert.strictEqual((await position())[0].last, last + 2 ** 20)
    await until(() => !changes.isCurrent({ parts: [] }, since))
  })

  it('merges several changes of large extent into the largest, and retries after a failure', async () => {
    const log = new PostgresChangeLog(service.pool)
    const [{ last }] = await position()
    const appended: Extent[] = []
    let failures = 1
    const own = new ChangeTracker()
    const publishing = publishChanges(
      own,
      {
        append: async (extent) => {
          if (failures-- > 0) throw new Error('away')
          appended.push(extent)
          await log.append(extent)
        },
      },
      { wait: () => sleep(10), failed: () => {}, signal: new AbortController().signal },
    )

    for (let number = 0; number < 50; number += 1) own.recordExtent(number === 25 ? 'everything' : 'filings')
    await publishing.settled()
    own.recordExtent('filings')
    await publishing.settled()

    assert.deepEqual(appended, ['everything', 'filings'])
    assert.strictEqual((await position())[0].last, last + 2)
  })

  it("is given up if it can't be written when the process ends", async () => {
    const end = new AbortController()
    let attempts = 0
    const own = new ChangeTracker()
    const log = { append: () => Promise.reject(new Error(`away, attempt ${(attempts += 1)}`)) }
    const wait = async (_: number, signal?: AbortSignal) => {
      if (!signal?.aborted) await sleep(5)
    }
    const publishing = publishChanges(own, log, { wait, failed: () => {}, signal: end.signal })

    own.recordExtent('everything')
    while (attempts < 3) await sleep(5)
    end.abort()
    await publishing.settled()

    const made = attempts
    await sleep(50)
    assert.strictEqual(attempts, made)
  })

  it('is pruned, and a reader that was away longer starts again', async () => {
    await rows(service.pool, `UPDATE changes SET at = now() - interval '8 days'`)
    await new PostgresChangeLog(service.pool).prune(7)

    assert.lengthOf(await rows(service.pool, 'SELECT FROM changes'), 0)
    const [{ last, pruned }] = await position()
    assert.isAtLeast(pruned, last - 2 ** 20)
  })

  const position = () =>
    rows<{ last: number; pruned: number }>(
      service.pool,
      'SELECT last, pruned_to AS pruned FROM change_position',
    ) as Promise<[{ last: number; pruned: number }]>
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5)
}
