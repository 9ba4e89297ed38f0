// The identity of a process: with its pid it names one process for all time, since pids are used again.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Returns the identity of a process; null for an unused pid or a zombie, whose memory and sockets are gone. */
export function identify(pid: number): string | null {
  if (!Number.isInteger(pid) || pid <= 0) return null
  if (process.platform !== 'linux') return identifyByPs(pid)
  const stat = readOrNull(`/proc/${pid}/stat`)
  if (stat === null) return null
  // After the name, which can contain spaces and brackets: state first, start time in clock ticks since boot at [19].
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return null
  return `${bootId()}:${fields[19]}`
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
