// The command ingest: records files in the ledger; the running service, else this command, then projects them into the
// feed.
import type { RecordedDocument, RecordFilings } from '../../../application/commands/record-filings.ts'
import type { Config } from '../../../config.ts'
import {
  filesBelow,
  readDocumentFile,
  type FoundDocument,
  type FoundPath,
} from '../../../infrastructure/edgar/documents/document-folder.ts'
import { usageError, type Output } from '../../output.ts'
import { projectAll } from '../../await-projection.ts'
import { withLedger, type LedgerContext } from '../../with-database.ts'
import { counted } from '../../counted.ts'

export const help = `ingest FROM: read filings from a file or a folder, with all below it

  Reads full submissions (.txt), PDS files (.nc) and bare ownership documents (.xml), detected from the content.
  A correction of the SEC (.corr) replaces the filing of its accession number, a record of deletion withdraws it.
  A document that can't be read is kept with the reason. Ingesting the same file again changes nothing.
  Regular files and links to them are read; linked folders, and names that start with a dot, are skipped.
  DATA_DIR (.data) says into which stack; one is made where there is none.`

// Large enough that commits take little time beside the parsing, small enough that an interrupted run loses little.
const BATCH = 100
/** A batch is recorded once it has so many bytes, not counting files that are still being read. */
const BATCH_BYTES = 32 * 1024 * 1024
const READ_BATCH = 8

export async function run(config: Config, args: string[], out: Output): Promise<number> {
  const [from] = args
  if (args.length !== 1 || !from) throw usageError('ingest needs one file or folder: make ingest FROM=path')
  const { paths, skipped } = await filesBelow(from).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      error.code === 'ENOENT' ? `no such file or folder: ${from}` : `can't read ${from}: ${error.message}`,
    )
  })
  return withLedger(config, out, 'ingest', async (at) => {
    if (skipped > 0) out.note(`skipped ${skipped} that are not regular files, such as pipes and links to folders`)
    if (at.stack.isEmbedded) out.note(`into the stack of ${config.dataDir}`)
    const recorded = await recordAll(paths, at.recordFilings, out)
    await projectAll(at)
    return report(recorded, at)
  })
}

/** Reads and records the files. A file that can't be read counts as rejected. Throws if a store fails. */
async function recordAll(paths: FoundPath[], record: RecordFilings, out: Output): Promise<RecordedDocument[]> {
  const progress = out.progress('recorded', paths.length)
  const recorded: RecordedDocument[] = []
  let batch: FoundDocument[] = []
  for (let from = 0; from < paths.length; from += READ_BATCH) {
    const read = await Promise.all(paths.slice(from, from + READ_BATCH).map(readable))
    for (const each of read) {
      if ('bytes' in each) batch.push(each)
      else recorded.push(each)
    }
    const isLast = from + READ_BATCH >= paths.length
    if (!isLast && batch.length < BATCH && batch.reduce((sum, { bytes }) => sum + bytes.length, 0) < BATCH_BYTES)
      continue
    recorded.push(...(await record(batch)))
    batch = []
    progress.update(recorded.length)
  }
  await progress.stop()
  return recorded
}

async function readable(found: FoundPath): Promise<FoundDocument | RecordedDocument> {
  const unreadable = (reason: string): RecordedDocument => ({
    path: found.path,
    outcome: 'rejected',
    accession: null,
    reason: `can't be read: ${reason}`,
    transactions: 0,
  })
  if (found.reason !== null) return unreadable(found.reason)
  return readDocumentFile(found).catch((error: Error) => unreadable(error.message))
}

function report(recorded: RecordedDocument[], { config, out, stack }: LedgerContext): number {
  const withOutcome = (outcome: RecordedDocument['outcome']) =>
    recorded.filter((document) => document.outcome === outcome)
  const ingested = withOutcome('ingested')
  const rejects = withOutcome('rejected').map(({ path, reason }) => ({ file: path, reason: reason ?? '' }))
  const counts = {
    ingested: ingested.length,
    alreadyKnown: withOutcome('known').length,
    rejected: rejects.length,
    notOwnershipDocuments: withOutcome('not-ownership').length,
    transactions: ingested.reduce((sum, document) => sum + document.transactions, 0),
  }
  const where = stack.isEmbedded && { dataDir: config.dataDir, isNewStack: stack.isNew }
  out.result({ ...counts, rejects, ...where }, [
    ...rejects.map(({ file, reason }) => `rejected ${file}: ${reason}`),
    `ingested ${counts.ingested}, already known ${counts.alreadyKnown}, rejected ${counts.rejected}, ` +
      `not ownership documents ${counts.notOwnershipDocuments}; ${counted(counts.transactions, 'transaction')}`,
  ])
  return counts.ingested + counts.alreadyKnown > 0 ? 0 : 1
}
