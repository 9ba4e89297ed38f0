// Every question the API answers. `detail` adds to each Transaction what the contract keeps out by default. Rows have the
// contract's names already: nothing maps them on the way out.
import type { components } from '../../contract.ts'

type Schemas = components['schemas']
export type FeedFilter = 'buys' | 'sells' | 'high' | 'ceo_cfo'
export type SignalType = Schemas['Signal']['type']
export type Severity = Schemas['Signal']['severity']

/** A signal with all it rests on; `rules` is the version of the rules that made it. */
export type FoundSignal = Omit<Schemas['SignalDetail'], 'rule'> & { rules: string }

export interface Queries {
  /** Listed transactions, newest first. Throws `invalid_cursor` for a damaged, foreign or differently filtered cursor. */
  feed(ask: { filter?: FeedFilter; cursor?: string; limit: number; detail?: boolean }): Promise<Schemas['FeedPage']>
  /** Null where the symbol leads to no issuer with a filing here or a place in the SEC's list. `ticker` in any case and separator. */
  company(ticker: string, detail?: boolean): Promise<Schemas['CompanyProfile'] | null>
  /** `cik` of 1 to 10 digits. Null where nobody of that number stands as owner in any stored filing. */
  insider(cik: string, detail?: boolean): Promise<Schemas['InsiderProfile'] | null>
  /** Newest `detectedAt` first, then id. */
  signals(ask: {
    type?: SignalType
    severity?: Severity
    cursor?: string
    limit: number
  }): Promise<Schemas['SignalPage']>
  /** Also one that has ended. Null where there is none of this id. */
  signal(id: string, detail?: boolean): Promise<FoundSignal | null>
  /** The 24 hours up to now: what is exactly 24 hours old is out. */
  feedStats(): Promise<Schemas['FeedStatistics']>
}
