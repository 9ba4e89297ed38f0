// Computations for tests of the worker threads.
import { existsSync, writeFileSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import { ServiceError, UnstorableError } from '../../../src/application/errors.ts'
import { answering } from '../../../src/infrastructure/workers/answer.ts'

const functions = {
  double: (n: number) => n * 2,
  thread: (_: null) => threadId,
  sleep: (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  bytes: (length: number) => ({ length, body: new Uint8Array(length).fill(7) }),
  sum: (bytes: Uint8Array) => bytes.reduce((all, each) => all + each, 0),
  refuse: (message: string): number => {
    throw new ServiceError('unavailable', message, [{ path: 'x', message }], {
      retryAfterSeconds: 3,
      isForCallers: true,
    })
  },
  damaged: (message: string): number => {
    throw new UnstorableError(message)
  },
  range: (message: string): number => {
    throw new RangeError(message)
  },
  /** Ends its thread, without a file each time, else the first time, as the file tells. */
  end: (path: string | null) => (isFirst(path) ? process.exit(1) : 'answered'),
  hang: (path: string | null) => {
    while (isFirst(path)) functions.sleep(60_000)
    return 'answered'
  },
  uncopied: (_: null) => () => 1,
}

export type TestComputations = typeof functions

function isFirst(path: string | null): boolean {
  if (path === null) return true
  if (existsSync(path)) return false
  writeFileSync(path, '')
  return true
}

export const double = answering(functions.double)
export const thread = answering(functions.thread)
export const sleep = answering(functions.sleep)
export const bytes = answering(functions.bytes, ({ body }) => [body])
export const sum = answering(functions.sum)
export const refuse = answering(functions.refuse)
export const damaged = answering(functions.damaged)
export const range = answering(functions.range)
export const end = answering(functions.end)
export const hang = answering(functions.hang)
export const uncopied = answering(functions.uncopied)
