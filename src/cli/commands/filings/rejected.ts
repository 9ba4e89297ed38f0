// The quarantine: documents that could not be read, each kept with its reason; and the lines of data sets that could not.
import type { QuarterResult } from '../../../application/data-sets/load-quarter.ts'
import type { Config } from '../../../config.ts'
import type { Output } from '../../output.ts'
import { withLedger } from '../../with-database.ts'
import { counted } from '../../counted.ts'

export const help = `rejected: list the documents that could not be read, with reasons

  They are kept, and lines of data sets beside them in the table set_rejects; retry reads them again, as after an upgrade.`

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  await withLedger(config, out, 'rejected', async ({ ledger, dataSetRegistry }) => {
    const rejected = await ledger.rejected()
    const sets = (await dataSetRegistry.sets()).flatMap(({ quarter, result }) =>
      ((result as QuarterResult | null)?.rejected ?? []).map((lines) => ({ quarter, ...lines })),
    )
    out.result({ rejected, sets }, [
      ...rejected.map(({ accession, source, reason }) => `${accession}  ${source}: ${reason}`),
      ...sets.map(
        ({ quarter, file, reason, lines, example }) =>
          `${quarter} ${file}: ${counted(lines, 'line')}: ${reason}, such as ${example}`,
      ),
      `${rejected.length} rejected` +
        (sets.length > 0
          ? `, and ${counted(
              sets.reduce((sum, { lines }) => sum + lines, 0),
              'line',
            )} of data sets`
          : ''),
    ])
  })
}
