// The command upgrade: backs up, checks out a newer release, builds it beside the running stack if the dependencies
// are the same, starts it, and prints the way back.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { environmentWith, type Config } from '../../../config.ts'
import { parseSwitch, type StackKind } from '../../../config-values.ts'
import { addressOf, runningService } from '../../../service/service-record.ts'
import { checkoutRoot } from '../../../service/version.ts'
import { runningStacks } from '../../bootstrap/checkout.ts'
import { usageError, type Output } from '../../output.ts'
import { containersOf, isRunning } from '../docker/compose.ts'
import { stackOf, stackRecord } from '../stack-record.ts'
import { waitReady } from '../wait-ready.ts'
import { askStatus, lostSince, statusLine, type DataStatus } from './compared-status.ts'
import { Checkout, type Changes, type Release } from './releases.ts'
import { wayBack } from './way-back.ts'

export const help = `upgrade [--to TAG] [--backup 0]: check out a newer release, and start the stack of DATA_DIR with it

  TO      a release such as v1.2.0 (the newest; tags are fetched from the remote)
  BACKUP  0: make no backup first. It goes to DATA_DIR/backups, and is needed for the way back where a migration of
          PostgreSQL is breaking

  Ends with the way back, as one line to run. What does not run is not started; openapi/guides/upgrade.md has the rest.`

/** ClickHouse may be filled for this long before the service is ready. */
const READY_TIMEOUT_MS = 6 * 3_600_000

interface Upgrade {
  config: Config
  out: Output
  stack: StackKind
  checkout: Checkout
  from: Release
  to: Release
  changes: Changes
  /** The address of the running service; null if none runs. */
  address: string | null
}

export async function run(config: Config, args: string[], out: Output): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { to: { type: 'string' }, backup: { type: 'string', default: '1' } },
    allowPositionals: true,
  })
  if (positionals.length > 0) throw usageError('upgrade takes a release as --to: make upgrade TO=v1.2.0')
  const isBackedUp = parseSwitch(values.backup)
  const checkout = new Checkout(checkoutRoot())
  const from = checkout.present()
  const to = checkout.target(values.to)
  if (to === null) return out.result({ status: 'up to date', version: from.version }, [`already at ${from.version}`])
  const stack = stackOf(config)
  const changes = checkout.changesTo(to)
  const address = await runningAddress(config, stack)
  const upgrade = { config, out, stack, checkout, from, to, changes, address }
  await requireNoOtherStack(upgrade)
  announce(upgrade)
  const before = address === null ? null : await askStatus(address)
  const backup = isBackedUp && stackRecord(config.dataDir) !== null ? await backUp(upgrade) : null
  const back = backOf(upgrade, backup)
  await apply(upgrade, back)
  const after = address === null ? null : await statusOnceReady(address, back)
  report(upgrade, { backup, back, before, after })
}

async function runningAddress(config: Config, stack: StackKind): Promise<string | null> {
  if (stack === 'docker')
    return (await containersOf(config)).some(isRunning) ? addressOf(config.host, config.port) : null
  const service = runningService(config.dataDir)
  if (service?.isByHand) throw new Error(`the service (process ${service.pid}) was started by hand: stop it first`)
  return service?.address ?? null
}

/** Throws if another stack runs with dependencies that the upgrade replaces. */
async function requireNoOtherStack({ config, checkout, changes }: Upgrade): Promise<void> {
  if (!changes.isLockChanged) return
  const { running, unknown } = await runningStacks(checkout.root)
  const [other] = running.filter(({ dataDir }) => dataDir !== config.dataDir)
  if (unknown.length > 0) throw new Error(`the dependencies change, and a stack may run from here: ${unknown[0]}`)
  if (other)
    throw new Error(
      `the dependencies change, and another stack runs from here: make down DATA_DIR=${other.dataDir} first`,
    )
}

function announce({ out, from, to, changes }: Upgrade): void {
  out.note(`from ${from.version} to ${to.version}`)
  for (const { tag, subject } of changes.releases) out.note(`${tag}: ${subject}`)
  for (const { name, breaking } of changes.migrations)
    out.note(
      `migration of postgres: ${name}${breaking === null ? '' : `, which ${from.version} can't use: ${breaking}`}`,
    )
  if (changes.isRefilled) out.note('ClickHouse may be filled again: see upgrade and filling in /v1/status')
  if (changes.isLockChanged) out.note('the dependencies change: the stack is down while they are installed')
}

async function backUp({ config, out, from }: Upgrade): Promise<string> {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const folder = join(config.dataDir, 'backups', `${from.version}-${time}`)
  out.note(`backing up into ${folder}`)
  await ran([process.execPath, process.argv[1]!, 'backup', folder])
  return folder
}

function backOf({ config, stack, from, changes }: Upgrade, backup: string | null): string | null {
  const { dataDir, databaseUrl, clickhouseUrl } = config
  return wayBack({
    ...{ from, changes, backup, stack, dataDir },
    isDefaultDir: dataDir === resolve('.data'),
    servers: { postgres: databaseUrl !== null, clickhouse: clickhouseUrl !== null },
    kept: ['secrets.key', 'settings.json'].filter((name) => existsSync(join(dataDir, name))),
  })
}

/** Checks out, builds and starts the release. If the build fails, goes back to the old release where possible. */
async function apply(upgrade: Upgrade, back: string | null): Promise<void> {
  const { out, stack, checkout, from, to, changes, address } = upgrade
  const isDownFirst = changes.isLockChanged && stack === 'embedded' && address !== null
  if (isDownFirst) await ran([process.execPath, process.argv[1]!, 'down'])
  out.note(`checking out ${to.ref}`)
  try {
    checkout.checkOut(to)
  } catch (error) {
    const rest = isDownFirst ? '; the stack is stopped: make up starts it again' : ''
    throw new Error(`${to.ref} was not checked out (${(error as Error).message})${rest}`, { cause: error })
  }
  const failed = (isUndone: boolean) => (error: Error) => {
    if (isUndone) checkout.checkOut(from)
    const where = isUndone ? `the checkout is at ${from.ref} again` : wayBackText(back)
    throw new Error(`${to.ref} was not started (${error.message}); ${where}`, { cause: error })
  }
  // In Docker `up` builds the image before it replaces containers.
  if (stack === 'embedded') {
    out.note(isDownFirst ? 'installing and building' : 'building')
    await ran(['sh', 'src/cli/bootstrap/run.sh', 'step', 'build'], checkout.root).catch(failed(!changes.isLockChanged))
  }
  if (address === null) return
  out.note('starting')
  await ran(['make', 'up'], checkout.root).catch(failed(false))
}

const wayBackText = (back: string | null): string =>
  back === null ? 'there is no way back without a backup' : `back: ${back}`

async function statusOnceReady(address: string, back: string | null): Promise<DataStatus | null> {
  const state = await waitReady(address, () => true, READY_TIMEOUT_MS)
  if (state !== 'ready')
    throw new Error(`the service is not ready after six hours, see make logs; ${wayBackText(back)}`)
  return askStatus(address)
}

interface Outcome {
  backup: string | null
  back: string | null
  before: DataStatus | null
  after: DataStatus | null
}

/** Throws if data is missing that was there. */
function report({ out, from, to, changes, address }: Upgrade, { backup, back, before, after }: Outcome): void {
  const lost = before !== null && after !== null ? lostSince(before, after) : []
  if (lost.length > 0) throw new Error(`${to.ref} runs, and data is missing: ${lost.join('; ')}; ${wayBackText(back)}`)
  const breaking = changes.migrations.filter((each) => each.breaking !== null).map(({ name }) => name)
  out.result(
    {
      status: address === null ? 'checked out' : 'upgraded',
      from: from.version,
      to: to.version,
      breaking,
      backup,
      back,
      before,
      after,
    },
    [
      address === null ? `${to.ref} is checked out and built: make up starts it` : `${to.ref} runs at ${address}`,
      ...(before !== null && after !== null ? [`before: ${statusLine(before)}`, `now: ${statusLine(after)}`] : []),
      ...(address !== null && (before === null || after === null)
        ? ['the data was not compared: /v1/status did not answer']
        : []),
      wayBackText(back),
    ],
  )
}

/** Runs a command to its end, its notes on stderr. Throws the error that it reports. */
async function ran([command = '', ...args]: string[], cwd?: string): Promise<void> {
  // Variables of an outer make would override those given here.
  const env = { ...environmentWith({ JSON: '1', MAKEFLAGS: '', MFLAGS: '', MAKELEVEL: '' }) }
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  const status = await new Promise<number>((done, reject) => {
    child.once('error', reject).once('close', (code) => done(code ?? 1))
  })
  if (status !== 0) throw new Error(errorIn(stdout) ?? `${command} ${args.at(-1)} ended with status ${status}`)
}

function errorIn(stdout: string): string | null {
  try {
    return (JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as { error?: string }).error ?? null
  } catch {
    return null
  }
}
