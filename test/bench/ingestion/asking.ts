// Requests beside a load of history, from a thread of their own: what the bench does besides, such as starting commands,
// would count as time of the service. The same file is the code of that thread.
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

const IDLE_REQUESTS = 1_000
/** Few requests, so that they don't slow down what is measured. */
const BETWEEN_MS = { cached: 20, cold: 100 }

/** Milliseconds that answers took: from memory, and of companies that were not asked for before. */
type Figures = Record<'cached' | 'cold', number[]>
type Order = 'idle' | 'begin' | 'end'

export interface Asking {
  /** Asks for companies one after the other. Returns the milliseconds of each. */
  idle(): Promise<number[]>
  /** Sends requests until `end`, which returns how long they took. */
  begin(): void
  end(): Promise<Figures>
}

/** Starts the thread. Each of its cold requests takes the next of `tickers`. */
export function beginAsking(address: string, tickers: string[]): Asking {
  const thread = new Worker(fileURLToPath(import.meta.url), { workerData: { address, tickers } })
  const ordered = async (order: Order) => {
    thread.postMessage(order)
    return ((await once(thread, 'message')) as [unknown])[0]
  }
  return {
    idle: () => ordered('idle') as Promise<number[]>,
    begin: () => thread.postMessage('begin' satisfies Order),
    end: async () => {
      const figures = (await ordered('end')) as Figures
      await thread.terminate()
      return figures
    },
  }
}

function ask({ address, tickers }: { address: string; tickers: string[] }): void {
  const agent = new Agent({ keepAlive: true })
  const left = tickers.values()
  const took = (path: string) => {
    const begun = performance.now()
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    get(address + path, { agent }, (response) => {
      response.resume()
      response.once('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - begun)
        else reject(new Error(`${path} answered ${response.statusCode}`))
      })
    }).on('error', reject)
    return promise
  }
  const cold = () => {
    const { value, done } = left.next()
    if (done) throw new Error('every company was asked for: BASE is too small')
    return `/v1/companies/${encodeURIComponent(value)}`
  }
  const figures: Figures = { cached: [], cold: [] }
  let isRunning = true
  const sending = async (kind: keyof Figures, path: () => string) => {
    while (isRunning) {
      figures[kind].push(await took(path()))
      await sleep(BETWEEN_MS[kind])
    }
  }
  let all: Promise<unknown> = Promise.resolve()
  const orders: Record<Order, () => unknown> = {
    idle: async () => {
      const unhurried: number[] = []
      for (let number = 0; number < IDLE_REQUESTS; number += 1) unhurried.push(await took(cold()))
      parentPort!.postMessage(unhurried)
    },
    // What no filing changes stays in memory.
    begin: () => (all = Promise.all([sending('cached', () => '/v1/signals/rules'), sending('cold', cold)])),
    end: async () => {
      isRunning = false
      await all
      parentPort!.postMessage(figures)
    },
  }
  parentPort!.on('message', (order: Order) => orders[order]())
}

// Also imported by the bench, in whose thread it only starts that one.
if (!isMainThread && workerData?.tickers) ask(workerData)
