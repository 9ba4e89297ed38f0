// The command rebuild: fills ClickHouse again from the ledger, after a lost data directory or an upgrade that changes
// rules.
import type { Config } from '../../config.ts'
import type { RebuildResult } from '../../application/commands/rebuild-analytics.ts'
import { runJob, type Work } from '../run-or-queue.ts'
import type { Output } from '../output.ts'
import { withLedger } from '../with-database.ts'
import { counted } from '../counted.ts'

export const help = `rebuild: fill ClickHouse again from the ledger

  The service answers from the old tables until the new ones are complete. Ids and answers stay the same.`

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  await withLedger(config, out, 'rebuild', async (at) => {
    const work: Work = ({ rebuild }, progress) => rebuild(progress)
    const result = (await runJob(at, 'rebuild', work)) as RebuildResult
    out.result({ ...result }, [
      `rebuilt ${counted(result.filings, 'filing')}, ${counted(result.trades, 'transaction')}`,
      ...result.unjudged.map(({ issuer, reason }) => `no signals of issuer ${issuer}: ${reason}`),
    ])
  })
}
