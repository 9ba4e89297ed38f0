// The queries: every question the API answers. `detail` adds to each Transaction what the contract leaves out by
// default. Rows have the contract's names already: nothing maps them on the way out.
import type { components } from '../../contract.ts'

type Schemas = components['schemas']
export type FeedFilter = 'buys' | 'sells' | 'high' | 'ceo_cfo'
export type SignalType = Schemas['Signal']['type']
export type Severity = Schemas['Signal']['severity']

/** A signal with its evidence; `rules` is the version of the rules that made it. */
export type FoundSignal = Omit<Schemas['SignalDetail'], 'rule'> & { rules: string }

export interface Queries {
  /**
   * Returns listed transactions, newest first. Throws `invalid_cursor` for a cursor that is damaged or made for another
   * query or filter.
   */
  feed(ask: { filter?: FeedFilter; cursor?: string; limit: number; detail?: boolean }): Promise<Schemas['FeedPage']>
  /**
   * Returns null if the symbol leads to no issuer with a filing here or a place in the SEC's list. `ticker` in any case
   * and separator.
   */
  company(ticker: string, detail?: boolean): Promise<Schemas['CompanyProfile'] | null>
  /** Returns null if no stored filing has an owner with this CIK of 1 to 10 digits. */
  insider(cik: string, detail?: boolean): Promise<Schemas['InsiderProfile'] | null>
  /** Returns the newest `detectedAt` first, then by id. */
  signals(ask: {
    type?: SignalType
    severity?: Severity
    cursor?: string
    limit: number
  }): Promise<Schemas['SignalPage']>
  /** Returns a signal, also one that has ended. Null if no signal has this id. */
  signal(id: string, detail?: boolean): Promise<FoundSignal | null>
  /** Returns the 24 hours up to now; an entry exactly 24 hours old is excluded. */
  feedStats(): Promise<Schemas['FeedStatistics']>
}
