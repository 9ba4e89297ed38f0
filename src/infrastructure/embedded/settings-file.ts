// DATA_DIR/settings.json: the settings of the stack's last start, as text by the variable's name. Passwords and keys are
// among them, so only its owner may read it.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from './files.ts'

/** Text by name, as in the environment; a variable that is not set is missing. Never to be printed as it is. */
export type Settings = Record<string, string>

export function settingsPath(dataDir: string): string {
  return join(dataDir, 'settings.json')
}

/** Returns none where there is no file. Throws one line where there is one that can't be understood. */
export function readSettings(dataDir: string): Settings {
  const path = settingsPath(dataDir)
  const damaged = (why: string) =>
    new Error(`${path}, the settings of the last start, ${why}: mend or remove it, or give DEFAULTS=1 to do without it`)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    throw damaged(`can't be read (${code})`)
  }
  let settings: unknown
  try {
    settings = JSON.parse(text)
  } catch {
    throw damaged('is not JSON')
  }
  if (isSettings(settings)) return settings
  throw damaged('is not an object of texts')
}

/** Replaces the file in one step; without settings there is none. */
export function writeSettings(dataDir: string, settings: Settings): void {
  const path = settingsPath(dataDir)
  if (Object.keys(settings).length === 0) return rmSync(path, { force: true })
  const sorted = Object.fromEntries(Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  writePrivate(path, `${JSON.stringify(sorted, null, 2)}\n`)
}

function isSettings(value: unknown): value is Settings {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === 'string')
  )
}
