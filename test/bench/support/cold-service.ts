// Cold answers as a caller gets them: the product's service over a DATA_DIR, without memory for answers, asked over
// loopback HTTP; and `SELECT 1` of the engine in that very process.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { freePort } from '../../support/ports.ts'
import { settingNames } from '../../../src/config.ts'

export interface ColdService {
  address: string
  /** Asks and returns the milliseconds until the whole answer was there. */
  ask(path: string): Promise<number>
  /** Milliseconds of `SELECT 1` in the service's process. */
  select1(): Promise<number>
  stop(): Promise<void>
}

/**
 * The least statement as the engine runs it by default, with a thread that formats beside it. The service's own
 * statements do without that thread.
 */
const SELECT_1 = 'SELECT 1 AS one SETTINGS output_format_parallel_formatting = 1'

/** Starts the service on a DATA_DIR that no other uses. */
export async function coldService(dataDir: string): Promise<ColdService> {
  const port = await freePort()
  const settings = { DATA_DIR: dataDir, PORT: String(port), CACHE_MEMORY: '0', NODE_ENV: 'production' }
  // Settings kept from another start count for as little as those of the surroundings.
  const none = Object.fromEntries(settingNames('embedded').map((name) => [name, '']))
  const log = openSync(join(dataDir, 'logs', 'bench.log'), 'a')
  const child = fork(new URL('./engine-service.ts', import.meta.url), {
    execArgv: [],
    env: { ...process.env, ...none, UV_THREADPOOL_SIZE: '16', ...settings },
    stdio: ['ignore', log, 'inherit', 'ipc'],
  })
  closeSync(log)
  const [address] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the service ended before it was ready'))),
  ])) as [string]
  const agent = new Agent({ keepAlive: true })
  return {
    address,
    ask: async (path) => {
      const begun = performance.now()
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        get(`${address}${path}`, { agent }, resolve).on('error', reject)
      })
      const bytes = Buffer.concat(await response.toArray())
      if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}: ${bytes.toString()}`)
      return performance.now() - begun
    },
    select1: async () => {
      child.send(SELECT_1)
      return ((await once(child, 'message')) as [number])[0]
    },
    stop: async () => {
      agent.destroy()
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
