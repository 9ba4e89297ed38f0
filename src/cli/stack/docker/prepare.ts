// Prepares the start of a Docker stack: checks the settings, and writes secrets and env file into DATA_DIR.
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { dockerSettings, type Config } from '../../../config.ts'
import { prepareDataDir } from '../../../infrastructure/embedded/data-dir.ts'
import { writePrivate } from '../../../infrastructure/embedded/files.ts'
import type { StackSettings } from '../../../infrastructure/embedded/settings-file.ts'
import { signalRules } from '../../../service/analytics-access.ts'
import { rateLimitOf } from '../../../service/settings.ts'
import { settingsNow } from '../kept-settings.ts'
import { keepStackRecord, stackRecord } from '../stack-record.ts'
import { buildFacts } from './build-facts.ts'
import { composeFile, envFile, projectOf, quoted, requireDocker, requireOwnCheckout } from './compose.ts'
import { makeSecrets, secretsFolder } from './secret-files.ts'

const IMAGE = 'insider-trading-data-service'

/** Checks the settings and writes secrets and env file. Returns the settings that differ from the defaults. */
export async function prepareStack(config: Config): Promise<StackSettings> {
  const { dataDir, signalRules: rules } = config
  if (config.clickhouseUrl ?? config.databaseUrl ?? config.redisUrl)
    throw new Error('a Docker stack has stores of its own: leave CLICKHOUSE_URL, DATABASE_URL and REDIS_URL out')
  dockerSettings()
  signalRules(config)
  rateLimitOf(config)
  if (rules !== null) requireReadable(rules)
  // Before anything is written: without Docker the folder may still get an embedded stack.
  await requireDocker()
  await requireOwnCheckout(config)
  prepareDataDir(dataDir)
  makeSecrets(config)
  // The key is one of the stack's secret files, which never change.
  const { SECRETS_KEY: _key, SECRETS_KEY_FILE: _file, ...settings } = settingsNow('docker')
  writeEnvFile(config, settings)
  if (stackRecord(dataDir) === null) keepStackRecord(dataDir, { stack: 'docker' })
  return settings
}

/** Writes the env file. `settings` are those that differ from the defaults of compose.yml. */
function writeEnvFile(config: Config, settings: StackSettings): void {
  const { dataDir, host } = config
  const project = projectOf(dataDir)
  const variables: StackSettings = {
    SERVICE_IMAGE: `${IMAGE}:${project}`,
    ...settings,
    ...buildFacts(),
    COMPOSE_PROJECT_NAME: project,
    COMPOSE_FILE: composeFile(),
    COMPOSE_PROFILES: settings.PROMETHEUS_PORT === undefined ? '' : 'prometheus',
    SECRETS_DIR: secretsFolder(config),
    HOST: host.includes(':') ? `[${host}]` : host,
  }
  const lines = Object.entries(variables).map(([name, text]) => `${name}="${quoted(text)}"\n`)
  writePrivate(envFile(dataDir), lines.join(''))
}

const OTHERS_READ = 0o004
const OTHERS_ENTER = 0o005

/** Throws if the user of the containers can't read a file or folder of the host. */
export function requireReadable(path: string): void {
  const entries = lstatSync(path).isDirectory()
    ? [path, ...readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))]
    : [path]
  const closed = entries.find((entry) => {
    const status = lstatSync(entry)
    const needed = status.isDirectory() ? OTHERS_ENTER : OTHERS_READ
    return !status.isSymbolicLink() && (status.mode & needed) !== needed
  })
  if (closed !== undefined)
    throw new Error(`${closed} is closed to other users, so the containers can't read it: chmod -R o+rX ${path}`)
}
