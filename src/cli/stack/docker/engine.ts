// Runs the programs `docker` and Compose (plugin or docker-compose), with their errors as one line each.
import { spawn } from 'node:child_process'
import type { Environment } from '../../../config.ts'

export interface Ran {
  status: number
  stdout: string
  stderr: string
}

/** Runs a program to its end and returns its output. Status 127 if the program is not installed. */
export function run(command: string[], env?: Environment): Promise<Ran> {
  return new Promise((resolve) => {
    const [program = '', ...args] = command
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(env && { env }) })
    const said = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        said[stream] += text
      })
    }
    child.once('error', (error) => resolve({ status: 127, ...said, stderr: error.message }))
    child.once('close', (code) => resolve({ status: code ?? 1, ...said }))
  })
}

/** Returns what `docker` prints on stdout. Throws with the last line of stderr if it fails. */
export async function docker(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(['docker', ...args])
  if (status !== 0) throw new Error(`docker ${args[0]}: ${lastLine(stderr)}`)
  return stdout
}

/** Returns the command line prefix of Compose. Throws if Docker, its engine or Compose is missing. */
export async function findCompose(): Promise<string[]> {
  const engine = await run(['docker', 'version', '--format', '{{.Server.Version}}'])
  if (engine.status === 127) {
    throw new Error('STACK=docker needs Docker, and there is no command named docker: install it, or leave STACK out')
  }
  if (engine.status !== 0) throw new Error(`no Docker engine answers: ${lastLine(engine.stderr)}`)
  for (const words of [['docker', 'compose'], ['docker-compose']]) {
    if ((await run([...words, 'version'])).status === 0) return words
  }
  throw new Error('STACK=docker needs Docker Compose: neither "docker compose" nor "docker-compose" is installed')
}

/** Returns the last line that is not empty, without the prefix of Compose. */
export function lastLine(text: string): string {
  const line =
    text
      .trim()
      .split('\n')
      .map((each) => each.trim())
      .findLast((each) => each !== '') ?? ''
  return line.replace(/^(ERROR|error|Error response from daemon): ?/i, '') || 'it gave no reason'
}

export interface Container {
  id: string
  name: string
  /** Name of the service in compose.yml. */
  service: string
  state: string
  /** Null if the container has no health check. */
  health: string | null
  exitCode: number
  /** How often Docker restarted it automatically. */
  restarts: number
  image: string
  imageId: string
  /** Hash of the configuration that Compose created it from. */
  configHash: string
  startedAt: string
  /** Addresses on this machine, such as `http://127.0.0.1:8080`. */
  addresses: string[]
}

interface Inspected {
  Id: string
  Name: string
  Image: string
  RestartCount: number
  Config: { Image: string; Labels: Record<string, string> }
  State: { Status: string; ExitCode: number; StartedAt: string; Health?: { Status: string } }
  NetworkSettings: { Ports: Record<string, { HostIp: string; HostPort: string }[] | null> }
}

/** Returns the containers of a project, by service and number, without those of single commands. */
export async function containersOf(
  project: string,
  addressOf: (host: string, port: number) => string,
): Promise<Container[]> {
  const ids = (await docker('ps', '-aq', '--filter', `label=com.docker.compose.project=${project}`))
    .split('\n')
    .filter(Boolean)
  if (ids.length === 0) return []
  // A container removed meanwhile makes `inspect` fail, but it still prints the others.
  const inspected = JSON.parse((await run(['docker', 'inspect', ...ids])).stdout || '[]') as Inspected[]
  const mine = inspected.filter(({ Config }) => Config.Labels['com.docker.compose.oneoff']?.toLowerCase() !== 'true')
  return mine
    .map(({ Id, Name, Image, RestartCount, Config, State, NetworkSettings }) => {
      const published = Object.values(NetworkSettings.Ports).flatMap((bindings) => bindings ?? [])
      return {
        id: Id,
        name: Name.replace(/^\//, ''),
        service: Config.Labels['com.docker.compose.service'] ?? '',
        state: State.Status,
        health: State.Health?.Status ?? null,
        exitCode: State.ExitCode,
        restarts: RestartCount,
        image: Config.Image,
        imageId: Image,
        configHash: Config.Labels['com.docker.compose.config-hash'] ?? '',
        startedAt: State.StartedAt,
        addresses: [...new Set(published.map(({ HostIp, HostPort }) => addressOf(HostIp, Number(HostPort))))],
      }
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
}
