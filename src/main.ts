// The command line. Each command is a module of its own under cli/, loaded only when asked for: `help` and `down` must not
// wait for the engine's library.
import { configDespiteKept, configFromEnvironment, ConfigError } from './config.ts'
import { stackOf } from './cli/stack/stack-record.ts'
import { type Command, createOutput, type Output, usageError } from './cli/output.ts'
import { lineOf } from './infrastructure/printable.ts'

interface Entry {
  summary: string
  load: () => Promise<Command>
  /** What it is on a DATA_DIR whose stack is one of Docker; else it runs in a container. */
  inDocker?: () => Promise<Command>
  /** Goes by DATA_DIR alone, and so works where the settings of the last start have a fault. */
  isOfFolder?: true
}

const commands: Record<string, Entry> = {
  up: {
    summary: 'start the stores and the service in the background, wait until ready',
    load: () => import('./cli/stack/embedded/up.ts'),
    inDocker: () => import('./cli/stack/docker/commands/up.ts'),
  },
  down: {
    summary: 'stop what up started on DATA_DIR',
    load: () => import('./cli/stack/embedded/down.ts'),
    inDocker: () => import('./cli/stack/docker/commands/down.ts'),
    isOfFolder: true,
  },
  status: {
    summary: 'tell what runs on DATA_DIR',
    load: () => import('./cli/stack/embedded/status.ts'),
    inDocker: () => import('./cli/stack/docker/commands/status.ts'),
  },
  ps: {
    summary: 'list the processes or containers of DATA_DIR',
    load: () => import('./cli/stack/embedded/ps.ts'),
    inDocker: () => import('./cli/stack/docker/commands/ps.ts'),
    isOfFolder: true,
  },
  logs: {
    summary: 'show the end of the logs',
    load: () => import('./cli/stack/embedded/logs.ts'),
    inDocker: () => import('./cli/stack/docker/commands/logs.ts'),
    isOfFolder: true,
  },
  serve: { summary: 'run the service in the foreground', load: () => import('./cli/commands/serve.ts') },
  ingest: {
    summary: 'take in filings from a file or a folder',
    load: () => import('./cli/commands/filings/ingest.ts'),
  },
  'catch-up': {
    summary: 'fetch what is missing of some days',
    load: () => import('./cli/commands/filings/catch-up.ts'),
  },
  backfill: {
    summary: 'load history from the data sets of the SEC',
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
    inDocker: () => import('./cli/stack/docker/commands/rebuild.ts'),
  },
  ingestion: {
    summary: 'tell of jobs, EDGAR and what waits, as status does',
    load: () => import('./cli/stack/ingestion-status.ts'),
  },
  jobs: { summary: 'list the jobs of the service, and cancel one', load: () => import('./cli/commands/jobs.ts') },
  companies: { summary: 'take in the list of companies', load: () => import('./cli/commands/filings/companies.ts') },
  keys: {
    summary: 'issue, list and revoke API keys, rotate webhook secrets',
    load: () => import('./cli/commands/keys.ts'),
  },
  deliveries: {
    summary: 'tell what became of webhooks, and send them again',
    load: () => import('./cli/commands/deliveries.ts'),
  },
  backup: { summary: 'write the record into a folder', load: () => import('./cli/commands/backup.ts') },
  restore: {
    summary: 'read a backup into an empty database',
    load: () => import('./cli/commands/restore.ts'),
    inDocker: () => import('./cli/stack/docker/commands/restore.ts'),
  },
  migrate: { summary: 'bring the stores to the present schema', load: () => import('./cli/commands/migrate.ts') },
}

async function main([name = 'help', ...args]: string[]): Promise<number> {
  let out = createOutput(false)
  let wantsStack = false
  try {
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
    const config = entry?.isOfFolder
      ? configDespiteKept((fault) => out.note(`going on without the settings of the last start: ${fault}`))
      : configFromEnvironment()
    out = createOutput(config.json)
    wantsStack = config.logLevel === 'debug' || config.logLevel === 'trace'
    if (['help', '--help', '-h'].includes(name)) return help(out)
    if (entry === undefined) throw usageError(`unknown command "${name}"${hint(name)}; "help" lists them`)
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
  }
}

async function inDocker(name: string, { inDocker: own }: Entry, command: Command): Promise<Command> {
  return own ? own() : (await import('./cli/stack/docker/run-in-container.ts')).forwarding(name, command)
}

function help(out: Output): number {
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  const list = Object.entries(commands).map(([name, { summary }]) => ({ name, summary }))
  out.result({ commands: list }, [
    'usage: main <command> [arguments]; "<command> --help" tells more',
    '',
    ...list.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
  ])
  return 0
}

/** One line, whatever the fault: LOG_LEVEL=debug shows where it comes from. */
function fail(error: unknown, out: Output): number {
  if (error instanceof ConfigError) {
    createOutput(error.json).failure(error.message, { faults: error.faults })
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

/** A command that begins alike or has the word in it. */
function hint(name: string): string {
  const near = Object.keys(commands).find((known) => known.startsWith(name.slice(0, 3)) || known.includes(name))
  return near === undefined || name === '' ? '' : `, did you mean "${near}"?`
}

// Ends the process as without it, but not with text of others as it came.
process.on('uncaughtException', (error: Error) => {
  for (const line of (error.stack ?? String(error)).split('\n')) process.stderr.write(lineOf(line))
  process.exit(1)
})

process.exitCode = await main(process.argv.slice(2))
