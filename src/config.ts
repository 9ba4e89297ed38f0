// Configuration from the environment, all errors reported together. The only file that reads process.env, so that all
// settings are listed in one place and tests pass an environment of their own.
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import {
  parseAccess,
  parseBytes,
  parseCluster,
  parseCount,
  parseHost,
  parseHosts,
  parseLogLevel,
  parseNumber,
  parsePort,
  parsePublicUrl,
  parseReplicas,
  parseSecretsKey,
  parseStack,
  parseSwitch,
  parseTrustProxy,
  parseUrl,
  parseUserAgent,
  type StackKind,
} from './config-values.ts'
import { readSettings, settingsPath, type StackSettings } from './infrastructure/embedded/settings-file.ts'
import { secretText, withPassword } from './secret-settings.ts'

/** The settings of a stack and of one command, with their defaults. */
export type Config = ReturnType<typeof loadConfig>

export type Environment = Readonly<Record<string, string | undefined>>

/** One line per error in `faults`; the message joins them. */
export class ConfigError extends Error {
  readonly faults: string[]

  constructor(faults: string[]) {
    super(faults.join('; '))
    this.faults = faults
  }
}

/**
 * Returns the process's own environment over the stored settings of the stack's last start. An empty variable means the
 * default.
 */
export function environment(): Environment {
  return overKept(kept())
}

/** Lets a secret that is given as a value replace a stored file, and the other way round. */
function overKept(settings: StackSettings): Environment {
  const given = process.env
  const isReplaced = (name: string) =>
    Boolean(given[name.endsWith('_FILE') ? name.slice(0, -5) : `${name}_FILE`]?.trim())
  return { ...Object.fromEntries(Object.entries(settings).filter(([name]) => !isReplaced(name))), ...given }
}

function kept(): StackSettings {
  return /^(1|true|yes|on)$/i.test(process.env.DEFAULTS?.trim() ?? '') ? {} : readSettings(dataDirFromEnvironment())
}

/** Returns the key with which a command asks a service. Not a setting: nothing stores it. */
export const clientKey = (): string | undefined => process.env.INSIDER_API_KEY?.trim() || undefined

/** Gives OpenTelemetry, which reads the environment itself, what this stack has stored and the name of the service. */
export function provideForTracing(endpoint: string): void {
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint
  process.env.OTEL_SERVICE_NAME ||= 'insider-trading-data-service'
}

/** Returns JSON alone, which errors of the rest are reported by. */
export const wantsJson = (): boolean => /^(1|true|yes|on)$/i.test(process.env.JSON?.trim() ?? '')

/** Reads `environment()`. Throws ConfigError. */
export function configFromEnvironment(): Config {
  let settings: StackSettings
  try {
    settings = kept()
  } catch (error) {
    throw new ConfigError([(error as Error).message])
  }
  try {
    return loadConfig(overKept(settings), { cwd: process.cwd() })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ConfigError(error.faults.map((fault) => whereKept(fault, settings)))
  }
}

/**
 * Does the same for what needs no more of a stack than its DATA_DIR: an error in its stored settings, such as a
 * secret's file that is gone, is passed to `onFault`, and the stored settings are ignored.
 */
export function configDespiteKept(onFault: (message: string) => void): Config {
  try {
    return configFromEnvironment()
  } catch (error) {
    const config = loadConfig(process.env, { cwd: process.cwd() })
    onFault((error as Error).message)
    return config
  }
}

/** An error begins with the variable's name, without _FILE if a file has the value. */
function whereKept(fault: string, settings: StackSettings): string {
  const given = fault.split(' ')[0]!
  const name = [given, `${given}_FILE`].find((each) => settings[each] !== undefined)
  if (name === undefined || process.env[name] !== undefined) return fault
  return `${fault} (kept in ${settingsPath(dataDirFromEnvironment())}; ${name}= goes back to the default)`
}

// They say what one command is to do and on which stack, and are not settings of a stack.
const OF_ONE_COMMAND = ['DATA_DIR', 'STACK', 'JSON', 'DEFAULTS', 'SECRETS_KEY_LOST', 'REDIS_INSTALL']

/** Variables of docker/compose.yml that only Compose reads. */
export const composeSettings = [
  'CLICKHOUSE_IMAGE',
  'POSTGRES_IMAGE',
  'REDIS_IMAGE',
  'FRONT_IMAGE',
  'PROMETHEUS_IMAGE',
  'NODE_IMAGE',
  'CLICKHOUSE_MEMORY',
  'CLICKHOUSE_CPUS',
  'CLICKHOUSE_NOFILE',
  'POSTGRES_MEMORY',
  'API_MEMORY',
  'INGEST_MEMORY',
  'DELIVER_MEMORY',
  'FRONT_MEMORY',
  'PROMETHEUS_MEMORY',
]

/** Returns this process's environment with these settings and no others. */
export function environmentOf(settings: StackSettings, kind: StackKind = 'embedded'): Environment {
  const names = settingNames(kind)
  const others = Object.entries(process.env).filter(([name]) => !names.includes(name) && name !== 'DEFAULTS')
  return { ...Object.fromEntries(others), ...settings }
}

/** Returns the variables that `make up` stores, determined by what reads them. */
export function settingNames(kind: StackKind): string[] {
  const names: string[] = []
  const noting = new Proxy<Environment>({}, { get: (_, name) => void names.push(String(name)) })
  loadConfig(noting, { cwd: '/' })
  if (kind === 'docker') dockerSettings(noting)
  const all = [...new Set([...names, ...(kind === 'docker' ? composeSettings : [])])]
  return all.filter((name) => !OF_ONE_COMMAND.includes(name)).toSorted()
}

/** Returns DATA_DIR alone, for what must work even if the rest is faulty. */
export function dataDirFromEnvironment(): string {
  return absoluteDir(process.env.DATA_DIR?.trim() || '.data', process.cwd())
}

/** Returns `environment()` with changes, for a program that this process starts. */
export function environmentWith(changes: Record<string, string>): Environment {
  return { ...environment(), ...changes }
}

/**
 * Reads the settings of a Docker stack alone, and only if the stack is one: names such as API may mean something else
 * to others. Throws ConfigError.
 */
export function dockerSettings(env: Environment = environment()) {
  const { read, faults } = readerOf(env, process.cwd())
  const settings = {
    /** Containers of each role, 1 to 100. */
    replicas: {
      api: read('API', parseReplicas, 1),
      ingest: read('INGEST', parseReplicas, 1),
      deliver: read('DELIVER', parseReplicas, 1),
    },
    /** An existing image of the service. Null: built from the checkout. */
    serviceImage: read<string | null>('SERVICE_IMAGE', (text) => text, null),
    /** Where a Prometheus listens that scrapes the containers. Null: there is none. */
    prometheusPort: read<number | null>('PROMETHEUS_PORT', parsePort, null),
    /** Where the build gets its packages. Null: where npm of this machine gets them. */
    npmRegistry: read<string | null>('NPM_REGISTRY', parseUrl('https', 'http'), null),
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return settings
}

type Read = <T>(name: string, parse: (text: string) => T, otherwise: T) => T

interface Reader {
  read: Read
  /** Reads as `read` does, or from the file that the same name with _FILE appended names. */
  readSecret: Read
  faults: string[]
}

function readerOf(env: Environment, cwd: string): Reader {
  const faults: string[] = []
  const reader =
    (textOf: (name: string) => string | null): Read =>
    (name, parse, otherwise) => {
      try {
        const text = textOf(name)
        return text === null ? otherwise : parse(text)
      } catch (error) {
        faults.push(`${name} ${(error as Error).message}`)
        return otherwise
      }
    }
  return {
    read: reader((name) => env[name]?.trim() || null),
    readSecret: reader((name) => secretText(env, name, cwd)),
    faults,
  }
}

/**
 * Reads the configuration; an empty variable counts as unset, and relative paths start from `cwd`. Throws ConfigError
 * with every error found.
 */
export function loadConfig(env: Environment, { cwd }: { cwd: string }) {
  const { read, readSecret, faults } = readerOf(env, cwd)
  const server = (name: string, ...schemes: string[]) => readSecret<string | null>(name, parseUrl(...schemes), null)
  const password = (name: string) => readSecret<string | null>(name, (text) => text, null)
  const edgarBaseUrl = read<string | null>('EDGAR_BASE_URL', parseUrl('https', 'http'), null)
  const config = {
    /** Address to listen on: an IP address or a host name. */
    host: read('HOST', parseHost, '127.0.0.1'),
    /** 1 to 65535. */
    port: read('PORT', parsePort, 8080),
    /** Absolute, symbolic links resolved: it identifies the stack, so one folder must have one name. */
    dataDir: absoluteDir(
      read('DATA_DIR', (text) => text, '.data'),
      cwd,
    ),
    /** Null: the embedded engine in the service's own process. */
    clickhouseUrl: withPassword(server('CLICKHOUSE_URL', 'http', 'https'), password('CLICKHOUSE_PASSWORD')),
    /** The name of the cluster that clickhouseUrl is a replica of. Null: a single server. */
    clickhouseCluster: read<string | null>('CLICKHOUSE_CLUSTER', parseCluster, null),
    /** Null: the embedded PostgreSQL under dataDir. */
    databaseUrl: withPassword(server('DATABASE_URL', 'postgres', 'postgresql'), password('DATABASE_PASSWORD')),
    /** Null: the embedded Redis under dataDir. */
    redisUrl: withPassword(server('REDIS_URL', 'redis', 'rediss'), password('REDIS_PASSWORD')),
    /** Whether a start may install Redis with the system's package manager if none is found. */
    redisInstall: read('REDIS_INSTALL', parseSwitch, true),
    logLevel: read('LOG_LEVEL', parseLogLevel, 'info'),
    /** After SIGTERM the process keeps serving for this time, not ready, before it refuses connections, 0 to 15. */
    drainSeconds: read('DRAIN_SECONDS', parseNumber(0, 15), 0),
    /** As given, such as `600/min`; the HTTP layer knows the grammar. Null: no limit. */
    rateLimit: read<string | null>('RATE_LIMIT', (text) => text, null),
    /** How many proxies stand in front, each of which adds to X-Forwarded-For; false: none. */
    trustProxy: read('TRUST_PROXY', parseTrustProxy, false),
    /** Days that the log of changes is kept, 1 to 30. */
    changesDays: read('CHANGES_DAYS', parseCount(1, 30), 7),
    /** Streams of changes that one process has open at most, 0 to 10,000. */
    streams: read('STREAMS', parseCount(0, 10_000), 2_000),
    /** The same of one key or address, 1 to 10,000. */
    streamsPerCaller: read('STREAMS_PER_CALLER', parseCount(1, 10_000), 10),
    /** The folder of the month files; null for that in `dataDir`. */
    exportsDir: read<string | null>('EXPORTS_DIR', (text) => absoluteDir(text, cwd), null),
    /** Whether the month files are for all, or for holders of a key. */
    exportsAccess: read('EXPORTS_ACCESS', parseAccess, 'public'),
    /** Exports of the feed that one process sends at once, 1 to 100. */
    exportsAtOnce: read('EXPORTS_AT_ONCE', parseCount(1, 100), 4),
    /** Bytes of memory for answers that are kept; 0 for none. */
    cacheMemory: read('CACHE_MEMORY', parseBytes, 64 * 1024 ** 2),
    /** Whether the page at `/` is served. */
    dashboard: read('DASHBOARD', parseSwitch, true),
    /** Whether `/mcp` is served. */
    mcp: read('MCP', parseSwitch, true),
    /** Hosts of web pages that may use `/mcp`, besides those of this machine. */
    mcpOrigins: read<string[]>('MCP_ORIGINS', parseHosts, []),
    /** Names besides those of this machine under which `/mcp` is reached. */
    mcpHosts: read<string[]>('MCP_HOSTS', parseHosts, []),
    /** Connections that one address may have open, 1 to 10,000. Those of this machine and of proxies don't count. */
    connectionsPerAddress: read('CONNECTIONS_PER_ADDRESS', parseCount(1, 10_000), 1_000),
    /** Name and contact for the User-Agent the SEC asks for. Null: none given. */
    edgarUserAgent: read<string | null>('EDGAR_USER_AGENT', parseUserAgent, null),
    /** Where filings, indexes and the company list are. */
    edgarBaseUrl: edgarBaseUrl ?? 'https://www.sec.gov',
    /**
     * Where the SEC's JSON of companies is; EDGAR_BASE_URL if that is set and this is not, since a stack that uses
     * another EDGAR must not send requests to the SEC besides.
     */
    edgarDataUrl: read('EDGAR_DATA_URL', parseUrl('https', 'http'), edgarBaseUrl ?? 'https://data.sec.gov'),
    /** Null: 10 s in EDGAR's hours, slower outside them; else at all hours. */
    edgarPollSeconds: read<number | null>('EDGAR_POLL_SECONDS', parseNumber(0.1, 3600), null),
    /** Requests a second in all, 1 to 10. */
    edgarMaxPerSecond: read('EDGAR_MAX_PER_SECOND', parseNumber(0.1, 10), 8),
    /** Absolute path of a file with thresholds of signals that differ from the defaults. Null: none differ. */
    signalRules: read<string | null>('SIGNAL_RULES', (text) => resolve(cwd, text), null),
    /** 32 bytes that secrets in PostgreSQL are encrypted with. Null: those of a file under dataDir. */
    secretsKey: readSecret<Buffer | null>('SECRETS_KEY', parseSecretsKey, null),
    /** Whether alerts may go to http addresses too. */
    webhookAllowHttp: read('WEBHOOK_ALLOW_HTTP', parseSwitch, false),
    /** Hosts that alerts may go to though they are not public, in lower case, IPv6 without brackets. */
    webhookAllowHosts: read<string[]>('WEBHOOK_ALLOW_HOSTS', parseHosts, []),
    /** Where readers reach the service, for links in alerts and feeds, without a slash at the end. Null: not known. */
    publicUrl: read<string | null>('PUBLIC_URL', parsePublicUrl, null),
    /** Where traces are sent, by OpenTelemetry's protocol. Null: none are kept. */
    otlpEndpoint: read<string | null>('OTEL_EXPORTER_OTLP_ENDPOINT', parseUrl('http', 'https'), null),
    /** Filings accepted longer ago raise no alert, 1 to 168. */
    alertWindowHours: read('ALERT_WINDOW_HOURS', parseNumber(1, 168), 72),
    /** Null: the one that DATA_DIR has already, embedded if it has none. */
    stack: read<StackKind | null>('STACK', parseStack, null),
    /** Whether the settings stored in dataDir are ignored, and removed by a start. */
    defaults: read('DEFAULTS', parseSwitch, false),
    /** Whether a start may continue without the key that secrets in PostgreSQL were encrypted with. */
    secretsKeyLost: read('SECRETS_KEY_LOST', parseSwitch, false),
    /** The command's result as one JSON object on stdout. */
    json: read('JSON', parseSwitch, false),
  }
  if (config.clickhouseCluster !== null && !(env.CLICKHOUSE_URL?.trim() || env.CLICKHOUSE_URL_FILE?.trim())) {
    faults.push('CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL, the address of one of its replicas')
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

/** Describes the configuration for the log: no password or key and nothing that could contain one. */
export function describeConfig(config: Config): Record<string, unknown> {
  return {
    ...config,
    clickhouseUrl: redactUrl(config.clickhouseUrl) ?? 'embedded',
    databaseUrl: redactUrl(config.databaseUrl) ?? 'embedded',
    redisUrl: redactUrl(config.redisUrl) ?? 'embedded',
    secretsKey: config.secretsKey === null ? 'file' : 'set',
  }
}

/** Returns scheme, host, port and path; user, password and query are removed. */
export function redactUrl(url: string | null): string | null {
  if (url === null) return null
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}

// The folder need not exist yet, so the links are resolved in the part that does.
function absoluteDir(path: string, cwd: string): string {
  const absolute = resolve(cwd, path)
  if (existsSync(absolute)) return realpathSync(absolute)
  const parent = dirname(absolute)
  return parent === absolute ? absolute : join(absoluteDir(parent, cwd), basename(absolute))
}
