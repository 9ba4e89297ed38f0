// The log lines of answers from memory: the same line as pino writes for any other request, put together from parts
// that are ready. pino's own way of the object to the line takes 3 us, a sixth of all that a hit costs.
import { symbols, type Logger } from 'pino'
import { LRUCache } from 'lru-cache'
import { lineOf } from '../../printable.ts'
import { blot } from '../middleware/request-log.ts'
import { flat } from './prepared-response.ts'

/** Facts of one hit; all else in its line is of the answer, and made once. */
export interface LoggedHit {
  requestId: string
  method: string
  status: number
  errorCode: string | undefined
  durationMs: number
  bytes: number
  address: string
  userAgent: string
  answer: AnswerInLog
}

/** What stands in lines about an answer, from the id of the request to its duration. */
export class AnswerInLog {
  readonly #operation: string
  readonly #target: string
  /** By the status, negative for HEAD. An answer has few. */
  readonly #texts = new Map<number, string>()

  constructor(operation: string, path: string, query: Record<string, string> | undefined) {
    const asked = query === undefined ? '' : `,"query":${lineOf(JSON.stringify(query)).trimEnd()}`
    this.#operation = `","operationId":${JSON.stringify(operation)},"method":"`
    this.#target = `","path":${json(blot(path))}${asked},"status":`
  }

  text({ method, status, errorCode }: LoggedHit): string {
    const key = method === 'HEAD' ? -status : status
    const known = this.#texts.get(key)
    if (known !== undefined) return known
    const error = errorCode === undefined ? '' : `,"errorCode":"${errorCode}"`
    const text = flat(`${this.#operation}${method}${this.#target}${status}${error},"durationMs":`)
    this.#texts.set(key, text)
    return text
  }
}

/** Returns text of others as JSON without anything that moves a terminal's cursor, as the log's stream makes it. */
const json = (text: string): string => lineOf(JSON.stringify(text)).trimEnd()

export class HitLog {
  readonly #log: Logger
  readonly #stream: { write(line: string): void }
  /** All before the time, between the time and the id of the request, and after the fields. */
  readonly #frame: [string, string, string]
  /** The end of the line, by the caller's address. Few callers make nearly all requests. */
  readonly #callers = new LRUCache<string, { userAgent: string; text: string }>({ max: 500 })
  #begun = { milliseconds: 0, text: '' }

  constructor(log: Logger) {
    this.#log = log
    const internals = log as unknown as Record<symbol, any>
    this.#stream = internals[symbols.streamSym]
    const asJson = internals[symbols.asJsonSym] as (...args: unknown[]) => string
    const line = asJson.call(log, {}, 'request', log.levels.values.info, ',"time":@')
    const [before = '', rest = ''] = line.split('@')
    const end = rest.lastIndexOf(',"msg"')
    this.#frame = [before, `${rest.slice(0, end)},"requestId":"`, rest.slice(end)]
  }

  /** Writes a line of few pieces: V8 goes through each of them again when the line becomes bytes. */
  write(hit: LoggedHit): void {
    if (!this.#log.isLevelEnabled('info')) return
    const { requestId, answer, durationMs, bytes } = hit
    this.#stream.write(`${this.#begin()}${requestId}${answer.text(hit)}${durationMs},"bytes":${bytes}${this.#end(hit)}`)
  }

  /** Returns what stands before the id of a request, which is made once a millisecond. */
  #begin(): string {
    const milliseconds = Date.now()
    if (milliseconds !== this.#begun.milliseconds) {
      const [before, between] = this.#frame
      this.#begun = { milliseconds, text: flat(`${before}${milliseconds}${between}`) }
    }
    return this.#begun.text
  }

  #end({ address, userAgent }: LoggedHit): string {
    const known = this.#callers.get(address)
    if (known?.userAgent === userAgent) return known.text
    const text = flat(`,"address":${json(blot(address))},"userAgent":${json(blot(userAgent))}${this.#frame[2]}`)
    this.#callers.set(address, { userAgent, text })
    return text
  }
}
