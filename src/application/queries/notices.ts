// The queries on notices of proposed sales.
import type { components } from '../../contract.ts'
import type { NoticeState } from '../../domain/notices/link-notices.ts'
import type { NamedCompany } from '../../domain/filings/ticker-symbol.ts'
import type { Cik, DecimalText } from '../../domain/shared/identifiers.ts'
import type { AsOf, PageResult, TimeSpan } from './transaction-requests.ts'

type Schemas = components['schemas']

/** What is asked of the list: lists are sorted, each element once; all conditions have to be met together. */
export interface NoticesRequest extends AsOf {
  companies?: NamedCompany[]
  /** CIKs of sellers. */
  insiderCiks?: Cik[]
  /** In dollars. */
  minValue?: DecimalText
  plan?: 'yes' | 'not_stated'
  states?: NoticeState[]
  filed?: TimeSpan
  cursor?: string
  limit: number
}

export interface NoticeQueries {
  /** Returns the newest first. Throws as the feed does. A page may have fewer than `limit` and yet more follow. */
  notices(request: NoticesRequest): Promise<PageResult<Schemas['NoticePage']>>
  /** Returns null if no notice is stored under this accession number. */
  notice(accession: string, asOf?: number): Promise<Schemas['NoticeDetail'] | null>
}
