// The job `prices`: loads a file of closing prices into PostgreSQL and ClickHouse, and computes the averages of rules
// again. After an interruption it can be repeated, with the same result.
import type { Ticker } from '../../domain/shared/identifiers.ts'
import { dayOfLastClose, measure, ReturnTally, type Closes } from '../../domain/prices/returns.ts'
import type { ChangeTracker } from '../changes/change-tracker.ts'
import type { PriceFile, PriceLedger, PriceStore, ReadPrices, RuleReturns } from '../ports/prices.ts'
import type { Clock, Progress } from '../ports/system.ts'
import { SIGNAL_TYPES, type Direction, type SignalType } from '../../domain/signals/signal.ts'

export interface PricesRequest {
  file: PriceFile
  /** As the operator named it. */
  source: string
  /** Empty for none; null to keep that of earlier loads. */
  benchmark: Ticker | null
}

export type LoadPrices = (request: PricesRequest, progress: Progress) => Promise<ReadPrices>

interface LoadPricesDependencies {
  ledger: PriceLedger
  store: PriceStore
  nextVersion: () => Promise<number>
  clock: Clock
  changes: Pick<ChangeTracker, 'recordExtent'>
  projector: { projectPending(): Promise<unknown> }
}

export function makeLoadPrices({
  ledger,
  store,
  nextVersion,
  clock,
  changes,
  projector,
}: LoadPricesDependencies): LoadPrices {
  return async ({ file, source, benchmark }, progress) => {
    let done = 0
    try {
      const read = await store.stage(file, dayOfLastClose(clock() / 1000))
      if (read.rows === 0) throw new Error(`${source} has no price that can be used${firstReason(read)}`)
      if (benchmark && !(await store.hasStaged(benchmark)) && !(await ledger.has(benchmark)))
        throw new Error(`${source} has no close of the benchmark ${benchmark}`)
      for await (const years of store.staged()) {
        await store.write(await ledger.record(years), await nextVersion())
        progress((done += years.reduce((sum, { days }) => sum + days.length, 0)), read.rows)
        await projector.projectPending()
      }
      await ledger.loaded(source, read, benchmark)
      await publishPrices(ledger, store, nextVersion)
      await store.empty()
      return read
    } finally {
      changes.recordExtent('everything')
    }
  }
}

const firstReason = ({ rejects: [first] }: ReadPrices): string =>
  first === undefined ? '' : `; the first row that can't, ${first.line}: ${first.reason}`

/** Fills an empty store with the prices in PostgreSQL. */
export async function copyPrices(
  ledger: PriceLedger,
  store: PriceStore,
  nextVersion: () => Promise<number>,
): Promise<void> {
  if ((await ledger.state()) === null) return
  for await (const years of ledger.all()) await store.write(years, await nextVersion())
  await publishPrices(ledger, store, nextVersion)
}

async function publishPrices(
  ledger: PriceLedger,
  store: PriceStore,
  nextVersion: () => Promise<number>,
): Promise<void> {
  const state = await ledger.state()
  if (state === null) return
  const benchmark = state.benchmark === null ? null : await store.allCloses(state.benchmark)
  await store.publish({ ...state, rules: await ruleReturns(store, benchmark) }, await nextVersion())
}

/** Averages the returns after the signals that hold, each measured once, from its detection. */
async function ruleReturns(store: PriceStore, benchmark: Closes | null): Promise<RuleReturns> {
  const tallies = SIGNAL_TYPES.map(
    (type) => [type, { buy: new ReturnTally(benchmark), sell: new ReturnTally(benchmark) }] as const,
  )
  const tallyOf = new Map<SignalType, Record<Direction, ReturnTally>>(tallies)
  for await (const signals of store.raisedSignals()) {
    const closes = await store.closes(signals)
    for (const { type, direction, symbol, from } of signals) {
      const known = closes.get(symbol)
      if (known) tallyOf.get(type)![direction].add(measure(known, from))
    }
  }
  return Object.fromEntries(
    tallies.map(([type, { buy, sell }]) => [type, { buys: buy.averages(), sells: sell.averages() }]),
  ) as RuleReturns
}
