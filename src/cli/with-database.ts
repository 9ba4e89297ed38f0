// Runs commands that use the ledger: starts the stores, migrates the schema, and closes everything at the end.
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

/** The services that a command gets. */
const LEDGER = {
  ledger: TYPES.ledger,
  recordFilings: TYPES.recordFilings,
  companyList: TYPES.companyList,
  dataSetRegistry: TYPES.dataSetRegistry,
  fetchQueue: TYPES.fetchQueue,
  sourceProgress: TYPES.sourceProgress,
  signalQueue: TYPES.signalQueue,
  noticeLedger: TYPES.noticeLedger,
  jobs: TYPES.jobs,
  operatorQueries: TYPES.operatorQueries,
  deliveryCommands: TYPES.deliveryCommands,
}

export interface LedgerContext extends Resolved<typeof LEDGER> {
  config: Config
  databaseUrl: string
  pool: Pool
  out: Output
  /** Whether PostgreSQL is the embedded one of DATA_DIR, and whether this command made it. */
  stack: { isEmbedded: boolean; isNew: boolean }
}

/**
 * Makes files that this process writes below DATA_DIR readable by their owner only, unless both stores are servers:
 * then the users of several containers may share the folder.
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
  work: (at: LedgerContext) => Promise<T>,
): Promise<T> {
  const isEmbedded = config.databaseUrl === null
  const isNew = isEmbedded && !existsSync(dataPaths(config.dataDir).postgres)
  writePrivately(config)
  if (isNew) out.note(await newStackNote(config.dataDir))
  const stores = await ensureStores(config, { note: out.note, probe: ['DATABASE_URL'] })
  // Stores started for this command alone stop with it.
  const settled = onInterrupt(() => void stores.release().finally(() => process.exit(130)))
  const pool = openPool({ url: stores.databaseUrl, name })
  try {
    await migratePostgres(pool)
    const services = resolve(createContainer({ pool }), LEDGER)
    const stack = { isEmbedded, isNew }
    return await work({ config, databaseUrl: stores.databaseUrl, pool, out, stack, ...services })
  } finally {
    await pool.end()
    await stores.release()
    settled()
  }
}

/** Returns a note that a new stack is made, in case the command was meant for another one. */
async function newStackNote(dataDir: string): Promise<string> {
  const { running } = await runningStacks(checkoutRoot())
  const others = running.map((stack) => `DATA_DIR=${stack.dataDir}`)
  const named =
    others.length > 0 ? `that running from this checkout is ${others.join(', or ')}` : 'such as DATA_DIR=/srv/insider'
  return `${dataDir} has no stack, and gets a new one; DATA_DIR names another (${named})`
}
