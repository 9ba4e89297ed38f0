// ServiceState of containers: waits until all are ready, and reports why one is not.
import { setTimeout as sleep } from 'node:timers/promises'
import { lastLine, run, type Container } from './engine.ts'
import type { DockerStack } from './compose.ts'
import { lastFault } from '../embedded/last-fault.ts'
import { askReady, readinessIn, type ServiceState } from '../wait-ready.ts'

/** Eight programs start at once, each with health checks in between. */
const READY_TIMEOUT_MS = 300_000
// The stores are healthy by then, so a container that ends three times has a fault that waiting does not fix.
export const MAX_RESTARTS = 3
const ROLES = ['api', 'ingest', 'deliver']

export const isRunning = ({ state }: Container): boolean => state === 'running'

/**
 * Waits until each container of a role reports that it is ready and the front answers at `address`. Returns whether
 * ClickHouse is still being filled, which may take longer than the timeout.
 */
export async function awaitReady(stack: DockerStack, address: string): Promise<boolean> {
  const end = performance.now() + READY_TIMEOUT_MS
  for (;;) {
    const all = (await stack.containers()).filter(({ service }) => ROLES.includes(service) || service === 'front')
    const ready = await Promise.all(
      all.map(async (each) =>
        each.service === 'front'
          ? isRunning(each)
            ? ((await askReady(address)) ?? 'unready')
            : 'unready'
          : readinessOf(each),
      ),
    )
    if (ready.every((each) => each === 'ready')) return false
    const late = all.filter((_, index) => ready[index] !== 'ready')
    const isFilling = ready.every((each) => each !== 'unready')
    if (isFilling && performance.now() > end) return true
    const isHopeless = late.some(({ restarts }) => restarts >= MAX_RESTARTS)
    if (isHopeless || performance.now() > end) {
      const said = await Promise.all(late.map(async ({ id, name }) => `${name} (${await lastWords(id)})`))
      throw new Error(`${isHopeless ? 'keeps restarting' : 'not ready in time'}: ${said.join(', ')}`)
    }
    await sleep(500)
  }
}

/** Asks /readyz inside the container. */
export async function readinessOf({ id, state }: Container): Promise<ServiceState> {
  if (state !== 'running') return 'unready'
  const script = `fetch('http://127.0.0.1:' + process.env.PORT + '/readyz')
    .then(async (response) => JSON.stringify([response.status, await response.json()]))
    .then(console.log, () => process.exit(1))`
  const { status, stdout } = await run(['docker', 'exec', id, 'node', '-e', script])
  return status === 0 ? readinessIn(...(JSON.parse(stdout) as Parameters<typeof readinessIn>)) : 'unready'
}

/** Returns why containers did not start: the log of one that failed says more than Compose does. */
export async function whyNot(stack: DockerStack, stderr: string): Promise<string> {
  const failed = (await stack.containers()).find(
    ({ state, exitCode, health }) => (state === 'exited' && exitCode !== 0) || health === 'unhealthy',
  )
  if (/setting rlimit/.test(stderr)) return 'the engine may not have so many open files: lower CLICKHOUSE_NOFILE=262144'
  return failed === undefined ? lastLine(stderr) : `${failed.service}: ${await lastWords(failed.id)}`
}

export async function lastWords(id: string): Promise<string> {
  const { stdout, stderr } = await run(['docker', 'logs', '--tail', '50', id])
  return lastFault(`${stdout}\n${stderr}`) || 'it logged nothing'
}
