// The analytics store with a cache, for the projection: what was recently read or written of an issuer is kept in this
// process and not read again (5 to 10 ms from a document to the feed). Correct only while no other process writes: code
// that lets others write, writes another way or swaps the tables calls `invalidate`.
import type { AccessionNumber, Cik, Ticker } from '../../domain/shared/identifiers.ts'
import { isRelated, type RelatedFiling } from '../../domain/trades/reconciliation/related-filing.ts'
import type { Trade, TradeKey } from '../../domain/trades/trade.ts'
import { scopeOfFilings } from '../changes/change-scope.ts'
import type { ChangeTracker, Extent } from '../changes/change-tracker.ts'
import { relatedFiling } from './directory-entry.ts'
import { newestTyped } from '../shared/company-listings.ts'
import type { AnalyticsStore, AnalyticsChange, DirectoryEntry, TypedSymbols } from '../ports/analytics.ts'

/** For one caller at a time, as the projection is. */
export interface CachedAnalyticsStore extends AnalyticsStore {
  /** Drops the cache, or what is about these issuers: another process may have written. */
  invalidate(issuers?: Cik[]): void
  /** Drops the cache: filings were written another way, the company list was not. */
  invalidateFilings(): void
  /**
   * Begins to read what is missing of an issuer whose filing is just being recorded: its trades and related filings,
   * and the newest symbols of one that is not on the SEC's list.
   */
  expect(issuer: Cik, isUnlisted: boolean): void
  /** Returns the issuer's trades if they are cached. */
  cached(issuer: Cik): Trade[] | undefined
  cachedTrade(key: Omit<TradeKey, 'ownerCiks'>): Trade | undefined
  /** Returns the trades cached, and how often an issuer's were requested and cached (hits) or read (misses). */
  memory(): { trades: number; hits: number; misses: number }
  /** Returns how many filings were written or taken back since the start, batch by batch as they become visible. */
  projectedFilings(): number
}

// 75 MB: 1.5 kB each.
const MAX_TRADES = 50_000

/** `changes` learns what each write touched, when it is visible. */
export function makeCachedAnalyticsStore(
  store: AnalyticsStore,
  changes: ChangeTracker,
  maxTrades = MAX_TRADES,
): CachedAnalyticsStore {
  let memory = new IssuerMemory(maxTrades)
  const counts = { hits: 0, misses: 0 }
  let projected = 0
  const invalidateAll = (extent: Extent) => {
    memory = new IssuerMemory(maxTrades)
    changes.recordExtent(extent)
  }
  const invalidate = (issuers?: Cik[]) => {
    if (issuers) issuers.forEach((issuer) => memory.drop(issuer))
    else invalidateAll('everything')
  }
  return {
    typedSymbols: (issuers) => typedSymbols(store, memory, issuers),
    lastIssuers: (symbols) => store.lastIssuers(symbols),
    companies: () => store.companies(),
    // Every answer may show a company's name or symbol.
    replaceCompanies: (companies) =>
      store.replaceCompanies(companies).finally(() => changes.recordExtent('everything')),
    refreshParties: (version) => store.refreshParties(version).finally(() => changes.recordExtent('filings')),
    isEmpty: () => store.isEmpty(),
    isCurrent: () => store.isCurrent(),
    expect: (issuer, isUnlisted) => {
      memory.expect('trades', issuer, () => readTrades(store, [issuer]))
      memory.expect('related', issuer, () => readRelated(store, [issuer]))
      if (isUnlisted) memory.expect('newest', issuer, () => store.newestSymbols([issuer], []))
    },
    invalidate,
    invalidateFilings: () => invalidateAll('filings'),
    cached: (issuer) => {
      const trades = memory.of(issuer)?.trades
      return trades && [...trades.values()]
    },
    cachedTrade: (key) => memory.of(key.issuerCik)?.trades?.get(keyOf(key)),
    memory: () => ({ trades: memory.weight(), ...counts }),
    projectedFilings: () => projected,
    trades: (issuers) => {
      const hits = issuers.filter((issuer) => memory.of(issuer)?.trades).length
      counts.hits += hits
      counts.misses += issuers.length - hits
      return trades(store, memory, issuers)
    },
    relatedFilings: (issuers) => relatedFilings(store, memory, issuers),
    newestSymbols: (issuers, except) => newestSymbols(store, memory, issuers, except),
    write: async (change, version) => {
      const written = memory
      // A write that failed may have been applied in part.
      const record = () => changes.record(scopeOfFilings(change))
      await store.write(change, version, record).catch((error: unknown) => {
        invalidate()
        throw error
      })
      written.apply(change)
      // Again, for what was made since from filings and symbols that were not stored yet.
      record()
      projected += change.entries.length + change.goneEntries.length
    },
  }
}

// What is cached is taken out before anything is awaited: meanwhile the cache may drop it to make room.
async function trades(store: AnalyticsStore, memory: IssuerMemory, issuers: Cik[]): Promise<Trade[]> {
  const known = new Map(issuers.map((issuer) => [issuer, memory.of(issuer)?.trades]))
  const missing = issuers.filter((issuer) => known.get(issuer) === undefined)
  const read = await memory.expected('trades', missing, (some) => readTrades(store, some))
  for (const issuer of missing) known.set(issuer, byKey(read.get(issuer) ?? []))
  for (const [issuer, trades] of known) memory.keep(issuer, { trades })
  return [...known.values()].flatMap((each) => [...each!.values()])
}

const readTrades = async (store: AnalyticsStore, issuers: Cik[]) =>
  Map.groupBy(await store.trades(issuers), (trade) => trade.issuerCik)

async function relatedFilings(store: AnalyticsStore, memory: IssuerMemory, issuers: Cik[]): Promise<RelatedFiling[]> {
  const known = new Map(issuers.map((issuer) => [issuer, memory.of(issuer)?.related]))
  const missing = issuers.filter((issuer) => known.get(issuer) === undefined)
  const read = await memory.expected('related', missing, (some) => readRelated(store, some))
  for (const issuer of missing) {
    known.set(issuer, new Map(read.get(issuer)?.map((filing) => [filing.accession, filing])))
  }
  for (const [issuer, related] of known) memory.keep(issuer, { related })
  return [...known.values()].flatMap((each) => [...each!.values()])
}

const readRelated = async (store: AnalyticsStore, issuers: Cik[]) =>
  Map.groupBy(await store.relatedFilings(issuers), (filing) => filing.issuerCik)

async function newestSymbols(
  store: AnalyticsStore,
  memory: IssuerMemory,
  issuers: Cik[],
  except: string[],
): Promise<Map<Cik, TypedSymbols>> {
  const known = new Map(issuers.map((issuer) => [issuer, memory.of(issuer)?.newest]))
  const missing = issuers.filter((issuer) => known.get(issuer) === undefined)
  const read = await memory.expected('newest', missing, (some) => store.newestSymbols(some, []))
  for (const issuer of missing) known.set(issuer, read.get(issuer) ?? null)
  for (const [issuer, newest] of known) memory.keep(issuer, { newest })
  // Only the newest is cached. Others are read only if that filing is projected again.
  const again = new Set(except)
  const [covered, newest] = [new Set<Cik>(), new Map<Cik, TypedSymbols>()]
  for (const [issuer, typed] of known) {
    if (typed && again.has(typed.accession)) covered.add(issuer)
    else if (typed) newest.set(issuer, typed)
  }
  return covered.size > 0 ? new Map([...newest, ...(await store.newestSymbols([...covered], except))]) : newest
}

async function typedSymbols(store: AnalyticsStore, memory: IssuerMemory, issuers: Cik[]): Promise<Map<Cik, Ticker[]>> {
  const known = new Map(issuers.map((issuer) => [issuer, memory.of(issuer)?.typed]))
  const missing = issuers.filter((issuer) => known.get(issuer) === undefined)
  const read = missing.length > 0 ? await store.typedSymbols(missing) : new Map<Cik, Ticker[]>()
  for (const issuer of missing) known.set(issuer, new Set(read.get(issuer)))
  for (const [issuer, typed] of known) memory.keep(issuer, { typed })
  return new Map([...known].map(([issuer, typed]) => [issuer, [...typed!]]))
}

/** The cached part of what the store has of an issuer; undefined is what was not read. */
interface CachedIssuer {
  trades?: Map<string, Trade> | undefined
  related?: Map<AccessionNumber, RelatedFiling> | undefined
  /** Null if no filing typed any. */
  newest?: TypedSymbols | null | undefined
  /** All symbols that filings typed. */
  typed?: Set<Ticker> | undefined
}

/** What is read of issuers before it is asked for. */
interface Expected {
  trades: Trade[]
  related: RelatedFiling[]
  newest: TypedSymbols
}
type Reading<Part extends keyof Expected> = Promise<Map<Cik, Expected[Part]>>

/**
 * Issuers whose filings are recorded and not yet projected are fewer. Those expected first are dropped, of which some
 * are never asked for: a document that was known already is not projected.
 */
const MAX_EXPECTED = 20

/** The issuers used last, up to a number of trades. */
class IssuerMemory {
  // In the order of use.
  #issuers = new Map<Cik, CachedIssuer>()
  /** Of issuers that nothing was written of since the reading began. */
  #expected = {
    trades: new Map<Cik, Reading<'trades'>>(),
    related: new Map<Cik, Reading<'related'>>(),
    newest: new Map<Cik, Reading<'newest'>>(),
  }
  #weight = 0
  #most: number

  constructor(most: number) {
    this.#most = most
  }

  weight(): number {
    return this.#weight
  }

  of(issuer: Cik): CachedIssuer | undefined {
    return this.#issuers.get(issuer)
  }

  /** Begins to read a part of the issuer, unless it is cached or being read. */
  expect<Part extends keyof Expected>(part: Part, issuer: Cik, read: () => Reading<Part>): void {
    const expected = this.#expected[part] as Map<Cik, Reading<Part>>
    if (this.of(issuer)?.[part] !== undefined || expected.has(issuer)) return
    const reading = read()
    // One that fails is read again when it is asked for.
    reading.catch(() => {})
    expected.set(issuer, reading)
    if (expected.size > MAX_EXPECTED) expected.delete(expected.keys().next().value!)
  }

  /** Returns a part of these issuers, read before where it was expected. */
  async expected<Part extends keyof Expected>(
    part: Part,
    issuers: Cik[],
    read: (issuers: Cik[]) => Reading<Part>,
  ): Reading<Part> {
    const expected = this.#expected[part] as Map<Cik, Reading<Part>>
    const readings = new Map(issuers.map((issuer) => [issuer, expected.get(issuer)]))
    for (const issuer of issuers) expected.delete(issuer)
    const all = new Map<Cik, Expected[Part]>()
    const others: Cik[] = []
    for (const [issuer, reading] of readings) {
      const found = await reading?.catch(() => undefined)
      if (!found) others.push(issuer)
      else if (found.has(issuer)) all.set(issuer, found.get(issuer)!)
    }
    return others.length > 0 ? new Map([...all, ...(await read(others))]) : all
  }

  #forget(issuer: Cik): void {
    for (const expected of Object.values(this.#expected)) expected.delete(issuer)
  }

  keep(issuer: Cik, part: CachedIssuer): void {
    const known = this.#issuers.get(issuer) ?? {}
    this.#take(issuer)
    this.#issuers.set(issuer, { ...known, ...part })
    this.#weight += weightOf(this.of(issuer)!)
    this.#shrink()
  }

  /** Applies a write by key, as the store does. */
  apply({ trades, goneTrades, entries, goneEntries, withdrawn = [] }: AnalyticsChange): void {
    for (const trade of goneTrades) this.#change(trade.issuerCik, (known) => known.trades?.delete(keyOf(trade)))
    for (const trade of trades)
      this.#change(trade.issuerCik, (known) => known.trades?.set(keyOf(trade), detached(trade)))
    for (const entry of goneEntries) this.#change(entry.issuerCik, (known) => takeBackEntry(known, entry))
    for (const entry of entries) this.#change(entry.issuerCik, (known) => addEntry(known, entry))
    for (const filing of withdrawn) this.#change(filing.issuerCik, (known) => forgetNewest(known, filing))
    this.#shrink()
  }

  #change(issuer: Cik, change: (known: CachedIssuer) => void): void {
    this.#forget(issuer)
    const known = this.#issuers.get(issuer)
    if (!known) return
    this.#weight -= weightOf(known)
    change(known)
    this.#weight += weightOf(known)
  }

  drop(issuer: Cik): void {
    this.#forget(issuer)
    this.#take(issuer)
  }

  #take(issuer: Cik): void {
    const known = this.#issuers.get(issuer)
    if (known) this.#weight -= weightOf(known)
    this.#issuers.delete(issuer)
  }

  #shrink(): void {
    for (const issuer of this.#issuers.keys()) {
      if (this.#weight <= this.#most) return
      this.#take(issuer)
    }
  }
}

// An issuer without trades takes room as well.
const weightOf = ({ trades, related }: CachedIssuer) => 1 + (trades?.size ?? 0) + (related?.size ?? 0)

const keyOf = (trade: Omit<TradeKey, 'ownerCiks' | 'issuerCik'>) => `${trade.filedAt} ${trade.accession} ${trade.place}`

const byKey = (trades: Trade[]) => new Map(trades.map((trade) => [keyOf(trade), trade]))

// A text cut out of a document keeps the whole document in memory; a copy through JSON does not.
const detached = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

function addEntry(known: CachedIssuer, entry: DirectoryEntry): void {
  const { symbols, filedAt, accession } = entry
  takeBackEntry(known, entry)
  const related = relatedFiling(entry)
  if (isRelated(related)) known.related?.set(accession, detached(related))
  for (const symbol of detached(symbols)) known.typed?.add(symbol)
  if (known.newest === undefined || symbols.length === 0 || entry.isWithdrawn) return
  known.newest = newestTyped([...(known.newest ? [known.newest] : []), detached({ symbols, filedAt, accession })])
}

function takeBackEntry(known: CachedIssuer, entry: Pick<DirectoryEntry, 'filedAt' | 'accession'>): void {
  known.related?.delete(entry.accession)
  forgetNewest(known, entry)
}

/** Forgets the newest symbols if they are of this filing: those before are read again. */
function forgetNewest(
  known: CachedIssuer,
  { filedAt, accession }: Pick<DirectoryEntry, 'filedAt' | 'accession'>,
): void {
  if (known.newest?.filedAt === filedAt && known.newest.accession === accession) known.newest = undefined
}
