// The passwords and the encryption key of a Docker stack, as files that its containers read. Their folder is closed to
// other users.
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../../config.ts'
import { readOwn } from '../../../infrastructure/ownership.ts'

// Length of each in bytes. The names are those in compose.yml.
const SECRETS = { clickhouse_password: 24, postgres_password: 24, redis_password: 24, secrets_key: 32 }

const folderOf = (dataDir: string): string => join(dataDir, 'secrets')

/**
 * Creates all secrets at the first start of a DATA_DIR, since its volumes can't be opened with others later. The files
 * are readable by all, because containers run as other users; their folder is not.
 */
export function makeSecrets({ dataDir, secretsKey }: Config): void {
  if (existsSync(folderOf(dataDir))) return
  const half = mkdtempSync(join(dataDir, 'secrets-'))
  try {
    for (const [name, bytes] of Object.entries(SECRETS)) {
      const secret = name === 'secrets_key' && secretsKey !== null ? secretsKey : randomBytes(bytes)
      writeFileSync(join(half, name), `${secret.toString('hex')}\n`, { flush: true })
      chmodSync(join(half, name), 0o444)
    }
    renameSync(half, folderOf(dataDir))
  } finally {
    rmSync(half, { recursive: true, force: true })
  }
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
