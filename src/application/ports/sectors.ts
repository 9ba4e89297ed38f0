// Ports of sectors: the SIC codes of issuers whose filings show none.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { FetchResult } from './filings.ts'

/** A SIC code of four digits. */
interface IssuerSic {
  issuerCik: Cik
  sic: string
}

/** Issuers whose filings show no SIC, and what EDGAR said of each (PostgreSQL). */
export interface SicList {
  /** Adds those that are not there yet, to be requested in this order. Returns how many. */
  add(issuers: Cik[]): Promise<number>
  /** Returns whether some of these are not there yet. */
  lacks(issuers: Cik[]): Promise<boolean>
  /** Returns those to request now; `failures` are those since the last answer. */
  due(limit: number): Promise<{ issuerCik: Cik; failures: number }[]>
  found(sic: IssuerSic): Promise<void>
  /** Postpones one that EDGAR answered without giving a SIC. */
  without(issuer: Cik, reason: string, inSeconds: number): Promise<void>
  /** Postpones one that could not be requested. */
  failed(issuer: Cik, reason: string, inSeconds: number): Promise<void>
  /** Returns all that were found. */
  known(): Promise<IssuerSic[]>
}

/** Sectors beside those from filings (ClickHouse). */
export interface SectorStore {
  /** Returns issuers whose filings show no SIC, those that filed last first. */
  issuersWithoutSic(): Promise<Cik[]>
  stored(): Promise<(IssuerSic & { sector: string })[]>
  /** Replaces by issuer. */
  write(sectors: (IssuerSic & { sector: string })[], version: number): Promise<void>
}

/** The SIC codes that EDGAR gives for companies. It observes the SEC's limits itself. */
export interface SicSource {
  /**
   * Returns null if EDGAR knows the company and has no SIC for it. `pauseMs`: how long not to send requests after
   * `blocked` or `unavailable`.
   */
  sicOf(issuer: Cik, signal?: AbortSignal): Promise<FetchResult<string | null> & { pauseMs?: number }>
}
