// API keys and watchlists on a database of their own, and HTTP before them.
import { randomBytes } from 'node:crypto'
import type { Container } from 'inversify'
import type { ApiKeys, IssuedKey } from '../../../src/application/commands/api-keys.ts'
import type { KeyQueries } from '../../../src/application/queries/key-queries.ts'
import type { KeyVerifier } from '../../../src/application/commands/authenticate-key.ts'
import { makeAlertRules } from '../../../src/application/commands/alert-rules.ts'
import { makeWatchlist, type Watchlist } from '../../../src/application/commands/watchlist.ts'
import type { SendOnRequest } from '../../../src/application/commands/send-on-request.ts'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import type { HttpDependencies } from '../../../src/infrastructure/http/server.ts'
import { openPool, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import type { PostgresOperatorQueries } from '../../../src/infrastructure/postgres/queries/operator-queries.ts'
import { openAddressGuard } from '../../../src/infrastructure/webhooks/address-guard.ts'
import { exampleQueries, startExampleService, type ExampleService } from '../http/example-service.ts'
import { stores } from '../stores/stores.ts'

export interface KeyService {
  container: Container
  pool: Pool
  databaseUrl: string
  keys: ApiKeys
  operator: PostgresOperatorQueries
  verifier: KeyVerifier
  watchlist: Watchlist
  /** How often an operation of the watchlist was begun. */
  reached(): number
  issue(name?: string): Promise<IssuedKey>
  /** HTTP with these keys and watchlists. */
  listen(changes?: Partial<HttpDependencies>): Promise<ExampleService>
  close(): Promise<void>
}

/** `.inside.example` leads to a private address, `.unknown.example` to none, all other names to a public one. */
const lookup = async (host: string) => {
  if (host.endsWith('.unknown.example')) throw new Error('ENOTFOUND')
  return [host.endsWith('.inside.example') ? '10.0.0.7' : '93.184.216.34']
}

/** `clock` runs evenly unless a `monotonic` one is given beside it. */
export async function keyService(clock: () => number = Date.now, monotonic = clock): Promise<KeyService> {
  const { databaseUrl } = await stores()
  const pool = openPool({ url: databaseUrl, name: 'test', max: 8 })
  const container = createContainer({ pool, clock, monotonic, secretsKey: randomBytes(32) })
  const guard = openAddressGuard({ allowHttp: false, allowHosts: [], lookup })
  const kept = makeWatchlist(
    container.get(TYPES.watchlists),
    (text) => guard.checkAddress(guard.checkUrl(text)),
    exampleQueries,
  )
  const alertRules = makeAlertRules(
    container.get(TYPES.alertRuleStore),
    (text) => guard.checkAddress(guard.checkUrl(text)),
    container.get(TYPES.crypto),
  )
  const queries = container.get(TYPES.keyQueries)
  let reached = 0
  const keyQueries: KeyQueries = {
    watchlist: (...asked) => ((reached += 1), queries.watchlist(...asked)),
    alerts: (...asked) => ((reached += 1), queries.alerts(...asked)),
    alert: (...asked) => ((reached += 1), queries.alert(...asked)),
    deliveries: (...asked) => ((reached += 1), queries.deliveries(...asked)),
    delivery: (...asked) => ((reached += 1), queries.delivery(...asked)),
  }
  const watchlist: Watchlist = {
    add: (...asked) => ((reached += 1), kept.add(...asked)),
    remove: (...asked) => ((reached += 1), kept.remove(...asked)),
  }
  const sent = container.get(TYPES.sends)
  const sends: SendOnRequest = {
    resend: (...asked) => ((reached += 1), sent.resend(...asked)),
    test: (...asked) => ((reached += 1), sent.test(...asked)),
    testAlert: (...asked) => ((reached += 1), sent.testAlert(...asked)),
  }
  const [keys, verifier] = [container.get(TYPES.apiKeys), container.get(TYPES.keyVerifier)]
  return {
    container,
    pool,
    databaseUrl,
    keys,
    operator: container.get(TYPES.operatorQueries),
    verifier,
    watchlist,
    reached: () => reached,
    issue: (name = 'a test') => keys.issue(name, null),
    listen: (changes = {}) =>
      startExampleService({ keyQueries, watchlist, alertRules, sends, verifyKey: verifier.verify, ...changes }),
    close: () => pool.end(),
  }
}
