// The command prices: loads closing prices that the operator brings, for computing returns after filings.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ReadPrices } from '../../application/ports/prices.ts'
import type { PricesRequest } from '../../application/prices/load-prices.ts'
import type { Config } from '../../config.ts'
import { canonicalTicker } from '../../domain/filings/ticker-symbol.ts'
import { keepPriceFile, removePriceFile } from '../../infrastructure/price-file.ts'
import { counted } from '../counted.ts'
import { usageError, type Output } from '../output.ts'
import { runJob, type Work } from '../run-or-queue.ts'
import { withLedger, writePrivately, type LedgerContext } from '../with-database.ts'

export const help = `prices FROM [--benchmark=TICKER]: load closing prices, for returns after filings

  FROM               a CSV file whose first line names the columns ticker, date (2026-03-31) and close, or a Parquet
                     file with these columns; others are ignored
  --benchmark        a ticker of the file, such as SPY, that averages are compared with; none for no comparison;
                     left out, it stays as it is

  Closes must be adjusted for splits: they are taken as they are. Prices of a ticker and day replace those loaded
  before, and several files add up; after a split load all days of the ticker again. Rows that can't be used are counted
  and the first ones named. PostgreSQL keeps the prices, so backups have them and a rebuild keeps them.`

export async function run(config: Config, args: string[], out: Output): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { benchmark: { type: 'string' } },
  })
  const [from] = positionals
  if (positionals.length !== 1 || !from) throw usageError('prices needs one file: make prices FROM=path')
  const benchmark = benchmarkOf(values.benchmark)
  writePrivately(config)
  const file = await keepPriceFile(from, join(config.dataDir, 'prices'))
  const request: PricesRequest = { file, source: from, benchmark }
  const work: Work = ({ loadPrices }, progress) => loadPrices(request, progress)
  const load = (at: LedgerContext) => runJob(at, 'prices', work, { ...request })
  const read = await withLedger(config, out, 'prices', load).catch(async (error: Error & { exitCode?: number }) => {
    // The service continues the job of a command that was interrupted, and reads the file.
    if (error.exitCode === undefined) await removePriceFile(file)
    throw error
  })
  await removePriceFile(file)
  report(read as ReadPrices, from, out)
}

function benchmarkOf(text: string | undefined): PricesRequest['benchmark'] {
  if (text === undefined) return null
  if (text === 'none') return ''
  const ticker = canonicalTicker(text)
  if (ticker === null) throw usageError(`--benchmark takes a ticker or none, not "${text}"`)
  return ticker
}

function report(read: ReadPrices, from: string, out: Output): void {
  const { rows, symbols, unknownSymbols, firstDay, lastDay, rejected, rejects } = read
  out.result({ ...read }, [
    ...rejects.map(({ line, reason }) => `rejected ${from}:${line}: ${reason}`),
    ...(rejected > rejects.length ? [`and ${rejected - rejects.length} more rejected`] : []),
    `loaded ${counted(rows, 'close')} of ${counted(symbols, 'ticker')} from ${firstDay} to ${lastDay}, ` +
      `${rejected} rejected` +
      (unknownSymbols > 0 ? `; ${counted(unknownSymbols, 'ticker')} of no company known here, kept as well` : ''),
  ])
}
