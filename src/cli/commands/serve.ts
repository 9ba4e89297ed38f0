// The command serve: runs the service in the foreground, with all roles or some.
import { parseArgs } from 'node:util'
import type { Config } from '../../config.ts'
import { ROLES, runService, type Role } from '../../service/start-service.ts'
import { usageError, type Output } from '../output.ts'

export const help = `serve [--roles api,ingest,deliver] [--proxies 0]: run the service in the foreground

  make up runs it in the background. Roles:
  api       answers HTTP; any number of processes
  ingest    ingests filings and detects signals; one process is active, further ones stand by and take over within 15 s
  deliver   sends webhooks; any number of processes
  --proxies  how many proxies of the stack itself are in front, in addition to TRUST_PROXY
  Every process answers /healthz, /readyz and /metrics on PORT. In several processes the stores must be servers
  (CLICKHOUSE_URL, DATABASE_URL, REDIS_URL), and api and deliver must have the same SECRETS_KEY.

  PORT, HOST, DATA_DIR   as for up
  LOG_LEVEL              fatal to trace (info)
  SIGNAL_RULES           a JSON file with thresholds of signals that differ from the defaults
  SECRETS_KEY            encrypts webhook secrets in PostgreSQL (the file DATA_DIR/secrets.key)
                         it and the addresses of servers may lie in files: SECRETS_KEY_FILE, DATABASE_URL_FILE ...
  WEBHOOK_ALLOW_HTTP     1: alerts may go to http addresses too (https only)
  WEBHOOK_ALLOW_HOSTS    hosts that alerts may go to though not public (none)
  ALERT_WINDOW_HOURS     filings accepted longer ago raise no alert (72)
  PUBLIC_URL             where readers reach the service: for links in alerts and feeds, and served on loopback (none)
  OTEL_EXPORTER_OTLP_ENDPOINT  the OpenTelemetry collector that traces are sent to (none)
  DRAIN_SECONDS          on SIGTERM, keep answering this long as not ready before refusing requests (0)
  RATE_LIMIT             requests per key or address, such as 600/min (no limit)
  TRUST_PROXY            how many proxies stand in front (none)
  CACHE_MEMORY             memory for answers that are kept, such as 64MiB; 0 for none (64MiB)
  CONNECTIONS_PER_ADDRESS  connections that one address may have open (1000)
  CHANGES_DAYS             days that the log of changes is kept (7)
  STREAMS                  streams of changes that one process has open (2000)
  STREAMS_PER_CALLER       streams of changes of one key or address (10)
  EXPORTS_DIR              folder of the month files (DATA_DIR/exports)
  EXPORTS_ACCESS           key: month files are for holders of a key (public)
  EXPORTS_AT_ONCE          exports of the feed that one process sends at once (4)
  DASHBOARD                0: no page at / (1)`

export async function run(given: Config, args: string[], out: Output): Promise<void> {
  const { roles, proxies } = optionsOf(given, args)
  await runService({ ...given, trustProxy: Number(given.trustProxy) + proxies || (false as const) }, roles, out.note)
}

function optionsOf(config: Config, args: string[]): { roles: Set<Role>; proxies: number } {
  const options = {
    roles: { type: 'string', default: ROLES.join(',') },
    proxies: { type: 'string', default: '0' },
  } as const
  const { values } = parseArgs({ args, options })
  if (!/^\d$/.test(values.proxies)) throw usageError(`--proxies takes a number from 0 to 9, not "${values.proxies}"`)
  const named = values.roles.split(',').map((role) => role.trim())
  const unknown = named.find((role) => !ROLES.includes(role as Role))
  if (unknown !== undefined) throw usageError(`--roles takes some of ${ROLES.join(', ')}, not "${unknown}"`)
  const roles = new Set(named as Role[])
  const missing = (['clickhouseUrl', 'databaseUrl', 'redisUrl'] as const).some((store) => config[store] === null)
  if (roles.size < ROLES.length && missing) {
    throw usageError(
      'embedded stores are for one process with all roles: set CLICKHOUSE_URL, DATABASE_URL and REDIS_URL',
    )
  }
  return { roles, proxies: Number(values.proxies) }
}
