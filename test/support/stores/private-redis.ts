// A Redis database of a test's own, to flush, lose, stop for a while and find again at the same address. Whichever
// Redis the run has (stores.ts), which may be a server that is not ours to kill, a proxy stands before it and goes away
// in its place.
import { createClient } from 'redis'
import { startProxy } from './proxy.ts'
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
  const behind = new URL(await ownRedis())
  if (behind.protocol !== 'redis:') throw new Error('TEST_REDIS_URL must be redis://, since a proxy stands between')
  const proxy = await startProxy(Number(behind.port || 6379), behind.hostname)
  const before = new URL(behind)
  before.host = `127.0.0.1:${proxy.port}`
  return {
    url: before.href,
    kill: () => proxy.set('refuse'),
    start: async () => {
      // Not when it was killed: what was on its way then may have arrived after.
      await commandAt(behind.href, ['FLUSHDB'])
      await commandAt(behind.href, ['SCRIPT', 'FLUSH'])
      await proxy.set('pass')
    },
    pause: () => proxy.set('hang'),
    resume: () => proxy.set('pass'),
    command: (...words) => commandAt(before.href, words),
  }
}

async function commandAt(url: string, words: string[]): Promise<unknown> {
  const client = createClient({ url, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.sendCommand(words)
  } finally {
    client.destroy()
  }
}
