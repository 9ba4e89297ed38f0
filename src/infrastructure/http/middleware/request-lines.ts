// Lines of the request log, as pino writes them, put together from parts that are ready. pino's own way from the object
// to the line takes 3 us, a sixth of all that an answer from memory costs.
import { symbols, type Logger } from 'pino'
import { LRUCache } from 'lru-cache'
import { lineOf } from '../../printable.ts'
import { flat } from '../response-head.ts'

/** The first fields of a line, in its order. Text of others is blotted, and escaped here. */
export interface RequestFacts {
  requestId: string
  operationId: string | null
  method: string
  path: string
  /** Documented parameters alone; undefined where there is no operation or no query. */
  query: Record<string, string> | undefined
  status: number
  errorCode: string | undefined
}

/** The others. */
export interface RequestMeasures {
  durationMs: number
  bytes: number
  keyId?: string
  /** Null where the connection has ended. */
  address: string | null
  userAgent: string
}

const SECRET = /(itd|whsec)_[A-Za-z0-9_+/=-]+/g
/** Callers whose part of the line is kept. Few make nearly all requests. */
const MAX_CALLERS = 500

/** Returns the text with what looks like a key blotted out. */
export function blot(text: string): string {
  return text.includes('_') ? text.replace(SECRET, '$1_***') : text
}

/** Returns the first fields as they stand in a line. */
export function factsText(facts: RequestFacts): string {
  return `"requestId":"${facts.requestId}"${factsAfterId(facts)}`
}

/** Returns those after the id of the request, which are the same each time that an answer from memory is sent. */
export function factsAfterId(facts: Omit<RequestFacts, 'requestId'>): string {
  const { operationId, method, path, query, status, errorCode } = facts
  const asked = query === undefined ? '' : `,"query":${json(query)}`
  const error = errorCode === undefined ? '' : `,"errorCode":"${errorCode}"`
  return (
    `,"operationId":${json(operationId)},"method":${json(method)},"path":${json(path)}${asked}` +
    `,"status":${status}${error}`
  )
}

/** Returns the value as JSON without anything that moves a terminal's cursor, as the log's stream makes it. */
const json = (value: unknown): string => lineOf(JSON.stringify(value)).trimEnd()

export class RequestLines {
  readonly #log: Logger
  readonly #stream: { write(line: string): void }
  /** All before the time, between the time and the fields, and after the fields. */
  readonly #frame: [string, string, string]
  /** The end of the line, by the caller's address. */
  readonly #callers = new LRUCache<string, { userAgent: string; text: string }>({ max: MAX_CALLERS })
  #begun = { milliseconds: 0, text: '' }

  constructor(log: Logger) {
    this.#log = log
    const internals = log as unknown as Record<symbol, any>
    this.#stream = internals[symbols.streamSym]
    const asJson = internals[symbols.asJsonSym] as (...args: unknown[]) => string
    const line = asJson.call(log, {}, 'request', log.levels.values.info, ',"time":@')
    const [before = '', rest = ''] = line.split('@')
    const end = rest.lastIndexOf(',"msg"')
    this.#frame = [before, `${rest.slice(0, end)},`, rest.slice(end)]
  }

  /** Returns whether lines are written. */
  isEnabled(): boolean {
    return this.#log.isLevelEnabled('info')
  }

  /**
   * Writes a line of the level `info`, with `facts` as `factsText` makes them, of few pieces: V8 goes through each of
   * them again when the line becomes bytes.
   */
  write(facts: string, { durationMs, bytes, keyId, address, userAgent }: RequestMeasures): void {
    const key = keyId === undefined ? '' : `,"keyId":"${keyId}"`
    const end = this.#end(address, userAgent)
    this.#stream.write(`${this.#begin()}${facts},"durationMs":${durationMs},"bytes":${bytes}${key}${end}`)
  }

  /** Returns what stands before the facts, which is made once a millisecond. */
  #begin(): string {
    const milliseconds = Date.now()
    if (milliseconds !== this.#begun.milliseconds) {
      const [before, between] = this.#frame
      this.#begun = { milliseconds, text: flat(`${before}${milliseconds}${between}`) }
    }
    return this.#begun.text
  }

  #end(address: string | null, userAgent: string): string {
    const known = this.#callers.get(address ?? '')
    if (known?.userAgent === userAgent) return known.text
    const text = flat(`,"address":${json(address)},"userAgent":${json(userAgent)}${this.#frame[2]}`)
    this.#callers.set(address ?? '', { userAgent, text })
    return text
  }
}
