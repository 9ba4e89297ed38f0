// An answer as memory keeps it, with what it was made from.
import type { Dependence } from '../../../application/changes/dependence.ts'
import type { OperationId } from '../openapi/document.ts'
import type { PreparedAnswer } from './prepared-answer.ts'

export interface CachedAnswer {
  operation: OperationId
  plain: PreparedAnswer
  /** Null where compressing gains nothing; undefined until somebody asks for it. */
  gzip: PreparedAnswer | null | undefined
  path: string
  /** Its parameters, as the log shows them. */
  query: Record<string, string> | undefined
  dependence: Dependence
  /** When it was made, in milliseconds since 1970. */
  madeAt: number
  /** The version of the data at which it is known to be right. */
  version: number
}
