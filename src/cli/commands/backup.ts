// The command backup: writes PostgreSQL and the zips of the history into a folder, while the service keeps running.
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { fillBackupFolder } from '../../infrastructure/backup-folder.ts'
import { DataSetArchive } from '../../infrastructure/edgar/data-sets/archive.ts'
import { requireSpace } from '../../infrastructure/free-space.ts'
import { backUp, uncompressedBytes } from '../../infrastructure/postgres/backup.ts'
import { historyDir } from '../../service/analytics-access.ts'
import { untilInterrupted } from '../interrupt.ts'
import { usageError, type Output } from '../output.ts'
import { withLedger, type LedgerContext } from '../with-database.ts'
import { counted } from '../counted.ts'

export const help = `backup TO: write all of PostgreSQL, and the zips of the history, into a new or empty folder

  Contains filings, the company list, prices, keys, watchlists and alerts as of one moment, while the service runs;
  ClickHouse is filled from it. Webhook secrets in it are encrypted with SECRETS_KEY or DATA_DIR/secrets.key, which it does not
  contain: keep that file separately (in Docker DATA_DIR/secrets/secrets_key). restore reads it into an empty database
  of the same version of the service.`

export async function run(config: Config, args: string[], out: Output): Promise<void> {
  const [folder] = args
  if (args.length !== 1 || !folder) throw usageError('backup needs a folder: make backup TO=path')
  const inFolder = (at: LedgerContext) => untilInterrupted((signal) => backUpInto(folder, at, signal))
  await fillBackupFolder(folder, () => withLedger(config, out, 'backup', inFolder))
}

async function backUpInto(folder: string, at: LedgerContext, signal: AbortSignal): Promise<void> {
  const { config, pool, out } = at
  const progress = out.progress('tables', 1)
  // The zips first, then the record of them: a rebuild fails without a recorded zip, and ignores an extra one.
  await new DataSetArchive(historyDir(config)).copyTo(join(folder, 'history'), signal)
  await requireSpace(folder, await uncompressedBytes(pool))
  const { tables, rows } = await backUp(pool, folder, (done, total) => progress.update(done, total), signal)
  await progress.stop()
  const missing = await setsWithoutFiles(at, join(folder, 'history'))
  out.result({ folder, tables, rows, missing }, [
    `${counted(rows, 'row')} of ${counted(tables, 'table')} in ${folder}`,
    ...(missing.length > 0
      ? [`not in it: the data sets of ${missing.join(', ')}; back up DATA_DIR/history of the host that loaded them`]
      : []),
    ...(config.secretsKey === null
      ? [`keep ${join(config.dataDir, 'secrets.key')} as well, in a different place`]
      : []),
  ])
}

/** Returns the loaded quarters whose zips are missing, without which a rebuild fails. */
async function setsWithoutFiles({ dataSetRegistry }: LedgerContext, folder: string): Promise<string[]> {
  const [sets, kept] = [await dataSetRegistry.sets(), new DataSetArchive(folder)]
  return sets.filter(({ quarter, status }) => status === 'loaded' && !kept.has(quarter)).map(({ quarter }) => quarter)
}
