// The passwords and the encryption key of a Docker stack: files that its containers read, in a folder closed to other
// users.
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../../config.ts'
import { readOwn } from '../../../infrastructure/ownership.ts'

// Length of each in bytes. The names are those in compose.yml.
const SECRETS = { clickhouse_password: 24, postgres_password: 24, redis_password: 24, secrets_key: 32 }

type Values = Record<string, string>

const folderOf = (dataDir: string): string => join(dataDir, 'secrets')

/** Creates the secrets, once for a DATA_DIR: its volumes can't be opened with others. */
export function makeSecrets({ dataDir, secretsKey }: Config): void {
  if (existsSync(folderOf(dataDir))) return
  const made = Object.entries(SECRETS).map(([name, bytes]): [string, string] => [
    name,
    (name === 'secrets_key' && secretsKey !== null ? secretsKey : randomBytes(bytes)).toString('hex'),
  ])
  write(dataDir, Object.fromEntries(made))
}

/**
 * Returns the folder for compose.yml. Throws if a file is missing, if another user can have written it, or if
 * SECRETS_KEY differs from the one of the first start.
 */
export function secretsFolder({ dataDir, secretsKey }: Config): string {
  const folder = folderOf(dataDir)
  for (const name of Object.keys(SECRETS)) {
    const path = join(folder, name)
    if (readOwn(path) === null)
      throw new Error(`${path} is missing, and the stores can't be opened without it: restore it from a copy`)
  }
  const path = join(folder, 'secrets_key')
  if (secretsKey !== null && secretsKey.toString('hex') !== readOwn(path)!.trim()) {
    throw new Error(`SECRETS_KEY differs from ${path}, which this stack started with: leave it out`)
  }
  return folder
}

/**
 * Writes all of them or none. The containers read them as other users, so the folder has the restricted mode, not the
 * files.
 */
function write(dataDir: string, values: Values): void {
  const half = join(dataDir, `secrets-${randomUUID()}`)
  mkdirSync(half, { mode: 0o700 })
  try {
    for (const name of Object.keys(SECRETS)) {
      writeFileSync(join(half, name), `${values[name]}\n`, { flush: true, mode: 0o444 })
      chmodSync(join(half, name), 0o444)
    }
    if (!existsSync(folderOf(dataDir))) renameSync(half, folderOf(dataDir))
  } finally {
    rmSync(half, { recursive: true, force: true })
  }
}
