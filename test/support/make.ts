// Runs the Makefile's commands as a user does, each stack on a DATA_DIR and port of its own.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './ports.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Made {
  /** -1 where a signal ended it. */
  status: number
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** The last line of stdout; null where it isn't JSON. */
  json: Record<string, any> | null
}

/**
 * Runs make in a checkout, this one by default. `variables` come behind the target, as in `make up PORT=9000`. With
 * `interrupt` it has a process group of its own, which a terminal's Ctrl-C does not reach and which that signal
 * interrupts.
 */
export function make(
  target: string,
  variables: Record<string, string | number> = {},
  cwd = root,
  interrupt?: AbortSignal,
): Promise<Made> {
  // A make above us must not hand down its own options and variables.
  const {
    MAKEFLAGS: _flags,
    MFLAGS: _old,
    MAKELEVEL: _level,
    JSON: _json,
    PORT: _port,
    HOST: _host,
    DATA_DIR: _dir,
    ...env
  } = process.env
  const words = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  const child = spawn('make', [target, ...words], { cwd, env, detached: interrupt !== undefined })
  const end = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGINT')
  }
  if (interrupt?.aborted) end()
  interrupt?.addEventListener('abort', end, { once: true })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) =>
      resolve({ status: code ?? -1, signal, stdout, stderr, json: lastJson(stdout) }),
    )
  })
}

export interface StackOfTest {
  dataDir: string
  port: number
  address: string
  make: (target: string, more?: Record<string, string | number>) => Promise<Made>
  /** Returns what `make status` prints once the service is ready; after 60 s what it prints then. */
  whenReady: () => Promise<Record<string, any>>
  remove: () => Promise<void>
}

/**
 * A new DATA_DIR with a blank in its path, under a folder that only we may enter, and a free port. Nothing is started.
 */
export async function stackOfTest(): Promise<StackOfTest> {
  const folder = mkdtempSync(join(tmpdir(), 'insider-e2e-'))
  const dataDir = join(folder, 'data of a test')
  const port = await freePort()
  const run = (target: string, more = {}) => make(target, { DATA_DIR: dataDir, PORT: port, JSON: 1, ...more })
  return {
    dataDir,
    port,
    address: `http://127.0.0.1:${port}`,
    make: run,
    whenReady: async () => {
      for (const end = performance.now() + 60_000; ; await sleep(500)) {
        const status = (await run('status')).json!
        if (status.ready || performance.now() > end) return status
      }
    },
    remove: async () => {
      await run('down')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function lastJson(stdout: string): Record<string, any> | null {
  try {
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  } catch {
    return null
  }
}
