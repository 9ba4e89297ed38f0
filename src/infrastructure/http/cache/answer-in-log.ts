// What log lines say of an answer that is kept, made once for each status that it is answered with.
import { blot, factsAfterId, type RequestFacts } from '../middleware/request-lines.ts'
import { flat } from '../response-head.ts'

export class AnswerInLog {
  readonly #answer: Pick<RequestFacts, 'operationId' | 'path' | 'query'>
  /** By the status, negative for HEAD. An answer has few. */
  readonly #texts = new Map<number, string>()

  constructor(operationId: string, path: string, query: Record<string, string> | undefined) {
    this.#answer = { operationId, path: blot(path), query }
  }

  /** Returns the facts of a request that was answered with it, as they stand in a line. */
  facts({ requestId, method, status, errorCode }: Omit<RequestFacts, 'operationId' | 'path' | 'query'>): string {
    const key = method === 'HEAD' ? -status : status
    const known = this.#texts.get(key)
    const text = known ?? flat(factsAfterId({ ...this.#answer, method, status, errorCode }))
    if (known === undefined) this.#texts.set(key, text)
    return `"requestId":"${requestId}"${text}`
  }
}
