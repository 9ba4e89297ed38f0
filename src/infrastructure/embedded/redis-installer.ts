// Finds Redis on the PATH and, where there is none, installs it with the system's package manager. The command is
// announced before it runs, and an installation never leaves a system service behind, neither running nor enabled.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { storeEnvironment } from './processes.ts'

export interface RedisProgram {
  path: string
  /** Has to be started under the name `redis-server`: it is Debian's redis-check-rdb, the same program. */
  needsName: boolean
}

/** What an installation uses of the machine; tests bring their own. */
export interface Machine {
  findRedis(): RedisProgram | null
  onPath(name: string): string | null
  isRoot(): boolean
  /** Returns the exit status. What the command prints is appended to `logPath`, or dropped without one. */
  run(command: string[], logPath?: string): number | null
}

interface PackageManager {
  name: string
  steps: string[][]
  asRoot: boolean
}

/** Redis 6.2 is the first with XAUTOCLAIM, which the delivery of alerts needs. */
const OLDEST = [6, 2] as const
const INSTALL_TIMEOUT_MS = 300_000
const ANSWER_TIMEOUT_MS = 10_000
const APT_LOCK = ['-o', 'DPkg::Lock::Timeout=120']

/**
 * Debian's redis-server package is a symbolic link into redis-tools plus a system service. Only redis-tools is
 * installed, so there is no service to keep from starting; elsewhere packages leave their service off.
 */
const MANAGERS: PackageManager[] = [
  {
    name: 'apt-get',
    steps: [
      [...APT_LOCK, 'update'],
      [...APT_LOCK, '-y', '--no-install-recommends', 'install', 'redis-tools'],
    ],
    asRoot: true,
  },
  { name: 'dnf', steps: [['-y', 'install', 'redis']], asRoot: true },
  { name: 'yum', steps: [['-y', 'install', 'redis']], asRoot: true },
  { name: 'apk', steps: [['add', '--no-cache', 'redis']], asRoot: true },
  { name: 'pacman', steps: [['-Sy', '--noconfirm', 'redis']], asRoot: true },
  { name: 'zypper', steps: [['--non-interactive', 'install', 'redis']], asRoot: true },
  { name: 'brew', steps: [['install', 'redis']], asRoot: false },
]

const ADVICE = `install Redis ${OLDEST.join('.')} or newer (redis-server on the PATH) or set REDIS_URL to a server`

/** Returns null if no Redis is installed. Throws if the only one found is too old. */
export function findRedis(): RedisProgram | null {
  for (const name of ['redis-server', 'valkey-server', 'redis-check-rdb']) {
    const path = onPath(name)
    if (path === null) continue
    const needsName = name === 'redis-check-rdb'
    const { stdout } = spawnSync(path, ['--version'], {
      encoding: 'utf8',
      env: storeEnvironment,
      timeout: ANSWER_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      ...(needsName ? { argv0: 'redis-server' } : {}),
    })
    const version = /server v=(\d+)\.(\d+)/.exec(stdout ?? '')
    if (version === null) continue
    const [major, minor] = [Number(version[1]), Number(version[2])]
    if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return { path, needsName }
    throw new Error(
      `${path} is version ${major}.${minor}, at least ${OLDEST.join('.')} is needed: update it or set REDIS_URL`,
    )
  }
  return null
}

/**
 * Installs Redis after passing one line with the command to `note`. Throws an actionable one-line error if that is
 * forbidden (`isAllowed`) or fails. What the package manager prints goes to `logPath`.
 */
export function installRedis(
  options: { isAllowed: boolean; logPath: string; note: (text: string) => void },
  machine: Machine = THIS_MACHINE,
): RedisProgram {
  const { isAllowed, logPath, note } = options
  if (!isAllowed) throw new Error(`no redis-server found, and REDIS_INSTALL=0 forbids installing one: ${ADVICE}`)
  const manager = MANAGERS.find(({ name }) => machine.onPath(name) !== null)
  if (manager === undefined) throw new Error(`no redis-server found and no known package manager: ${ADVICE}`)
  const elevate = manager.asRoot && !machine.isRoot() ? ['sudo', '-n'] : []
  if (elevate.length > 0 && machine.run(['sudo', '-n', 'true']) !== 0) {
    throw new Error(`no redis-server found, and installing it with ${manager.name} requires root: ${ADVICE}`)
  }
  const commands = manager.steps.map((args) => [...elevate, manager.name, ...args])
  const shown = commands.map((command) => command.join(' ')).join(' && ')
  note(`no redis-server found; installing it with: ${shown} (REDIS_INSTALL=0 forbids this)`)
  const quietly = ['env', 'DEBIAN_FRONTEND=noninteractive', 'HOMEBREW_NO_AUTO_UPDATE=1']
  const statuses = commands.map((command) =>
    machine.run([...elevate, ...quietly, ...command.slice(elevate.length)], logPath),
  )
  const found = machine.findRedis()
  if (found !== null) return found
  const outcome = statuses.at(-1) === 0 ? 'installed no server that runs' : 'failed'
  throw new Error(`no redis-server found, and ${manager.name} ${outcome} (see ${logPath}): ${ADVICE}`)
}

const THIS_MACHINE: Machine = { findRedis, onPath, isRoot: () => process.getuid?.() === 0, run }

function run(command: string[], logPath?: string): number | null {
  const [file, ...args] = command
  if (logPath === undefined) return spawnSync(file!, args, { stdio: 'ignore' }).status
  const log = openSync(logPath, 'a', 0o600)
  // Everybody may use what it installs, whatever this process lets others do.
  const before = process.umask(0o022)
  try {
    return spawnSync(file!, args, { stdio: ['ignore', log, log], timeout: INSTALL_TIMEOUT_MS }).status
  } finally {
    process.umask(before)
    closeSync(log)
  }
}

// Asks the shell, so that the PATH is the one this process was started with, plus the folders where package managers
// and Homebrew put servers.
function onPath(name: string): string | null {
  const script = 'PATH="$PATH:/usr/local/bin:/usr/bin:/usr/local/sbin:/usr/sbin:/opt/homebrew/bin"; command -v "$1"'
  const { status, stdout } = spawnSync('/bin/sh', ['-c', script, 'sh', name], { encoding: 'utf8' })
  return status === 0 && stdout.trim().startsWith('/') ? stdout.trim() : null
}
