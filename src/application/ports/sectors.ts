// What sectors of issuers without a SIC in their filings need from outside.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { FetchResult } from './filings.ts'

/** A SIC code of four digits. */
interface IssuerSic {
  issuerCik: Cik
  sic: string
}

/** Issuers whose filings show no SIC, and what EDGAR said of each (PostgreSQL). */
export interface SicList {
  /** Adds those that are not there yet; they are asked for in this order. Returns how many. */
  add(issuers: Cik[]): Promise<number>
  /** Whether some of these are not there yet. */
  lacks(issuers: Cik[]): Promise<boolean>
  /** Those to ask for now; `failures` are those since the last answer. */
  due(limit: number): Promise<{ issuerCik: Cik; failures: number }[]>
  found(sic: IssuerSic): Promise<void>
  /** Puts off one that EDGAR answered without giving a SIC. */
  without(issuer: Cik, reason: string, inSeconds: number): Promise<void>
  /** Puts off one that could not be asked for. */
  failed(issuer: Cik, reason: string, inSeconds: number): Promise<void>
  /** All that were found. */
  known(): Promise<IssuerSic[]>
}

/** Sectors beside what filings say (ClickHouse). */
export interface SectorStore {
  /** Issuers of whose filings none shows a SIC, those that filed last first. */
  issuersWithoutSic(): Promise<Cik[]>
  stored(): Promise<(IssuerSic & { sector: string })[]>
  /** Replaces by issuer. */
  write(sectors: (IssuerSic & { sector: string })[], version: number): Promise<void>
}

/** What EDGAR says of companies. It keeps the SEC's limits by itself. */
export interface SicSource {
  /**
   * Null where EDGAR knows the company and has no SIC for it. `pauseMs`: how long not to ask again after `refused` or
   * `busy`.
   */
  sicOf(issuer: Cik, signal?: AbortSignal): Promise<FetchResult<string | null> & { pauseMs?: number }>
}
