// Recovers the settings of a Docker stack that an earlier version started without saving them, from its containers.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../../config.ts'
import { settingsPath, writeSettings, type StackSettings } from '../../../infrastructure/embedded/settings-file.ts'
import { checkoutRoot } from '../../../service/version.ts'
import type { DockerRecord } from '../stack-record.ts'
import { docker } from './engine.ts'
import { isBuilt } from './images.ts'
import type { DockerStack } from './compose.ts'
import { settingsNow } from '../kept-settings.ts'

interface Inspected {
  Config: { Env: string[]; Image: string; Labels: Record<string, string> }
  State: { Status: string }
  HostConfig: { Memory: number; NanoCpus: number; Ulimits: { Name: string; Hard: number }[] | null }
}

// Variables that the image or compose.yml sets for every stack.
const OWN = ['HOST', 'PORT', 'CLICKHOUSE_URL', 'DATABASE_URL', 'REDIS_URL', 'SECRETS_KEY', 'SIGNAL_RULES']
const ROLES = ['api', 'ingest', 'deliver']
const IMAGES: Record<string, string> = {
  clickhouse: 'clickhouse/clickhouse-server:26.7',
  postgres: 'postgres:18.1',
  redis: 'redis:8.2',
}
const GIGABYTES: Record<string, number> = { clickhouse: 4, postgres: 2, api: 1, ingest: 2, deliver: 0.5 }
const NOFILE = 262_144

/** Saves the settings of the containers. Does nothing without containers, or if settings are saved already. */
export async function adoptSettings(stack: DockerStack, dataDir: string): Promise<void> {
  const { record } = stack
  if (record === null || record.mounts !== undefined || existsSync(settingsPath(dataDir))) return
  const ids = (await stack.containers()).map(({ id }) => id)
  if (ids.length === 0) return
  const all = JSON.parse(await docker('inspect', ...ids)) as Inspected[]
  writeSettings(dataDir, settingsNow('docker', { ...variablesOf(all), ...placeOf(record), ...limitsOf(all) }))
}

const serviceOf = ({ Config }: Inspected): string => Config.Labels['com.docker.compose.service'] ?? ''

function variablesOf(all: Inspected[]): Environment {
  const lines = all.find((each) => ROLES.includes(serviceOf(each)))?.Config.Env ?? []
  const pairs = lines.map((line): [string, string] => [line.split('=')[0]!, line.slice(line.indexOf('=') + 1)])
  return Object.fromEntries(pairs.filter(([name]) => !OWN.includes(name)))
}

function placeOf({ host, port, image, rules }: DockerRecord): Environment {
  const text = rules === undefined ? null : readFileSync(rules, 'utf8')
  const isOwn = text !== null && text !== readFileSync(join(checkoutRoot(), 'docker', 'signal-rules.json'), 'utf8')
  return {
    HOST: host,
    PORT: String(port),
    ...(isOwn && { SIGNAL_RULES: rules }),
    ...(!isBuilt(image) && { SERVICE_IMAGE: image }),
  }
}

function limitsOf(all: Inspected[]): StackSettings {
  const settings: StackSettings = {}
  for (const role of ROLES) {
    settings[role.toUpperCase()] = String(
      Math.max(1, all.filter((each) => serviceOf(each) === role && each.State.Status === 'running').length),
    )
  }
  for (const each of all) {
    const service = serviceOf(each)
    const { Memory, NanoCpus, Ulimits } = each.HostConfig
    const name = service.toUpperCase()
    const usual = GIGABYTES[service]
    if (usual !== undefined && Memory !== usual * 2 ** 30) settings[`${name}_MEMORY`] = String(Memory)
    const image = IMAGES[service]
    if (image !== undefined && each.Config.Image !== image) settings[`${name}_IMAGE`] = each.Config.Image
    if (service !== 'clickhouse') continue
    if (NanoCpus > 0) settings.CLICKHOUSE_CPUS = String(NanoCpus / 1e9)
    const nofile = Ulimits?.find(({ Name }) => Name === 'nofile')?.Hard
    if (nofile !== undefined && nofile !== NOFILE) settings.CLICKHOUSE_NOFILE = String(nofile)
  }
  return settings
}
