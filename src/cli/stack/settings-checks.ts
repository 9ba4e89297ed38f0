// Checks of the settings that run before anything is stopped or started.
import { existsSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { redactUrl } from '../../config.ts'
import { secretText } from '../../secret-settings.ts'
import { dataPaths } from '../../infrastructure/embedded/data-dir.ts'
import { whyNotListen } from '../../infrastructure/embedded/ports.ts'
import type { StackSettings } from '../../infrastructure/embedded/settings-file.ts'
import { signalRules } from '../../service/analytics-access.ts'
import { rateLimitOf } from '../../service/settings.ts'

type Address = Pick<Config, 'host' | 'port'>

/** Throws a one-line error if a setting has a fault that parsing the configuration can't detect. */
export function checkSettings(config: Config, kept: StackSettings): void {
  signalRules(config)
  rateLimitOf(config)
  checkRecordStays(config, kept)
}

/**
 * Throws if the PostgreSQL server changes, because the stack would start there without its filings, keys and alerts.
 */
function checkRecordStays({ databaseUrl, dataDir }: Config, kept: StackSettings): void {
  const { postgres } = dataPaths(dataDir)
  const was = recordIn(kept)
  const move =
    'make backup TO=<folder>, make restore FROM=<folder> with a new DATA_DIR and the new DATABASE_URL, ' +
    'then make up with the same two'
  if (databaseUrl !== null && was === null && existsSync(postgres)) {
    throw new Error(
      `DATABASE_URL can't be set for ${dataDir}: its filings, keys and alerts are in the embedded PostgreSQL and ` +
        `would be left behind. To move them: ${move}. If they are not wanted, remove ${postgres}`,
    )
  }
  if (databaseUrl === null && was !== null) {
    const moveBack = move.replace('the new DATABASE_URL', 'no DATABASE_URL')
    throw new Error(
      `DATABASE_URL can't go back to the embedded PostgreSQL for ${dataDir}: its filings, keys and alerts are in ` +
        `${redactUrl(was)} and would be left behind. Give DATABASE_URL again, or, to move them: ${moveBack}`,
    )
  }
}

/** Returns null if it is the embedded server, or if the file that names the server is gone. */
function recordIn(kept: StackSettings): string | null {
  try {
    return secretText(kept, 'DATABASE_URL', '/')
  } catch {
    return null
  }
}

/**
 * Throws a one-line error if the port can't be listened on. `ours`, the address of the running service, counts as free.
 */
export async function checkAddress({ host, port }: Address, ours: Address | null = null): Promise<void> {
  if (ours?.port === port && ours.host === host) return
  // The running service occupies its own port, so only the address is tested there, with port 0.
  const fault = await whyNotListen(ours?.port === port ? 0 : port, host)
  if (fault === null) return
  if (fault === 'EADDRINUSE') throw new Error(portTaken({ host, port }))
  const reasons: Record<string, string> = {
    EACCES: 'permission denied',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'no such host',
  }
  throw new Error(`can't listen on ${host} port ${port}: ${reasons[fault] ?? fault}`)
}

export function portTaken({ host, port }: Address): string {
  return `port ${port} on ${host} is taken by another program: choose another with PORT=`
}
