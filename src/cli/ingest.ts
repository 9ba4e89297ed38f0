// Files into the ledger, then into the feed: by the running service, else by this command itself.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedDocument, RecordFilings } from '../application/record-filings.ts'
import type { Config } from '../config.ts'
import { ledgerContainer, the, type Container } from '../container.ts'
import { filesBelow, readDocumentFile } from '../infrastructure/edgar/folder.ts'
import { asHolder, WATCH_MS } from './holding.ts'
import { usageError, type Output } from './output.ts'
import { withLedger, type Ledgered } from './with-ledger.ts'

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
    await projectAll(at, recorded)
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

/** Waits until all that was recorded is visible. The service does it where one runs; should it end meanwhile, we do. */
export async function projectAll({ config, databaseUrl, pool, out }: Ledgered, recorded: RecordedDocument[]): Promise<void> {
  const ours = recorded.flatMap(({ outcome, accession }) => outcome === 'ingested' || outcome === 'known' ? accession! : [])
  const left = async () => (await pool.query<{ n: number }>(
    'SELECT count(*) AS n FROM filings WHERE pending AND accession = ANY($1)', [ours])).rows[0]!.n
  const total = await left()
  const progress = out.progress('projected', total)
  for (let waiting = total; waiting > 0; waiting = await left()) {
    progress.update(total - waiting)
    const work = (container: Container) => projectHere(container, out, (done) => progress.update(Math.min(done, total)))
    if (!await asHolder(config, databaseUrl, pool, work)) await sleep(WATCH_MS)
  }
  await progress.stop()
}

async function projectHere(container: Container, out: Output, after: (projected: number) => void): Promise<void> {
  const told = (what: string, detail: unknown) => out.note(`${what}: ${JSON.stringify(detail)}`)
  await container.get(the.holdAnalytics).prepare({ projected: () => {}, job: told, failed: told })
  await container.get(the.projector).projectPending(after)
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
