// Files into the ledger, then into the feed: by the running service, else by this command itself.
import type { RecordedDocument, RecordFilings } from '../application/record-filings.ts'
import type { Config } from '../config.ts'
import { ledgerContainer, the } from '../container.ts'
import { filesBelow, readDocumentFile } from '../infrastructure/edgar/folder.ts'
import { usageError, type Output } from './output.ts'
import { projectAll } from './project-all.ts'
import { withLedger } from './with-ledger.ts'

export const help = `ingest FROM: read filings from a file or a folder, with all below it

  Full submissions (.txt), PDS files (.nc) and bare ownership documents (.xml) are told by their content.
  A document that can't be read is kept with its reason. Ingesting again changes nothing.`

// Enough to make a commit's disk write small beside the parsing, few enough that a run cut short loses little.
const BATCH = 100

export async function run(config: Config, args: string[], out: Output): Promise<number> {
  const [from] = args
  if (args.length !== 1 || !from) throw usageError('ingest needs one file or folder: make ingest FROM=path')
  const files = await filesBelow(from).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `no such file or folder: ${from}` : `can't read ${from}: ${error.message}`)
  })
  return withLedger(config, out, 'ingest', async (at) => {
    const recorded = await recordAll(files, ledgerContainer(at.pool).get(the.recordFilings), out)
    await projectAll(at)
    return report(recorded, out)
  })
}

/** A file that can't be read or recorded is told like a rejected one; a store that fails ends the command. */
async function recordAll(files: string[], record: RecordFilings, out: Output): Promise<RecordedDocument[]> {
  const progress = out.progress('recorded', files.length)
  const recorded: RecordedDocument[] = []
  for (let from = 0; from < files.length; from += BATCH) {
    const batch = await Promise.all(files.slice(from, from + BATCH).map(readable))
    recorded.push(...await record(batch.flatMap((file) => 'bytes' in file ? file : [])))
    recorded.push(...batch.flatMap((file) => 'bytes' in file ? [] : file))
    progress.update(recorded.length)
  }
  await progress.stop()
  return recorded
}

async function readable(path: string) {
  return readDocumentFile(path).catch((error: Error): RecordedDocument =>
    ({ path, outcome: 'rejected', accession: null, reason: `can't be read: ${error.message}`, transactions: 0 }))
}

function report(recorded: RecordedDocument[], out: Output): number {
  const of = (outcome: RecordedDocument['outcome']) => recorded.filter((document) => document.outcome === outcome)
  const ingested = of('ingested')
  const rejects = of('rejected').map(({ path, reason }) => ({ file: path, reason: reason ?? '' }))
  const counts = {
    ingested: ingested.length,
    alreadyKnown: of('known').length,
    rejected: rejects.length,
    notOwnershipDocuments: of('not-ownership').length,
    transactions: ingested.reduce((sum, document) => sum + document.transactions, 0),
  }
  out.result({ ...counts, rejects }, [
    ...rejects.map(({ file, reason }) => `rejected ${file}: ${reason}`),
    `ingested ${counts.ingested}, already known ${counts.alreadyKnown}, rejected ${counts.rejected}, ` +
      `not ownership documents ${counts.notOwnershipDocuments}; ${counts.transactions} transactions`,
  ])
  return counts.ingested + counts.alreadyKnown > 0 ? 0 : 1
}
