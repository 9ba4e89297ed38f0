// Which program this is: the folder it runs from and its version. Node's own modules only, since `make` asks before anything
// is installed.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the folder with package.json, whether this runs from src/ or from build/<hash>/src/. */
export function checkoutRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

/** Returns the version that package.json names. */
export function serviceVersion(): string {
  return (JSON.parse(readFileSync(join(checkoutRoot(), 'package.json'), 'utf8')) as { version: string }).version
}
