// The containers of one DATA_DIR: their project's name, their passwords, and Compose called with both.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { environmentWith, type Config, type Environment } from '../config.ts'
import { createPrivate } from '../infrastructure/embedded/files.ts'
import { checkoutRoot } from './checkout.ts'
import { stackRecord, type DockerRecord } from './docker-choice.ts'
import { containersOf, findCompose, run, type Container, type Ran } from './docker-engine.ts'
import { addressOf } from './service-record.ts'

const SECRETS = ['CLICKHOUSE_PASSWORD', 'POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'SECRETS_KEY'] as const

export interface DockerStack {
  /** Docker's name for all that belongs to this DATA_DIR. */
  project: string
  /** Null before the first `make up`. */
  record: DockerRecord | null
  /** Compose's own words and its environment, for what is not to be kept in memory. `more` are variables. */
  call(args: string[], more?: Record<string, string>): { command: string[]; env: Environment }
  compose(args: string[], more?: Record<string, string>): Promise<Ran>
  containers(): Promise<Container[]>
}

/** Throws where Docker is missing, its engine does not answer, or servers are named that the stack has itself. */
export async function openDockerStack(config: Config): Promise<DockerStack> {
  const { dataDir, host } = config
  const named = (['clickhouseUrl', 'databaseUrl', 'redisUrl'] as const).filter((server) => config[server] !== null)
  if (named.length > 0) throw new Error('a stack of Docker has stores of its own: leave CLICKHOUSE_URL, DATABASE_URL and REDIS_URL out')
  const words = await findCompose()
  const found = stackRecord(dataDir)
  const record = found?.stack === 'docker' ? found : null
  const project = projectOf(dataDir)
  const call: DockerStack['call'] = (args, more = {}) => {
    const variables = {
      // A name that the environment has for something else must not change a password.
      ...secretsOf(config), HOST: host.includes(':') ? `[${host}]` : host,
      ...(record && { SERVICE_IMAGE: record.image, SIGNAL_RULES: record.rules }), ...more,
    }
    const file = join(checkoutRoot(), 'docker', 'compose.yml')
    const command = [...words, '-p', project, '-f', file, '--env-file', secretsPath(dataDir), ...args]
    return { command, env: environmentWith(variables) }
  }
  const compose: DockerStack['compose'] = (args, more) => {
    const { command, env } = call(args, more)
    return run(command, env)
  }
  return { project, record, call, compose, containers: () => containersOf(project, addressOf) }
}

/** Once for a DATA_DIR: the volumes keep the passwords they began with. */
export function makeSecrets({ dataDir, secretsKey }: Config): void {
  const made = SECRETS.map((name) => {
    const value = name === 'SECRETS_KEY' && secretsKey !== null ? secretsKey : randomBytes(name === 'SECRETS_KEY' ? 32 : 24)
    return `${name}=${value.toString('hex')}\n`
  })
  createPrivate(secretsPath(dataDir), made.join(''))
}

function secretsOf({ dataDir, secretsKey }: Config): Record<string, string> {
  const path = secretsPath(dataDir)
  if (!existsSync(path)) throw new Error(`${path} is missing, and with it the passwords of the stores: put it back as it was`)
  const lines = readFileSync(path, 'utf8').split('\n').map((line) => line.split('='))
  const secrets = Object.fromEntries(lines.flatMap(([name = '', value = '']) => name === '' ? [] : [[name, value]]))
  const missing = SECRETS.find((name) => !secrets[name])
  if (missing !== undefined) throw new Error(`${path} has no ${missing}: put it back as it was`)
  if (secretsKey !== null && secretsKey.toString('hex') !== secrets.SECRETS_KEY) {
    throw new Error(`SECRETS_KEY is another than that of ${path}, which this stack began with: leave it out`)
  }
  return secrets
}

const secretsPath = (dataDir: string): string => join(dataDir, 'docker.env')

const projectOf = (dataDir: string): string => `insider-${createHash('sha256').update(dataDir).digest('hex').slice(0, 10)}`
