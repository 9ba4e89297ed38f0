// Waits until all that is recorded is visible: the service does it where one runs; should it end meanwhile, we do.
import { setTimeout as sleep } from 'node:timers/promises'
import { ledgerContainer, the, type Container } from '../container.ts'
import { asHolder, WATCH_MS } from './holding.ts'
import type { Output } from './output.ts'
import type { Ledgered } from './with-ledger.ts'

/** What is recorded later, say live, is not waited for. */
export async function projectAll({ config, databaseUrl, pool, out }: Ledgered): Promise<void> {
  const ledger = ledgerContainer(pool).get(the.ledger)
  const last = await ledger.lastRecorded()
  const total = await ledger.countPending(last)
  const progress = out.progress('projected', total)
  for (let waiting = total; waiting > 0; waiting = await ledger.countPending(last)) {
    progress.update(Math.max(0, total - waiting))
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
