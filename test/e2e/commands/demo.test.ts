// make demo, ended by Ctrl-C to the whole process group (as a terminal sends it) while it shows filings and while it
// starts, also several times at once, and by SIGTERM to make only. No process may remain.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import { stackOfTest, type StackOfTest } from '../../support/make.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Returns whether any process of the group runs. One that has ended and whose parent has not noticed yet does not. */
function isGroupAlive(group: number): boolean {
  if (!existsSync('/proc/self/stat')) return isKnown(-group)
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false
    const [state, , ofGroup] = statOf(name)
    return Number(ofGroup) === group && state !== 'Z' && state !== 'X'
  })
}

/** Returns state, parent, group and more of a process; nothing of one that is gone. */
function statOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    return []
  }
}

function isKnown(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

interface Case {
  title: string
  /** What it has said when the signal comes. */
  when: RegExp
  signal: (make: number) => void
  /** Whether its DATA_DIR is a new one; the others have one after the other the same. */
  isFirst?: boolean
}

describe('make demo', function () {
  this.timeout(300_000)
  let shared: StackOfTest
  before(async () => {
    shared = await stackOfTest()
  })
  after(() => shared.remove())

  const cases: Case[] = [
    { title: 'Ctrl-C', when: /at Example/, signal: (make) => process.kill(-make, 'SIGINT') },
    {
      title: 'Ctrl-C, again and again,',
      when: /Ctrl-C ends it/,
      // So often that some of them come while make down is being started.
      signal: (make) => {
        const again = setInterval(() => {
          try {
            process.kill(-make, 'SIGINT')
          } catch {
            clearInterval(again)
          }
        }, 5)
        setTimeout(() => clearInterval(again), 300)
      },
    },
    { title: 'a SIGTERM for make', when: /Ctrl-C ends it/, signal: (make) => process.kill(make, 'SIGTERM') },
    {
      title: 'Ctrl-C while it starts',
      when: /^starting/m,
      isFirst: true,
      signal: (make) => setTimeout(() => process.kill(-make, 'SIGINT'), 1_500),
    },
  ]
  for (const { title, when, signal, isFirst } of cases) {
    it(`ends with everything it started on ${title}`, async () => {
      const stack = isFirst ? await stackOfTest() : shared
      const words = [`DATA_DIR=${stack.dataDir}`, `PORT=${stack.port}`, 'PER_MINUTE=240']
      const child = spawn('make', ['demo', ...words], { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          said += chunk
        })
      const ended = new Promise((resolve) => child.once('close', resolve))
      try {
        for (let tries = 0; !when.test(said) && child.exitCode === null; tries += 1) {
          assert.isBelow(tries, 1_800, said.slice(0, 2_000))
          await sleep(100)
        }
        signal(child.pid!)
        await ended
        assert.match(said, /^\d+ filings published, \d+ transactions seen; all of it has ended$/m)
        // What make itself started ends right after it.
        for (let tries = 0; tries < 600 && isGroupAlive(child.pid!); tries += 1) await sleep(100)
        assert.strictEqual(isGroupAlive(child.pid!), false, said)
        const { json } = await stack.make('status')
        assert.strictEqual(json!.running, false)
        assert.deepEqual([json!.stores.postgres.running, json!.stores.redis.running], [false, false])
        assert.strictEqual(
          await fetch(`${stack.address}/healthz`).then(
            () => true,
            () => false,
          ),
          false,
        )
      } finally {
        if (isGroupAlive(child.pid!)) process.kill(-child.pid!, 'SIGKILL')
        if (isFirst) await stack.remove()
        else await stack.make('down')
      }
    })
  }
})
