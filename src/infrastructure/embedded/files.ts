// Small files that are written whole or not at all, and locks made of them: another make of the same folder may run
// at any moment, and any of them may be killed at any line.
import { randomUUID } from 'node:crypto'
import {
  chownSync,
  linkSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from '../folders.ts'
import { isAlive, processRef, type ProcessRef } from './processes.ts'

/** Null where there is none or it can't be understood. */
export function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch {
    return null
  }
}

/** Readable by its owner alone (it may hold a password); replaces an older one in one step. */
export function writePrivate(path: string, content: string, owner?: { uid: number; gid: number } | null): void {
  const temporary = `${path}.${randomUUID()}`
  writeFileSync(temporary, content, { mode: 0o600, flush: true })
  if (owner) chownSync(temporary, owner.uid, owner.gid)
  renameSync(temporary, path)
}

/** Only where there is none yet: false tells that somebody was first. */
export function createPrivate(path: string, content: string): boolean {
  const temporary = `${path}.${randomUUID()}`
  writeFileSync(temporary, content, { mode: 0o600 })
  try {
    linkSync(temporary, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

export interface LockOptions {
  /** How long to wait for another holder, in milliseconds. */
  waitMs: number
  /** Told once, when it turns out that another process holds it. */
  onWait: (holderPid: number) => void
}

/**
 * Runs `work` while holding the lock. A dead holder's lock is taken over. Throws where the wait was in vain. The lock is a
 * symbolic link that leads nowhere: made in one step with its content, and on a full disk too, where `down` must work.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  makeFolder(dirname(path))
  const { pid, identity } = processRef()
  // At most 60 bytes: a longer one takes a disk block of its own.
  const content = `${pid} ${randomUUID().slice(0, 8)} ${identity}`
  const deadline = performance.now() + options.waitMs
  let told = false
  while (!claim(path, content)) {
    const holder = dropIfStale(path)
    if (holder === null) continue
    if (!told) options.onWait(holder.pid)
    told = true
    if (performance.now() > deadline)
      throw new Error(`process ${holder.pid} holds ${path} too long; try again when it is done`)
    await sleep(100)
  }
  try {
    return await work()
  } finally {
    if (contentOf(path) === content) rmSync(path, { force: true })
  }
}

function claim(path: string, content: string): boolean {
  try {
    symlinkSync(content, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

// Moved aside before it is removed: between the look and the removal another process may have taken the stale lock over
// and put its own there. That one is put back.
function dropIfStale(path: string): ProcessRef | null {
  const seen = contentOf(path)
  if (seen === null) return null
  const [pid, , ...identity] = seen.split(' ')
  const holder = { pid: Number(pid), identity: identity.join(' ') }
  if (isAlive(holder)) return holder
  const aside = `${path}.${randomUUID()}`
  try {
    renameSync(path, aside)
    const moved = contentOf(aside)
    if (moved !== null && moved !== seen) claim(path, moved)
  } catch {
    // Somebody else was first; the next round looks again.
  }
  rmSync(aside, { force: true })
  return null
}

function contentOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}
