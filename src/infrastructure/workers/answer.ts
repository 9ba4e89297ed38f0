// What a computation answers across threads: its value, some of whose bytes are handed over, or the error that it
// threw.
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { ServiceError, UnstorableError } from '../../application/errors.ts'

/** What a thread sends. Errors of classes of our own lose their class on the way, so their parts are sent. */
type Answer<Value> =
  | { kind: 'value'; value: Value }
  | { kind: 'service-error'; error: Error; parts: Omit<ServiceError, keyof Error> }
  | { kind: 'unstorable'; error: Error }
  | { kind: 'error'; error: unknown }

/**
 * Returns the function as a thread runs it. `bytesOf` returns the bytes in its result that are handed over and not
 * copied; each array has its buffer to itself.
 */
export function answering<Computation extends (input: never) => unknown>(
  compute: Computation,
  bytesOf?: (value: ReturnType<Computation>) => Uint8Array<ArrayBuffer>[],
): (input: Parameters<Computation>[0]) => unknown {
  return (input) => {
    let answer: Answer<ReturnType<Computation>>
    let bytes: Uint8Array<ArrayBuffer>[] = []
    try {
      const value = compute(input) as ReturnType<Computation>
      answer = { kind: 'value', value }
      bytes = bytesOf?.(value) ?? []
    } catch (error) {
      answer = failure(error)
    }
    return move({ [transferableSymbol]: bytes.map(({ buffer }) => buffer), [valueSymbol]: answer })
  }
}

function failure(error: unknown): Answer<never> {
  if (error instanceof UnstorableError) return { kind: 'unstorable', error }
  if (!(error instanceof ServiceError)) return { kind: 'error', error }
  const { code, details, retryAfterSeconds, isForCallers } = error
  return { kind: 'service-error', error, parts: { code, details, retryAfterSeconds, isForCallers } }
}

/** Returns the value of an answer. Throws the error that the computation threw. */
export function opened(answer: unknown): unknown {
  const given = answer as Answer<unknown>
  switch (given.kind) {
    case 'value':
      return given.value
    case 'service-error': {
      const { code, details, retryAfterSeconds, isForCallers } = given.parts
      const options = {
        cause: given.error,
        isForCallers,
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      }
      throw new ServiceError(code, given.error.message, details, options)
    }
    case 'unstorable':
      throw new UnstorableError(given.error.message, { cause: given.error })
    case 'error':
      throw given.error
  }
}
