// SignalStore on ClickHouse: signals, and the trades from which they are detected.
import { describeSignal } from '../../../domain/signals/descriptions/signal-description.ts'
import { cikNumber, cikOf, type Cik } from '../../../domain/shared/identifiers.ts'
import type { JointFiling, Signal } from '../../../domain/signals/signal.ts'
import { spokenRole } from '../../../domain/wording/spoken-role.ts'
import type { ClickHouse, InsertRow } from '../connection/client.ts'
import { standingSql, toCik } from '../connection/domain-sql.ts'
import { markSql } from './label-trades.ts'
import { sql } from '../connection/sql.ts'
import { newYorkDay } from '../../../domain/shared/new-york-time.ts'
import type { MarkedTrade, ShownSignal, SignalStore } from '../../../application/ports/analytics.ts'

const SIGNALS_PER_INSERT = 5_000
/** A statement can hold 256 KiB. */
const MARKS_BATCH = 500

// A total entered as the price can be more cents than an Int64 holds, which the engine refuses. Such a price is
// suspect and its total counts for nothing; this limit is below 2^53 cents.
const MAX_DOLLARS = 90_000_000_000_000

type FoundTrade = Omit<MarkedTrade, 'issuerCik' | 'ownerCiks' | 'insiderRole'> & {
  issuer: number
  owners: number[]
  title: string
}

export class ClickHouseSignalStore implements SignalStore {
  readonly #store: ClickHouse

  constructor(store: ClickHouse) {
    this.#store = store
  }

  async trades(issuers: Cik[]): Promise<MarkedTrade[]> {
    const found = await this.#store.rows<FoundTrade>(sql`
        SELECT
          id, accession, n AS place, subject AS issuer, toUnixTimestamp(filed_at) AS filedAt,
          filed_day AS filedDay, trade_day AS day,
          if(type IN ('buy', 'sell'), type, NULL) AS direction,
          if(code = 'P', 'buy', 'sell') AS directionByCode,
          toInt64(least(total_value, ${MAX_DOLLARS}) * 100) AS valueCents,
          price, price_status AS priceStatus, plan, owner_ciks AS owners, insider_name AS insiderName,
          insider_title AS title, ${standingSql} AS standing,
          arrayExists(role -> bitAnd(role, 2) != 0, owner_roles) AS officer,
          arrayAll(role -> bitAnd(role, 4) != 0 AND bitAnd(role, 3) = 0, owner_roles) AS tenPercentOnly,
          ceo, ceo_cfo AS isCeoOrCfo, has(owner_ciks, subject) AS byIssuer, duplicate_of AS duplicateOf,
          superseded_by AS supersededBy, toUnixTimestamp(superseded_at) AS supersededAt,
          company_name AS companyName, ticker, trades.signals AS signals, signalled, routine, significance
        FROM trades FINAL
        WHERE path = 'issuer' AND subject IN ${issuers.map(cikNumber)} AND code IN ('P', 'S')
        SETTINGS max_execution_time = 0`)
    return found.map(({ issuer, owners, title, ...trade }) => ({
      ...trade,
      issuerCik: cikOf(issuer),
      ownerCiks: owners.map(cikOf),
      insiderRole: spokenRole(title, trade),
    }))
  }

  async jointFilings(issuers: Cik[]): Promise<(JointFiling & { issuerCik: Cik })[]> {
    const found = await this.#store.rows<{
      issuerCik: Cik
      accession: string
      filedAt: number
      owners: number[]
    }>(sql`
      SELECT key AS issuerCik, accession, toUnixTimestamp(filed_at) AS filedAt, owner_ciks AS owners
      FROM directory FINAL
      WHERE kind = 'issuer' AND key IN ${issuers} AND length(owner_ciks) > 1`)
    return found.map(({ owners, ...filing }) => ({
      ...filing,
      filedDay: newYorkDay(filing.filedAt),
      ownerCiks: owners.map(cikOf),
    }))
  }

  async signals(issuers: Cik[]): Promise<ShownSignal[]> {
    const found = await this.#store.rows<{ whole: string }>(sql`
      SELECT whole
      FROM signals FINAL
      WHERE path = 'issuer' AND subject IN ${issuers.map(cikNumber)}`)
    return found.map(({ whole }) => JSON.parse(whole) as ShownSignal)
  }

  async write(signals: ShownSignal[], gone: Signal[], version: number): Promise<void> {
    const rows = [
      ...gone.flatMap((signal) => goneRows(signal, version)),
      ...signals.flatMap((shown) => signalRows(shown, version)),
    ]
    for (let from = 0; from < rows.length; from += SIGNALS_PER_INSERT) {
      await this.#store.insert('signals', rows.slice(from, from + SIGNALS_PER_INSERT))
    }
  }

  async mark(marked: MarkedTrade[], version: number): Promise<void> {
    for (let from = 0; from < marked.length; from += MARKS_BATCH) {
      await this.#store.command(markSql(marked.slice(from, from + MARKS_BATCH), version))
    }
  }

  async issuers(): Promise<Cik[]> {
    const found = await this.#store.rows<{
      cik: Cik
    }>(sql`
      SELECT DISTINCT ${toCik('subject')} AS cik
      FROM (
        SELECT subject
        FROM trades
        WHERE path = 'issuer' AND code IN ('P', 'S')
        UNION ALL
        SELECT subject
        FROM signals
        WHERE path = 'issuer'
      )
      ORDER BY cik
      SETTINGS max_execution_time = 0`)
    return found.map(({ cik }) => cik)
  }
}

const keyOf = (path: 'list' | 'issuer', { issuerCik, detectedAt, id }: Signal): InsertRow => ({
  path,
  subject: path === 'list' ? 0 : cikNumber(issuerCik),
  detected_at: detectedAt,
  id,
})

function signalRows(shown: ShownSignal, version: number): InsertRow[] {
  const { signal, ticker, companyName, rules } = shown
  const both = {
    type: signal.type,
    severity: signal.severity,
    issuer_cik: cikNumber(signal.issuerCik),
    ticker,
    company_name: companyName,
    description: describeSignal(signal, shown),
    insider_count: signal.insiderCount,
    total_value: (signal.totalCents / 100).toFixed(2),
    version,
  }
  return [
    { ...keyOf('list', signal), ...both, deleted: signal.endedAt === null ? 0 : 1 },
    {
      ...keyOf('issuer', signal),
      ...both,
      changed_at: signal.changedAt,
      ended_at: signal.endedAt ?? 0,
      whole: JSON.stringify(shown),
      rules,
      deleted: 0,
    },
  ]
}

function goneRows(signal: Signal, version: number): InsertRow[] {
  // With the issuer, which determines the shard of the row on a cluster.
  const issuer_cik = cikNumber(signal.issuerCik)
  return (['list', 'issuer'] as const).map((path) => ({ ...keyOf(path, signal), issuer_cik, version, deleted: 1 }))
}
