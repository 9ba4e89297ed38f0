// The entry point of the command line. Each command is a module of its own under cli/, loaded only when it runs: `help`
// and `down` must not wait for the engine's library.
import { enableCompileCache, flushCompileCache, setSourceMapsSupport } from 'node:module'
import { fileURLToPath } from 'node:url'
import {
  configDespiteKept,
  configFromEnvironment,
  ConfigError,
  dataDirFromEnvironment,
  provideForTracing,
  wantsJson,
  type Config,
} from './config.ts'
import { stackOf } from './cli/stack/stack-record.ts'
import { type Command, createOutput, type Output, usageError } from './cli/output.ts'
import { requireOwnDataDir } from './infrastructure/embedded/data-dir.ts'
import { lineOf } from './infrastructure/printable.ts'

interface Entry {
  summary: string
  load: () => Promise<Command>
  /** The command for a DATA_DIR with a Docker stack; without it, `load`'s command runs in a container. */
  inDocker?: () => Promise<Command>
  /** Whether it starts, stops or shows the stack of DATA_DIR, which therefore must be this user's. */
  isOfStack?: true
  /** Whether it needs DATA_DIR alone, and so works although the saved settings have a fault. */
  isEmbedded?: true
}

const commands: Record<string, Entry> = {
  up: {
    summary: 'start the stores and the service in the background, wait until ready',
    load: () => import('./cli/stack/embedded/up.ts'),
    inDocker: () => import('./cli/stack/docker/up.ts'),
    isOfStack: true,
  },
  down: {
    summary: 'stop the stores and the service of DATA_DIR',
    load: () => import('./cli/stack/embedded/down.ts'),
    inDocker: async () => (await import('./cli/stack/docker/commands.ts')).down,
    isOfStack: true,
    isEmbedded: true,
  },
  status: {
    summary: 'show what runs on DATA_DIR, and the state of ingestion',
    load: () => import('./cli/stack/embedded/status.ts'),
    inDocker: async () => (await import('./cli/stack/docker/commands.ts')).status,
    isOfStack: true,
  },
  ps: {
    summary: 'list the processes or containers of DATA_DIR',
    load: () => import('./cli/stack/embedded/ps.ts'),
    inDocker: async () => (await import('./cli/stack/docker/commands.ts')).ps,
    isOfStack: true,
    isEmbedded: true,
  },
  logs: {
    summary: 'show the end of the logs',
    load: () => import('./cli/stack/embedded/logs.ts'),
    inDocker: async () => (await import('./cli/stack/docker/commands.ts')).logs,
    isOfStack: true,
    isEmbedded: true,
  },
  upgrade: {
    summary: 'check out a newer release and start it, after a backup',
    load: () => import('./cli/stack/upgrade/upgrade.ts'),
    inDocker: () => import('./cli/stack/upgrade/upgrade.ts'),
    isOfStack: true,
  },
  serve: { summary: 'run the service in the foreground', load: () => import('./cli/commands/serve.ts') },
  ingest: {
    summary: 'ingest filings from a file or a folder',
    load: () => import('./cli/commands/filings/ingest.ts'),
  },
  'catch-up': {
    summary: 'fetch the missing filings of some days',
    load: () => import('./cli/commands/filings/catch-up.ts'),
  },
  backfill: {
    summary: "load history from the SEC's data sets",
    load: () => import('./cli/commands/filings/backfill.ts'),
  },
  rejected: {
    summary: 'list the documents that could not be read',
    load: () => import('./cli/commands/filings/rejected.ts'),
  },
  retry: { summary: 'read the rejected documents again', load: () => import('./cli/commands/filings/retry.ts') },
  rebuild: {
    summary: 'rebuild the analytics store from the ledger',
    load: () => import('./cli/commands/rebuild.ts'),
  },
  ingestion: {
    summary: 'show jobs, EDGAR and queued work, as status does',
    load: () => import('./cli/stack/ingestion-status.ts'),
  },
  exports: {
    summary: 'make the month files, as the service does every night',
    load: () => import('./cli/commands/exports.ts'),
  },
  jobs: { summary: 'list the jobs of the service, or cancel one', load: () => import('./cli/commands/jobs.ts') },
  companies: { summary: "load the SEC's company list", load: () => import('./cli/commands/filings/companies.ts') },
  prices: {
    summary: 'load closing prices of your own, for returns',
    load: () => import('./cli/commands/prices.ts'),
  },
  keys: {
    summary: 'issue, list and revoke API keys, rotate webhook secrets',
    load: () => import('./cli/commands/keys.ts'),
  },
  deliveries: {
    summary: 'inspect, resend and replay webhook deliveries',
    load: () => import('./cli/commands/deliveries.ts'),
  },
  backup: {
    summary: 'back up PostgreSQL and the history into a folder',
    load: () => import('./cli/commands/backup.ts'),
  },
  restore: {
    summary: 'read a backup into an empty database',
    load: () => import('./cli/commands/restore.ts'),
  },
  mcp: {
    summary: 'answer language models over stdio, by the Model Context Protocol',
    load: () => import('./cli/commands/mcp.ts'),
    inDocker: () => import('./cli/commands/mcp.ts'),
  },
  migrate: { summary: 'bring the stores to the current schema', load: () => import('./cli/commands/migrate.ts') },
}

/** How long after its start a process writes what it compiled, since a service may run until it is killed. */
const WRITE_COMPILED_AFTER_MS = 10_000

/**
 * Keeps compiled code beside the build, which saves a start a fifth of its processor time. A folder that can't be
 * written changes nothing.
 */
function keepCompiled(): void {
  if (!import.meta.url.endsWith('.js')) return
  enableCompileCache(fileURLToPath(new URL('../compiled', import.meta.url)))
  setTimeout(flushCompileCache, WRITE_COMPILED_AFTER_MS).unref()
}

/**
 * Lets stacks in the service's log name the lines of the source. Not by Node's option: with that the logger maps a
 * stack, and so reads a whole map, at each start.
 */
function mapStacks(): void {
  setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
}

async function main([name = 'help', ...args]: string[]): Promise<number> {
  const out = createOutput(wantsJson())
  let wantsStack = false
  let stopTracing: (() => Promise<void>) | undefined
  try {
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (entry?.isOfStack) requireOwnDataDir(dataDirFromEnvironment())
    const config = entry?.isEmbedded
      ? configDespiteKept((fault) => out.note(`ignoring the settings of the last start: ${fault}`))
      : configFromEnvironment()
    wantsStack = config.logLevel === 'debug' || config.logLevel === 'trace'
    if (['help', '--help', '-h'].includes(name)) return help(out)
    if (entry === undefined) throw usageError(`unknown command "${name}"${hint(name)}; "help" lists them`)
    if (name === 'serve') {
      mapStacks()
      stopTracing = await traceIfAsked(config)
    }
    const command = await entry.load()
    if (args.includes('--help') || args.includes('-h')) {
      out.result({ help: command.help }, command.help.split('\n'))
      return 0
    }
    const placed = stackOf(config) === 'docker' ? await inDocker(name, entry, command) : command
    return (await placed.run(config, args, out)) ?? 0
  } catch (error) {
    if (wantsStack) for (const line of ((error as Error).stack ?? '').split('\n')) out.note(line)
    return fail(error, out)
  } finally {
    await stopTracing?.()
  }
}

/** Before the command is loaded: what is to be traced is hooked as it is loaded. */
async function traceIfAsked(config: Config): Promise<(() => Promise<void>) | undefined> {
  if (config.otlpEndpoint === null) return undefined
  provideForTracing(config.otlpEndpoint)
  return (await import('./service/tracing.ts')).startTracing()
}

async function inDocker(name: string, { inDocker: own }: Entry, command: Command): Promise<Command> {
  return own ? own() : (await import('./cli/stack/docker/in-container.ts')).inContainer(name, command)
}

function help(out: Output): number {
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  const list = Object.entries(commands).map(([name, { summary }]) => ({ name, summary }))
  out.result({ commands: list }, [
    'usage: main <command> [arguments]; "<command> --help" shows its arguments',
    '',
    ...list.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
  ])
  return 0
}

/** Prints any error as one line; LOG_LEVEL=debug prints the stack before it. */
function fail(error: unknown, out: Output): number {
  if (error instanceof ConfigError) {
    out.failure(error.message, { faults: error.faults })
    return 1
  }
  const { message, exitCode, code } = error as Error & { exitCode?: number; code?: string }
  out.failure(
    message
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .join(' '),
  )
  return exitCode ?? (code?.startsWith('ERR_PARSE_ARGS') ? 2 : 1)
}

/** Suggests a command that begins with the same letters or contains the word. */
function hint(name: string): string {
  const near = Object.keys(commands).find((known) => known.startsWith(name.slice(0, 3)) || known.includes(name))
  return near === undefined || name === '' ? '' : `, did you mean "${near}"?`
}

// Ends the process as Node would, but escapes control characters of foreign text in the message.
process.on('uncaughtException', (error: Error) => {
  for (const line of (error.stack ?? String(error)).split('\n')) process.stderr.write(lineOf(line))
  process.exit(1)
})

// Nothing that this process or its children make is for others to write.
process.umask(process.umask() | 0o022)
keepCompiled()
process.exitCode = await main(process.argv.slice(2))
