// The HTTP layer over the engine at ENGINE, for the bench of exports: says its port, and on request its memory.
import type { AddressInfo } from 'node:net'
import { ChangeTracker } from '../../../src/application/changes/change-tracker.ts'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { ClickHouseQueries } from '../../../src/infrastructure/clickhouse/queries/queries.ts'
import { exampleQueries, startExampleService } from '../../support/http/example-service.ts'

const store = await ClickHouse.open({ path: process.env.ENGINE!, database: 'bench' })
const { feedExport } = new ClickHouseQueries(store, Date.now, { changes: new ChangeTracker(), isUpToDate: () => true })
const { port } = await startExampleService({
  queries: { ...exampleQueries, feedExport },
})
process.send!(port satisfies AddressInfo['port'])
process.on('message', () => {
  globalThis.gc?.()
  process.send!(process.memoryUsage().rss / 1_048_576)
})
process.on('disconnect', () => process.exit())
