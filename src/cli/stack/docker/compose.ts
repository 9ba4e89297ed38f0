// Runs Docker Compose for the stack of one DATA_DIR. All its variables are in DATA_DIR/docker.env, so that
// `docker compose --env-file .data/docker.env ps` works by hand as well.
import { spawn, type StdioOptions } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { environmentOf, type Config } from '../../../config.ts'
import { checkoutRoot } from '../../../service/version.ts'
import { lastFault } from '../embedded/last-fault.ts'

export const STORES = ['clickhouse', 'postgres', 'redis']

/** A container as `docker compose ps` describes it. */
export interface Container {
  ID: string
  Name: string
  /** Its service in compose.yml. */
  Service: string
  Image: string
  /** Such as `running` or `exited`. */
  State: string
  /** Empty if there is no health check. */
  Health: string
  ExitCode: number
  Publishers: { URL: string; PublishedPort: number }[] | null
}

/** Returns the name of the Compose project of a DATA_DIR. */
export function projectOf(dataDir: string): string {
  return `insider-${createHash('sha256').update(dataDir).digest('hex').slice(0, 10)}`
}

export const envFile = (dataDir: string): string => join(dataDir, 'docker.env')

export const composeFile = (): string => join(checkoutRoot(), 'docker', 'compose.yml')

/** Throws if Docker, its engine or Compose is missing. */
export async function requireDocker(): Promise<void> {
  const engine = await spawned(['version', '--format', '{{.Server.Version}}'], PIPED)
  if (engine.status !== 0) throw new Error(`no Docker engine answers: ${lastFault(engine.stderr)}`)
  if ((await spawned(['compose', 'version'], PIPED)).status !== 0)
    throw new Error('STACK=docker needs Docker Compose, and "docker compose" is not installed')
}

/** Throws if the containers of DATA_DIR run from another checkout, whose files they have mounted. */
export async function requireOwnCheckout(config: Config): Promise<void> {
  const { dataDir } = config
  const variables = existsSync(envFile(dataDir)) ? readFileSync(envFile(dataDir), 'utf8') : ''
  const file = /^COMPOSE_FILE="(.*)"$/m.exec(variables)?.[1]
  if (file === undefined || file === quoted(composeFile()) || !(await containersOf(config)).some(isRunning)) return
  throw new Error(`the containers of ${dataDir} run from another checkout, by ${file}: make down first`)
}

/** Escapes text for a value in double quotes of an env file. */
export const quoted = (text: string): string => text.replace(/[\\"$]/g, '\\$&')

/**
 * Runs Compose, with its output on stderr, and returns its exit status. Throws if there is no Compose, or no stack in
 * DATA_DIR.
 */
export async function compose(config: Config, args: string[], stdio: StdioOptions = ['ignore', 2, 2]): Promise<number> {
  return (await run(config, args, stdio)).status
}

/** Runs Compose and returns what it prints. Throws with the end of stderr if it fails. */
export async function composeOutput(config: Config, args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(config, args, PIPED)
  if (status !== 0) throw new Error(lastFault(stderr) || `docker compose ${args[0]} failed`)
  // Some versions begin each line of a log with an escape sequence, even without a terminal.
  return stripVTControlCharacters(stdout)
}

async function run({ dataDir }: Config, args: string[], stdio: StdioOptions): Promise<Finished> {
  if (!existsSync(envFile(dataDir)))
    throw new Error(`the containers of ${dataDir} don't run: make up STACK=docker first`)
  const stack = ['--project-name', projectOf(dataDir), '--file', composeFile(), '--env-file', envFile(dataDir)]
  return spawned(['compose', ...stack, ...args], stdio)
}

interface Finished {
  status: number
  stdout: string
  stderr: string
}

const PIPED: StdioOptions = ['ignore', 'pipe', 'pipe']

// Only the env file may set these, and Compose prefers the environment.
const ENV_FILE_ONLY = ['COMPOSE_PROFILES', 'SECRETS_DIR', 'VERSION', 'REVISION']

/** Runs docker to its end. Throws if it is not installed. */
async function spawned(args: string[], stdio: StdioOptions): Promise<Finished> {
  const env = { ...environmentOf({}, 'docker') }
  for (const name of ENV_FILE_ONLY) delete env[name]
  const child = spawn('docker', args, { stdio, env })
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // Ctrl-C reaches Compose as well. This process waits for it to end.
  const wait = () => {}
  process.on('SIGINT', wait)
  try {
    const status = await new Promise<number>((resolve, reject) => {
      child.once('error', reject).once('close', (code) => resolve(code ?? 1))
    })
    return { status, stdout, stderr }
  } catch (error) {
    const message = 'STACK=docker needs Docker, and there is no command named docker: install it, or leave STACK out'
    throw new Error(message, { cause: error })
  } finally {
    process.off('SIGINT', wait)
  }
}

/** Returns the containers of the stack, also those that ended, without those of single commands. */
export async function containersOf(config: Config): Promise<Container[]> {
  if (!existsSync(envFile(config.dataDir))) return []
  const lines = (await composeOutput(config, ['ps', '--all', '--format', 'json'])).split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Container)
}

export const isRunning = ({ State }: Container): boolean => State === 'running'

/** Returns why the stack did not start: the last fault in the log of a container that failed. */
export async function failureReason(config: Config): Promise<string> {
  const failed = (await containersOf(config)).find(
    ({ State, ExitCode, Health }) => (State !== 'running' && ExitCode !== 0) || Health === 'unhealthy',
  )
  if (!failed) return 'docker compose says why above'
  const log = await composeOutput(config, ['logs', '--no-color', '--no-log-prefix', '--tail', '50', failed.Service])
  return `${failed.Service}: ${lastFault(log) || 'nothing in its log'}`
}

/** Starts the stores and waits until they are healthy. */
export async function startStores(config: Config): Promise<void> {
  if ((await compose(config, ['up', '-d', '--wait', ...STORES])) !== 0)
    throw new Error(`the stores could not be started: ${await failureReason(config)}`)
}
