// The product's HTTP layer alone, with answers that are ready in place of stores: forked by benches with OPERATIONS,
// how many the contract has (0: the product's own), CACHE_MEMORY, and UNLIMITED=1, by which requests are not counted.
// With DATABASE_URL it serves the log of changes there, and sends the position and the time when a change was handed to
// the socket of the last of all open streams. Sends its port when it listens; answers any message with its resident
// memory in MiB.
import type { AddressInfo } from 'node:net'
import { ChangeStreams } from '../../../src/application/changes/change-streams.ts'
import { ChangeTracker } from '../../../src/application/changes/change-tracker.ts'
import { madeFrom } from '../../../src/application/changes/dependence.ts'
import { AnswerCache } from '../../../src/infrastructure/http/cache/answer-cache.ts'
import { loadDocument, type ApiDocument } from '../../../src/infrastructure/http/openapi/document.ts'
import { loadContract } from '../../../src/infrastructure/http/app.ts'
import { createHttpServer } from '../../../src/infrastructure/http/server.ts'
import { CHANGES_CHANNEL } from '../../../src/infrastructure/postgres/changes/log-statement.ts'
import { PostgresLogReader } from '../../../src/infrastructure/postgres/changes/log-reader.ts'
import { listenFor } from '../../../src/infrastructure/postgres/coordination/notifications.ts'
import { openPool } from '../../../src/infrastructure/postgres/pool.ts'
import { listChanges } from '../../../src/infrastructure/postgres/queries/list-changes.ts'
import { openLog } from '../../../src/service/logger.ts'
import { DEFAULT_RULES } from '../../../src/domain/signals/rule-thresholds.ts'
import { JsonText } from '../../../src/application/queries/json-text.ts'
import { jsonText } from '../../support/service/parsed-queries.ts'
import {
  example,
  exampleChanges,
  exampleSends,
  exampleStatus,
  exampleStreams,
  exampleKeyQueries,
  exampleExports,
  exampleQueries,
  exampleWatchlist,
} from '../../support/http/example-service.ts'

const OPERATIONS = Number(process.env.OPERATIONS ?? 0)
const CACHE_MEMORY = Number(process.env.CACHE_MEMORY ?? 0)
const { DATABASE_URL, EXPORT_FILE } = process.env

/** Gives one file under every name. */
const servedFile = (path: string) => async () => ({
  ...{ path, revision: '9f86d081884c7d65', changedAt: new Date(0), isPinned: false },
})

/** Copies come first, under a path of their own, so that routing passes them on its way. */
function contractOf(operations: number): ApiDocument {
  const { json, paths } = loadDocument()
  const base = paths.filter(({ template }) => template.startsWith('/v1/') || template === '/healthz')
  let count = base.reduce((sum, path) => sum + path.operations.size, 0)
  const copies: typeof paths = []
  for (let round = 1; count < operations; round += 1) {
    for (const path of base) {
      if (count >= operations) break
      const template = `/copy${round}${path.template}`
      json.paths[template] = structuredClone(json.paths[path.template])
      copies.push({ ...path, template })
      count += path.operations.size
    }
  }
  return { json, paths: [...copies, ...base] }
}

const document = OPERATIONS === 0 ? loadDocument() : contractOf(OPERATIONS)
const [feed, company, insider, signals] = ['feed-page', 'company', 'insider', 'signal-page'].map(
  (name) => example(name).data,
)
// Kept where there is a cache; without the dependence none would be.
const ready = (data: object) => {
  const { text } = jsonText(data)
  return async () => {
    const answer = new JsonText<any>(text)
    return CACHE_MEMORY > 0 ? madeFrom(answer, { parts: ['signals'] }) : answer
  }
}
const pages = { feed: ready(feed), signals: ready(signals) }
const changes = new ChangeTracker()
const log = DATABASE_URL === undefined ? null : servedLog(DATABASE_URL)
const { server } = createHttpServer({
  contract: loadContract(document),
  exportQueries: EXPORT_FILE === undefined ? exampleExports : { ...exampleExports, file: servedFile(EXPORT_FILE) },
  queries: {
    ...exampleQueries,
    feed: async () => ({ page: await pages.feed(), unknown: [] }),
    company: ready(company),
    insider: ready(insider),
    signals: async () => ({ page: await pages.signals(), unknown: [] }),
  },
  rules: DEFAULT_RULES,
  changeQueries: log?.changeQueries ?? exampleChanges,
  streams: log?.streams ?? exampleStreams,
  statusQueries: exampleStatus,
  version: '0.1.0',
  streamLimits: { streams: 10_000, perCaller: 10_000 },
  keyQueries: exampleKeyQueries,
  watchlist: exampleWatchlist,
  sends: exampleSends,
  verifyKey: async () => 'nobody',
  health: { ready: async () => ({ checks: {} }) },
  log: openLog('info'),

  ...(process.env.UNLIMITED !== '1' && { rateLimit: { requests: 100_000_000, seconds: 60 } }),
  trustProxy: 1,
  ...(CACHE_MEMORY > 0 && { cache: new AnswerCache({ maxBytes: CACHE_MEMORY, changes, clock: Date.now }) }),
})
server.listen(0, '127.0.0.1', () => {
  const operations = document.paths.reduce((sum, path) => sum + path.operations.size, 0)
  process.send!({ port: (server.address() as AddressInfo).port, operations })
})
process.on('message', () => {
  // Garbage is no answer to how much is kept, nor are the empty pages that V8 holds for later, some 250 MB under load,
  // which only this kind of collection returns to the system.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  process.send!({ rssMiB: process.memoryUsage().rss / 1_048_576 })
})
process.on('disconnect', () => process.exit())

/** The log as a process of the service reads it. */
function servedLog(databaseUrl: string) {
  const pool = openPool({ url: databaseUrl, name: 'bench', limits: 'callers' })
  const streams = new ChangeStreams({
    reader: new PostgresLogReader(pool),
    queries: exampleQueries,
    monotonic: () => performance.now(),
    random: Math.random,
  })
  const wakeUps = listenFor(databaseUrl, CHANGES_CHANNEL, () => {})
  void streams.run(
    () => wakeUps.next(1_000, new AbortController().signal),
    (error) => console.error(error),
    new AbortController().signal,
  )
  const handed = new Map<string, number>()
  const open = streams.open.bind(streams)
  streams.open = (position, filter, sink) =>
    open(position, filter, {
      ...sink,
      write: (text) => {
        sink.write(text)
        const id = /^id: (\d+)\nevent: [a-z]+\./.exec(text)?.[1]
        if (id === undefined) return
        const count = (handed.get(id) ?? 0) + 1
        handed.set(id, count)
        if (count === streams.count())
          process.send!({ handed: Number(id), at: performance.timeOrigin + performance.now() })
      },
    })
  return { changeQueries: { changes: listChanges(pool, exampleQueries) }, streams }
}
