// Settings as the service takes them, beyond the configuration's grammar.
import { createHash } from 'node:crypto'
import type { Config } from '../config.ts'
import { parseRateLimit, type RateLimit } from '../infrastructure/http/middleware/rate-limit.ts'
import { signalRules } from './analytics-access.ts'

/** Returns the limit, null where requests are not limited. Throws where the text is none. */
export function rateLimitOf({ rateLimit: text }: Pick<Config, 'rateLimit'>): RateLimit | null {
  const limit = text === null ? null : parseRateLimit(text)
  if (text !== null && limit === null) throw new Error(`RATE_LIMIT must look like 600/min, not "${text}"`)
  return limit
}

/** Returns 16 hex digits that differ where the service would be another with these settings, the content of files included. */
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
