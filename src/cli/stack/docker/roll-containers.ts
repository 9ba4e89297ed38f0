// Replaces api containers of an older image or other settings without losing a request: the new ones are ready, and
// known to the front, before the old ones are stopped.
import { setTimeout as sleep } from 'node:timers/promises'
import { docker, lastLine, run, type Container } from './engine.ts'
import { isRunning, lastWords, MAX_RESTARTS, readinessOf } from './await-containers.ts'
import type { DockerStack } from './compose.ts'

const STORES = ['clickhouse', 'postgres', 'redis']
const READY_MS = 180_000
// The front asks Docker for addresses every second and checks each container every 2 s. If it does not notice in time,
// the old ones still answer for DRAIN_SECONDS.
const NOTICED_MS = 15_000
// Longer than the program takes to stop.
const STOP_SECONDS = 30

type Variables = Record<string, string>

/**
 * Does nothing if all are current or none runs. Throws if the new ones don't become ready; the old ones keep running.
 */
export async function replaceApi(stack: DockerStack, wanted: number, variables: Variables): Promise<void> {
  const before = (await stack.containers()).filter((each) => each.service === 'api' && isRunning(each))
  const isFresh = await freshness(stack, variables)
  const stale = before.filter((each) => !isFresh(each))
  if (stale.length === 0) return
  const handedTo = await readyAtFront(before[0]!)
  await compose(stack, ['up', '-d', '--no-build', ...STORES], variables)
  const kept = before.length - stale.length
  const scale = `api=${stale.length + Math.max(wanted, kept)}`
  await compose(stack, ['up', '-d', '--no-build', '--no-deps', '--no-recreate', '--scale', scale, 'api'], variables)
  const added = (await stack.containers()).filter(
    (each) => each.service === 'api' && !before.some(({ id }) => id === each.id),
  )
  try {
    await allReady(stack, added)
  } catch (error) {
    await run(['docker', 'rm', '-f', ...added.map(({ id }) => id)])
    throw error
  }
  if (handedTo !== null && added.length > 0) await noticed(added[0]!, handedTo + added.length)
  const ids = stale.map(({ id }) => id)
  await docker('stop', '-t', String(STOP_SECONDS), ...ids)
  await docker('rm', ...ids)
}

async function compose(stack: DockerStack, args: string[], variables: Variables): Promise<void> {
  const { status, stderr } = await stack.compose(args, variables)
  if (status !== 0) throw new Error(`the containers could not be started: ${lastLine(stderr)}`)
}

/** Returns a predicate: whether Compose would keep a container instead of replacing it. */
async function freshness(stack: DockerStack, variables: Variables): Promise<(container: Container) => boolean> {
  const { stdout } = await stack.compose(['config', '--hash', 'api'], variables)
  const hash = /^api (\S+)$/m.exec(stdout)?.[1]
  const { stdout: id } = await run(['docker', 'image', 'inspect', '-f', '{{.Id}}', variables.SERVICE_IMAGE ?? ''])
  return ({ configHash, imageId }) => configHash === hash && imageId === id.trim()
}

async function allReady(stack: DockerStack, added: Container[]): Promise<void> {
  for (const end = performance.now() + READY_MS; ; await sleep(500)) {
    const now = (await stack.containers()).filter(({ id }) => added.some((each) => each.id === id))
    const ready = await Promise.all(now.map(readinessOf))
    if (now.length === added.length && ready.every((each) => each === 'ready')) return
    const late = now.find((_, index) => ready[index] !== 'ready')
    const isHopeless = now.some(({ restarts, state }) => restarts >= MAX_RESTARTS || state === 'exited')
    if (!isHopeless && performance.now() < end) continue
    const said = late === undefined ? 'it is gone' : `${late.name} (${await lastWords(late.id)})`
    throw new Error(`the new api containers did not become ready, and the old ones keep running: ${said}`)
  }
}

async function noticed(from: Container, count: number): Promise<void> {
  for (const end = performance.now() + NOTICED_MS; performance.now() < end; await sleep(250)) {
    if (((await readyAtFront(from)) ?? 0) >= count) return
  }
}

/** Asks the front, from one api container, how many of them it uses. Returns null if there is no front yet. */
async function readyAtFront({ id }: Container): Promise<number | null> {
  const script = `fetch('http://front:8405/ready')
    .then((response) => response.text())
    .then(console.log, () => process.exit(1))`
  const { status, stdout } = await run(['docker', 'exec', id, 'node', '-e', script])
  return status === 0 && /^\d+$/.test(stdout.trim()) ? Number(stdout) : null
}
