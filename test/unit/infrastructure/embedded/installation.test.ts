// What a start does to the system it runs on: it installs Redis or creates a user only after saying so, and
// REDIS_INSTALL=0 forbids the first. Nothing is installed or created here: the machine is the test's own.
import { assert } from 'chai'
import { installRedis, type Machine } from '../../../../src/infrastructure/embedded/redis-installer.ts'
import { systemUser } from '../../../../src/infrastructure/embedded/postgres/user.ts'

/** A machine with these commands, that notes in `log` what is run. */
function machine(commands: string[], options: { isRoot?: boolean; sudo?: number; installs?: boolean } = {}) {
  const log: string[] = []
  const fake: Machine = {
    findRedis: () => (options.installs && log.length > 0 ? { path: '/usr/bin/redis-server', needsName: false } : null),
    onPath: (name) => (commands.includes(name) ? `/usr/bin/${name}` : null),
    isRoot: () => options.isRoot ?? true,
    run: (command) => {
      log.push(command.join(' '))
      return command.includes('true') ? (options.sudo ?? 0) : 0
    },
  }
  return { fake, log }
}

const install = (target: Machine, note: (text: string) => void, isAllowed = true) =>
  installRedis({ isAllowed, logPath: '/somewhere/install-redis.log', note }, target)

describe('installing Redis', () => {
  it('announces the command in one line before it runs', () => {
    const { fake, log } = machine(['apt-get'], { installs: true })
    const said: string[] = []

    const program = install(fake, (text) => {
      assert.deepEqual(log, [])
      said.push(text)
    })

    assert.strictEqual(program.path, '/usr/bin/redis-server')
    assert.deepEqual(said, [
      'no redis-server found; installing it with: apt-get -o DPkg::Lock::Timeout=120 update && ' +
        'apt-get -o DPkg::Lock::Timeout=120 -y --no-install-recommends install redis-tools ' +
        '(REDIS_INSTALL=0 forbids this)',
    ])
    assert.lengthOf(log, 2)
    assert.match(log[1]!, /^env DEBIAN_FRONTEND=noninteractive .* install redis-tools$/)
  })

  it('goes through sudo without a password for another user than root, and says so', () => {
    const { fake, log } = machine(['dnf'], { isRoot: false, installs: true })
    const said: string[] = []

    install(fake, (text) => said.push(text))

    assert.include(said[0], 'installing it with: sudo -n dnf -y install redis (')
    assert.deepEqual(log, [
      'sudo -n true',
      'sudo -n env DEBIAN_FRONTEND=noninteractive HOMEBREW_NO_AUTO_UPDATE=1 dnf -y install redis',
    ])
  })

  it('is forbidden by REDIS_INSTALL=0, with what to do instead', () => {
    const { fake, log } = machine(['apt-get'], { installs: true })
    const said: string[] = []

    assert.throws(
      () => install(fake, (text) => said.push(text), false),
      'no redis-server found, and REDIS_INSTALL=0 forbids installing one: ' +
        'install Redis 6.2 or newer (redis-server on the PATH) or set REDIS_URL to a server',
    )
    assert.deepEqual([...said, ...log], [])
  })

  it('runs nothing without root or a known package manager, and says what to do', () => {
    const noRights = machine(['apt-get'], { isRoot: false, sudo: 1 })
    assert.throws(
      () => install(noRights.fake, () => {}),
      /installing it with apt-get requires root: install Redis 6\.2/,
    )
    assert.deepEqual(noRights.log, ['sudo -n true'])
    assert.throws(() => install(machine([]).fake, () => {}), /no known package manager: install Redis 6\.2/)
  })

  it('names the log where the package manager brought no server', () => {
    assert.throws(
      () => install(machine(['apk']).fake, () => {}),
      /apk installed no server that runs \(see \/somewhere\/install-redis\.log\)/,
    )
  })
})

describe("PostgreSQL's system user", () => {
  it('is created only after saying so, by the command that there is', () => {
    const log: string[] = []
    const said: string[] = []
    let owner: { uid: number; gid: number } | null = null
    const user = systemUser(
      (text) => {
        assert.deepEqual(
          log.filter((command) => command.startsWith('adduser')),
          [],
        )
        said.push(text)
      },
      {
        lookUp: () => owner,
        run: (command) => {
          log.push(command.join(' '))
          if (command[0] === 'sh') return command.at(-1) === 'adduser' ? 0 : 1
          owner = { uid: 70, gid: 70 }
          return 0
        },
      },
    )

    assert.deepEqual(user, { uid: 70, gid: 70 })
    assert.deepEqual(said, [
      'PostgreSQL does not run as root; creating a system user for it with: adduser -S -D -H -s /bin/false postgres',
    ])
  })

  it('is taken as it is where there is one, without a word', () => {
    const fail = () => assert.fail('nothing is to be said or run')
    assert.deepEqual(systemUser(fail, { lookUp: () => ({ uid: 5, gid: 5 }), run: fail }), { uid: 5, gid: 5 })
  })
})
