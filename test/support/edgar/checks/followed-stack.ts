// A stack that follows a simulated EDGAR, and what both say of the filings published there.
import { assert } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processRef, waitForExit } from '../../../../src/infrastructure/embedded/processes.ts'
import type { Following } from './agreement.ts'
import { stackOfTest, type StackOfTest } from '../../make.ts'
import { inventedFiling } from '../invented/filings.ts'
import { startSimulatedEdgar, type SimulatedEdgar, type SimulatedEdgarOptions } from '../simulator/simulated-edgar.ts'
import { databaseUrlOf } from '../../stores/embedded.ts'
import { queryPostgres } from '../../stores/query-postgres.ts'

export interface FollowedStack extends Following {
  edgar: SimulatedEdgar
  stack: StackOfTest
  publish: Publish
  up(): Promise<void>
  /** Resolves when it has ended. */
  kill(): Promise<void>
  /** Until every published filing is projected; throws after `seconds`. */
  settled(seconds: number): Promise<void>
  close(): Promise<void>
}

/** The simulator has no limit: a stall of this process, which answers for it, would look like too many requests. */
export async function followedStack(
  options: SimulatedEdgarOptions = {},
  variables: Record<string, string | number> = {},
): Promise<FollowedStack> {
  const edgar = await startSimulatedEdgar({ rate: { most: null }, ...options })
  const stack = await stackOfTest()
  const follow = {
    EDGAR_BASE_URL: edgar.url,
    EDGAR_USER_AGENT: 'Example Tests tests@example.com',
    EDGAR_POLL_SECONDS: 1,
    ...variables,
  }
  const followed: FollowedStack = {
    edgar,
    stack,
    address: stack.address,
    ...publisher(edgar, options.seed ?? 1),
    up: async () => {
      const made = await stack.make('up', follow)
      assert.strictEqual(made.status, 0, made.stderr)
    },
    kill: async () => {
      const service = processRef(Number(readFileSync(join(stack.dataDir, 'service.pid'), 'utf8')))
      process.kill(service.pid, 'SIGKILL')
      assert.isTrue(await waitForExit(service, 60_000))
    },
    query: (text) => queryPostgres(databaseUrlOf(stack.dataDir), text),
    settled: (seconds) => settled(followed, seconds),
    close: async () => {
      await stack.remove()
      await edgar.close()
    },
  }
  return followed
}

/** Publishes the next invented filings, accepted at the simulator's present time. */
export type Publish = (count?: number) => string[]

export function publisher(edgar: SimulatedEdgar, seed: number): { publish: Publish; published: string[] } {
  const published: string[] = []
  const times = new Map<number, number>()
  const publish = (count = 1) =>
    Array.from({ length: count }, () => {
      const number = times.size + 1
      times.set(number, edgar.clock.now())
      const { accession, text } = inventedFiling(number, {
        seed,
        acceptedAt: (each) => times.get(each) ?? edgar.clock.now(),
      })
      edgar.publish(text)
      published.push(accession)
      return accession
    })
  return { publish, published }
}

/** Until every published filing is projected; throws after `seconds`. Asks rarely: each time it connects again. */
export async function settled(followed: Following, seconds: number): Promise<void> {
  for (const end = performance.now() + seconds * 1000; ; await sleep(250)) {
    const [{ n } = { n: 0 }] = await followed.query<{ n: string }>(
      `SELECT count(*) AS n FROM filings WHERE status = 'projected'`,
    )
    if (Number(n) >= followed.published.length) return
    if (performance.now() > end)
      throw new Error(`${n} of ${followed.published.length} filings are there after ${seconds} s`)
  }
}
