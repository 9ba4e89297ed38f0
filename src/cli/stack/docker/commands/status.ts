// The command status for a Docker stack: the containers of DATA_DIR by service, and the state of ingestion.
import type { Config } from '../../../../config.ts'
import type { Container } from '../engine.ts'
import { answerOf } from '../run-in-container.ts'
import { openDockerStack } from '../compose.ts'
import type { IngestionState } from '../../ingestion-status.ts'
import type { Output } from '../../../output.ts'
import { addressOf } from '../../../../service/service-record.ts'
import { reportOf } from '../../embedded/status.ts'
import { askReady } from '../../wait-ready.ts'

export { help } from '../../embedded/status.ts'

const SERVICES = ['front', 'api', 'ingest', 'deliver', 'postgres', 'clickhouse', 'redis']

export async function run(config: Config, _args: string[], out: Output): Promise<void> {
  const { project, record, containers } = await openDockerStack(config)
  const all = await containers()
  const services = Object.fromEntries(
    SERVICES.map((service) => [service, countsOf(all.filter((each) => each.service === service))]),
  )
  const running = SERVICES.every((service) => services[service]!.running > 0)
  const address = running && record !== null ? addressOf(record.host, record.port) : null
  const ready = address !== null && (await askReady(address)) === 'ready'
  const prometheus = all.find(({ service }) => service === 'prometheus')?.addresses[0]
  const asked = running ? await answerOf(config, ['ingestion']).catch(() => null) : null
  const state = asked as (IngestionState & { version: string }) | null
  const { fields, lines } = reportOf(state, running ? { version: state?.version ?? null, build: null } : null)
  out.result(
    {
      running,
      ready,
      stack: 'docker',
      address,
      ...(prometheus && { prometheus }),
      dataDir: config.dataDir,
      project,
      services,
      ...fields,
    },
    [
      address === null ? 'service     not running' : `service     ${ready ? 'ready' : 'not ready'} at ${address}`,
      ...(prometheus ? [`Prometheus  at ${prometheus}`] : []),
      ...SERVICES.map((service) => `${service.padEnd(11)} ${described(services[service]!)}`),
      ...(running ? lines : []).map(([what, text]) => `${what.padEnd(11)} ${text}`),
      `data        volumes of ${project}; passwords in ${config.dataDir}/secrets`,
    ],
  )
}

interface Counts {
  running: number
  healthy: number
  stopped: number
}

function countsOf(containers: Container[]): Counts {
  const running = containers.filter(({ state }) => state === 'running')
  const healthy = running.filter(({ health }) => health === null || health === 'healthy').length
  return { running: running.length, healthy, stopped: containers.length - running.length }
}

function described({ running, healthy, stopped }: Counts): string {
  const parts = [
    `${running} running`,
    ...(healthy < running ? [`${healthy} healthy`] : []),
    ...(stopped > 0 ? [`${stopped} stopped`] : []),
  ]
  return running + stopped === 0 ? 'not running' : parts.join(', ')
}
