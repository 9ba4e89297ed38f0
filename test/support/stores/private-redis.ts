// A Redis database of a test's own, to flush, lose, stop for a while and find again at the same address. Whichever
// Redis the run has (stores.ts), which may be a server that is not ours to kill, a proxy stands before it and goes away
// in its place.
import { createClient } from 'redis'
import { redisOptions } from '../../../src/infrastructure/redis/client.ts'
import { startProxy, through } from './proxy.ts'
import { ownRedis } from './stores.ts'

export interface PrivateRedis {
  url: string
  /** As on a crash: nobody is reached, and what was kept is gone. */
  kill(): Promise<void>
  start(): Promise<void>
  /** It stays connected and answers nothing. */
  pause(): Promise<void>
  resume(): Promise<void>
  command(...words: string[]): Promise<unknown>
}

export async function privateRedis(): Promise<PrivateRedis> {
  const behind = await ownRedis()
  if (!behind.startsWith('redis:')) throw new Error('TEST_REDIS_URL must be redis://, since a proxy stands between')
  const proxy = await startProxy(behind)
  const url = through(behind, proxy)
  return {
    url,
    kill: () => proxy.set('refuse'),
    start: async () => {
      // Not when it was killed: what was on its way then may have arrived after.
      await commandAt(behind, ['FLUSHDB'])
      await commandAt(behind, ['SCRIPT', 'FLUSH'])
      await proxy.set('pass')
    },
    pause: () => proxy.set('hang'),
    resume: () => proxy.set('pass'),
    command: (...words) => commandAt(url, words),
  }
}

async function commandAt(url: string, words: string[]): Promise<unknown> {
  const { socket, ...options } = redisOptions(url)
  const client = createClient({ ...options, socket: { ...socket, reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.sendCommand(words)
  } finally {
    client.destroy()
  }
}
