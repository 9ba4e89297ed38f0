// The encryption key of secrets in PostgreSQL, if the operator sets none: generated once into a file that only its
// owner can read, beside the data and not in it.
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { readOwn } from '../ownership.ts'
import { createPrivate } from './files.ts'

export function secretsKeyPath(dataDir: string): string {
  return join(dataDir, 'secrets.key')
}

/** Returns 32 bytes, or null if there is no file. Throws if it holds something else, or others can have written it. */
export function readSecretsKey(dataDir: string): Buffer | null {
  const path = secretsKeyPath(dataDir)
  const text = readOwn(path)
  if (text === null) return null
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length === 32) return key
  throw new Error(`${path} does not hold a key of 32 bytes: put back the file as it was, or set SECRETS_KEY`)
}

/** Returns the key of the file, creating it if missing. Two processes that come first at once get the same key. */
export function makeSecretsKey(dataDir: string): Buffer {
  const path = secretsKeyPath(dataDir)
  if (!existsSync(path) && createPrivate(path, `${randomBytes(32).toString('base64')}\n`)) flush(path)
  return readSecretsKey(dataDir)!
}

// What is encrypted with it must not outlive it.
function flush(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
