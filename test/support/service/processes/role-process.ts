// Processes of the service by roles, as an operator's supervisor runs them: compiled once for the run, each with a
// DATA_DIR and port of its own unless given, all it logs kept.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../ports.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

interface Exit {
  code: number | null
  signal: string | null
}

export interface RoleProcess {
  roles: string
  address: string
  pid: number
  /** Lines of its log, parsed. */
  log: Record<string, any>[]
  exited: Promise<Exit>
  /** Null while it runs. */
  exit(): Exit | null
  signal(name: NodeJS.Signals): void
  /** Resolves once /readyz says so; rejects with the end of its log. */
  ready(seconds?: number): Promise<void>
  /** Resolves with when it logged it, in milliseconds since 1970; lines before `since` don't count. */
  logged(message: string, since?: number, seconds?: number): Promise<number>
}

export interface RoleProcesses {
  start(roles: string, more?: Record<string, string>): Promise<RoleProcess>
  all: RoleProcess[]
  /** SIGTERM, then SIGKILL after 25 s. */
  close(): Promise<void>
}

export function roleProcesses(variables: Record<string, string>): RoleProcesses {
  const folder = mkdtempSync(join(tmpdir(), 'insider-roles-'))
  const all: RoleProcess[] = []
  return {
    all,
    start: async (roles, more = {}) => {
      const dataDir = more.DATA_DIR ?? join(folder, String(all.length))
      const started = await startProcess(dataDir, roles, { ...variables, ...more })
      all.push(started)
      return started
    },
    close: async () => {
      await Promise.all(
        all.map(async (each) => {
          if (each.exit()) return
          each.signal('SIGTERM')
          await Promise.race([each.exited, sleep(25_000, undefined, { ref: false })])
          if (!each.exit()) each.signal('SIGKILL')
          await each.exited
        }),
      )
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Rarely: each look makes the process ask its stores, whose proxies live in this process as well. */
const LOOK_MS = 500

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

async function startProcess(dataDir: string, roles: string, variables: Record<string, string>): Promise<RoleProcess> {
  const port = Number(variables.PORT ?? (await freePort()))
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [compiled(), 'serve', '--roles', roles], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, HOME, ...variables, DATA_DIR: dataDir, PORT: String(port) },
  })
  const log: RoleProcess['log'] = []
  for (const stream of [child.stdout, child.stderr]) keepLines(stream, log)
  let ended: Exit | null = null
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => resolve((ended = { code, signal })))
  })
  children.add(child)
  void exited.then(() => children.delete(child))
  const address = `http://127.0.0.1:${port}`
  const until = async (what: string, seconds: number, check: () => Promise<boolean> | boolean) => {
    for (const end = performance.now() + seconds * 1000; !(await check()); await sleep(LOOK_MS)) {
      const why = ended ? `ended (${JSON.stringify(ended)})` : performance.now() > end ? `${seconds} s passed` : null
      if (why)
        throw new Error(
          `${roles} (${child.pid}) not ${what}, ${why}:\n${log
            .slice(-8)
            .map((line) => JSON.stringify(line))
            .join('\n')}`,
        )
    }
  }
  return {
    roles,
    address,
    pid: child.pid!,
    log,
    exited,
    exit: () => ended,
    signal: (name) => void child.kill(name),
    ready: async (seconds = 180) => {
      let said = ''
      await until('ready', seconds, async () => {
        const answer = await readiness(address)
        said = answer.body
        return answer.status === 200
      }).catch((error: Error) => {
        throw new Error(`${error.message}\n${said}`)
      })
    },
    logged: async (message, since = 0, seconds = 60) => {
      const find = () => log.find((line) => line.msg === message && line.time >= since)
      await until(`logging "${message}"`, seconds, () => find() !== undefined)
      return find()!.time as number
    },
  }
}

export async function isReady(address: string): Promise<boolean> {
  return (await readiness(address)).status === 200
}

/** Status 0 where there is no answer, the reason as its body. */
async function readiness(address: string): Promise<{ status: number; body: string }> {
  try {
    const answer = await fetch(`${address}/readyz`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(3_000),
    })
    return { status: answer.status, body: await answer.text() }
  } catch (error) {
    return { status: 0, body: String((error as Error).cause ?? error) }
  }
}

function keepLines(stream: NodeJS.ReadableStream, log: RoleProcess['log']): void {
  let rest = ''
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop()!
    for (const line of lines) log.push(line.startsWith('{') ? (JSON.parse(line) as Record<string, any>) : { msg: line })
  })
}

let main: string | undefined

/** Compiled once, which spares each process its own compilation; one copy for the run, whatever is edited meanwhile. */
function compiled(): string {
  if (main) return main
  const builds = join(root, 'build')
  mkdirSync(builds, { recursive: true })
  for (const name of readdirSync(builds)) {
    const pid = /^test-(\d+)$/.exec(name)?.[1]
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(builds, name), { recursive: true, force: true })
  }
  const folder = join(builds, `test-${process.pid}`)
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const words = [compiler, '-p', join(root, 'src/tsconfig.json'), '--outDir', join(folder, 'src')]
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`does not build: ${stdout}`)
  for (const file of globSync(['src/**/*.sql', 'openapi/**/*.*'], { cwd: root })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return (main = join(folder, 'src', 'main.js'))
}
