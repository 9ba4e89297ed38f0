// Runs a command of a Docker stack in a container of its own (docker compose run). Files in its arguments are mounted
// under the same paths as on the host.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../../config.ts'
import { makeFolder } from '../../../infrastructure/folders.ts'
import type { Command } from '../../output.ts'
import { compose, composeOutput, containersOf, isRunning, startStores, STORES } from './compose.ts'
import { prepareStack, requireReadable } from './prepare.ts'

interface Files {
  /** Who reads and writes them: the calling user, or that of the service, who may write its volume. */
  as: 'caller' | 'service'
  /** The argument is a folder that the command writes. */
  isWritten?: boolean
}

/** Commands with arguments that name files. */
const FILES: Record<string, Files> = {
  ingest: { as: 'caller' },
  companies: { as: 'caller' },
  backfill: { as: 'service' },
  prices: { as: 'service' },
  backup: { as: 'caller', isWritten: true },
  restore: { as: 'service' },
  exports: { as: 'caller', isWritten: true },
}

/** Commands that start the stores if the stack is down. */
const NEED_STORES_ALONE = ['rebuild', 'restore']

/** Returns the command `name`, run in a container. */
export function inContainer(name: string, { help }: Command): Command {
  return {
    help,
    run: async (config, args) => {
      await requireStores(config, name)
      return compose(config, composeArgs(config, name, args), ['ignore', 'inherit', 'inherit'])
    },
  }
}

/** Runs a command and returns its JSON result. Throws the error that it reports. */
export async function answerOf(config: Config, [name = '', ...args]: string[]): Promise<Record<string, unknown>> {
  const output = await composeOutput(config, composeArgs({ ...config, json: true }, name, args))
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
  await prepareStack(config)
  await startStores(config)
}

/** Returns the arguments for docker compose. */
function composeArgs({ json }: Config, name: string, args: string[]): string[] {
  const { as, isWritten = false } = FILES[name] ?? {}
  if (isWritten && args[0]) makeFolder(resolve(args[0]), 0o700)
  // backfill takes several files, separated by commas.
  const named = as === undefined ? [] : [...args, ...args.flatMap((arg) => arg.split(','))].filter(Boolean)
  const files = [...new Set(named.map((file) => resolve(file)))].filter((file) => existsSync(file))
  const isCaller = as === 'caller' && process.getuid !== undefined && process.getgid !== undefined
  const user = isCaller ? ['--user', `${process.getuid!()}:${process.getgid!()}`] : []
  if (as === 'service') for (const file of files) requireReadable(file)
  const mounts = files.flatMap((file) => ['--volume', `${file}:${file}${isWritten ? '' : ':ro'}`])
  // Relative paths start from the same folder as on the host.
  const from = files.length > 0 ? ['--workdir', process.cwd()] : []
  const options = ['--rm', '--no-TTY', '--no-deps', '--env', `JSON=${json ? 1 : 0}`]
  return ['--progress', 'quiet', 'run', ...options, ...user, ...from, ...mounts, 'migrate', name, ...args]
}
