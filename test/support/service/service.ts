// The service's inside on real stores, a database of its own in each: what tests of recording, projecting and asking
// need.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Container } from 'inversify'
import type { Queries } from '../../../src/application/queries/queries.ts'
import type { RecordedDocument } from '../../../src/application/commands/record-filings.ts'
import type { LoopReport } from '../../../src/application/projection/projection-loop.ts'
import { createContainer } from '../../../src/container/container.ts'
import { TYPES } from '../../../src/container/tokens.ts'
import { openPool, type Pool } from '../../../src/infrastructure/postgres/pool.ts'
import type { SignalRules } from '../../../src/domain/signals/rule-thresholds.ts'
import type { ClickHouse } from '../../../src/infrastructure/clickhouse/connection/client.ts'
import { freshClickHouse } from '../stores/clickhouse.ts'
import { parsed, type ParsedQueries } from './parsed-queries.ts'
import { dumpOf } from '../stores/dump.ts'
import { submissionText, type FilingSpec } from '../filings/filing-builder.ts'
import { compute } from '../workers/shared-workers.ts'
import { stores } from '../stores/stores.ts'

export interface TestService {
  container: Container
  databaseUrl: string
  pool: Pool
  store: ClickHouse
  queries: ParsedQueries
  /** As the service asks them. */
  textQueries: Queries
  /** Records texts under the given paths and projects them. */
  take(...documents: (FilingSpec | { path: string; text: string })[]): Promise<RecordedDocument[]>
  record(...documents: (FilingSpec | { path: string; text: string })[]): Promise<RecordedDocument[]>
  project(): Promise<number>
  /** Detects the signals of all issuers that wait. */
  detectSignals(): Promise<void>
  /** Links the notices of all issuers that wait. */
  linkNotices(): Promise<void>
  /** All listed ids, newest first. */
  listed(): Promise<string[]>
  /** Every row of every table, versions left out: equal for equal content. */
  dump(): Promise<Record<string, string[]>>
  close(): Promise<void>
}

/** On the run's own ClickHouse where no other server's address is given. */
export async function testService(
  clock: () => number = Date.now,
  rules?: SignalRules,
  clickHouseUrl?: string,
): Promise<TestService> {
  const { databaseUrl } = await stores()
  const pool = openPool({ url: databaseUrl, name: 'test', max: 4 })
  const clickHouse = await freshClickHouse(clickHouseUrl)
  const { store, options } = clickHouse
  const historyDir = mkdtempSync(join(tmpdir(), 'test-history-'))
  const container = createContainer({
    pool,
    clock,
    compute,
    analytics: { ...options, clickHouse: store, historyDir, ...(rules && { rules }) },
  })
  const textQueries = container.get(TYPES.queries)
  const queries = parsed(textQueries)
  const service: TestService = {
    container,
    databaseUrl,
    pool,
    store,
    queries,
    textQueries,
    record: (...documents) => container.get(TYPES.recordFilings)(documents.map(toSource)),
    project: () => container.get(TYPES.projector).projectPending(),
    detectSignals: async () => {
      const failed = (_: string, error: unknown) => {
        throw error
      }
      while ((await container.get(TYPES.detectSignals).pending(failed)) > 0) {
        /* all that wait */
      }
    },
    linkNotices: async () => {
      const failed = (_: string, error: unknown) => {
        throw error
      }
      while ((await container.get(TYPES.projectNotices).pending(failed)) > 0) {
        /* all that wait */
      }
    },
    take: async (...documents) => {
      const recorded = await service.record(...documents)
      await service.project()
      return recorded
    },
    listed: () => allPages(queries),
    dump: () => dumpOf(store),
    close: async () => {
      await clickHouse.close()
      await pool.end()
      rmSync(historyDir, { recursive: true, force: true })
    },
  }
  return service
}

/** To be called inside a `describe`: returns what makes services for its tests, which are closed after each. */
export function testServices(): typeof testService {
  const made: TestService[] = []
  afterEach(async () => {
    for (const service of made.splice(0)) await service.close()
  })
  return async (...given) => {
    const service = await testService(...given)
    made.push(service)
    return service
  }
}

/** Receives what the loop of projection reports; throws errors. */
export const loopReport = (change: Partial<LoopReport> = {}): LoopReport => ({
  projected: () => {},
  filling: () => {},
  job: () => {},
  failed: (_, error) => {
    throw error
  },
  ...change,
})

/** Runs the loop of projection once: queued jobs, then all that is recorded. */
export async function runTurn({ container }: TestService): Promise<void> {
  const stop = new AbortController()
  await container.get(TYPES.projectionLoop).run(stop.signal, async () => stop.abort(), loopReport())
}

function toSource(document: FilingSpec | { path: string; text: string }) {
  if ('text' in document) return { path: document.path, bytes: Buffer.from(document.text) }
  return { path: `${document.accession ?? 'filing'}.txt`, bytes: Buffer.from(submissionText(document)) }
}

async function allPages(queries: ParsedQueries): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined; ;) {
    const page = await queries.feed({ limit: 100, ...(cursor && { cursor }) })
    ids.push(...page.transactions.map((transaction) => transaction.id))
    if (!page.hasMore) return ids
    cursor = page.nextCursor
  }
}
