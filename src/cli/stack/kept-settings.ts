// The settings that `make up` applies, saves in DATA_DIR for the next start, compares and prints; the same for embedded
// and Docker stacks. How a stack uses it, inside its up.lock:
//   const config = configFromEnvironment()           // the environment over the saved settings, by config.ts
//   const before = readSettings(config.dataDir)       // what the last start was given
//   const after = settingsNow(kind)                   // what applies from now on, with `NAME=` and DEFAULTS=1 resolved
//   const changes = changesOf(before, after)          // compared by meaning: PORT=8080 equals no PORT
//   ... check, refuse, apply ...
//   writeSettings(config.dataDir, after)              // only once the stack runs with them
//   out.result({ ..., ...settingFields(after, changes) }, [..., ...changeLines(changes), or ...settingLines(after)])
// A start shows settingLines, a running stack changeLines. `StackSettings` contain passwords; functions that return
// lines or fields show none.
import { resolve } from 'node:path'
import {
  composeSettings,
  dockerSettings,
  environment,
  loadConfig,
  redactUrl,
  settingNames,
  type Environment,
} from '../../config.ts'
import type { StackKind } from '../../config-values.ts'
import type { StackSettings } from '../../infrastructure/embedded/settings-file.ts'

export interface SettingChange {
  name: string
  /** Values as they may be shown; null is the default. */
  from: string | null
  to: string | null
}

/** Returns all settings that differ from the defaults. Paths are absolute. */
export function settingsNow(
  kind: StackKind,
  env: Environment = environment(),
  cwd: string = process.cwd(),
): StackSettings {
  const given = settingNames(kind).flatMap((name): [string, string][] => {
    const text = env[name]?.trim() ?? ''
    return meaningOf(name, text) === meaningOf(name, '') ? [] : [[name, isPath(name) ? resolve(cwd, text) : text]]
  })
  return Object.fromEntries(given)
}

const isPath = (name: string): boolean => name === 'SIGNAL_RULES' || name.endsWith('_FILE')

export function changesOf(before: StackSettings, after: StackSettings): SettingChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names
    .filter((name) => meaningOf(name, before[name] ?? '') !== meaningOf(name, after[name] ?? ''))
    .map((name) => {
      const [from, to] = [before, after].map((settings) =>
        settings[name] === undefined ? null : shown(name, settings[name]),
      )
      return { name, from: from!, to: from !== null && from === to ? `${to} (with another secret)` : to! }
    })
}

/** Returns one line, or none if nothing changed. */
export function changeLines(changes: SettingChange[]): string[] {
  if (changes.length === 0) return []
  const shown = (value: string | null) => value ?? 'the default'
  return [`changed: ${changes.map(({ name, from, to }) => `${name} from ${shown(from)} to ${shown(to)}`).join(', ')}`]
}

/** Returns one line, or none if all are the defaults. */
export function settingLines(settings: StackSettings): string[] {
  const all = Object.entries(shownSettings(settings)).map(([name, text]) => `${name}=${text}`)
  return all.length === 0 ? [] : [`with settings that differ from the defaults: ${all.join(', ')}`]
}

/** Returns the settings and changes as fields of a command's JSON result. */
export function settingFields(
  settings: StackSettings,
  changes: SettingChange[],
): { settings: StackSettings; changed: SettingChange[] } {
  return { settings: shownSettings(settings), changed: changes }
}

function shownSettings(settings: StackSettings): StackSettings {
  return Object.fromEntries(Object.entries(settings).map(([name, text]) => [name, shown(name, text)]))
}

const SECRET = /KEY|PASSWORD|SECRET|TOKEN/
// Characters that a terminal would interpret or not show.
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

function shown(name: string, text: string): string {
  if (SECRET.test(name) && !name.endsWith('_FILE')) return '(secret)'
  const plain = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text) ? redactUrl(text)! : text
  const safe = plain.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
  return /[\s,']/.test(safe) ? `'${safe}'` : safe
}

// Variables that have an effect only together with another variable, and an example of the other.
const COMPANIONS: Record<string, Environment> = {
  CLICKHOUSE_CLUSTER: { CLICKHOUSE_URL: 'http://any' },
  CLICKHOUSE_PASSWORD: { CLICKHOUSE_URL: 'http://any' },
  DATABASE_PASSWORD: { DATABASE_URL: 'postgres://any' },
  REDIS_PASSWORD: { REDIS_URL: 'redis://any' },
}

/**
 * Returns the configuration that results from this variable alone, or its text if that is invalid or for Compose only.
 */
function meaningOf(name: string, text: string): string {
  if (composeSettings.includes(name)) return text
  const env = { ...COMPANIONS[name.replace(/_FILE$/, '')], [name]: text }
  try {
    return JSON.stringify([loadConfig(env, { cwd: '/' }), dockerSettings(env)])
  } catch {
    return text
  }
}
