// Loading of a quarter of the SEC's data sets into the ledger and the analytics store. The engine reads, types, joins
// and writes millions of rows; what a name means and how trades affect each other is decided by the domain, for the few
// that need it. Killed at any point, the quarter is loaded again with the same result.
import {
  withSignificance,
  withVerdict,
  type UnweighedTrade,
} from '../../domain/trades/reconciliation/reconcile-issuer.ts'
import {
  reconcileSubset,
  type CandidateTrade,
  type CandidateVerdict,
  type RelatedTrades,
} from '../../domain/trades/reconciliation/reconcile-subset.ts'
import type { WithdrawnFilings } from '../../domain/trades/reconciliation/related-filing.ts'
import type { SignificanceFloors } from '../../domain/trades/significance.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'
import type { Trade } from '../../domain/trades/trade.ts'
import type { ChangeTracker } from '../changes/change-tracker.ts'
import { displayTicker } from '../../domain/filings/ticker-symbol.ts'
import { newestTyped, type CompanyListings } from '../shared/company-listings.ts'
import type {
  DataSet,
  DataSetCounts,
  DataSetFile,
  DataSetFiling,
  DataSetRegistry,
  DataSetStore,
} from '../ports/data-sets.ts'
import { detailFiles } from './detail-files.ts'
import type { Projector } from '../projection/project-filings.ts'
import { retractionsOf } from '../projection/retractions.ts'
import { JobCancelled } from '../shared/job-cancellation.ts'
import { runInSlices, timeSlices } from '../shared/time-slices.ts'
import { resolveRowFacts } from './resolve-row-facts.ts'
import { resolveTexts } from './resolve-texts.ts'
import type { AnalyticsStore, TypedSymbols } from '../ports/analytics.ts'

export interface DataSetContext {
  history: DataSetStore
  analytics: AnalyticsStore
  sets: DataSetRegistry
  listings: CompanyListings
  floors: SignificanceFloors
  nextVersion: () => Promise<number>
  projector: Pick<Projector, 'reconcileIssuers'>
  /** Absent for tables that no page is made from yet. */
  changes?: Pick<ChangeTracker, 'recordExtent'>
}

export interface QuarterResult extends DataSetCounts {
  quarter: string
  /** Lines of each file, each used or rejected; none of the details where the data set lacks one of their files. */
  lines: Record<string, number>
}

/**
 * Loads a quarter. `advance` receives the lines of Table I that are done. Throws if lines are neither used nor
 * rejected; then nothing stays staged.
 */
export async function loadQuarter(
  stores: DataSetContext,
  set: DataSet,
  advance: (rows: number) => void,
): Promise<QuarterResult> {
  let done = 0
  try {
    return await load(stores, set, (rows) => advance((done = rows)))
  } catch (error) {
    // What made it fail says more than what keeps the tables from being emptied; the next load empties them.
    if (mayWrite(() => advance(done))) await stores.history.empty().catch(() => {})
    throw error
  }
}

/** Returns whether no other process may be loading by now, in the same tables. */
function mayWrite(advance: () => void): boolean {
  try {
    advance()
    return true
  } catch (error) {
    return error instanceof JobCancelled
  }
}

async function load(stores: DataSetContext, set: DataSet, advance: (rows: number) => void): Promise<QuarterResult> {
  const { history, sets, analytics, changes } = stores
  const { quarter, files } = set
  await history.stage(files)
  await history.keepNames(await resolveTexts(history, files))
  await resolveRowFacts(history, files)
  await history.join(quarter)
  // Every filing is in the ledger before a row of it is visible, so that its own document, arriving later, replaces
  // them.
  const {
    issuersToReconcile,
    done: { result, changed },
  } = await sets.replace(quarter, history.ledgerLines(), async (known, gone, withdrawn) => {
    await history.keepKnown(known)
    await history.keepWithdrawn(withdrawn)
    const result = reconciled(set, await history.counts(quarter))
    await takeBack(stores, gone)
    const renamed = await keepTickers(stores)
    const { changed, again } = await reconcileSet(history, withdrawn)
    return {
      done: { result, changed },
      issuersToReconcile: [...new Set([...again, ...renamed, ...gone.map(({ issuerCik }) => issuerCik)])],
    }
  })
  const version = await stores.nextVersion()
  // Rows become visible part by part.
  const becameVisible = (rows: number) => {
    changes?.recordExtent('filings')
    advance(rows)
  }
  await history.write(files, version, becameVisible).finally(() => changes?.recordExtent('filings'))
  // With the others of their filings, whose sum determines the significance of all of them.
  const trades = await history.filingsOf([...changed.keys()])
  const verdicts = new Map([...changed].map(([{ id }, verdict]) => [id, verdict]))
  const written = withSignificance(
    trades.map((trade) => decided(trade, verdicts.get(trade.id))),
    stores.floors,
  )
  const restored = trades.filter(({ id, supersededBy }) => supersededBy !== '' && verdicts.get(id)?.supersededBy === '')
  await analytics.write({ ...NOTHING, trades: written, restored }, await stores.nextVersion())
  await reconcileIssuers(stores, issuersToReconcile)
  await sets.finish(quarter, result)
  await history.empty()
  return result
}

const TAKEN_BACK_BATCH = 20_000

// Done before anything is decided: what is removed has no influence.
async function takeBack({ analytics, nextVersion }: DataSetContext, gone: DataSetFiling[]): Promise<void> {
  for (let from = 0; from < gone.length; from += TAKEN_BACK_BATCH) {
    await analytics.write(retractionsOf(gone.slice(from, from + TAKEN_BACK_BATCH)), await nextVersion())
  }
}

/**
 * Issuers reconciled at once: with all their trades, 100 issuers of a hundred trades a year over twenty years take some
 * 500 MiB.
 */
const ISSUERS_BATCH = 50

async function reconcileIssuers(stores: DataSetContext, issuers: Cik[]): Promise<void> {
  for (let from = 0; from < issuers.length; from += ISSUERS_BATCH)
    await stores.projector.reconcileIssuers(issuers.slice(from, from + ISSUERS_BATCH))
}

const NOTHING = { trades: [], goneTrades: [], entries: [], goneEntries: [], goneDetails: [] }

/**
 * Chooses symbols to show, by issuer and symbols typed, of several also by title. Returns issuers whose stored trades
 * may be shown with another symbol because of the set.
 */
async function keepTickers({ history, analytics, listings }: DataSetContext): Promise<Cik[]> {
  const typed = Map.groupBy(await history.issuerSymbols(), ({ issuerCik }) => issuerCik)
  const unlisted = [...typed.keys()].filter((issuer) => listings.tickersOf(issuer).length === 0)
  const stored = await newestSymbols(analytics, unlisted)
  const newestOf = (issuer: Cik): TypedSymbols | undefined =>
    newestTyped([
      ...(stored.get(issuer) ? [stored.get(issuer)!] : []),
      ...typed.get(issuer)!.filter(({ symbols }) => symbols.length > 0),
    ])
  const tickers = [...typed].flatMap(([issuerCik, filings]) => {
    const present = listings.tickersOf(issuerCik)
    const latest = present.length > 0 ? [] : (newestOf(issuerCik)?.symbols ?? [])
    return filings.flatMap(({ symbols, titles }) =>
      titles.map((title) => ({ issuerCik, symbols, title, ticker: displayTicker(symbols, present, latest, title) })),
    )
  })
  await history.keepTickers(tickers)
  const symbolsIn = (filing: TypedSymbols | undefined): string => String(filing?.symbols)
  const renamed = unlisted.filter((issuer) => symbolsIn(newestOf(issuer)) !== symbolsIn(stored.get(issuer)))
  return history.withTrades(renamed)
}

/** Queried at once; a statement has room for some 15,000. */
const SYMBOLS_BATCH = 5_000

async function newestSymbols(analytics: AnalyticsStore, issuers: Cik[]): Promise<Map<Cik, TypedSymbols>> {
  const found = new Map<Cik, TypedSymbols>()
  for (let from = 0; from < issuers.length; from += SYMBOLS_BATCH) {
    for (const [issuer, newest] of await analytics.newestSymbols(issuers.slice(from, from + SYMBOLS_BATCH), []))
      found.set(issuer, newest)
  }
  return found
}

interface Decision {
  trade: CandidateTrade
  verdict: CandidateVerdict
}

/**
 * Reconciles the set's rows with the stored ones. Verdicts of its own rows are left with the store; returns the stored
 * rows that change.
 */
async function reconcileSet(history: DataSetStore, withdrawn: WithdrawnFilings) {
  const changed = new Map<CandidateTrade, CandidateVerdict>()
  const again = new Set<Cik>()
  for (const slice of await history.slices()) {
    for (const issuer of await history.issuersToReconcile(slice)) again.add(issuer)
    const ofIssuers = byIssuer(await history.relatedTrades(slice))
    const own: Decision[] = []
    const pause = timeSlices()
    for (const related of ofIssuers) {
      await pause()
      const reconciled = await runInSlices(reconcileSubset(related, withdrawn), pause)
      for (const issuer of reconciled.again) again.add(issuer)
      for (const trade of new Map(allOf(related).map((each) => [each.id, each])).values()) {
        const verdict = reconciled.verdicts.get(trade.id)
        if (!verdict) continue
        if (trade.stored === null) own.push({ trade, verdict })
        else if (!isAs(trade.stored, verdict)) changed.set(trade, verdict)
      }
    }
    await history.keepVerdicts(own)
  }
  return { changed, again }
}

/** Returns the trades of each issuer: what is decided of them does not depend on those of others. */
function byIssuer({ amendable, equal, priced, joint }: RelatedTrades): Iterable<RelatedTrades> {
  const all = new Map<Cik, RelatedTrades>()
  const of = ({ issuerCik }: { issuerCik: Cik }): RelatedTrades => {
    const known = all.get(issuerCik) ?? { amendable: [], equal: [], priced: [], joint: [] }
    all.set(issuerCik, known)
    return known
  }
  for (const trade of amendable) of(trade).amendable.push(trade)
  for (const trade of equal) of(trade).equal.push(trade)
  for (const trade of priced) of(trade).priced.push(trade)
  for (const filing of joint) of(filing).joint.push(filing)
  return all.values()
}

const allOf = ({ amendable, equal, priced }: RelatedTrades): CandidateTrade[] => [...amendable, ...equal, ...priced]

const isAs = (stored: NonNullable<CandidateTrade['stored']>, verdict: CandidateVerdict): boolean =>
  (Object.keys(stored) as (keyof typeof stored)[]).every(
    (part) => JSON.stringify(stored[part]) === JSON.stringify(verdict[part]),
  )

function decided(trade: Trade, verdict: CandidateVerdict | undefined): UnweighedTrade {
  if (!verdict) return trade
  return withVerdict(
    trade,
    { ...verdict, priceStatus: verdict.priceStatus ?? trade.priceStatus, ticker: trade.ticker },
    trade,
  )
}

function reconciled({ quarter, files }: DataSet, counts: DataSetCounts): QuarterResult {
  const used = {
    SUBMISSION: counts.filings,
    REPORTINGOWNER: counts.owners,
    NONDERIV_TRANS: counts.rows,
    ...counts.details,
  }
  const { SUBMISSION, REPORTINGOWNER, NONDERIV_TRANS } = files
  const read: Record<string, DataSetFile> = { SUBMISSION, REPORTINGOWNER, NONDERIV_TRANS, ...detailFiles(files) }
  const lines = Object.fromEntries(Object.keys(used).map((file) => [file, read[file]?.lines ?? 0]))
  for (const [file, stored] of Object.entries(used)) {
    const rejected = counts.rejectedByFile[file] ?? 0
    if (stored + rejected !== lines[file]) {
      throw new Error(
        `${quarter}: ${file} has ${lines[file]} lines, but ${stored} were used and ${rejected} rejected: ` +
          'nothing was written',
      )
    }
  }
  return { quarter, lines, ...counts }
}
