// The passwords and the key of a stack of Docker: files that its containers read, below a folder that is closed to others.
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../../config.ts'

// Bytes of each. The names are those that compose.yml knows.
const SECRETS = { clickhouse_password: 24, postgres_password: 24, redis_password: 24, secrets_key: 32 }

type Values = Record<string, string>

const folderOf = (dataDir: string): string => join(dataDir, 'secrets')

/** Once for a DATA_DIR: the volumes open with nothing else. */
export function makeSecrets({ dataDir, secretsKey }: Config): void {
  const made = Object.entries(SECRETS).map(([name, bytes]): [string, string] => [
    name,
    (name === 'secrets_key' && secretsKey !== null ? secretsKey : randomBytes(bytes)).toString('hex'),
  ])
  write(dataDir, Object.fromEntries(made))
}

/** Returns the folder for compose.yml. Throws where a file is missing or SECRETS_KEY is another than the stack began with. */
export function secretsFolder({ dataDir, secretsKey }: Config): string {
  takeOver(dataDir)
  const folder = folderOf(dataDir)
  for (const name of Object.keys(SECRETS)) {
    const path = join(folder, name)
    if (!existsSync(path))
      throw new Error(`${path} is missing, and without it the stores don't open: put it back as it was`)
  }
  const path = join(folder, 'secrets_key')
  if (secretsKey !== null && secretsKey.toString('hex') !== readFileSync(path, 'utf8').trim()) {
    throw new Error(`SECRETS_KEY is another than that of ${path}, which this stack began with: leave it out`)
  }
  return folder
}

/** Takes over what a version before this one kept as variables in one file. */
function takeOver(dataDir: string): void {
  const old = join(dataDir, 'docker.env')
  if (!existsSync(old)) return
  if (!existsSync(folderOf(dataDir))) {
    const lines = readFileSync(old, 'utf8')
      .split('\n')
      .map((line) => line.split('='))
    const values = Object.fromEntries(lines.map(([name = '', value = '']) => [name.toLowerCase(), value.trim()]))
    const missing = Object.keys(SECRETS).find((name) => !values[name])
    if (missing !== undefined) throw new Error(`${old} has no ${missing.toUpperCase()}: put it back as it was`)
    write(dataDir, values)
  }
  rmSync(old, { force: true })
}

/** All of them or none. The containers read them as users of their own, so it is the folder that is closed. */
function write(dataDir: string, values: Values): void {
  const half = join(dataDir, `secrets-${randomUUID()}`)
  mkdirSync(half, { mode: 0o700 })
  try {
    for (const name of Object.keys(SECRETS)) {
      writeFileSync(join(half, name), `${values[name]}\n`, { flush: true })
      chmodSync(join(half, name), 0o444)
    }
    if (!existsSync(folderOf(dataDir))) renameSync(half, folderOf(dataDir))
  } finally {
    rmSync(half, { recursive: true, force: true })
  }
}
