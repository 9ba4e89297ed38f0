// Runs a command for a Docker stack in a container of its own: docker compose run, with the files that it names mounted
// under the paths that they have on the host.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../../config.ts'
import { makeFolder } from '../../../infrastructure/folders.ts'
import type { Command } from '../../output.ts'
import { compose, composeOutput, containersOf, isRunning, startStores, STORES } from './compose.ts'
import { prepareStack, requireReadable } from './prepare.ts'

interface Files {
  /** Returns the arguments that may be files. */
  pick: (args: string[]) => string[]
  /** Runs as the calling user, for files of its own; otherwise as the service's user, who may write its volume. */
  asCaller?: boolean
  /** A folder that the command writes. */
  isWritten?: boolean
}

const first = (args: string[]): string[] => args.slice(0, 1)

const FILES: Record<string, Files> = {
  ingest: { pick: first, asCaller: true },
  companies: { pick: first, asCaller: true },
  backfill: { pick: (args) => args.flatMap((arg) => arg.split(',')).filter(Boolean) },
  backup: { pick: first, asCaller: true, isWritten: true },
  restore: { pick: first },
  exports: { pick: first, asCaller: true, isWritten: true },
}

/** Commands for which the stores are started where the stack is down. */
const NEED_STORES_ALONE = ['rebuild', 'restore']

/** Returns the command `name`, run in a container. */
export function inContainer(name: string, { help }: Command): Command {
  return {
    help,
    run: async (config, args) => {
      await requireStores(config, name)
      return compose(config, wordsOf(config, name, args), ['ignore', 'inherit', 'inherit'])
    },
  }
}

/** Runs a command and returns its JSON result. Throws the error that it reports. */
export async function answerOf(config: Config, [name = '', ...args]: string[]): Promise<Record<string, unknown>> {
  const output = await composeOutput(config, wordsOf({ ...config, json: true }, name, args))
  return JSON.parse(output.trim().split('\n').at(-1) || '{}') as Record<string, unknown>
}

async function requireStores(config: Config, name: string): Promise<void> {
  if (name === 'serve') throw new Error(`${config.dataDir} is served by containers: make up starts them`)
  const running = (await containersOf(config)).filter(isRunning).map(({ Service }) => Service)
  if (name === 'restore' && running.some((service) => !STORES.includes(service)))
    throw new Error(`a service runs on ${config.dataDir}: restore into a new DATA_DIR, or make down first`)
  if (STORES.every((store) => running.includes(store))) return
  if (!NEED_STORES_ALONE.includes(name))
    throw new Error(`the containers of ${config.dataDir} don't run: make up STACK=docker first`)
  prepareStack(config)
  await startStores(config)
}

/** Returns the words of `docker compose run`. */
function wordsOf({ json }: Config, name: string, args: string[]): string[] {
  const { pick, asCaller = false, isWritten = false } = FILES[name] ?? { pick: () => [] }
  const named = pick(args)
  if (isWritten && named[0]) makeFolder(resolve(named[0]), 0o700)
  const files = named.map((file) => resolve(file)).filter((file) => existsSync(file))
  const user = asCaller && process.getuid && process.getgid ? ['--user', `${process.getuid()}:${process.getgid()}`] : []
  if (!asCaller) for (const file of files) requireReadable(file)
  const mounts = files.flatMap((file) => ['--volume', `${file}:${file}${isWritten ? '' : ':ro'}`])
  // Relative paths start from the same folder as on the host.
  const from = files.length > 0 ? ['--workdir', process.cwd()] : []
  const options = ['--rm', '--no-TTY', '--no-deps', '--env', `JSON=${json ? 1 : 0}`]
  return ['--progress', 'quiet', 'run', ...options, ...user, ...from, ...mounts, 'migrate', name, ...args]
}
