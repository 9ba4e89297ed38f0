// The command rejected: lists documents and lines of data sets that could not be read, with reasons.
import type { QuarterResult } from '../../../application/data-sets/load-history.ts'
import type { Config } from '../../../config.ts'
import type { Output } from '../../output.ts'
import { withLedger } from '../../with-database.ts'
import { counted } from '../../counted.ts'

export const help = `rejected: list the documents that could not be read, with reasons

  They are kept, as are lines of data sets in the table set_rejects. After an upgrade, retry reads the documents again.`

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
