// The port of long computations by the rules of the domain, which are done beside what the service answers meanwhile.
import type { components } from '../../contract.ts'
import type { FiledNotice } from '../../domain/notices/notice.ts'
import type { AccessionNumber, Cik, Ticker } from '../../domain/shared/identifiers.ts'
import type { ChangeScope } from '../changes/change-tracker.ts'
import type { InsiderHoldings } from '../queries/position-answer.ts'
import type { RuleNeeds, RuleSubject } from '../alerts/match-rules.ts'
import type { MatchingRule, SharedRules } from './alerts.ts'
import type { MonthFiling, PackedFiling, StagedDataset, StagedRows } from './exports.ts'
import type { LinkedNotice, NoticeRows, StoredLink, StoredOfIssuers } from './notices.ts'
import type { ProjectionComputations } from './projection.ts'

type Schemas = components['schemas']

/** Who waits for a computation; none of these waits for one of another. */
export type Urgency = 'live' | 'history' | 'caller'

/**
 * The computations by name: plain functions of one input. Input and result are copied, so they hold plain values and
 * bytes only.
 */
export interface Computations extends ProjectionComputations {
  /** Returns what an insider holds, by company. */
  insiderHoldings(asked: EvidenceRows & { cik: Cik }): {
    /** The insider's name in the newest of their filings; null if there is none. */
    name: string | null
    /** Whether all filings of the insider were used. */
    complete: boolean
    holdings: InsiderHoldings[]
  }
  /**
   * Returns the record of an insider without returns, from their open-market trades and the signals of their companies.
   */
  insiderRecord(asked: { cik: Cik; trades: Uint8Array; signals: Uint8Array }): Omit<Schemas['InsiderRecord'], 'returns'>
  /** Returns who holds how much of each class of a company, `limit` holders of each. */
  companyHolders(asked: EvidenceRows & { limit: number }): {
    /** The company as its newest filings name it; null if there is none. */
    filed: { name: string; symbols: Ticker[] } | null
    /** Whether all filings of the company were used. */
    complete: boolean
    /** The `classes` of CompanyHolders, as JSON. */
    classes: string
  }
  /**
   * Judges all notices of some issuers and links them to sales, once it is known which of the doubtful ones come from
   * unknown sellers; returns those if there are any and it is not known.
   */
  linkNotices(asked: NoticesToLink): RelinkedNotices | { doubtful: AccessionNumber[] }
  /** Returns the rows of month files of documents; those that can't be read have none. */
  rowsOfDocuments(asked: { filings: PackedFiling[]; datasets: StagedDataset[] }): StagedRows
  /** Returns the rows of month files of filings of data sets; `details` is what the store returned of them. */
  rowsOfDetails(asked: { filings: MonthFiling[]; details: Uint8Array; datasets: StagedDataset[] }): StagedRows
  /** Returns what has to be known of an event for these rules to be matched. */
  needsOfRules(rules: SharedRules): RuleNeeds
  /** Returns the rules that an event matches. */
  matchRules(asked: { rules: SharedRules; subject: RuleSubject }): MatchingRule[]
  /**
   * Links the notices of some issuers as of an instant, in seconds since 1970. Documents whose day is only estimated
   * are left out.
   */
  linksAsOf(asked: { stored: StoredOfIssuers; asOf: number }): KnownLinks
}

export interface KnownLinks {
  notices: Pick<FiledNotice, 'accession' | 'planAdoptionDates'>[]
  /** Of the notices filed by the instant. */
  links: Map<AccessionNumber, StoredLink>
}

export interface NoticesToLink {
  /** All notices of the issuers, as the ledger has them: FiledNotices as JSON. */
  recorded: string[]
  stored: StoredOfIssuers
  fromUnknownSellers: ReadonlySet<AccessionNumber> | null
  /** In seconds since 1970. */
  now: number
  /** From when on notices raise events, in seconds since 1970. */
  recentSince: number
  /** That of the rows. */
  version: number
}

/** What differs from what is stored. */
export interface RelinkedNotices {
  /** Null if nothing differs. */
  changed: { rows: NoticeRows; scope: ChangeScope } | null
  /** All notices that were filed since `recentSince`, whether or not they differ. */
  recent: LinkedNotice[]
}

/** Evidence of positions, and the instant of the answer, in seconds since 1970: now, unless `asOf` is given. */
export interface EvidenceRows {
  /** What a store returned, the newest filing first. */
  rows: Uint8Array
  asOf: number | undefined
  now: number
}

/**
 * Does a computation; those of one urgency wait for each other, two at a time for history where there are two cores.
 * Rejects with the error that it throws, with the signal's reason if it had not begun by then, and with another error
 * if it can't be done, such as for want of memory.
 */
export type Compute<Known = Computations> = <Name extends keyof Known>(
  urgency: Urgency,
  name: Name,
  input: Known[Name] extends (input: infer Input) => unknown ? Input : never,
  signal?: AbortSignal,
) => Promise<Known[Name] extends (input: never) => infer Result ? Result : never>
