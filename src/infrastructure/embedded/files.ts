// Small files that are written completely or not at all, and locks made of them: another make on the same folder can
// run at any moment, and each can be killed at any line.
import { randomUUID } from 'node:crypto'
import { chownSync, linkSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from '../folders.ts'
import { NotOurs, readOwn } from '../ownership.ts'
import { isAlive, processRef, type ProcessRef } from './processes.ts'

/** Returns null if the file is missing or is not JSON. Throws `NotOurs` if another user can have written it. */
export function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readOwn(path) ?? '') as T
  } catch (error) {
    if (error instanceof NotOurs) throw error
    return null
  }
}

/** Writes a file readable by its owner alone (it can hold a password), replacing an older one in one step. */
export function writePrivate(path: string, content: string, owner?: { uid: number; gid: number } | null): void {
  const temporary = `${path}.${randomUUID()}`
  writeFileSync(temporary, content, { mode: 0o600, flush: true })
  if (owner) chownSync(temporary, owner.uid, owner.gid)
  renameSync(temporary, path)
}

/** Creates a file unless it exists; returns false if another process was first. */
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

interface LockOptions {
  /** How long to wait for another holder, in milliseconds. */
  waitMs: number
  /** Called once, when another process turns out to hold it. */
  onWait: (holderPid: number) => void
}

/**
 * Runs `work` while holding the lock. A dead holder's lock is taken over. Throws if the wait was in vain. The lock is
 * a dangling symbolic link: created in one step with its content, and on a full disk too, where `down` must work.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  makeFolder(dirname(path))
  const { pid, identity } = processRef()
  // At most 60 bytes: a longer target takes a disk block of its own.
  const content = `${pid} ${randomUUID().slice(0, 8)} ${identity}`
  const deadline = performance.now() + options.waitMs
  let isNotified = false
  while (!claim(path, content)) {
    const holder = dropIfStale(path)
    if (holder === null) continue
    if (!isNotified) options.onWait(holder.pid)
    isNotified = true
    if (performance.now() > deadline)
      throw new Error(`process ${holder.pid} still holds ${path}; try again when it is done`)
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

// Renamed before it is removed: between check and removal another process can have taken over the stale lock and
// created its own. That one is put back.
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
    // Another process was first; the next round checks again.
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
