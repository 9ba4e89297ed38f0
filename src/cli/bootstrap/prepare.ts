// Installs and builds the checkout as far as needed, without changing what a running stack uses, and prints the main
// file to run. It runs before anything is installed, so neither it nor its imports may use packages.
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { dataDirFromEnvironment } from '../../config.ts'
import { withLock } from '../../infrastructure/embedded/files.ts'
import { buildFolder, builtMains, dependenciesIn, mainOf, runningStacks, sourceHash } from './checkout.ts'
import { checkoutRoot } from '../../service/version.ts'
import { createOutput } from '../output.ts'

/**
 * `install`: dependencies only. `build`: also a build of this source. `any`: the running stack's build, else the last
 * used one, so that `down` works with source that does not compile. `clean`: removes the builds that no stack uses.
 */
type Step = 'install' | 'build' | 'any' | 'clean'

const KEPT_BUILDS = 3
const root = checkoutRoot()
const out = createOutput(process.argv[3] === 'json')

async function prepare(step: Step): Promise<string> {
  if (step === 'clean') return withPrepareLock(() => dropBuilds(0))
  const main = step === 'any' ? await mainInUse() : undefined
  // Before the lock is taken, which only the owner of the checkout can do.
  const done = main ?? doneAlready(step)
  if (done !== null) return done
  return withPrepareLock(async () => {
    await install()
    return step === 'install' ? '' : build()
  })
}

/** Returns the step's result if there is nothing to do, else null. */
function doneAlready(step: Step): string | null {
  if (!isInstalled()) return null
  if (step === 'install') return ''
  const folder = buildFolder(root, sourceHash(root))
  return existsSync(mainOf(folder)) ? markUsed(folder) : null
}

/** Marks a build as the last used one and returns its main file. */
function markUsed(folder: string): string {
  try {
    utimesSync(folder, new Date(), new Date())
  } catch {
    // The checkout belongs to another user.
  }
  return mainOf(folder)
}

async function mainInUse(): Promise<string | undefined> {
  const dataDir = dataDirFromEnvironment()
  const { running: stacks, unknown } = await runningStacks(root)
  for (const reason of unknown) out.note(`skipping a stack of this checkout: ${reason}`)
  const running = stacks.find((stack) => stack.dataDir === dataDir && existsSync(stack.main))
  return running?.main ?? builtMains(root)[0]
}

function withPrepareLock<T>(work: () => Promise<T>): Promise<T> {
  mkdirSync(join(root, 'build'), { recursive: true })
  const onWait = (pid: number) => out.note(`waiting for process ${pid}, which installs or builds here`)
  return withLock(join(root, 'build', 'prepare.lock'), { waitMs: 1_200_000, onWait }, work)
}

async function install(): Promise<void> {
  if (isInstalled()) return
  const { running, unknown } = existsSync(join(root, 'node_modules'))
    ? await runningStacks(root)
    : { running: [], unknown: [] }
  if (unknown.length > 0)
    throw new Error(`package-lock.json changed, and a stack may run from this checkout: ${unknown[0]}`)
  const [stack] = running
  if (stack !== undefined) {
    throw new Error(
      `package-lock.json changed, but a stack runs from this checkout: make down DATA_DIR=${stack.dataDir} first`,
    )
  }
  out.note('installing the dependencies')
  runLogged('install', 'npm', ['ci', '--no-audit', '--no-fund'])
  writeFileSync(INSTALLED, lockFile())
}

// In node_modules, which npm ci removes first, so an interrupted installation does not count as done.
const INSTALLED = join(root, 'node_modules', '.installed-lock.json')

const lockFile = (): string => readFileSync(join(root, 'package-lock.json'), 'utf8')

function isInstalled(): boolean {
  if (!existsSync(INSTALLED)) return false
  const [installed, wanted] = [readFileSync(INSTALLED, 'utf8'), lockFile()]
  return installed === wanted || dependenciesIn(installed) === dependenciesIn(wanted)
}

async function build(): Promise<string> {
  const folder = buildFolder(root, sourceHash(root))
  if (!existsSync(mainOf(folder))) {
    out.note('building')
    const incomplete = join(root, 'build', `.incomplete-${process.pid}`)
    try {
      compile(incomplete)
      renameSync(incomplete, folder)
    } finally {
      rmSync(incomplete, { recursive: true, force: true })
    }
    await dropBuilds(KEPT_BUILDS)
  }
  return markUsed(folder)
}

function compile(target: string): void {
  for (const name of readdirSync(join(root, 'build'))) {
    if (name.startsWith('.incomplete-')) rmSync(join(root, 'build', name), { recursive: true, force: true })
  }
  runLogged('build', 'sh', ['src/cli/bootstrap/build.sh', target])
}

async function dropBuilds(kept: number): Promise<string> {
  const { running, unknown } = await runningStacks(root)
  if (unknown.length > 0) return ''
  const used = running.map(({ main }) => main)
  for (const main of builtMains(root).slice(kept)) {
    if (!used.includes(main)) rmSync(dirname(dirname(main)), { recursive: true, force: true })
  }
  return ''
}

/** Runs a step with its output in build/<name>.log; on stderr only if it failed. */
function runLogged(name: string, command: string, args: string[]): void {
  const path = join(root, 'build', `${name}.log`)
  const log = openSync(path, 'w')
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', log, log] })
  closeSync(log)
  if (status === 0) return
  for (const line of readFileSync(path, 'utf8').trimEnd().split('\n').filter(Boolean)) out.note(line)
  const reason =
    error?.message ?? (/ENOSPC|No space left/.test(readFileSync(path, 'utf8')) ? 'disk full' : `status ${status}`)
  throw new Error(`${name} failed (${reason}); the log is ${path}`)
}

try {
  process.stdout.write(await prepare(process.argv[2] as Step))
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  out.failure(code === undefined ? message : `the checkout ${root} can't be written: ${message}`)
  process.exitCode = 1
}
