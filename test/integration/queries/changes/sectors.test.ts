// Changes by the present sector of their companies, over real stores: pages and streams equal a predicate over all
// changes, also for first-time filers and companies whose sector changes meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { changePasses, type ChangeFacts } from '../../../../src/application/changes/change-facts.ts'
import { ChangeStreams } from '../../../../src/application/changes/change-streams.ts'
import { ServiceError } from '../../../../src/application/errors.ts'
import type { ChangeFilter, ChangeType } from '../../../../src/application/queries/change-queries.ts'
import type { Queries } from '../../../../src/application/queries/queries.ts'
import { TYPES } from '../../../../src/container/tokens.ts'
import type { Sector } from '../../../../src/domain/filings/sector.ts'
import { CHANGES_CHANNEL } from '../../../../src/infrastructure/postgres/changes/log-statement.ts'
import { PostgresLogReader } from '../../../../src/infrastructure/postgres/changes/log-reader.ts'
import { listenFor } from '../../../../src/infrastructure/postgres/coordination/notifications.ts'
import { listChanges } from '../../../../src/infrastructure/postgres/queries/list-changes.ts'
import { rows } from '../../../../src/infrastructure/postgres/pool.ts'
import { EventReader } from '../../../support/http/event-source.ts'
import { startExampleService } from '../../../support/http/example-service.ts'
import { testService, type TestService } from '../../../support/service/service.ts'

const SIC: Partial<Record<Sector, string>> = {
  Energy: 'CRUDE PETROLEUM & NATURAL GAS [1311]',
  Technology: 'SEMICONDUCTORS & RELATED DEVICES [3674]',
}
const KINDS = ['Energy', 'Technology', 'Unknown'] as const satisfies Sector[]
const issuer = (number: number) => String(1_999_000 + number).padStart(10, '0')

describe('changes by sector', function () {
  this.timeout(60_000)
  let service: TestService
  let filings = 0
  const ends: (() => Promise<unknown>)[] = []
  beforeEach(async () => {
    service = await testService()
    filings = 0
  })
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
    await service.close()
  })

  const file = async (number: number, sector: Sector) => {
    filings += 1
    await service.take({
      accession: `0001999001-25-${String(filings).padStart(6, '0')}`,
      acceptedAt: new Date(Date.now() - 86_400_000 + filings * 60_000).toISOString().replace(/\D/g, '').slice(0, 14),
      sic: SIC[sector] ?? null,
      office: null,
      issuer: { cik: issuer(number), name: `Example ${number} Inc`, tickerRaw: `EX${number}` },
    })
  }
  const report = async (type: ChangeType, issuerCiks: string[] | null) => {
    const log = service.container.get(TYPES.changeLog)
    await log.recordPending([{ id: null, type, issuerCiks, data: '{}' }])
    await log.flushPending(true)
  }
  const ask = async (more: ChangeFilter & { after?: number | 'earliest'; limit?: number }) =>
    (await service.container.get(TYPES.changeQueries).changes({ limit: 1_000, ...more })).value
  const now = async () => Number((await ask({})).nextCursor)
  const walk = async (after: number, limit: number, filter: ChangeFilter, isOver: () => boolean = () => true) => {
    const found: string[] = []
    for (let position = after; ;) {
      const wasOver = isOver()
      const page = await ask({ ...filter, after: position, limit })
      found.push(...page.changes.map(({ cursor }) => cursor))
      position = Number(page.nextCursor)
      if (!page.hasMore && wasOver) return found
    }
  }
  /** Begins a service with streams; its queries are the real ones, but for what is given. */
  const start = async (queries: Pick<Queries, 'sectors'> = service.textQueries) => {
    const reader = new PostgresLogReader(service.pool)
    const streams = new ChangeStreams({ reader, queries, monotonic: () => performance.now(), random: Math.random })
    const stop = new AbortController()
    const wakeUps = listenFor(service.databaseUrl, CHANGES_CHANNEL, () => {})
    const running = streams.run(
      () => wakeUps.next(50, stop.signal),
      () => {},
      stop.signal,
    )
    const http = await startExampleService({ streams, changeQueries: service.container.get(TYPES.changeQueries) })
    ends.push(async () => {
      await http.close()
      stop.abort()
      await Promise.all([running, wakeUps.close()])
    })
    while ((await fetch(`${http.url}/v1/stream`, { method: 'HEAD' })).status === 503) await sleep(5)
    return {
      url: http.url,
      read: async (query: string, lastId = '') => {
        const stream = new EventReader(`${http.url}/v1/stream${query}`, lastId)
        ends.push(() => stream.close())
        await stream.until((events) => events.length > 0)
        return stream
      },
    }
  }
  const received = ({ events }: EventReader) => events.filter(({ type }) => type !== 'ready').map(({ id }) => id)

  interface Stored {
    seq: number
    type: ChangeType
    issuerCiks: string[] | null
    facts: ChangeFacts | null
  }
  /** What the predicate lets pass of all that is stored. */
  const passing = async (after: number, filter: ChangeFilter) => {
    const all = await rows<Stored>(
      service.pool,
      `SELECT seq, type, issuer_ciks AS "issuerCiks", facts
       FROM changes WHERE seq > $1 AND type IS NOT NULL ORDER BY seq`,
      [after],
    )
    const sectorOf = await service.textQueries.sectors()
    const found = all.filter((change) => changePasses(filter, change, sectorOf)).map(({ seq }) => String(seq))
    return { found, all: all.length }
  }

  it('equal those that pass a predicate, with pages of any size', async () => {
    const after = await now()
    for (let number = 0; number < 9; number += 1) await file(number, KINDS[number % 3]!)
    await report('dataset.changed', null)
    await report('dataset.changed', [issuer(1), issuer(2)])
    await report('dataset.changed', [issuer(2)])
    await report('signal.changed', [issuer(0)])

    for (const filter of [
      { sectors: ['Energy'] },
      { sectors: ['Unknown'] },
      { sectors: ['Technology', 'Unknown'] },
      { sectors: ['Utilities'] },
      { sectors: ['Energy'], issuers: [issuer(0), issuer(1)] },
      { sectors: ['Energy'], issuers: [issuer(1)] },
      { sectors: ['Technology'], types: ['dataset.changed'] },
      { sectors: ['Energy'], insiders: ['0001999101'], transactions: { types: ['buy', 'sell', 'award', 'other'] } },
    ] as ChangeFilter[]) {
      const { found, all } = await passing(after, filter)
      assert.isBelow(found.length, all)
      for (const limit of [1, 4, 1_000]) {
        assert.deepEqual(await walk(after, limit, filter), found, `${JSON.stringify(filter)} by ${limit}`)
      }
    }
    assert.deepEqual(await walk(after, 10, { sectors: [...KINDS] }), await walk(after, 10, {}))
  })

  it('miss no company that files for the first time, by pages and by a stream', async () => {
    const http = await start()
    const after = await now()
    const stream = await http.read('?sectors=energy,unknown')
    const filter: ChangeFilter = { sectors: ['Energy', 'Unknown'] }
    let isOver = false
    const walked = [1, 3].map((limit) => walk(after, limit, filter, () => isOver))
    for (let number = 100; number < 124; number += 1) await file(number, KINDS[number % 3]!)
    await report('dataset.changed', null)
    isOver = true

    const { found } = await passing(after, filter)
    assert.isAtLeast(found.length, 17)
    for (const cursors of walked) assert.deepEqual(await cursors, found)
    await stream.until(() => received(stream).at(-1) === found.at(-1))
    assert.deepEqual(received(stream), found)
  })

  it('miss none that files just when sectors are read', async () => {
    let number = 200
    const sectors = async () => {
      const sectorOf = await service.textQueries.sectors()
      if (number < 204) await file((number += 1), 'Energy')
      return sectorOf
    }
    const changes = listChanges(service.pool, { sectors })
    const found: string[] = []
    for (let after = await now(), round = 0; round < 6; round += 1) {
      const { value } = await changes({ after, limit: 10, sectors: ['Energy'] })
      found.push(...value.changes.flatMap(({ data }) => ('issuerCik' in data ? [data.issuerCik] : [])))
      after = Number(value.nextCursor)
    }
    assert.deepEqual(found, [201, 202, 203, 204].map(issuer))
  })

  it('follow a company into another sector, also in streams that are open', async () => {
    const http = await start()
    const after = await now()
    const [energy, technology] = [await http.read('?sectors=Energy'), await http.read('?sectors=Technology')]
    await file(1, 'Technology')
    await file(1, 'Technology')
    await file(1, 'Energy')
    await file(1, 'Energy')
    await report('dataset.changed', null)
    const positions = (await ask({ after })).changes.map(({ cursor }) => cursor)
    const last = positions.at(-1)!
    await energy.until(() => received(energy).at(-1) === last)
    await technology.until(() => received(technology).at(-1) === last)

    assert.isEmpty(received(energy).filter((id) => id !== last && received(technology).includes(id)))
    assert.deepEqual([...new Set([...received(technology), ...received(energy)])].toSorted(), positions.toSorted())
    // A later request gets all of it by what the company is now.
    assert.deepEqual(await walk(after, 10, { sectors: ['Energy'] }), positions)
    assert.deepEqual(await walk(after, 10, { sectors: ['Technology'] }), [last])
    const resumed = await http.read(`?sectors=Energy&after=${after}`)
    await resumed.until(() => received(resumed).at(-1) === last)
    assert.deepEqual(received(resumed), positions)
  })

  it("end a stream if sectors can't be read, open none, and continue the others", async () => {
    let isAway = false
    const http = await start({
      sectors: async () => {
        if (isAway) throw new ServiceError('unavailable', 'ClickHouse can not be reached')
        return service.textQueries.sectors()
      },
    })
    const [all, asking] = [await http.read(''), await http.read('?sectors=Energy')]
    isAway = true
    await report('signal.changed', [issuer(1)])
    await all.until(() => received(all).length === 1)
    const refused = await fetch(`${http.url}/v1/stream?sectors=Energy`)
    assert.deepEqual([refused.status, ((await refused.json()) as any).error.code], [503, 'unavailable'])
    await asking.until(() => asking.statuses.length === 2)
    assert.deepEqual(asking.statuses, [200, 503])
    isAway = false
    await report('dataset.changed', null)
    await all.until(() => received(all).length === 2)
    const resumed = await http.read('?sectors=Energy', asking.lastId)
    await resumed.until(() => received(resumed).length === 1)
    assert.deepEqual(received(resumed), received(all).slice(1))
  })
})
