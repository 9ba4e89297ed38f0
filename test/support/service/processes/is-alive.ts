// Whether a process of this machine is still there, for those who clean up after runs that were killed.
import { existsSync } from 'node:fs'

/** A process of another user counts as well. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return existsSync(`/proc/${pid}`)
  }
}
