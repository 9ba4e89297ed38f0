// An answer as memory keeps it, with what it was made from.
import type { DataDependencies } from '../../../application/changes/data-dependencies.ts'
import type { DocumentedOperation } from '../openapi/document.ts'
import type { Content } from '../response.ts'
import type { Variant } from './compression.ts'

export interface CachedAnswer {
  operation: DocumentedOperation
  content: Content & { etag: string }
  /** Null where compressing gains nothing; undefined until somebody asks for it. */
  gzip: Variant | null | undefined
  /** Its parameters, for the log. */
  query: Record<string, unknown> | undefined
  dependencies: DataDependencies
  /** When it was made, in milliseconds since 1970. */
  madeAt: number
  /** The version of the data at which it is known to be right. */
  version: number
}
