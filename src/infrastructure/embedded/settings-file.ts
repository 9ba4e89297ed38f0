// DATA_DIR/settings.json: the settings of the stack's last start, as text by variable name. It contains passwords and
// keys, so only its owner can read it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { NotOurs, readOwn } from '../ownership.ts'
import { writePrivate } from './files.ts'

/** Text by name, as in the environment; unset variables are missing. Never to be printed as it is. */
export type StackSettings = Record<string, string>

export function settingsPath(dataDir: string): string {
  return join(dataDir, 'settings.json')
}

/** Returns an empty object if there is no file. Throws one line if it is damaged, or others can have written it. */
export function readSettings(dataDir: string): StackSettings {
  const path = settingsPath(dataDir)
  const damaged = (why: string) =>
    new Error(`${path}, the settings of the last start, ${why}: repair or remove it, or pass DEFAULTS=1 to ignore it`)
  let text: string
  try {
    const found = readOwn(path)
    if (found === null) return {}
    text = found
  } catch (error) {
    if (error instanceof NotOurs) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw damaged(`can't be read (${code ?? message})`)
  }
  let settings: unknown
  try {
    settings = JSON.parse(text)
  } catch {
    throw damaged('is not JSON')
  }
  if (isSettings(settings)) return settings
  throw damaged('is not an object of strings')
}

/** Replaces the file in one step, or removes it if there are no settings. */
export function writeSettings(dataDir: string, settings: StackSettings): void {
  const path = settingsPath(dataDir)
  if (Object.keys(settings).length === 0) return rmSync(path, { force: true })
  const sorted = Object.fromEntries(Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  writePrivate(path, `${JSON.stringify(sorted, null, 2)}\n`)
}

function isSettings(value: unknown): value is StackSettings {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === 'string')
  )
}
