// The computations of the projection: pure functions of what the stores gave, which return rows for the stores.
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { WithdrawnFilings } from '../../domain/trades/reconciliation/related-filing.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import { reportedFilings } from '../changes/reported-filings.ts'
import type { AnalyticsChange, RowFormat } from '../ports/analytics.ts'
import type { PendingDocument } from '../ports/filings.ts'
import type {
  FilingsProjected,
  FilingsRead,
  FilingsToProject,
  IssuersToReconcile,
  PackedRows,
} from '../ports/projection.ts'
import { decide, type Known } from './decide-change.ts'
import { derive, noRows, type Derived, type ReadAtOnce } from './derive-rows.ts'

/** How documents are read, and rows of the store and rows on their way. */
export interface ProjectionFormats {
  read: ReadAtOnce
  rows: RowFormat
  pack: (derived: Derived) => PackedRows
  unpack: (packed: PackedRows) => Derived
}

export function readFilings(
  { read, pack }: ProjectionFormats,
  { documents, withdrawn }: { documents: PendingDocument[]; withdrawn: WithdrawnFilings },
): FilingsRead {
  const derived = derive(read, documents, withdrawn)
  const { accessions, entries, goneTrades, goneEntries, failures } = derived
  const former = issuersOf([...goneTrades, ...goneEntries])
  return {
    derived: pack(derived),
    filings: accessions,
    replaced: goneEntries.map(({ accession }) => accession),
    issuers: [...new Set([...issuersOf(entries), ...former])],
    former,
    unclassified: issuersOf(entries.filter(({ sic }) => sic === null)),
    failures,
  }
}

export function projectFilings({ rows, unpack }: ProjectionFormats, asked: FilingsToProject): FilingsProjected {
  const { issuers, version, withdrawnOfSets, receivedAt, recentSince } = asked
  const derived = asked.derived === null ? noRows() : unpack(asked.derived)
  const known = { ...knownOf(rows, asked), floors: asked.floors }
  const { stored } = known
  const { change, decided } = decide(issuers, derived, known, withdrawnOfSets)
  const own = new Set(derived.accessions)
  const isRecent = ({ accession, filedAt }: Trade) => own.has(accession) && filedAt >= recentSince
  const recent = new Set(decided.filter(isRecent).map(({ accession }) => accession))
  return {
    rows: isNothing(change) ? null : rows.changeInserts(change, version),
    storedTrades: stored.length,
    tried: issuersOf(stored.filter(({ accession }) => own.has(accession))),
    touched: issuersOf([...change.trades, ...change.goneTrades]),
    recent: decided.filter(({ accession, supersededBy }) => recent.has(accession) || recent.has(supersededBy)),
    reported: receivedAt ? reportedFilings({ receivedAt, stored, decided, changed: change.trades }) : [],
  }
}

/** Returns what is stored of issuers, with what else decides about their trades. */
export function knownOf(rows: RowFormat, asked: IssuersToReconcile): Omit<Known, 'floors'> {
  const { stored, tickers, withdrawn } = asked
  return {
    stored: rows.trades(stored.trades),
    related: rows.relatedFilings(stored.related),
    symbols: stored.symbols,
    tickers,
    withdrawn,
  }
}

const isNothing = ({ trades, entries, goneTrades, goneEntries, goneDetails, withdrawn = [] }: AnalyticsChange) =>
  [trades, entries, goneTrades, goneEntries, goneDetails, withdrawn].every((part) => part.length === 0)

const issuersOf = (rows: readonly { issuerCik: Cik }[]): Cik[] => [...new Set(rows.map(({ issuerCik }) => issuerCik))]
