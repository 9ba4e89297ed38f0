// Reads the quarantine again, as after an upgrade of the reader.
import type { Config } from '../config.ts'
import { ledgerContainer, the } from '../container.ts'
import { projectAll } from './project-all.ts'
import type { Output } from './output.ts'
import { withLedger } from './with-ledger.ts'

export const help = 'retry: read the rejected documents again; those that can be read now are ingested'

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  await withLedger(config, out, 'retry', async (at) => {
    const container = ledgerContainer(at.pool)
    const [ledger, record] = [container.get(the.ledger), container.get(the.recordFilings)]
    const rejected = await ledger.rejected()
    const progress = out.progress('read', rejected.length)
    const recorded = []
    for (const { accession, source, firstSeenAt } of rejected) {
      // The path shows the accession number again, whatever the document was found under.
      const path = accession.startsWith('local-') ? source : `${source}/${accession}`
      recorded.push(...await record([{ path, bytes: await ledger.document(accession), firstSeenAt }]))
      progress.update(recorded.length)
    }
    await progress.stop()
    await projectAll(at)
    const still = recorded.filter((document) => document.outcome === 'rejected')
    out.result({ ingested: recorded.length - still.length, rejected: still.length },
      [`ingested ${recorded.length - still.length}, still rejected ${still.length}`])
  })
}
