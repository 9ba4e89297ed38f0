// An entry of the answer cache: an answer with its dependencies.
import type { DataDependencies } from '../../../application/changes/data-dependencies.ts'
import type { DocumentedOperation } from '../openapi/document.ts'
import type { Content } from '../response.ts'
import type { Variant } from './compression.ts'

export interface CachedAnswer {
  operation: DocumentedOperation
  content: Content & { etag: string }
  /** Null if the answer is too short to compress; undefined until the first request that accepts gzip. */
  gzip: Variant | null | undefined
  /** The parameters of the request, for the log. */
  query: Record<string, unknown> | undefined
  dependencies: DataDependencies
  /** When it was made, in milliseconds since 1970. */
  madeAt: number
  /** The newest version of the data at which the answer is known to be current. */
  version: number
}
