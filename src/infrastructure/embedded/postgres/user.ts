// The user that PostgreSQL runs as. It refuses root, so root's stack gives it a system user; other users run it as
// themselves.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'

export interface RunAs {
  /** Null: the user of the process that starts it. */
  owner: { uid: number; gid: number } | null
  /** Returns the file and arguments to start, with `options` for the uid. */
  command: (file: string, args: string[]) => [string, string[]]
  options: { uid?: number; gid?: number }
}

/**
 * Returns the user to run as. `mustReach` are the files and folders that PostgreSQL has to read or enter, `data` the
 * folder it owns, once it exists. Throws one line that says what to do.
 */
export function postgresUser(mustReach: string[], data: string, note: (text: string) => void): RunAs {
  const us = process.getuid?.() ?? -1
  const dataOwner = existsSync(data) ? statSync(data) : null
  if (us !== 0) {
    if (dataOwner !== null && us !== -1 && dataOwner.uid !== us) {
      throw new Error(`${data} belongs to user ${dataOwner.uid}, so PostgreSQL must be started as that user (or root)`)
    }
    return { owner: null, command: (file, args) => [file, args], options: {} }
  }
  const owner =
    dataOwner !== null && dataOwner.uid !== 0 ? { uid: dataOwner.uid, gid: dataOwner.gid } : systemUser(note)
  return runAsOther(owner, mustReach)
}

/** Throws one line if this process's user has no name, without which PostgreSQL creates no database. */
export function requireName(): void {
  try {
    userInfo()
  } catch {
    throw new Error(
      `PostgreSQL needs a user with a name, and user ${process.getuid?.()} has none on this system: ` +
        'add it to /etc/passwd, start as another user, or set DATABASE_URL',
    )
  }
}

/** The `useradd` of most distributions, then the `adduser` of Alpine. */
const CREATE_USER = [
  ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/bin/false', 'postgres'],
  ['adduser', '-S', '-D', '-H', '-s', '/bin/false', 'postgres'],
]

/** What creating a user uses of the machine; tests bring their own. */
interface UserMachine {
  lookUp(name: string): { uid: number; gid: number } | null
  /** Returns the exit status; null if there is no such command. */
  run(command: string[]): number | null
}

const THIS_MACHINE: UserMachine = {
  lookUp,
  run: ([file, ...args]) => spawnSync(file!, args, { stdio: 'ignore' }).status,
}

/** Returns the system user `postgres`. Creates it if missing, after passing one line with the command to `note`. */
export function systemUser(
  note: (text: string) => void,
  machine: UserMachine = THIS_MACHINE,
): { uid: number; gid: number } {
  const found = machine.lookUp('postgres')
  if (found !== null) return found
  for (const command of CREATE_USER) {
    if (machine.run(['sh', '-c', 'command -v "$1"', 'sh', command[0]!]) !== 0) continue
    note(`PostgreSQL does not run as root; creating a system user for it with: ${command.join(' ')}`)
    machine.run(command)
    const created = machine.lookUp('postgres')
    if (created !== null) return created
  }
  throw new Error(
    'PostgreSQL does not run as root and no user "postgres" could be created: ' +
      'create one, start as another user, or set DATABASE_URL',
  )
}

function lookUp(name: string): { uid: number; gid: number } | null {
  const id = (flag: string) => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' })
    return status === 0 ? Number(stdout) : null
  }
  const uid = id('-u')
  const gid = id('-g')
  return uid === null || gid === null || uid === 0 ? null : { uid, gid }
}

function runAsOther(owner: { uid: number; gid: number }, mustReach: string[]): RunAs {
  const plain: RunAs = { owner, command: (file, args) => [file, args], options: owner }
  if (reaches(plain, mustReach)) return plain
  const entitled: RunAs = {
    owner,
    command: (file, args) => ['setpriv', [...entitlement(owner), file, ...args]],
    options: {},
  }
  if (reaches(entitled, mustReach)) return entitled
  throw new Error(
    `PostgreSQL does not run as root, and user ${owner.uid} can't reach ${mustReach.join(' and ')}: ` +
      'move the checkout and DATA_DIR to a folder open to others (such as /opt), ' +
      'start as another user, or set DATABASE_URL',
  )
}

/**
 * Returns the arguments of setpriv that grant one capability, dac_override, and no other: a checkout under /root or a
 * folder of `mktemp -d` can't be entered by another user, and must not be opened for everyone. PostgreSQL checks its
 * own files with access(2), which ignores the capabilities of users other than root unless the securebit
 * no_setuid_fixup is set.
 */
function entitlement({ uid, gid }: { uid: number; gid: number }): string[] {
  const only = '-all,+dac_override'
  return [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    `--inh-caps=${only}`,
    '--ambient-caps=+dac_override',
    `--bounding-set=${only}`,
    '--securebits=+no_setuid_fixup',
    '--',
  ]
}

function reaches(runAs: RunAs, paths: string[]): boolean {
  const script = 'for path in "$@"; do test -x "$path" || exit 1; test -d "$path" || test -r "$path" || exit 1; done'
  const [file, args] = runAs.command('sh', ['-c', script, 'sh', ...paths])
  return spawnSync(file, args, { ...runAs.options, cwd: '/', stdio: 'ignore' }).status === 0
}
