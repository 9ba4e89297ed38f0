// The quarantine: documents that could not be read, each kept with its reason.
import type { Config } from '../config.ts'
import { ledgerContainer, the } from '../container.ts'
import type { Output } from './output.ts'
import { withLedger } from './with-ledger.ts'

export const help = `rejected: list the documents that could not be read, with reasons

  They are kept; retry reads them again, as after an upgrade.`

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  await withLedger(config, out, 'rejected', async ({ pool }) => {
    const rejected = await ledgerContainer(pool).get(the.ledger).rejected()
    out.result({ rejected }, [
      ...rejected.map(({ accession, source, reason }) => `${accession}  ${source}: ${reason}`),
      `${rejected.length} rejected`,
    ])
  })
}
