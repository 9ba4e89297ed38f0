// Finds the folder that the program runs from, its version and its revision. Imports only Node's own modules, since
// `make` uses this file before anything is installed.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the folder with package.json, both from src/ and from build/<hash>/src/. */
export function checkoutRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

/** Returns the version in package.json. */
export function serviceVersion(): string {
  return (JSON.parse(readFileSync(join(checkoutRoot(), 'package.json'), 'utf8')) as { version: string }).version
}

/** Returns the commit that an image was built from, which docker/Dockerfile writes into a file; null in a checkout. */
export function serviceRevision(): string | null {
  const path = join(checkoutRoot(), 'revision')
  return existsSync(path) ? readFileSync(path, 'utf8').trim() || null : null
}
