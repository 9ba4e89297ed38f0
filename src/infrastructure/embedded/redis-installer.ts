// Where Redis comes from: the PATH, else the system's package manager. An installation of ours never leaves a system
// service behind, neither running nor enabled for the next boot.
import { spawnSync } from 'node:child_process'
import { openSync, closeSync } from 'node:fs'

export interface RedisProgram {
  path: string
  /** Has to be started by the name `redis-server`: it is Debian's redis-check-rdb, the same program under another name. */
  needsName: boolean
}

/** Redis 6.2 is the first with XAUTOCLAIM, which the delivery of alerts needs. */
const oldest = [6, 2] as const

/**
 * Debian's redis-server package is a symbolic link into redis-tools and a system service around it. We take redis-tools
 * alone, so there is no service to keep from starting; elsewhere packages leave their service off.
 */
const managers: { name: string; args: string[]; before?: string[]; asRoot: boolean }[] = [
  {
    name: 'apt-get',
    before: ['-o', 'DPkg::Lock::Timeout=120', 'update'],
    args: ['-o', 'DPkg::Lock::Timeout=120', '-y', '--no-install-recommends', 'install', 'redis-tools'],
    asRoot: true,
  },
  { name: 'dnf', args: ['-y', 'install', 'redis'], asRoot: true },
  { name: 'yum', args: ['-y', 'install', 'redis'], asRoot: true },
  { name: 'apk', args: ['add', '--no-cache', 'redis'], asRoot: true },
  { name: 'pacman', args: ['-Sy', '--noconfirm', 'redis'], asRoot: true },
  { name: 'zypper', args: ['--non-interactive', 'install', 'redis'], asRoot: true },
  { name: 'brew', args: ['install', 'redis'], asRoot: false },
]

/** Null where none is installed. Throws where the only one is too old. */
export function findRedis(): RedisProgram | null {
  for (const name of ['redis-server', 'valkey-server', 'redis-check-rdb']) {
    const path = onPath(name)
    if (path === null) continue
    const needsName = name === 'redis-check-rdb'
    const { stdout } = spawnSync(path, ['--version'], {
      encoding: 'utf8',
      ...(needsName ? { argv0: 'redis-server' } : {}),
    })
    const version = /server v=(\d+)\.(\d+)/.exec(stdout ?? '')
    if (version === null) continue
    const [major, minor] = [Number(version[1]), Number(version[2])]
    if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return { path, needsName }
    throw new Error(
      `${path} is version ${major}.${minor}, at least ${oldest.join('.')} is needed: update it or set REDIS_URL`,
    )
  }
  return null
}

/** Throws with one line that says what to do where there is no way. What the package manager prints goes to `logPath`. */
export function installRedis(logPath: string, note: (text: string) => void): RedisProgram {
  const advice = 'install Redis 6.2 or newer (redis-server on the PATH) or set REDIS_URL to a server'
  const manager = managers.find(({ name }) => onPath(name) !== null)
  if (manager === undefined) throw new Error(`no redis-server found and no package manager known to us: ${advice}`)
  const elevate = manager.asRoot && process.getuid?.() !== 0 ? ['sudo', '-n'] : []
  if (elevate.length > 0 && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status !== 0) {
    throw new Error(`no redis-server found, and installing it with ${manager.name} takes root: ${advice}`)
  }
  note(`installing Redis with ${manager.name}`)
  const steps = manager.before === undefined ? [manager.args] : [manager.before, manager.args]
  const log = openSync(logPath, 'a')
  const statuses = steps.map((args) => {
    const command = [
      ...elevate,
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      'HOMEBREW_NO_AUTO_UPDATE=1',
      manager.name,
      ...args,
    ]
    return spawnSync(command[0]!, command.slice(1), { stdio: ['ignore', log, log], timeout: 300_000 }).status
  })
  closeSync(log)
  const found = findRedis()
  if (found !== null) return found
  const outcome = statuses.at(-1) === 0 ? 'brought no server that runs' : 'failed'
  throw new Error(
    `no redis-server found, and installing it with ${manager.name} ${outcome} (see ${logPath}): ${advice}`,
  )
}

// The shell looks, so that it is the PATH we were started with; and where package managers put servers and Homebrew.
function onPath(name: string): string | null {
  const script = 'PATH="$PATH:/usr/local/bin:/usr/bin:/usr/local/sbin:/usr/sbin:/opt/homebrew/bin"; command -v "$1"'
  const { status, stdout } = spawnSync('/bin/sh', ['-c', script, 'sh', name], { encoding: 'utf8' })
  return status === 0 && stdout.trim().startsWith('/') ? stdout.trim() : null
}
