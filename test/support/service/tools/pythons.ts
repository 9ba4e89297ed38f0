// The Pythons of this machine that the client is tried with: those that PYTHONS names, else those on the PATH, one of
// each version from 3.8 on.
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Python {
  /** `3.11`. */
  version: string
  path: string
}

/** Where the client lies as it is in the source. */
export const CLIENT_FOLDER = join(import.meta.dirname, '../../../../src/client/python')

const OLDEST = 8
const NEWEST = 20

let found: Python[] | undefined

export function pythons(): Python[] {
  if (found) return found
  const versions = Array.from({ length: NEWEST - OLDEST + 1 }, (_, index) => `python3.${OLDEST + index}`)
  const candidates = process.env.PYTHONS?.split(',') ?? ['python3', ...versions]
  const byVersion = new Map<string, Python>()
  for (const path of candidates) {
    // The program itself: what lies on the PATH can be a script that looks for it each time.
    const { stdout } = spawnSync(path, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2], sys.executable)'], {
      encoding: 'utf8',
    })
    const [, version = '', executable = ''] = /^(\S+) (.+)$/m.exec(stdout ?? '') ?? []
    const [major, minor] = version.split('.').map(Number)
    if (major === 3 && minor! >= OLDEST && !byVersion.has(version))
      byVersion.set(version, { version, path: executable })
  }
  return (found = [...byVersion.values()])
}

/** Skips what needs a Python where there is none, and says so. */
export function needPython(context: Mocha.Context): void {
  if (pythons().length > 0) return
  process.stdout.write('      skipped: no Python of 3.8 or newer on the PATH, nor named by PYTHONS\n')
  context.skip()
}

const run = promisify(execFile)

/** Runs a program and returns what it prints, parsed. Fails with what it wrote to stderr. */
export async function runPython(
  { path }: Python,
  program: string,
  args: readonly string[] = [],
  folder = CLIENT_FOLDER,
): Promise<any> {
  const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'error' }
  const { stdout } = await run(path, ['-c', program, ...args], { env, maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim() === '' ? undefined : JSON.parse(stdout)
}
