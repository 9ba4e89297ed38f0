// The commands down, ps, logs and status for a Docker stack.
import type { Config } from '../../../config.ts'
import { addressOf } from '../../../service/service-record.ts'
import type { Command, Output } from '../../output.ts'
import { help as downHelp } from '../embedded/down.ts'
import { help as logsHelp, linesOf } from '../embedded/logs.ts'
import { help as psHelp } from '../embedded/ps.ts'
import { help as statusHelp, reportOf } from '../embedded/status.ts'
import type { IngestionState } from '../ingestion-status.ts'
import { withStackLock } from '../stack-lock.ts'
import { askReadiness, readinessText } from '../wait-ready.ts'
import { compose, composeOutput, containersOf, isRunning, projectOf, type Container } from './compose.ts'
import { answerOf } from './in-container.ts'

const SERVICES = ['front', 'api', 'ingest', 'deliver', 'redis', 'postgres', 'clickhouse']

/** Stops and removes the containers; their volumes, which hold the data, stay. */
export const down: Command = {
  help: downHelp,
  run: async (config, _args, out) => {
    const { dataDir } = config
    const before = await containersOf(config)
    const ran = before.filter(isRunning).map(({ Service }) => Service)
    if (before.length > 0)
      await withStackLock(dataDir, out, async () => {
        if ((await compose(config, ['down', '--remove-orphans'])) !== 0)
          throw new Error('the containers could not be stopped: docker compose says why above')
      })
    const stopped = SERVICES.filter((service) => ran.includes(service))
    const line = stopped.length === 0 ? `nothing ran on ${dataDir}` : `stopped ${stopped.join(', ')}`
    out.result({ stopped, dataDir }, [line])
  },
}

export const ps: Command = {
  help: psHelp,
  run: async (config, _args, out) => {
    const all = await containersOf(config)
    const width = Math.max(0, ...all.map(({ Name }) => Name.length))
    const lines = all.map(({ Name, State, Health, ExitCode, Image }) =>
      [Name.padEnd(width), State === 'exited' ? `exited (${ExitCode})` : Health || State, Image].join('  '),
    )
    const containers = all.map(({ ID: id, Name: name, Service: service, State: state, Health: health }) => {
      return { id, name, service, state, health: health || null }
    })
    out.result({ containers }, lines.length === 0 ? [`no containers of ${config.dataDir}`] : lines)
  },
}

export const logs: Command = {
  help: logsHelp,
  run: async (config, args, out) => {
    const count = linesOf(args)
    const text = await composeOutput(config, ['logs', '--no-color', '--tail', String(count)])
    const lines = text.trimEnd().split('\n')
    out.result({ logs: lines }, lines)
  },
}

export const status: Command = { help: statusHelp, run: showStatus }

async function showStatus(config: Config, _args: string[], out: Output): Promise<void> {
  const all = await containersOf(config)
  const services = Object.fromEntries(
    SERVICES.map((service) => [service, countsOf(all.filter(({ Service }) => Service === service))]),
  )
  const running = SERVICES.every((service) => services[service]!.running > 0)
  const address = running ? addressOf(config.host, config.port) : null
  const readiness = address === null ? null : await askReadiness(address)
  const answer = running ? await answerOf(config, ['ingestion']).catch(() => null) : null
  const state = answer as (IngestionState & { version: string }) | null
  const { fields, lines } = reportOf(state, running ? { version: state?.version ?? null, build: null } : null)
  const { dataDir } = config
  const project = projectOf(dataDir)
  const ready = readiness?.state === 'ready'
  const notReady = readiness?.reason ?? null
  out.result({ running, ready, notReady, stack: 'docker', address, dataDir, project, services, ...fields }, [
    `service     ${readiness ? `${readinessText(readiness)} at ${address}` : 'not running'}`,
    ...SERVICES.map((service) => `${service.padEnd(11)} ${described(services[service]!)}`),
    ...(running ? lines : []).map(([what, text]) => `${what.padEnd(11)} ${text}`),
    `data        volumes of ${project}; passwords in ${dataDir}/secrets`,
  ])
}

interface Counts {
  running: number
  healthy: number
  stopped: number
}

function countsOf(containers: Container[]): Counts {
  const running = containers.filter(isRunning)
  const healthy = running.filter(({ Health }) => Health === '' || Health === 'healthy').length
  return { running: running.length, healthy, stopped: containers.length - running.length }
}

function described({ running, healthy, stopped }: Counts): string {
  if (running + stopped === 0) return 'not running'
  const healthText = healthy < running ? [`${healthy} healthy`] : []
  return [`${running} running`, ...healthText, ...(stopped > 0 ? [`${stopped} stopped`] : [])].join(', ')
}
