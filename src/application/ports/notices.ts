// Ports of notices of proposed sales: the ledger that records them and the queue of issuers to link (PostgreSQL), and
// the rows that answer the API's questions (ClickHouse).
import type { NoticeJudgement } from '../../domain/notices/judge-notice.ts'
import type { FiledNotice } from '../../domain/notices/notice.ts'
import type { NoticeLink, NoticeState } from '../../domain/notices/link-notices.ts'
import type { AccessionNumber, Cik } from '../../domain/shared/identifiers.ts'
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
  /** Returns all notices of these issuers as JSON, in any order, without those that the SEC has deleted. */
  ofIssuers(issuers: Cik[]): Promise<string[]>
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

/** What is stored of some issuers, as the store returned it: only a computation reads it. */
export interface StoredOfIssuers {
  /** Their sales, as in Table I of Forms 4, with those that were superseded. */
  sales: Uint8Array
  /** Who reports as an owner, and since when. */
  owners: Uint8Array
  /** Their notices with what was decided of them. */
  notices: Uint8Array
}

/** Rows of notices and of sales that count for them, as the store takes them: each body by one insert. */
export interface NoticeRows {
  sales: Uint8Array<ArrayBuffer>[]
  notices: Uint8Array<ArrayBuffer>[]
}

/** The rows of notices. Writes replace by key, so each may be repeated. */
export interface NoticeStore {
  ofIssuers(issuers: Cik[]): Promise<StoredOfIssuers>
  write(rows: NoticeRows): Promise<void>
}
