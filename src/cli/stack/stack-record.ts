// Which kind of stack a DATA_DIR has: its data lie in the folder itself or in Docker's volumes, so the choice of the first
// `make up` holds for good, and every command goes by it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { StackKind } from '../../config-values.ts'
import { dataPaths } from '../../infrastructure/embedded/data-dir.ts'
import { readJson, writePrivate } from '../../infrastructure/embedded/files.ts'

/** The file DATA_DIR/stack.json. */
export type StackRecord = { stack: 'embedded' } | DockerRecord

export interface DockerRecord {
  stack: 'docker'
  /** Where the front is published. */
  host: string
  port: number
  /** The service's image; commands run in the same one as the service. */
  image: string
  /** Copies of files that the containers read, by the variable of compose.yml. Missing in what an older version wrote. */
  mounts?: Record<string, string>
  /** What an older version wrote instead: the copy of the rules of signals. */
  rules?: string
  /** Whether an API key was ever issued; then none is for development. */
  hasKey: boolean
}

export function stackRecord(dataDir: string): StackRecord | null {
  return readJson<StackRecord>(recordPath(dataDir))
}

export function mountsOf({ mounts, rules }: DockerRecord): Record<string, string> {
  return mounts ?? (rules === undefined ? {} : { SIGNAL_RULES: rules })
}

/** Replaces the record that is there. */
export function keepStackRecord(dataDir: string, record: StackRecord): void {
  writePrivate(recordPath(dataDir), JSON.stringify(record))
}

/** The stack that this command is for. Throws one line where STACK names another than DATA_DIR has. */
export function stackOf({ dataDir, stack }: Pick<Config, 'dataDir' | 'stack'>): StackKind {
  const present = stackRecord(dataDir)?.stack ?? stackByFiles(dataDir)
  if (stack === null || present === null || stack === present) return stack ?? present ?? 'embedded'
  throw new Error(
    `${dataDir} has its data in a stack that is ${present}: name another DATA_DIR for STACK=${stack}, or leave STACK out`,
  )
}

/** What tells where the record is lost. */
function stackByFiles(dataDir: string): StackKind | null {
  if (existsSync(dataPaths(dataDir).postgres)) return 'embedded'
  return existsSync(join(dataDir, 'secrets')) || existsSync(join(dataDir, 'docker.env')) ? 'docker' : null
}

const recordPath = (dataDir: string): string => join(dataDir, 'stack.json')
