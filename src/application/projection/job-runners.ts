// The functions that run queued jobs, one for each kind.
import type { RebuildAnalytics } from '../commands/rebuild-analytics.ts'
import type { ExportMaker } from '../exports/make-exports.ts'
import type { FetchQuarter, LoadQuarters } from '../data-sets/load-quarters.ts'
import type { CatchUp } from '../ingestion/follow-daily-index.ts'
import type { RefreshCompanies } from '../ingestion/refresh-company-list.ts'
import type { LoadPrices, PricesRequest } from '../prices/load-prices.ts'
import type { FillSectors } from '../sectors/fill-sectors.ts'
import type { JobRunners } from './projection-loop.ts'

interface JobRunnerDependencies {
  rebuild: RebuildAnalytics
  refreshCompanies: RefreshCompanies
  fillSectors: FillSectors
  backfill: LoadQuarters
  makeExports: ExportMaker
  loadPrices: LoadPrices
  /** Undefined, like `catchUp`, in a process that does not request from EDGAR. */
  fetchQuarter: FetchQuarter | undefined
  catchUp: CatchUp | undefined
}

export function makeJobRunners({
  rebuild,
  refreshCompanies,
  fillSectors,
  backfill,
  makeExports,
  loadPrices,
  fetchQuarter,
  catchUp,
}: JobRunnerDependencies): JobRunners {
  return {
    rebuild,
    companies: refreshCompanies,
    sectors: fillSectors,
    exports: (progress) => makeExports(progress),
    prices: (progress, asked) => loadPrices(asked as unknown as PricesRequest, progress),
    backfill: (progress, { quarters }, signal) => {
      const fetch: FetchQuarter | null = fetchQuarter ? (quarter) => fetchQuarter(quarter, signal) : null
      return backfill(quarters as string[], fetch, progress)
    },
    ...(catchUp && {
      'catch-up': async (progress, { from, to }, signal) => ({
        days: await catchUp.days({ from: String(from), to: String(to) }, progress, signal),
      }),
    }),
  }
}
