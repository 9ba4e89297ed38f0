// Scopes of writes to ClickHouse: the issuers, insiders, symbols and filing times of the rows that a write changes.
import type { AnalyticsChange, ShownSignal } from '../ports/analytics.ts'
import type { Signal } from '../../domain/signals/signal.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import { entryKey } from '../projection/directory-entry.ts'
import type { ChangeScope } from './change-tracker.ts'
import type { DataPart } from './data-dependencies.ts'

/** Returns the scope of a projected batch. */
export function scopeOfFilings(change: AnalyticsChange): ChangeScope {
  const { trades, goneTrades, entries, goneEntries, withdrawn = [] } = change
  const parts = new Set<DataPart>()
  const feed = new Set<number>()
  for (const trade of [...trades, ...goneTrades]) {
    parts.add(`issuer:${trade.issuerCik}`)
    for (const cik of trade.ownerCiks) parts.add(`insider:${cik}`)
    feed.add(trade.filedAt)
  }
  for (const { profileCiks, ticker } of trades) {
    for (const cik of profileCiks) parts.add(`insider:${cik}`)
    parts.add(`symbol:${ticker}`)
  }
  for (const { issuerCik, ownerCiks, symbols, filedAt } of [...entries.map(entryKey), ...goneEntries, ...withdrawn]) {
    feed.add(filedAt)
    parts.add(`issuer:${issuerCik}`)
    for (const cik of ownerCiks) parts.add(`insider:${cik}`)
    for (const symbol of symbols) parts.add(`symbol:${symbol}`)
  }
  // A new entry may bring a name or symbol that the search has not had.
  if (entries.length > 0) parts.add('search')
  return { parts, feed }
}

/** Returns the scope of signals that are written or removed. */
export function scopeOfSignals(signals: readonly ShownSignal[], gone: readonly Signal[]): ChangeScope {
  const issuers = [...signals.map(({ signal }) => signal), ...gone].map(({ issuerCik }) => issuerCik)
  const parts: DataPart[] = issuers.map((cik) => `issuer:${cik}` as const)
  return { parts: issuers.length > 0 ? [...parts, 'signals'] : parts, feed: [] }
}

/** Returns the scope of marking trades with their signals. */
export function scopeOfMarks(trades: readonly Pick<Trade, 'issuerCik' | 'ownerCiks' | 'filedAt'>[]): ChangeScope {
  const parts = new Set<DataPart>()
  for (const { issuerCik, ownerCiks } of trades) {
    parts.add(`issuer:${issuerCik}`)
    for (const cik of ownerCiks) parts.add(`insider:${cik}`)
  }
  return { parts, feed: trades.map(({ filedAt }) => filedAt) }
}

/** Joins scopes. */
export function combined(...scopes: ChangeScope[]): ChangeScope {
  return {
    parts: new Set(scopes.flatMap(({ parts }) => [...parts])),
    feed: new Set(scopes.flatMap(({ feed }) => [...feed])),
  }
}
