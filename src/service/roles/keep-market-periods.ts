// The periods of the market, made again soon after their trades changed, beside everything else that the active process
// does. Until then they are summed up when they are asked for.
import type { Logger } from 'pino'
import type { MarketPeriods } from '../../application/ports/analytics.ts'

const EVERY_MS = 60_000

/** Makes them now and every minute, until `signal`. Resolves when nothing is under way any more. */
export async function keepMarketPeriods(periods: MarketPeriods, log: Logger, signal: AbortSignal): Promise<void> {
  const ended = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => ended.resolve(), { once: true })
  while (!signal.aborted) {
    await periods.makeChanged(signal).then(
      (made) => made > 0 && log.debug({ made }, 'made periods of the market'),
      (error: unknown) => signal.aborted || log.warn({ err: error }, 'could not make the periods of the market'),
    )
    let timer: NodeJS.Timeout | undefined
    const pause = new Promise((resolve) => (timer = setTimeout(resolve, EVERY_MS)))
    await Promise.race([pause, ended.promise])
    clearTimeout(timer)
  }
}
