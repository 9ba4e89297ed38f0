// The frame of every command that uses the ledger: starts the stores, migrates the schema, and closes everything at the
// end.
import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { createContainer } from '../container/container.ts'
import { resolve, type Resolved } from '../container/named.ts'
import { TYPES } from '../container/tokens.ts'
import { dataPaths, prepareDataDir, requireOwnDataDir } from '../infrastructure/embedded/data-dir.ts'
import { ensureStores } from '../infrastructure/embedded/stores.ts'
import { migratePostgres } from '../infrastructure/postgres/migrate.ts'
import { openPool, type Pool } from '../infrastructure/postgres/pool.ts'
import { checkoutRoot } from '../service/version.ts'
import { runningStacks } from './bootstrap/checkout.ts'
import { onInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'

/** What a command gets to work with. */
const LEDGER = {
  ledger: TYPES.ledger,
  recordFilings: TYPES.recordFilings,
  companyList: TYPES.companyList,
  dataSetRegistry: TYPES.dataSetRegistry,
  fetchQueue: TYPES.fetchQueue,
  signalQueue: TYPES.signalQueue,
  noticeLedger: TYPES.noticeLedger,
  jobs: TYPES.jobs,
  operatorQueries: TYPES.operatorQueries,
  deliveryCommands: TYPES.deliveryCommands,
}

export interface Ledgered extends Resolved<typeof LEDGER> {
  config: Config
  databaseUrl: string
  pool: Pool
  out: Output
  /** Whether the stack is one of DATA_DIR, and this command made it. */
  stack: { isOfFolder: boolean; isNew: boolean }
}

/**
 * Makes what this process writes below DATA_DIR from now on readable by its owner alone. Not where both stores are
 * servers: the users of several containers may share the folder then.
 */
export function writePrivately({ databaseUrl, redisUrl, dataDir }: Config): void {
  if (databaseUrl !== null && redisUrl !== null) return
  requireOwnDataDir(dataDir)
  prepareDataDir(dataDir)
  process.umask(0o077)
}

/** Starts embedded stores if none run, and stops those it started. `name` appears in pg_stat_activity. */
export async function withLedger<T>(
  config: Config,
  out: Output,
  name: string,
  work: (at: Ledgered) => Promise<T>,
): Promise<T> {
  const isOfFolder = config.databaseUrl === null
  const isNew = isOfFolder && !existsSync(dataPaths(config.dataDir).postgres)
  writePrivately(config)
  if (isNew) out.note(await newStackNote(config.dataDir))
  const stores = await ensureStores(config, { note: out.note, probe: ['DATABASE_URL'] })
  // Stores started for this command alone stop with it.
  const settled = onInterrupt(() => void stores.release().finally(() => process.exit(130)))
  const pool = openPool({ url: stores.databaseUrl, name })
  try {
    await migratePostgres(pool)
    const services = resolve(createContainer({ pool }), LEDGER)
    const stack = { isOfFolder, isNew }
    return await work({ config, databaseUrl: stores.databaseUrl, pool, out, stack, ...services })
  } finally {
    await pool.end()
    await stores.release()
    settled()
  }
}

/** A command that was meant for another stack would otherwise fill a new one beside it. */
async function newStackNote(dataDir: string): Promise<string> {
  const { running } = await runningStacks(checkoutRoot())
  const others = running.map((stack) => `DATA_DIR=${stack.dataDir}`)
  const named =
    others.length > 0 ? `that running from this checkout is ${others.join(', or ')}` : 'such as DATA_DIR=/srv/insider'
  return `${dataDir} has no stack, and gets a new one; DATA_DIR names another (${named})`
}
