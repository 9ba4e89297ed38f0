// A backup into a stack of Docker: its stores are started without the service, whose first start would write to them.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dockerSettings, type Config } from '../config.ts'
import { prepareDataDir } from '../infrastructure/embedded/data-dir.ts'
import { withLock } from '../infrastructure/embedded/files.ts'
import { forward } from './docker-forward.ts'
import { whyNot } from './docker-ready.ts'
import { makeSecrets } from './docker-secrets.ts'
import { openDockerStack, type DockerStack } from './docker-stack.ts'
import { prepareImages } from './docker-up.ts'
import { usageError, type Output } from './output.ts'

export { help } from './restore.ts'

const STORES = ['clickhouse', 'postgres', 'redis']
const patienceMs = 120_000

export async function run(config: Config, args: string[], out: Output): Promise<number> {
  if (args.length !== 1 || !args[0]) throw usageError('restore needs the folder of a backup: make restore FROM=path')
  const settings = dockerSettings(config)
  const found = await openDockerStack(config)
  const running = (await found.containers()).filter(({ state }) => state === 'running')
  if (running.some(({ service }) => !STORES.includes(service))) {
    throw new Error(`a service runs on ${config.dataDir}: restore into a new DATA_DIR, or make down first`)
  }
  const paths = prepareDataDir(config.dataDir)
  const wait = { waitMs: 600_000, onWait: (pid: number) => out.note(`waiting for process ${pid}, which is at the same DATA_DIR`) }
  await withLock(join(paths.run, 'up.lock'), wait, async () => {
    if (found.record === null) makeSecrets(config)
    const { variables } = await prepareImages(config, settings, found, out)
    const { status, stderr } = await found.compose(['up', '-d', '--no-build', ...STORES], variables)
    if (status !== 0 || !await areHealthy(found)) throw new Error(`the stores could not be started: ${await whyNot(found, stderr)}`)
  })
  return forward(config, 'restore', args)
}

async function areHealthy(stack: DockerStack): Promise<boolean> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await sleep(500)) {
    const healthy = (await stack.containers()).filter(({ service, health }) => STORES.includes(service) && health === 'healthy')
    if (healthy.length === STORES.length) return true
  }
  return false
}
