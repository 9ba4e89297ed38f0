// The command retry: reads rejected documents again, for example after an upgrade of the parser.
import { UnstorableError } from '../../../application/errors.ts'
import type { Config } from '../../../config.ts'
import { projectAll } from '../../await-projection.ts'
import type { Output } from '../../output.ts'
import { withLedger } from '../../with-database.ts'

export const help = 'retry: read the rejected documents again; those that can be read now are ingested'

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  await withLedger(config, out, 'retry', async (at) => {
    const { ledger, recordFilings } = at
    const rejected = await ledger.rejected()
    const progress = out.progress('read', rejected.length)
    const recorded = []
    let done = 0
    for (const { accession, source, firstSeenAt } of rejected) {
      // The accession number is read from the path, and the source may have been a file with any name.
      const path = accession.startsWith('local-') ? source : `${source}/${accession}`
      const bytes = await ledger.document(accession).catch(damaged)
      if (bytes) recorded.push(...(await recordFilings([{ path, bytes, firstSeenAt }])))
      progress.update(++done)
    }
    await progress.stop()
    await projectAll(at)
    const readable = recorded.filter((document) => document.outcome !== 'rejected').length
    const counts = { ingested: readable, rejected: rejected.length - readable }
    out.result(counts, [`ingested ${counts.ingested}, still rejected ${counts.rejected}`])
  })
}

/** Returns null for a document whose stored copy is damaged; it stays rejected. */
function damaged(error: unknown): null {
  if (error instanceof UnstorableError) return null
  throw error
}
