// One deadline for everything done for a request, however many statements of however many stores that takes. It is
// carried with the request by AsyncLocalStorage, so that no statement can forget it. Background work has none.
import { AsyncLocalStorage } from 'node:async_hooks'
import { ServiceError } from '../application/errors.ts'

const current = new AsyncLocalStorage<{ endsAt: number }>()

/** Runs `act` with a deadline in `milliseconds` for it and everything it starts. */
export function withDeadline<T>(milliseconds: number, act: () => T): T {
  return current.run({ endsAt: performance.now() + milliseconds }, act)
}

/** Runs `act` without the deadline of the request that it is part of, as a stream that outlives it. */
export function withoutDeadline<T>(act: () => T): T {
  return current.exit(act)
}

/**
 * Returns the milliseconds left, null without a deadline. Throws `unavailable` after it, so that nothing more is
 * started.
 */
export function timeLeft(): number | null {
  const deadline = current.getStore()
  if (!deadline) return null
  const left = deadline.endsAt - performance.now()
  if (left <= 0) throw late()
  return left
}

/** With less time than this a statement would most likely end without an answer, at the expense of all others. */
const LEAST_MS = 500

/** Returns the milliseconds within which a statement of the request has to begin; Infinity without a deadline. */
export function timeToBegin(): number {
  const left = timeLeft()
  return left === null ? Infinity : left - LEAST_MS
}

/** Returns a signal that aborts at the deadline, with `unavailable`; undefined without a deadline. */
export function deadlineSignal(): AbortSignal | undefined {
  const left = timeLeft()
  if (left === null) return undefined
  const end = new AbortController()
  setTimeout(() => end.abort(late()), left).unref()
  return end.signal
}

/** Returns whether the deadline has passed. */
export function isLate(): boolean {
  const deadline = current.getStore()
  return deadline !== undefined && deadline.endsAt <= performance.now()
}

/** Rejects with `unavailable` at the deadline; `work` continues, and its result is dropped. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  // After the deadline nothing awaits it, and an unhandled rejection would end the process.
  work.catch(() => {})
  const left = timeLeft()
  if (left === null) return work
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), left)
  })
  try {
    return await Promise.race([work, end])
  } finally {
    clearTimeout(timer)
  }
}

/** Extends the deadline by the time that `work` takes: the caller's own, such as that for sending a body. */
export async function untimed<T>(work: Promise<T>): Promise<T> {
  const begun = performance.now()
  try {
    return await work
  } finally {
    const deadline = current.getStore()
    if (deadline) deadline.endsAt += performance.now() - begun
  }
}

function late(): ServiceError {
  return new ServiceError('unavailable', 'the request took too long')
}
