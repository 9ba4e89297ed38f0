// The command backfill: loads history from the SEC's insider transactions data sets, by quarter, fetched or from files.
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { makeFetchQuarter } from '../../../application/data-sets/fetch-quarter.ts'
import type { BackfillResult, FetchQuarter } from '../../../application/data-sets/load-quarters.ts'
import type { QuarterResult } from '../../../application/data-sets/load-history.ts'
import type { Config } from '../../../config.ts'
import { quarterOf, quartersBetween, type Quarter } from '../../../domain/shared/quarter.ts'
import { DataSetArchive } from '../../../infrastructure/edgar/data-sets/archive.ts'
import { tryAcquire } from '../../../infrastructure/postgres/coordination/leader-lock.ts'
import { historyDir } from '../../../service/analytics-access.ts'
import { runJob, type Work } from '../../run-or-queue.ts'
import { edgarOf, recordSource } from '../../../service/roles/edgar-follower.ts'
import { usageError, type Output } from '../../output.ts'
import { detectAllSignals } from '../../await-projection.ts'
import { withLedger, writePrivately, type LedgerContext } from '../../with-database.ts'
import { counted } from '../../counted.ts'

export const help = `backfill SETS: load history from the SEC's insider transactions data sets

  SETS               2006q1..2026q3 or 2024q3: fetched from the SEC unless they are kept already; or a zip, or a folder
                     of zips, named as the SEC does (2024q3_form345.zip); several with commas
  EDGAR_USER_AGENT   your name and contact, which the SEC asks for; needed for fetching

  The zips are kept under DATA_DIR/history, where a rebuild reads them. Loaded quarters are skipped, so an interrupted
  run is continued by starting it again. Filings ingested one by one stay as they are, and no alerts are raised.`

export async function run(config: Config, args: string[], out: Output): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  if (positionals.length === 0) throw usageError('backfill needs quarters or files: make backfill SETS=2006q1..2026q3')
  const wanted = positionals.flatMap((part) => part.split(',')).filter(Boolean)
  writePrivately(config)
  const quarters = await quartersOf(wanted, new DataSetArchive(historyDir(config)), out)
  return withLedger(config, out, 'backfill', async (at) => {
    const begun = performance.now()
    const work: Work = ({ backfill }, progress) =>
      fetching(at, (fetchQuarter) => backfill(quarters, fetchQuarter, progress))
    const result = (await runJob(at, 'backfill', work, { quarters })) as BackfillResult
    await detectAllSignals(at)
    return report(result, (performance.now() - begun) / 1000, out)
  })
}

async function quartersOf(wanted: string[], kept: DataSetArchive, out: Output): Promise<Quarter[]> {
  const quarters: Quarter[] = []
  for (const part of wanted) {
    const [first, last, ...more] = part.split('..')
    const range = more.length === 0 && [first, last ?? first].every((end) => quarterOf(end!) === end)
    if (range) quarters.push(...quartersBetween(first!, last ?? first!))
    else if (existsSync(part)) {
      out.note(`copying from ${part}`)
      quarters.push(...(await kept.take(part)))
    } else throw usageError(`neither quarters such as 2006q1..2026q3 nor a file or folder: ${part}`)
  }
  return [...new Set(quarters)].sort()
}

/** Runs `work`, with access to EDGAR if no service uses it: this process holds the lock of EDGAR meanwhile. */
async function fetching(
  { config, databaseUrl, sourceProgress }: LedgerContext,
  work: (fetchQuarter: FetchQuarter | null) => Promise<unknown>,
): Promise<unknown> {
  const edgar = edgarOf(config)
  const lock = edgar && (await tryAcquire(databaseUrl, 'edgar'))
  try {
    if (!edgar || !lock) return await work(null)
    const fetchQuarter = makeFetchQuarter(edgar, new DataSetArchive(historyDir(config)))
    return await work(async (quarter) => {
      await recordSource(config, sourceProgress)
      return fetchQuarter(quarter)
    })
  } finally {
    await lock?.release()
  }
}

function report({ loaded, unchanged, missing, rows, rejected }: BackfillResult, seconds: number, out: Output): number {
  const rate = Math.round(rows / Math.max(seconds, 0.001))
  out.result(
    { loaded, unchanged, missing, rows, rejected, seconds: Math.round(seconds * 10) / 10, rowsPerSecond: rate },
    [
      ...loaded.flatMap(linesOf),
      ...(unchanged.length > 0
        ? [`${counted(unchanged.length, 'quarter was', 'quarters were')} loaded before: ${unchanged.join(', ')}`]
        : []),
      ...(missing.length > 0 ? [`not published: ${missing.join(', ')}`] : []),
      `loaded ${counted(loaded.length, 'quarter')}, ${counted(rows, 'row')} in ${Math.round(seconds)} s ` +
        `(${rate} rows/s), ${counted(rejected, 'line')} rejected`,
    ],
  )
  return 0
}

function linesOf({ quarter, lines, rows, transactions, knownFilings, rejected }: QuarterResult): string[] {
  const rejectedRows = lines.NONDERIV_TRANS! - rows
  return [
    `${quarter}: ${counted(lines.NONDERIV_TRANS!, 'row')} = ` +
      `${rows} stored (${counted(transactions, 'transaction')} shown or counted by this set) + ` +
      `${rejectedRows} rejected` +
      (knownFilings > 0 ? `; ${counted(knownFilings, 'filing was', 'filings were')} here already` : ''),
    ...rejected
      .slice(0, 5)
      .map(
        ({ file, reason, lines: count, example }) =>
          `  ${file}: ${count} x ${reason}, such as ${example || 'a line without number'}`,
      ),
  ]
}
