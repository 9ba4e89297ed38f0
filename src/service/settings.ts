// Parses the rate limit from the settings, names the service's hosts, and makes a fingerprint of all settings.
import { createHash } from 'node:crypto'
import type { Config } from '../config.ts'
import { parseRateLimit, type RateLimit } from '../infrastructure/http/rate-limit/limit-rate.ts'
import { signalRules } from './analytics-access.ts'

/** Returns the rate limit; null if requests are not limited. Throws if the text is not a valid limit. */
export function rateLimitOf({ rateLimit: text }: Pick<Config, 'rateLimit'>): RateLimit | null {
  const limit = text === null ? null : parseRateLimit(text)
  if (text !== null && limit === null) throw new Error(`RATE_LIMIT must look like 600/min, not "${text}"`)
  return limit
}

/** Returns names under which the service is reached besides those of this machine; IPv6 addresses may have brackets. */
export function ownNames({ host, publicUrl, mcpHosts }: Pick<Config, 'host' | 'publicUrl' | 'mcpHosts'>): string[] {
  return [host, ...(publicUrl === null ? [] : [new URL(publicUrl).hostname]), ...mcpHosts]
}

/**
 * Returns 16 hex digits that change with any setting that affects the service, and with the signal rules in their file.
 */
export function settingsPrint(config: Config): string {
  const {
    json: _json,
    stack: _stack,
    defaults: _defaults,
    secretsKeyLost: _lost,
    redisInstall: _install,
    ...settings
  } = config
  return createHash('sha256')
    .update(JSON.stringify([settings, signalRules(config)]))
    .digest('hex')
    .slice(0, 16)
}
