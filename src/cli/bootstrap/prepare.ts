// Installs and builds the checkout as far as needed. Node runs it before anything is installed, so it and all it
// imports need nothing but Node. `build` prints the main file to run; what a running stack uses is never changed.
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { dataDirFromEnvironment } from '../../config.ts'
import { withLock } from '../../infrastructure/embedded/files.ts'
import { buildFolder, builtMains, filesUnder, mainOf, runningStacks, sourceHash } from './checkout.ts'
import { checkoutRoot } from '../../service/version.ts'
import { createOutput } from '../output.ts'

/**
 * `install`: dependencies only. `build`: also a build of this source. `any`: the running stack's build, else the last
 * used one, so that `down` works with source that does not compile. `clean`: removes the builds that no stack uses.
 */
type Step = 'install' | 'build' | 'any' | 'clean'

const keptBuilds = 3
const root = checkoutRoot()
const out = createOutput(process.argv[3] === 'json')

async function prepare(step: Step): Promise<string> {
  mkdirSync(join(root, 'build'), { recursive: true })
  if (step === 'clean') return locked(() => dropBuilds(0))
  const main = step === 'any' ? await mainInUse() : undefined
  if (main !== undefined) return main
  return locked(async () => {
    const mark = begunMark(step)
    await install()
    const prepared = step === 'install' ? '' : await build()
    if (step !== 'any') mark(prepared)
    return prepared
  })
}

/**
 * Returns what writes the file by which run.sh finds the step done. It is dated a second before the step began to read
 * the sources, by the clock of their file system.
 */
function begunMark(step: Step): (prepared: string) => void {
  const mark = join(root, 'build', `prepared-${step}`)
  const half = `${mark}.half`
  writeFileSync(half, '')
  const begun = statSync(half).mtimeMs / 1000 - 1
  return (prepared) => {
    writeFileSync(half, prepared)
    utimesSync(half, begun, begun)
    renameSync(half, mark)
  }
}

async function mainInUse(): Promise<string | undefined> {
  const dataDir = dataDirFromEnvironment()
  const { running: stacks, unknown } = await runningStacks(root)
  for (const reason of unknown) out.note(`skipping a stack of this checkout: ${reason}`)
  const running = stacks.find((stack) => stack.dataDir === dataDir && existsSync(stack.main))
  return running?.main ?? builtMains(root)[0]
}

function locked<T>(work: () => Promise<T>): Promise<T> {
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
  const unverified = unverifiedHere()
  if (unverified.length > 0)
    out.note(`not verified, since package-lock.json has no checksum of it: ${unverified.join(', ')}`)
  runLogged('install', 'npm', ['ci', '--no-audit', '--no-fund'])
}

interface Lock {
  packages: Record<string, Locked>
}

interface Locked {
  version?: string
  integrity?: string
  optional?: boolean
  devOptional?: boolean
  peer?: boolean
  os?: string[]
  cpu?: string[]
}

/**
 * Returns the packages for this platform without a checksum in the lock file: the registry that made it had none for
 * them.
 */
function unverifiedHere(): string[] {
  const { packages } = lockOf(join(root, 'package-lock.json')) ?? { packages: {} }
  const isForUs = ({ os = [process.platform], cpu = [process.arch] }: Locked) =>
    os.includes(process.platform) && cpu.includes(process.arch)
  return Object.entries(packages)
    .filter(([path, locked]) => path !== '' && locked.integrity === undefined && isForUs(locked))
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
}

/**
 * Compares npm's own record, written last, with package-lock.json: an interrupted or older installation does not agree.
 */
function isInstalled(): boolean {
  const wanted = lockOf(join(root, 'package-lock.json'))
  const present = lockOf(join(root, 'node_modules', '.package-lock.json'))
  if (wanted === null || present === null) return false
  return Object.entries(wanted.packages).every(([path, { version, optional, devOptional, peer }]) => {
    const found = present.packages[path]?.version
    return path === '' || found === version || (found === undefined && (optional ?? devOptional ?? peer ?? false))
  })
}

/** Returns null if the file is missing or damaged. */
function lockOf(path: string): Lock | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Lock
  } catch {
    return null
  }
}

async function build(): Promise<string> {
  const folder = buildFolder(root, sourceHash(root))
  if (!existsSync(mainOf(folder))) {
    out.note('building')
    const half = join(root, 'build', `.half-${process.pid}`)
    try {
      compile(half)
      renameSync(half, folder)
    } finally {
      rmSync(half, { recursive: true, force: true })
    }
    await dropBuilds(keptBuilds)
  }
  utimesSync(folder, new Date(), new Date())
  return mainOf(folder)
}

function compile(target: string): void {
  for (const name of readdirSync(join(root, 'build'))) {
    if (name.startsWith('.half-')) rmSync(join(root, 'build', name), { recursive: true, force: true })
  }
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  // What it found is kept: after a change of a file the next build checks in a third of the time.
  const kept = ['--incremental', '--tsBuildInfoFile', join(root, 'build', 'types.tsbuildinfo')]
  runLogged('build', process.execPath, [compiler, '-p', 'src/tsconfig.json', ...kept])
  runLogged('build-program', process.execPath, ['src/cli/bootstrap/build-program.ts', join(target, 'src')])
  runLogged('build-web', process.execPath, ['src/cli/bootstrap/build-web.ts', join(target, 'web')])
  const others = filesUnder(root, 'src').filter((file) => !/^src\/(client|web)\/|\.(ts|sh)$|tsconfig/.test(file))
  for (const file of [...others, ...filesUnder(root, 'openapi')]) {
    mkdirSync(dirname(join(target, file)), { recursive: true })
    cpSync(join(root, file), join(target, file))
  }
  runLogged('build-contract', process.execPath, ['src/cli/bootstrap/build-contract.ts', join(target, 'openapi')])
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
