// Which process is meant by a pid kept in a file. Pids are reused, so every kept pid goes with the time its process
// started, and nothing is signalled unless both still fit.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ProcessRef {
  pid: number
  /** Differs between any two processes that ever had this pid on this machine. */
  identity: string
}

/** Null for a pid that nobody has, or a zombie: its memory and sockets are gone, only the parent has not looked yet. */
export function identify(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null
  if (process.platform !== 'linux') return identifyByPs(pid)
  const stat = readOrNull(`/proc/${pid}/stat`)
  if (stat === null) return null
  // Behind the name, which may hold spaces and brackets: state first, start time in clock ticks since boot at [19].
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return null
  return `${bootId()}:${fields[19]}`
}

/** This process, or another known to run. Throws where it has just ended. */
export function processRef(pid: number = process.pid): ProcessRef {
  const identity = identify(pid)
  if (identity === null) throw new Error(`process ${pid} is gone`)
  return { pid, identity }
}

export function isAlive(ref: ProcessRef): boolean {
  return identify(ref.pid) === ref.identity
}

/** The words it was started with; empty for a process that is gone. */
export function commandLine(pid: number): string[] {
  if (identify(pid) === null) return []
  if (process.platform === 'linux') return (readOrNull(`/proc/${pid}/cmdline`) ?? '').split('\0')
  return [spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()]
}

/** The variables it was started with; null where this system does not show them to us. */
export function environmentOfProcess(pid: number): Record<string, string> | null {
  const text = process.platform === 'linux' ? readOrNull(`/proc/${pid}/environ`) : null
  if (text === null) return null
  const pairs = text.split('\0').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
  return Object.fromEntries(pairs.filter(([name]) => name !== '')) as Record<string, string>
}

/** False where it still runs after `ms` milliseconds. */
export async function waitForExit(ref: ProcessRef, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms
  while (isAlive(ref)) {
    if (performance.now() > deadline) return false
    await sleep(40)
  }
  return true
}

/**
 * Sends each signal in turn and waits its milliseconds for the end. Returns the signal that did it, or null where the
 * process was gone before. Throws where the last one did not help either.
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

function identifyByPs(pid: number): string | null {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
  const [state, ...started] = stdout.trim().split(/\s+/)
  return state === undefined || state === '' || state.startsWith('Z') ? null : started.join(' ')
}

let boot: string | undefined
function bootId(): string {
  boot ??= readOrNull('/proc/sys/kernel/random/boot_id')?.slice(0, 8) ?? 'boot'
  return boot
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
