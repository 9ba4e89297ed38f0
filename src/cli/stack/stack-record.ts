// Records whether a DATA_DIR has an embedded or a Docker stack. The data is in the folder or in Docker's volumes, so
// the choice of the first `make up` is permanent, and every command follows it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { StackKind } from '../../config-values.ts'
import { dataPaths } from '../../infrastructure/embedded/data-dir.ts'
import { readJson, writePrivate } from '../../infrastructure/embedded/files.ts'

/** Contents of the file DATA_DIR/stack.json. */
export interface StackRecord {
  stack: StackKind
  /** Whether a Docker stack ever had an API key; no development key is issued after that. */
  hasKey?: boolean
}

export function stackRecord(dataDir: string): StackRecord | null {
  return readJson<StackRecord>(recordPath(dataDir))
}

/** Writes the record, in place of an earlier one. */
export function keepStackRecord(dataDir: string, record: StackRecord): void {
  writePrivate(recordPath(dataDir), JSON.stringify(record))
}

/** Returns the kind of stack the command is for. Throws a one-line error if STACK differs from what DATA_DIR has. */
export function stackOf({ dataDir, stack }: Pick<Config, 'dataDir' | 'stack'>): StackKind {
  const present = stackRecord(dataDir)?.stack ?? stackByFiles(dataDir)
  if (stack === null || present === null || stack === present) return stack ?? present ?? 'embedded'
  throw new Error(
    `${dataDir} has its data in a stack that is ${present}: ` +
      `name another DATA_DIR for STACK=${stack}, or leave STACK out`,
  )
}

/** Returns the kind of stack by the files in DATA_DIR, for a lost record. */
function stackByFiles(dataDir: string): StackKind | null {
  if (existsSync(dataPaths(dataDir).postgres)) return 'embedded'
  return existsSync(join(dataDir, 'secrets')) ? 'docker' : null
}

const recordPath = (dataDir: string): string => join(dataDir, 'stack.json')
