// A Redis of a test's own, which keeps nothing: to flush, kill, stop for a while and start again at the same address.
import { spawn, type ChildProcess } from 'node:child_process'
import { createClient } from 'redis'
import { findRedis, installRedis } from '../../src/infrastructure/embedded/installer.ts'
import { freePort } from '../../src/infrastructure/embedded/ports.ts'

export interface PrivateRedis {
  url: string
  /** As the system would on a crash. */
  kill(): Promise<void>
  start(): Promise<void>
  /** It stays connected and answers nothing. */
  pause(): void
  resume(): void
  command(...words: string[]): Promise<unknown>
}

export async function privateRedis(): Promise<PrivateRedis> {
  const program = findRedis() ?? installRedis('/dev/null', () => {})
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let server: ChildProcess | null = null
  const redis: PrivateRedis = {
    url,
    kill: async () => {
      const ending = server
      server = null
      if (!ending || ending.exitCode !== null) return
      const ended = new Promise((resolve) => { ending.once('exit', resolve) })
      ending.kill('SIGKILL')
      await ended
    },
    start: async () => {
      server = spawn(program.path, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
        { stdio: 'ignore', ...(program.needsName && { argv0: 'redis-server' }) })
      for (let tries = 1; ; tries += 1) {
        const answer = await redis.command('PING').catch((error: Error) => error)
        if (answer === 'PONG') return
        if (tries === 100) throw answer
        await new Promise((resolve) => { setTimeout(resolve, 50) })
      }
    },
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    command: async (...words) => {
      const client = createClient({ url, socket: { reconnectStrategy: false } })
      client.on('error', () => {})
      await client.connect()
      try {
        return await client.sendCommand(words)
      } finally {
        client.destroy()
      }
    },
  }
  await redis.start()
  return redis
}
