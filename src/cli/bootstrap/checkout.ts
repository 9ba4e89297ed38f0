// The builds of the checkout in build/, and the stacks that run from it: builds and packages that these use must not be
// removed.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { requireOwnDataDir } from '../../infrastructure/embedded/data-dir.ts'
import { readJson, writePrivate } from '../../infrastructure/embedded/files.ts'
import { findStores } from '../../infrastructure/embedded/stores.ts'
import { NotOurs } from '../../infrastructure/ownership.ts'
import { runningService } from '../../service/service-record.ts'

export interface Stack {
  dataDir: string
  /** The main file that it was started from. */
  main: string
}

/** Returns the dependencies in a lock file: all of it except the program's own version, which changes every release. */
export function dependenciesIn(lockFile: string): string {
  const { version: _, packages, ...rest } = JSON.parse(lockFile) as { version?: string; packages: Packages }
  const { version: _root, ...root } = packages[''] ?? {}
  return JSON.stringify({ ...rest, packages: { ...packages, '': root } })
}

type Packages = Record<string, { version?: string }>

/** Returns a hash of all files that a build is made of, as sixteen hex digits. */
export function sourceHash(root: string): string {
  const hash = createHash('sha256')
  // Of the documents in src/, only that of the client is part of a build.
  const sources = filesUnder(root, 'src').filter((file) => !file.endsWith('.md') || file.endsWith('client/README.md'))
  const files = ['package-lock.json', 'tsconfig.json', ...sources, ...filesUnder(root, 'openapi')]
  for (const file of files) {
    const content = readFileSync(join(root, file))
    hash.update(`${file.split(sep).join('/')}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex').slice(0, 16)
}

/** Returns relative paths, sorted. */
function filesUnder(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

export function buildFolder(root: string, hash: string): string {
  return join(root, 'build', hash)
}

/** Returns build/<hash>/src/main.js. In a build openapi/ is beside src/, as in the checkout. */
export function mainOf(build: string): string {
  return join(build, 'src', 'main.js')
}

/** Returns the main files of all builds, the last used first. */
export function builtMains(root: string): string[] {
  const folder = join(root, 'build')
  if (!existsSync(folder)) return []
  const builds = readdirSync(folder)
    .filter((name) => /^[0-9a-f]{16}$/.test(name))
    .map((name) => join(folder, name))
  const usedAt = (build: string) => statSync(build).mtimeMs
  return builds
    .filter((build) => existsSync(mainOf(build)))
    .sort((a, b) => usedAt(b) - usedAt(a))
    .map(mainOf)
}

/** Records that a stack runs from this checkout. `runningStacks` removes the record once it no longer does. */
export function registerStack(root: string, stack: Stack): void {
  const name = createHash('sha256').update(stack.dataDir).digest('hex').slice(0, 16)
  mkdirSync(join(root, 'build', 'stacks'), { recursive: true })
  writePrivate(join(root, 'build', 'stacks', `${name}.json`), JSON.stringify(stack))
}

export interface Stacks {
  running: Stack[]
  /** Why the state of other stacks is unknown, such as those of other users, a line each. They may use any build. */
  unknown: string[]
}

/** Returns the stacks of this checkout of which any process runs, since stores use node_modules too. */
export async function runningStacks(root: string): Promise<Stacks> {
  const folder = join(root, 'build', 'stacks')
  const [running, unknown]: [Stack[], string[]] = [[], []]
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    try {
      const stack = readJson<Stack>(join(folder, name))
      if (stack !== null && (await anythingRuns(stack.dataDir))) running.push(stack)
      else rmSync(join(folder, name), { force: true })
    } catch (error) {
      if (!(error instanceof NotOurs)) throw error
      unknown.push(error.message)
    }
  }
  return { running, unknown }
}

async function anythingRuns(dataDir: string): Promise<boolean> {
  requireOwnDataDir(dataDir)
  if (runningService(dataDir) !== null) return true
  const { postgres, redis } = await findStores(dataDir)
  return postgres !== null || redis !== null
}
