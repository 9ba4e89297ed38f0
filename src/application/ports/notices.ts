// Ports of notices of proposed sales: the ledger that records them and the queue of issuers to link (PostgreSQL), and
// the rows that answer the API's questions (ClickHouse).
import type { NoticeJudgement } from '../../domain/notices/judge-notice.ts'
import type { FiledNotice } from '../../domain/notices/notice.ts'
import type { NoticeLink, NoticeState, OwnerReport } from '../../domain/notices/link-notices.ts'
import type { AccessionNumber, Cik } from '../../domain/shared/identifiers.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { Outcome } from './changes.ts'
import type { RecordOutcome } from './filings.ts'

/** A notice to be recorded. */
export interface IncomingNotice {
  bytes: Buffer
  source: string
  firstSeenAt: Date
  notice: FiledNotice
}

/** The record of notices. */
export interface NoticeLedger {
  /**
   * Records all in one transaction and queues their issuers; returns the outcomes in the notices' order. A full
   * submission takes the place of the bare document that was cut from it. Rejects as FilingLedger does.
   */
  record(notices: IncomingNotice[]): Promise<RecordOutcome[]>
  /** Returns all notices of these issuers, in any order, without those that the SEC has deleted. */
  ofIssuers(issuers: Cik[]): Promise<FiledNotice[]>
  /**
   * Returns those of these notices whose seller appears in no notice or filing until shortly before, and whose broker
   * appears in no notice of another seller.
   */
  fromUnknownSellers(accessions: AccessionNumber[]): Promise<Set<AccessionNumber>>
  /** Returns all issuers that have notices, in the order of their CIKs. */
  issuers(): Promise<Cik[]>
}

/** Issuers whose notices are to be linked to sales. */
export interface NoticeQueue {
  next(limit: number): Promise<{ issuerCik: Cik; version: number }[]>
  /** Returns how many wait. */
  countWaiting(): Promise<number>
  /** Adds every issuer that has notices. */
  addAll(version: number): Promise<void>
  /**
   * Removes those that nothing was added for since they were taken, in one transaction with the events that their
   * notices raise and the entries of the log.
   */
  done(issuers: { issuerCik: Cik; version: number }[], outcome: Outcome): Promise<void>
}

/** A link with the state that the passing of time alone brings. */
export type StoredLink = NoticeLink & { finalState: NoticeState }

/** A notice with all that was decided of it. */
export interface LinkedNotice {
  notice: FiledNotice
  judgement: NoticeJudgement
  link: StoredLink
}

/** The rows of notices. Writes replace by key, so each may be repeated. */
export interface NoticeStore {
  /** Returns the sales of these issuers, as in Table I of Forms 4, with those that were superseded. */
  sales(issuers: Cik[]): Promise<Trade[]>
  /** Returns who reports as an owner of these issuers, and since when. */
  owners(issuers: Cik[]): Promise<(OwnerReport & { issuerCik: Cik })[]>
  /** Returns what is stored of these issuers. */
  stored(issuers: Cik[]): Promise<LinkedNotice[]>
  /** `former`: what is stored of `notices`, whose sales may no longer count. */
  write(notices: LinkedNotice[], gone: LinkedNotice[], former: LinkedNotice[], version: number): Promise<void>
}
