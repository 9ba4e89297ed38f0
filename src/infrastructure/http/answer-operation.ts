// Middleware that answers a validated request with the handler of its operation.
import type { Request, RequestHandler } from 'express'
import { inTime } from '../deadline.ts'
import type { Answer, AnswerMaker } from './cache/keep-answers.ts'
import type { Downloads } from './downloads.ts'
import type { EventStreams } from './event-stream.ts'
import { sendFile } from './files/send-file.ts'
import type { OperationId } from './openapi/document.ts'
import type { Operation } from './operations.ts'
import { send } from './response.ts'

/** The senders, one per kind of answer; absent if this process serves no operation of that kind. */
export interface Senders {
  answers: AnswerMaker
  streams?: EventStreams
  downloads?: Downloads
}

export function answerOperation(
  id: OperationId,
  { handler }: Operation<OperationId>,
  { answers, streams, downloads }: Senders,
): RequestHandler {
  const answerTo = handler as (request: object) => Answer | Promise<Answer>
  return async (request, response) => {
    requireValidated(request, id)
    const { context, params: path, query, body, headers } = request
    const { caching, keyId } = context
    const make = async () => answerTo({ path, query, body, headers, keyId })
    const isCacheable = caching === 'revalidate'
    const answer = await inTime(isCacheable ? answers.answer(request, make) : answers.uncached(request, make))
    if ('stream' in answer) return streams!.send(request, response, answer)
    if ('download' in answer) return downloads!.send(request, response, answer)
    if ('file' in answer) return sendFile(request, response, caching, answer)
    send(response.status(answer.status), caching, answer.content)
  }
}

/** Throws unless the validator has matched the request to the same operation as Express. */
function requireValidated(request: Request, id: OperationId): void {
  const { openapi } = request as { openapi?: { schema: { operationId?: string } } }
  if (openapi?.schema.operationId !== id) throw new Error(`the validator did not match this request to ${id}`)
}
