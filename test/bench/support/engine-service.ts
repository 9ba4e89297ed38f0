// The product's service, whole, in a process that also measures statements of the engine under it, by a session of its
// own, through the same client. Forked by benches with DATA_DIR and PORT; answers each message, a statement, with the
// milliseconds it took.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { configFromEnvironment } from '../../../src/config.ts'
import { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { Sql } from '../../../src/infrastructure/clickhouse/connection/sql.ts'
import { addressOf } from '../../../src/service/service-record.ts'
import { ROLES, runService } from '../../../src/service/start-service.ts'

const config = configFromEnvironment()
const running = runService(config, new Set(ROLES), () => {}).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`)
  process.exit(1)
})
const address = addressOf(config.host, config.port)
while (!(await fetch(`${address}/readyz`).catch(() => null))?.ok) await sleep(50)

const engine = await ClickHouse.open({ path: join(config.dataDir, 'clickhouse'), database: 'insider' })
process.on('message', (statement: string) => {
  const begun = performance.now()
  void engine.forCallers.rows(new Sql(statement)).then(() => process.send!(performance.now() - begun))
})
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.send!(address)
await running
await engine.close()
process.exit()
