// The command exports: makes the month files, and copies them into a folder for another web server.
import { resolve } from 'node:path'
import type { ExportsResult } from '../../application/exports/make-exports.ts'
import type { Config } from '../../config.ts'
import { copyExports } from '../../infrastructure/exports/copy.ts'
import { ExportFiles } from '../../infrastructure/exports/folder.ts'
import { makeFolder } from '../../infrastructure/folders.ts'
import { exportsDir } from '../../service/analytics-access.ts'
import { counted } from '../counted.ts'
import { untilInterrupted } from '../interrupt.ts'
import { usageError, type Output } from '../output.ts'
import { runJob, type Work } from '../run-or-queue.ts'
import { withLedger } from '../with-database.ts'

export const help = `exports [TO]: make the month files (Parquet) that GET /v1/exports lists

  TO   a folder to copy them into as well, with manifest.json: for an object store or any web server

  Only months that changed are made again, and the service does so every night at 22:30 New York time. The files lie in
  EXPORTS_DIR. An interrupted run is simply started again.`

export async function run(config: Config, args: string[], out: Output): Promise<void> {
  const [to] = args
  if (args.length > 1) throw usageError('exports takes one folder: make exports TO=path')
  if (to) makeFolder(resolve(to))
  await withLedger(config, out, 'exports', async (at) => {
    const work: Work = ({ makeExports }, progress) => makeExports(progress)
    const { files, changed, rows, bytes } = (await runJob(at, 'exports', work)) as ExportsResult
    const own = new ExportFiles(exportsDir(config))
    const copy = (folder: string) => (signal: AbortSignal) => copyExports(own, new ExportFiles(resolve(folder)), signal)
    const copied = to ? await untilInterrupted(copy(to)) : null
    out.result({ files, changed, rows, bytes, ...(copied !== null && { copied }) }, [
      `${counted(files, 'file')} with ${counted(rows, 'row')} in ${own.path}, ${changed} of them new or changed`,
      ...(copied === null ? [] : [`${counted(copied, 'file')} copied to ${to}`]),
    ])
  })
}
