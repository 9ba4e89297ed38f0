// Puts load on a service from another process, and starts the processes that it is compared with. Node strips the types
// there, so that what runs is as in a build: tsx gives each function its name whenever it is made.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Figures, Load } from './load.ts'

/** Resolves when the load has ended. */
export const loaded = (load: Load): Promise<Figures> => beginLoad(load).figures

/** Starts load that `end` ends. */
export function beginLoad(load: Load): { figures: Promise<Figures>; end(): Promise<Figures> } {
  const child = forked('load.ts')
  child.send(load)
  const figures = firstMessage<Figures>(child)
  const end = () => {
    child.send('stop')
    return figures
  }
  return { figures, end }
}

/** Starts a server that sends its port when it listens. It ends with the bench. */
export async function startServer(file: string, variables: Record<string, string> = {}, order: object = {}) {
  const child = forked(file, variables)
  child.send(order)
  const port = await firstMessage<number>(child)
  return { address: `http://127.0.0.1:${port}`, stop: () => void child.kill() }
}

function forked(file: string, variables: Record<string, string> = {}) {
  return fork(new URL(file, import.meta.url), {
    execArgv: [],
    env: { ...process.env, NODE_ENV: 'production', ...variables },
  })
}

async function firstMessage<T>(child: ReturnType<typeof forked>): Promise<T> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`a process ended early, with ${code}`)))
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [T]
  ended.catch(() => {})
  return message
}
