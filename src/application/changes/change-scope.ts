// The scope of writes to the analytics store: the issuers, insiders, symbols and filing times of their rows.
import type { AnalyticsChange, MarkedTrade, ShownSignal } from '../ports/analytics.ts'
import type { Signal } from '../../domain/signals/signal.ts'
import { entryKey } from '../projection/directory-entry.ts'
import type { ChangeScope } from './change-tracker.ts'
import type { DataPart } from './data-dependencies.ts'

/** Returns what a projected batch touches. */
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
  // The parties of its entries are added to the terms of the search.
  if (entries.length > 0) parts.add('search')
  return { parts, feed }
}

/** Returns what written and withdrawn signals touch. */
export function scopeOfSignals(signals: readonly ShownSignal[], gone: readonly Signal[]): ChangeScope {
  const issuers = [...signals.map(({ signal }) => signal), ...gone].map(({ issuerCik }) => issuerCik)
  const parts: DataPart[] = issuers.map((cik) => `issuer:${cik}` as const)
  return { parts: issuers.length > 0 ? [...parts, 'signals'] : parts, feed: [] }
}

/** Returns what marking trades with their signals touches. */
export function scopeOfMarks(trades: readonly MarkedTrade[]): ChangeScope {
  const parts = new Set<DataPart>()
  for (const { issuerCik, ownerCiks } of trades) {
    parts.add(`issuer:${issuerCik}`)
    for (const cik of ownerCiks) parts.add(`insider:${cik}`)
  }
  return { parts, feed: trades.map(({ filedAt }) => filedAt) }
}

/** Returns both in one. */
export function combined(...scopes: ChangeScope[]): ChangeScope {
  return {
    parts: new Set(scopes.flatMap(({ parts }) => [...parts])),
    feed: new Set(scopes.flatMap(({ feed }) => [...feed])),
  }
}
