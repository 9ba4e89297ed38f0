// Filings that arrive while history is being written: those of other issuers are shown meanwhile, those of the issuers
// that are being written right after.
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import type { DataSetContext } from '../../../src/application/data-sets/load-history.ts'
import { makeLoadQuarters } from '../../../src/application/data-sets/load-quarters.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { ClickHouseDataSetStore } from '../../../src/infrastructure/clickhouse/data-sets/data-set-store.ts'
import { dataSetOf } from '../../support/edgar/invented/data-set-files.ts'
import { loadSets } from '../../support/edgar/invented/in-data-set.ts'
import { filingOf } from '../../support/filings/filing-builder.ts'
import { testServices } from '../../support/service/service.ts'

/** Each issuer has an insider of its own: the sums of one insider are written by one piece of work at a time too. */
const parties = (number: number) => ({
  issuer: { cik: String(1999000 + number).padStart(10, '0') },
  owners: [{ cik: String(1999500 + number).padStart(10, '0'), isDirector: true }],
})
const accession = (kind: number, number: number) => `000199900${kind}-24-${String(number).padStart(6, '0')}`

describe('filings that arrive while history is written', function () {
  this.timeout(60_000)
  const fresh = testServices()

  it('are shown meanwhile, and after a range that has their issuer', async () => {
    const service = await fresh()
    const history = [1, 2, 3, 4].map((number) =>
      filingOf({ accession: accession(1, number), acceptedAt: '20240715163000', ...parties(number) }),
    )
    const stores = service.container.get(TYPES.dataSetContext)
    const [held, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const heldList = `c${parties(3).issuer.cik}`
    // Of the ranges, each of an issuer, one waits with its rows. The order in which they are written is open.
    const analytics = new Proxy(stores.analytics, {
      get: (target, name) =>
        name !== 'write'
          ? Reflect.get(target, name).bind(target)
          : async (...rows: Parameters<typeof target.write>) => {
              if (rows[0].lists.includes(heldList)) {
                reached.resolve()
                await held.promise
              }
              return target.write(...rows)
            },
    })
    const waiting: DataSetContext = {
      ...stores,
      analytics,
      history: new ClickHouseDataSetStore(service.store.forBulk, 1),
    }
    const loader = makeLoadQuarters(
      waiting,
      service.container.get(TYPES.dataSets),
      () => 0,
      () => service.project(),
    )
    const loading = loadSets(service, [['2024q3', dataSetOf(history)]], loader)
    await reached.promise
    const live = (number: number) =>
      service.record({ accession: accession(2, number), acceptedAt: '20240801120000', ...parties(number) })
    await live(9)
    const other = service.project()
    await other
    assert.include(await service.listed(), `${accession(2, 9)}-nd-1`)
    await live(3)
    const same = service.project()
    await sleep(300)
    assert.notInclude(await service.listed(), `${accession(2, 3)}-nd-1`)
    held.resolve()
    await Promise.all([loading, same])
    await service.detectSignals()
    const calm = await fresh()
    await loadSets(calm, [['2024q3', dataSetOf(history)]])
    for (const number of [9, 3])
      await calm.take({ accession: accession(2, number), acceptedAt: '20240801120000', ...parties(number) })
    await calm.detectSignals()
    assert.deepEqual(await service.dump(), await calm.dump())
  })
})
