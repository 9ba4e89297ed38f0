// The command restore: reads a backup into an empty database; the next start fills ClickHouse from it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { copyAsNew } from '../../infrastructure/folders.ts'
import { restore } from '../../infrastructure/postgres/backup.ts'
import { historyDir } from '../../service/analytics-access.ts'
import { usageError, type Output } from '../output.ts'
import { runningService } from '../../service/service-record.ts'
import { withLedger } from '../with-database.ts'
import { counted } from '../counted.ts'

export const help = `restore FROM: read a backup into an empty database (a new DATA_DIR, or a new DATABASE_URL)

  Restores everything or nothing. Put the secrets.key that belongs to the backup into DATA_DIR, or set SECRETS_KEY. Then
  run make up, which fills an empty ClickHouse; one that is not empty needs make rebuild. With STACK=docker and a new
  DATA_DIR restore starts the stores and not the service.`

export async function run(config: Config, args: string[], out: Output): Promise<void> {
  const [folder] = args
  if (args.length !== 1 || !folder) throw usageError('restore needs the folder of a backup: make restore FROM=path')
  const running = runningService(config.dataDir)
  if (running !== null)
    throw new Error(`a service runs on ${config.dataDir}: restore into a new DATA_DIR, or make down first`)
  await withLedger(config, out, 'restore', async ({ pool }) => {
    const progress = out.progress('tables', 1)
    const { tables, rows, leftOut } = await restore(pool, folder, (done, total) => progress.update(done, total))
    // Only after the restore succeeded: if it is refused, the files here belong to the data already here.
    const history = join(folder, 'history')
    if (existsSync(history))
      await copyAsNew(history, historyDir(config)).catch((error: Error) => {
        throw new Error(
          `all but the zips of the history is restored: copy ${history} to ${historyDir(config)} (${error.message})`,
        )
      })
    await progress.stop()
    out.result({ folder, tables, rows, leftOut }, [
      ...(leftOut.length > 0 ? [`left out, since a newer version added it: ${leftOut.join(', ')}`] : []),
      `${counted(rows, 'row')} of ${counted(tables, 'table')} restored; make up fills an empty ClickHouse from them`,
    ])
  })
}
