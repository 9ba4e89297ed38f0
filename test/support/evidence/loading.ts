// Loads material into a service of its own in one of three orders, does all that follows from it, and serves the contract
// over HTTP.
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { pino } from 'pino'
import { TYPES } from '../../../src/container/tokens.ts'
import { createHttpServer } from '../../../src/infrastructure/http/server.ts'
import { describePriceFile } from '../../../src/infrastructure/price-file.ts'
import { loadSets } from '../edgar/invented/in-data-set.ts'
import { hashOf } from '../edgar/invented/seeded.ts'
import { exampleDependencies } from '../http/example-service.ts'
import { fileOf } from '../prices.ts'
import { makeMonthFiles } from '../service/month-files.ts'
import { testService, type TestService } from '../service/service.ts'
import type { Material } from './material.ts'

export const ORDERS = ['documents first', 'data sets first', 'interleaved'] as const
export type Order = (typeof ORDERS)[number]

export interface LoadedService {
  service: TestService
  url: string
  /** What each load of a quarter counted, as text. */
  counted: { quarter: string; result: string }[]
  /** Asks with another time on the service's clock. */
  at<T>(instant: string, ask: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The id of an alert on everything, whose matches are asked for. */
export const ALERT = 'alr_00000000000000000001'
/** The only key. */
const KEY = 'evidence'
/** After all filings, real ones too. */
const NOW = Date.UTC(2026, 9, 1, 15)
/** Documents that are projected together, and issuers' signals detected after. */
const BATCH = 60
const SICS = ['3674', '6022', '2834', '7372', '1311', '5331']

export async function loadedService(material: Material, order: Order): Promise<LoadedService> {
  let now = NOW
  const service = await testService(() => now)
  const counted = await load(service, material, order).catch(async (error: unknown) => {
    await service.close()
    throw error
  })
  const served = await serve(service)
  return {
    service,
    url: served.url,
    counted,
    at: async (instant, ask) => {
      now = Date.parse(instant)
      return ask().finally(() => (now = NOW))
    },
    close: async () => {
      await served.close(1_000)
      await service.close()
    },
  }
}

async function load(service: TestService, material: Material, order: Order): Promise<LoadedService['counted']> {
  const counted: LoadedService['counted'] = []
  await service.container.get(TYPES.companyList).replace(material.listings, 'test', Buffer.alloc(32))
  await service.container.get(TYPES.refreshCompanies)(() => {})

  const loadQuarters = async (quarters: Material['quarters']) => {
    const results = await loadSets(service, quarters, service.container.get(TYPES.backfill))
    for (const { loaded } of results)
      for (const { quarter, ...result } of loaded) counted.push({ quarter, result: JSON.stringify(result) })
  }
  const takeDocuments = async (documents: Material['documents']) => {
    for (let from = 0; from < documents.length; from += BATCH) {
      await service.container.get(TYPES.recordFilings)(documents.slice(from, from + BATCH))
      await settle(service)
    }
  }
  const { documents, quarters } = material
  if (order === 'documents first') {
    await takeDocuments(documents)
    await loadQuarters(quarters)
  } else if (order === 'data sets first') {
    await loadQuarters(quarters)
    await takeDocuments(documents)
  } else {
    // The newest quarter comes first, so that a filing named in two is loaded from the later one.
    const share = Math.ceil(documents.length / (quarters.length + 1))
    for (const [place, quarter] of quarters.toReversed().entries()) {
      await takeDocuments(documents.slice(place * share, (place + 1) * share))
      await loadQuarters([quarter])
      await settle(service)
    }
    await takeDocuments(documents.slice(quarters.length * share))
  }
  await finish(service, material)
  counted.sort((one, other) => (one.quarter < other.quarter ? -1 : 1))
  return counted
}

async function settle(service: TestService): Promise<void> {
  await service.project()
  await service.detectSignals()
  await service.linkNotices()
}

/** What the service does once all is there: sectors of issuers without one, prices, counts of the night, month files. */
async function finish(service: TestService, { prices }: Material): Promise<void> {
  const { container } = service
  await settle(service)
  await container.get(TYPES.fillSectors)()
  const sics = container.get(TYPES.sicList)
  for (const { issuerCik } of await sics.due(100_000)) {
    const place = hashOf('sic', issuerCik) % (SICS.length + 1)
    if (SICS[place]) await sics.found({ issuerCik, sic: SICS[place] })
  }
  await container.get(TYPES.fillSectors)()
  const path = fileOf('prices.csv', prices)
  try {
    const file = await describePriceFile(path)
    await container.get(TYPES.loadPrices)({ file, source: 'prices.csv', benchmark: null }, () => {})
  } finally {
    rmSync(dirname(path), { recursive: true })
  }
  const nextVersion = container.get(TYPES.nextVersion)
  await container.get(TYPES.analytics).refreshParties({ nextVersion })
  await makeMonthFiles(service)
  await service.pool.query(`INSERT INTO api_keys (id, name, secret_hash, webhook_secret) VALUES ($1, $1, '', '')`, [
    KEY,
  ])
  const rule = {
    name: 'Everything',
    enabled: true,
    events: ['transaction.created', 'transaction.amended', 'signal.detected', 'notice.created'] as const,
    filter: {},
    signalTypes: null,
    minSeverity: null,
    destination: { url: 'https://hooks.example/', format: 'standard' as const },
    detail: true,
  }
  await container.get(TYPES.alertRuleStore).add(KEY, ALERT, { ...rule, events: [...rule.events] }, 10)
}

async function serve({ container }: TestService) {
  const { server, close } = createHttpServer({
    ...exampleDependencies,
    queries: container.get(TYPES.servedQueries),
    rules: container.get(TYPES.rules),
    changeQueries: container.get(TYPES.changeQueries),
    exportQueries: container.get(TYPES.exportQueries),
    findMatches: container.get(TYPES.findMatches),
    verifyKey: async () => KEY,
    publicUrl: 'https://insiders.example',
    version: '1.0.0',
    log: pino({ level: 'silent' }),
    // A machine with much else to do answers late.
    limits: { answerMs: 240_000, requestMs: 300_000 },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
