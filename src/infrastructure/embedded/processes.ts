// References to processes by pid. Pids are reused, so every stored pid goes with the start time of its process, and
// nothing is signalled unless both still match.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify } from '../process-identity.ts'

export { identify }

export interface ProcessRef {
  pid: number
  /** Differs between any two processes that ever have this pid on this machine. */
  identity: string
}

/**
 * The environment of the stores. They must not see the caller's secrets, PGDATA or locale, nor a library that it has
 * loaded into all its programs, such as one that shifts the clock, under which Redis does not start.
 */
export const storeEnvironment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

/** Returns a reference to this process, or to another running one. Throws if it has just ended. */
export function processRef(pid: number = process.pid): ProcessRef {
  const identity = identify(pid)
  if (identity === null) throw new Error(`process ${pid} has ended`)
  return { pid, identity }
}

export function isAlive(ref: ProcessRef): boolean {
  return identify(ref.pid) === ref.identity
}

/** Returns the command line as words; empty for a process that is gone. */
export function commandLine(pid: number): string[] {
  if (identify(pid) === null) return []
  if (process.platform === 'linux') return (readOrNull(`/proc/${pid}/cmdline`) ?? '').split('\0')
  return [spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()]
}

/** Returns the environment it was started with; null if this system does not show it. */
export function environmentOfProcess(pid: number): Record<string, string> | null {
  const text = process.platform === 'linux' ? readOrNull(`/proc/${pid}/environ`) : null
  if (text === null) return null
  const pairs = text.split('\0').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
  return Object.fromEntries(pairs.filter(([name]) => name !== '')) as Record<string, string>
}

/** Returns false if it still runs after `ms` milliseconds. */
export async function waitForExit(ref: ProcessRef, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms
  while (isAlive(ref)) {
    if (performance.now() > deadline) return false
    await sleep(40)
  }
  return true
}

/**
 * Sends each signal in turn and waits its milliseconds for the end. Returns the signal that ended it, or null if the
 * process was gone before. Throws if it survives the last one.
 */
export async function stopProcess(ref: ProcessRef, steps: [NodeJS.Signals, number][]): Promise<NodeJS.Signals | null> {
  if (!isAlive(ref)) return null
  for (const [signal, ms] of steps) {
    if (!isAlive(ref)) return signal
    try {
      process.kill(ref.pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
    if (await waitForExit(ref, ms)) return signal
  }
  throw new Error(`process ${ref.pid} does not end`)
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
