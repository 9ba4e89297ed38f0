// A ClickHouse server of a test's own, for several processes that share one: the engine behind HTTP, by a tool beside
// the checkout. Where that is absent, `whyNoClickHouse` says so and such tests are skipped.
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../ports.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const tool = join(root, '..', 'shared', 'tools', 'clickhouse-http', 'server.mjs')

export interface ClickHouseServer {
  url: string
  port: number
  /** As the system would on a crash. */
  kill(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** Null where one can be had. */
export function whyNoClickHouse(): string | null {
  return existsSync(tool)
    ? null
    : 'there is no ClickHouse server: the tool that puts the engine behind HTTP is not beside the checkout'
}

/** Skips what asks, and says why, where none can be had. */
export function needClickHouse(context: Mocha.Context): void {
  const why = whyNoClickHouse()
  if (why === null) return
  process.stdout.write(`      skipped: ${why}\n`)
  context.skip()
}

export async function startClickHouse(): Promise<ClickHouseServer> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const path = mkdtempSync(join(tmpdir(), 'test-clickhouse-server-'))
  let server: ChildProcess | null = null
  const killed = () => server?.kill('SIGKILL')
  process.once('exit', killed)
  const started: ClickHouseServer = {
    url,
    port,
    kill: async () => {
      const ending = server
      server = null
      if (!ending || ending.exitCode !== null) return
      const ended = new Promise((resolve) => {
        ending.once('exit', resolve)
      })
      ending.kill('SIGKILL')
      await ended
    },
    start: async () => {
      // It finds the engine's package from its working directory.
      server = spawn(process.execPath, [tool, '--port', String(port), '--path', path], { cwd: root, stdio: 'ignore' })
      for (let tries = 1; !(await answers(url)); tries += 1) {
        if (tries === 300) throw new Error('the ClickHouse server does not answer')
        await sleep(100)
      }
    },
    close: async () => {
      await started.kill()
      process.off('exit', killed)
      rmSync(path, { recursive: true, force: true })
    },
  }
  await started.start()
  return started
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/?query=SELECT%201`).then(
    async (response) => (await response.text()).trim() === '1',
    () => false,
  )
}
