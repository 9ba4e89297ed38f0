// The service's memory after REQUESTS mixed requests against a tenth of them. Some paths and headers are random:
// whatever is kept by what callers choose would grow. REQUESTS=1000000, and the volumes of the store. One JSON line.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kind } from './support/load.ts'
import { loaded } from './support/loading.ts'
import { companiesOf, printBench, volume } from './support/measure.ts'
import { memoryMiB } from './support/process-usage.ts'
import { productStore } from './support/product-store.ts'

const REQUESTS = volume('REQUESTS', 1_000_000)
const CONNECTIONS = 16
const PAUSE_MS = 5_000
/** As many as fit into the memory for answers. */
const COMPANIES = 2_000

const store = await productStore('base')
try {
  const pid = await store.up()
  const headers = ['X-Request-Id: *', 'User-Agent: *', 'Accept-Encoding: *', 'If-None-Match: "*"']
  const companies = (await companiesOf(store.address)).slice(0, COMPANIES)
  const kinds: Record<string, Kind> = {
    feed: { share: 0.7, paths: ['/v1/feed', '/v1/feed?filter=buys', '/v1/signals', '/v1/signals/rules'], headers },
    company: { share: 0.2, paths: companies, isByPopularity: true, headers },
    walk: { share: 0.04, paths: ['/v1/feed?limit=100'], isWalk: true, headers },
    unknown: { share: 0.01, paths: ['/v1/companies/*', '/*/*'], headers, status: 404 },
    refused: { share: 0.05, paths: ['/v1/feed?*=*', '/v1/feed?cursor=*', '/v1/feed?filter=*'], headers, status: 400 },
  }
  const memoryAfter = async (requests: number) => {
    await loaded({ address: store.address, connections: CONNECTIONS, kinds, requests })
    await sleep(PAUSE_MS)
    return memoryMiB(pid).now
  }
  const begun = memoryMiB(pid).now
  const tenth = await memoryAfter(REQUESTS / 10)
  const all = await memoryAfter(REQUESTS - REQUESTS / 10)
  printBench('resident', { requests: REQUESTS, memoryMiB: { begun, tenth, all }, allToTenth: all / tenth })
} finally {
  await store.close()
}
