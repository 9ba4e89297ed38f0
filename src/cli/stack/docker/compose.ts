// The Compose project of one DATA_DIR: its name, its containers, and calls of Compose with its secrets and settings.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { environmentWith, type Config, type Environment } from '../../../config.ts'
import { dataPaths } from '../../../infrastructure/embedded/data-dir.ts'
import { writePrivate } from '../../../infrastructure/embedded/files.ts'
import { checkoutRoot } from '../../../service/version.ts'
import { mountsOf, stackRecord, type DockerRecord } from '../stack-record.ts'
import { containersOf, findCompose, run, type Container, type Ran } from './engine.ts'
import { secretsFolder } from './secret-files.ts'
import { addressOf } from '../../../service/service-record.ts'

export interface DockerStack {
  /** Name of the Compose project of this DATA_DIR. */
  project: string
  /** Null before the first `make up`. */
  record: DockerRecord | null
  /** Command line and environment of a Compose call, for output too large to keep in memory. `more` are variables. */
  call(args: string[], more?: Record<string, string>): { command: string[]; env: Environment }
  compose(args: string[], more?: Record<string, string>): Promise<Ran>
  containers(): Promise<Container[]>
}

/**
 * Throws if Docker is missing, its engine does not answer, or settings name store servers, which the stack has itself.
 */
export async function openDockerStack(config: Config): Promise<DockerStack> {
  const { dataDir, host, port } = config
  const named = (['clickhouseUrl', 'databaseUrl', 'redisUrl'] as const).filter((server) => config[server] !== null)
  if (named.length > 0)
    throw new Error('a Docker stack has stores of its own: leave CLICKHOUSE_URL, DATABASE_URL and REDIS_URL out')
  const words = await findCompose()
  const found = stackRecord(dataDir)
  const record = found?.stack === 'docker' ? found : null
  const project = projectOf(dataDir)
  const call: DockerStack['call'] = (args, more = {}) => {
    const variables = {
      SECRETS_DIR: secretsFolder(config),
      HOST: host.includes(':') ? `[${host}]` : host,
      PORT: String(port),
      ...(record && { SERVICE_IMAGE: record.image, ...mountsOf(record) }),
      ...more,
    }
    // Otherwise Compose reads variables from any file named .env in the folder.
    const none = join(dataPaths(dataDir).run, 'none.env')
    writePrivate(none, '')
    const file = join(checkoutRoot(), 'docker', 'compose.yml')
    const env = environmentWith(variables)
    // down stops the services of all profiles.
    const profile = env.PROMETHEUS_PORT?.trim() || args[0] === 'down' ? ['--profile', 'prometheus'] : []
    return { command: [...words, ...profile, '-p', project, '-f', file, '--env-file', none, ...args], env }
  }
  const compose: DockerStack['compose'] = (args, more) => {
    const { command, env } = call(args, more)
    return run(command, env)
  }
  return { project, record, call, compose, containers: () => containersOf(project, addressOf) }
}

const projectOf = (dataDir: string): string =>
  `insider-${createHash('sha256').update(dataDir).digest('hex').slice(0, 10)}`
