// A disk of few bytes, for what happens on a full one: a file system in memory, which only root may mount.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

export interface SmallDisk {
  path: string
  unmount(): void
}

/** Mounts one at the path. Returns why it can't be where it can't. */
export function smallDisk(path: string, bytes: number): SmallDisk | string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root of a Linux may mount a small disk'
  mkdirSync(path, { recursive: true })
  const { status, error, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path], {
    encoding: 'utf8',
  })
  if (status !== 0) return `no small disk can be mounted: ${error?.message ?? stderr.trim()}`
  return {
    path,
    unmount: () => void spawnSync('umount', [path]),
  }
}
