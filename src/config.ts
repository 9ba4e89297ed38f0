// Environment to Config, all faults told at once. The only file that reads process.env, so that what can be set is
// listed in one place and tests hand in an environment of their own.
import { existsSync, realpathSync } from 'node:fs'
import { isIP } from 'node:net'
import { basename, dirname, join, resolve } from 'node:path'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Where stores and service run: on this machine itself, or as containers. */
export type StackKind = 'embedded' | 'docker'

export interface Config {
  /** Address to listen on: an IP address or a host name. */
  host: string
  /** 1 to 65535. */
  port: number
  /** Absolute, symbolic links resolved: stacks are told apart by it, so one folder must have one name. */
  dataDir: string
  /** Null: the embedded engine in the service's own process. */
  clickhouseUrl: string | null
  /** The servers' name of the cluster that clickhouseUrl is a node of. Null: a server by itself. */
  clickhouseCluster: string | null
  /** Null: the embedded PostgreSQL under dataDir. */
  databaseUrl: string | null
  /** Null: the embedded Redis under dataDir. */
  redisUrl: string | null
  logLevel: LogLevel
  /** Told to stop, the process answers for so long as not ready before it refuses requests, 0 to 15. */
  drainSeconds: number
  /** As given, such as `600/min`; the HTTP layer knows the grammar. Null: no limit. */
  rateLimit: string | null
  /** How many proxies stand in front, each of which adds to X-Forwarded-For; false: none. */
  trustProxy: false | number
  /** Name and contact for the User-Agent the SEC asks for. Null: none given. */
  edgarUserAgent: string | null
  /** Where filings, indexes and the company list are. */
  edgarBaseUrl: string
  /** Where the SEC's JSON API and data sets are. */
  edgarDataUrl: string
  /** Null: 10 s in EDGAR's hours, slower outside them; else at all hours. */
  edgarPollSeconds: number | null
  /** Requests a second in all, 1 to 10. */
  edgarMaxPerSecond: number
  /** Absolute path of a file with thresholds of signals that differ from the defaults. Null: none differ. */
  signalRules: string | null
  /** 32 bytes that secrets in PostgreSQL are encrypted with. Null: those of a file under dataDir. */
  secretsKey: Buffer | null
  /** Whether alerts may go to http addresses too. */
  webhookAllowHttp: boolean
  /** Hosts that alerts may go to though they are not public, in lower case, IPv6 without brackets. */
  webhookAllowHosts: string[]
  /** Filings accepted longer ago raise no alert, 1 to 168. */
  alertWindowHours: number
  /** Null: what DATA_DIR has already, embedded where it has nothing. */
  stack: StackKind | null
  /** The command's result as one JSON object on stdout. */
  json: boolean
}

/** What counts for a stack of Docker alone. */
export interface DockerSettings {
  /** Containers of each role, 1 to 100. */
  replicas: { api: number; ingest: number; deliver: number }
  /** An image of the service that is there already. Null: built from the checkout. */
  serviceImage: string | null
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Where relative paths start. */
export interface Defaults {
  cwd: string
}

/** One line per fault in `faults`; the message joins them. */
export class ConfigError extends Error {
  readonly faults: string[]
  /** Whether the faults themselves are wanted as JSON. */
  readonly json: boolean

  constructor(faults: string[], json: boolean) {
    super(faults.join('; '))
    this.faults = faults
    this.json = json
  }
}

/** Reads the process's own environment. Throws ConfigError. */
export function configFromEnvironment(): Config {
  return loadConfig(process.env, { cwd: process.cwd() })
}

/** DATA_DIR alone, for what must work where the rest is faulty. */
export function dataDirFromEnvironment(): string {
  return absoluteDir(process.env.DATA_DIR?.trim() || '.data', process.cwd())
}

/** This process's environment with changes, for a program it starts. */
export function environmentWith(changes: Record<string, string>): Environment {
  return { ...process.env, ...changes }
}

/** Throws ConfigError. Read only where the stack is one of Docker: names such as API may mean something else to others. */
export function dockerSettings(config: Pick<Config, 'json'>, env: Environment = process.env): DockerSettings {
  const { read, faults } = readerOf(env)
  const settings = {
    replicas: { api: read('API', parseReplicas, 1), ingest: read('INGEST', parseReplicas, 1), deliver: read('DELIVER', parseReplicas, 1) },
    serviceImage: read<string | null>('SERVICE_IMAGE', (text) => text, null),
  }
  if (faults.length > 0) throw new ConfigError(faults, config.json)
  return settings
}

type Read = <T>(name: string, parse: (text: string) => T, otherwise: T) => T

function readerOf(env: Environment): { read: Read; faults: string[] } {
  const faults: string[] = []
  const read: Read = (name, parse, otherwise) => {
    const text = env[name]?.trim() ?? ''
    if (text === '') return otherwise
    try {
      return parse(text)
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`)
      return otherwise
    }
  }
  return { read, faults }
}

/** An empty variable counts as unset. Throws ConfigError with every fault found. */
export function loadConfig(env: Environment, defaults: Defaults): Config {
  const { read, faults } = readerOf(env)
  const config: Config = {
    host: read('HOST', parseHost, '127.0.0.1'),
    port: read('PORT', parsePort, 8080),
    dataDir: absoluteDir(read('DATA_DIR', (text) => text, '.data'), defaults.cwd),
    clickhouseUrl: read<string | null>('CLICKHOUSE_URL', parseUrl('http', 'https'), null),
    clickhouseCluster: read<string | null>('CLICKHOUSE_CLUSTER', parseCluster, null),
    databaseUrl: read<string | null>('DATABASE_URL', parseUrl('postgres', 'postgresql'), null),
    redisUrl: read<string | null>('REDIS_URL', parseUrl('redis', 'rediss'), null),
    logLevel: read('LOG_LEVEL', parseLogLevel, 'info'),
    drainSeconds: read('DRAIN_SECONDS', parseNumber(0, 15), 0),
    rateLimit: read<string | null>('RATE_LIMIT', (text) => text, null),
    trustProxy: read('TRUST_PROXY', parseTrustProxy, false),
    edgarUserAgent: read<string | null>('EDGAR_USER_AGENT', (text) => text, null),
    edgarBaseUrl: read('EDGAR_BASE_URL', parseUrl('https', 'http'), 'https://www.sec.gov'),
    edgarDataUrl: read('EDGAR_DATA_URL', parseUrl('https', 'http'), 'https://data.sec.gov'),
    edgarPollSeconds: read<number | null>('EDGAR_POLL_SECONDS', parseNumber(0.1, 3600), null),
    edgarMaxPerSecond: read('EDGAR_MAX_PER_SECOND', parseNumber(0.1, 10), 8),
    signalRules: read<string | null>('SIGNAL_RULES', (text) => resolve(defaults.cwd, text), null),
    secretsKey: read<Buffer | null>('SECRETS_KEY', parseSecretsKey, null),
    webhookAllowHttp: read('WEBHOOK_ALLOW_HTTP', parseSwitch, false),
    webhookAllowHosts: read<string[]>('WEBHOOK_ALLOW_HOSTS', parseHosts, []),
    alertWindowHours: read('ALERT_WINDOW_HOURS', parseNumber(1, 168), 72),
    stack: read<StackKind | null>('STACK', parseStack, null),
    json: read('JSON', parseSwitch, false),
  }
  if (config.clickhouseCluster !== null && !env.CLICKHOUSE_URL?.trim()) {
    faults.push('CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL, the address of one of its nodes')
  }
  if (faults.length > 0) throw new ConfigError(faults, config.json)
  return config
}

/** For the log: no password or key and nothing that could hold one. */
export function describeConfig(config: Config): Record<string, unknown> {
  return {
    ...config,
    clickhouseUrl: redactUrl(config.clickhouseUrl) ?? 'embedded',
    databaseUrl: redactUrl(config.databaseUrl) ?? 'embedded',
    redisUrl: redactUrl(config.redisUrl) ?? 'embedded',
    secretsKey: config.secretsKey === null ? 'file' : 'set',
  }
}

/** Scheme, host, port and path; user, password and query are left out. */
export function redactUrl(url: string | null): string | null {
  if (url === null) return null
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65535) throw new Error(`must be 1 to 65535, not "${text}"`)
  return port
}

function parseHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(host)) {
    throw new Error(`must be an IP address or a host name, not "${text}"`)
  }
  return host
}

function parseHosts(text: string): string[] {
  return text.split(',').map((host) => parseHost(host.trim()).toLowerCase())
}

// A fault never repeats it.
function parseSecretsKey(text: string): Buffer {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) return Buffer.from(text, 'base64')
  throw new Error('must be 32 bytes as base64 or as 64 hex digits, such as openssl rand -base64 32 gives')
}

// The value may hold a password, so a fault never repeats it.
function parseUrl(...schemes: string[]): (text: string) => string {
  return (text) => {
    const url = URL.parse(text)
    if (url === null || !schemes.includes(url.protocol.slice(0, -1)) || url.hostname === '') {
      throw new Error(`must be an address such as ${schemes[0]}://host:port`)
    }
    return text
  }
}

// It stands in SQL between quotes.
function parseCluster(text: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(text)) throw new Error(`must be a name of letters, digits, _ . and -, not "${text}"`)
  return text
}

function parseNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (!/^\d+(\.\d+)?$/.test(text) || number < least || number > most) throw new Error(`must be ${least} to ${most}, not "${text}"`)
    return number
  }
}

function parseStack(text: string): StackKind {
  if (text === 'embedded' || text === 'docker') return text
  throw new Error(`must be embedded or docker, not "${text}"`)
}

function parseReplicas(text: string): number {
  const count = Number(text)
  if (!/^\d{1,3}$/.test(text) || count < 1 || count > 100) throw new Error(`must be 1 to 100 containers, not "${text}"`)
  return count
}

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text.toLowerCase())
  if (level === undefined) throw new Error(`must be one of ${logLevels.join(', ')}, not "${text}"`)
  return level
}

// Express would also take "true", which believes whatever any caller writes into X-Forwarded-For.
function parseTrustProxy(text: string): false | number {
  if (/^(false|no|off)$/i.test(text)) return false
  if (!/^\d{1,2}$/.test(text)) throw new Error(`must be the number of proxies in front, not "${text}"`)
  return Number(text) || false
}

function parseSwitch(text: string): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true
  if (/^(0|false|no|off)$/i.test(text)) return false
  throw new Error(`must be 1 or 0, not "${text}"`)
}

// The folder need not exist yet, so the links are resolved in the part that does.
function absoluteDir(path: string, cwd: string): string {
  const absolute = resolve(cwd, path)
  if (existsSync(absolute)) return realpathSync(absolute)
  const parent = dirname(absolute)
  return parent === absolute ? absolute : join(absoluteDir(parent, cwd), basename(absolute))
}
