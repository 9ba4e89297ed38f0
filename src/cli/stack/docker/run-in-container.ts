// Runs a command for a Docker stack in a container of its own beside the service, with the files it names mounted from
// the host. Its output and its exit status are passed on.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Config } from '../../../config.ts'
import { dataPaths } from '../../../infrastructure/embedded/data-dir.ts'
import { lastLine, run } from './engine.ts'
import { readableCopy } from './host-files.ts'
import { openDockerStack, type DockerStack } from './compose.ts'
import { makeFolder } from '../../../infrastructure/folders.ts'
import { printable } from '../../../infrastructure/printable.ts'
import { lineOf } from '../../../infrastructure/printable.ts'
import type { Command } from '../../output.ts'

// Files of the host are mounted below this folder of the container, each under its own path. No real folder has such a
// name, so it can be removed from all output again.
const PREFIX = '/mnt/of-the-host'

interface Files {
  /** Returns the arguments that may be files. */
  pick: (args: string[]) => string[]
  /**
   * Runs as the calling user; otherwise as the service's user, who may write its folder and gets copies of private
   * files.
   */
  asCaller?: boolean
  isWritten?: boolean
}

const first = (args: string[]): string[] => args.slice(0, 1)

const FILES: Record<string, Files> = {
  ingest: { pick: first, asCaller: true },
  companies: { pick: first, asCaller: true },
  backfill: { pick: (args) => args.flatMap((arg) => arg.split(',')).filter(Boolean) },
  backup: { pick: first, asCaller: true, isWritten: true },
  restore: { pick: first },
}

/** Commands that queue work for the service: their container may end before it can report that the work continues. */
const JOBS = new Set(['backfill', 'rebuild', 'companies', 'catch-up', 'exports'])

/** Returns the command `name`, run in a container. */
export function forwarding(name: string, { help }: Command): Command {
  return { help, run: (config, args) => forward(config, name, args) }
}

/** Runs the command in a container and returns its exit status. Throws if the stores are not running. */
export async function forward(config: Config, name: string, args: string[]): Promise<number> {
  if (name === 'serve') throw new Error(`${config.dataDir} is served by containers: make up starts them`)
  const stack = await runningStack(config)
  const drops: (() => void)[] = []
  process.once('exit', () => {
    for (const drop of drops) drop()
  })
  let child: ReturnType<typeof started> | undefined
  let isInterrupted = false
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.once(signal, () => {
      isInterrupted = true
      if (child) child.kill(signal)
      else process.exit(1)
    })
  const words = wordsOf(name, args, config, drops)
  child = started(stack.call(words))
  const ended = new Promise<number>((done, failed) =>
    child.once('error', failed).once('close', (code) => done(code ?? 1)),
  )
  const [said, noted] = await Promise.all([handOn(child.stdout, process.stdout), handOn(child.stderr, process.stderr)])
  const status = await ended
  if (isInterrupted && JOBS.has(name)) {
    process.stderr.write(
      lineOf('the job queued for the service continues: make jobs lists it, make cancel ID=... cancels it'),
    )
  }
  // Compose itself failed in that case, and the command printed nothing.
  if (status !== 0 && config.json && said === '') throw new Error(lastLine(noted))
  return status
}

function started({ command, env }: ReturnType<DockerStack['call']>) {
  return spawn(command[0]!, command.slice(1), { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Runs a command and returns its JSON result. Throws the error that it reports. */
export async function answerOf(config: Config, [name = '', ...args]: string[]): Promise<Record<string, unknown>> {
  const { command, env } = (await runningStack(config)).call(wordsOf(name, args, { ...config, json: true }, []))
  const { status, stdout, stderr } = await run(command, env)
  const answer = JSON.parse(stdout.trim().split('\n').at(-1) || '{}') as Record<string, unknown>
  if (status !== 0) throw new Error(typeof answer.error === 'string' ? answer.error : lastLine(stderr))
  return answer
}

async function runningStack(config: Config): Promise<DockerStack> {
  const stack = await openDockerStack(config)
  const running = (await stack.containers()).filter(({ state }) => state === 'running').map(({ service }) => service)
  if (stack.record !== null && ['clickhouse', 'postgres', 'redis'].every((store) => running.includes(store)))
    return stack
  throw new Error(`the containers of ${config.dataDir} don't run: make up STACK=docker first`)
}

/** Returns the command line for the container. The caller calls `drops` when the command has ended. */
function wordsOf(name: string, args: string[], { json, dataDir }: Config, drops: (() => void)[]): string[] {
  const { pick, asCaller = false, isWritten = false } = FILES[name] ?? { pick: () => [] }
  const cwd = process.cwd()
  const named = pick(args)
  if (isWritten && named[0]) makeFolder(resolve(named[0]), 0o700)
  const files = named.filter((file) => existsSync(file))
  const given = files.map((file) => {
    if (asCaller) return resolve(file)
    const { path, drop } = readableCopy(resolve(file), dataPaths(dataDir).run)
    drops.push(drop)
    return path
  })
  const mounts = files.flatMap((file, index) => [
    '-v',
    `${given[index]}:${PREFIX}${resolve(file)}${isWritten ? '' : ':ro'}`,
  ])
  const user = asCaller && process.getuid && process.getgid ? ['-u', `${process.getuid()}:${process.getgid()}`] : []
  // Relative paths start from the same folder as on the host.
  const from = files.some((file) => !isAbsolute(file)) ? ['-w', PREFIX + cwd] : []
  const inside = (word: string) => (files.includes(word) && isAbsolute(word) ? PREFIX + word : word)
  const words =
    files.length === 0
      ? args
      : args.map((arg) => (name === 'backfill' ? arg.split(',').map(inside).join(',') : inside(arg)))
  return [
    'run',
    '--rm',
    '-T',
    '--no-deps',
    ...(json ? ['-e', 'JSON=1'] : []),
    ...user,
    ...from,
    ...mounts,
    'migrate',
    name,
    ...words,
  ]
}

// Compose reports the container that it creates for the command, and docker-compose 1 repeats the exit status.
const OF_COMPOSE = /^ *(Creating \S+_run\b|Container \S+-run-\S+ +(Creat|Start)|\d{1,3}$)/

/** Copies output line by line as it arrives. Returns all of it. */
async function handOn(from: Readable, to: Writable): Promise<string> {
  const said: string[] = []
  for await (const line of createInterface({ input: from, crlfDelay: Infinity })) {
    if (to === process.stderr && OF_COMPOSE.test(line)) continue
    const shown = line.replaceAll(PREFIX, '')
    if (said.push(shown) > 1000) said.shift()
    // The command in the container has redacted its secrets already; its result may contain one on purpose.
    to.write(to === process.stderr ? lineOf(shown) : `${printable(shown)}\n`)
  }
  return said.join('\n')
}
