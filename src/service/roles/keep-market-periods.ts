// The periods of the market, made again soon after their trades changed, beside everything else that the active process
// does. Until then they are summed up when they are asked for.
import type { Logger } from 'pino'
import type { MarketPeriods } from '../../application/ports/analytics.ts'

const EVERY_MS = 60_000
/** While trades keep changing. */
const LOOK_MS = 1_000

interface KeptPeriods {
  periods: MarketPeriods
  /** Whether so many trades change that what is made now is soon to be made again. */
  areChanging: () => Promise<boolean>
  log: Logger
}

/**
 * Makes them now and every minute, until `signal`, and not while trades keep changing. Resolves when nothing is under
 * way any more.
 */
export async function keepMarketPeriods(
  { periods, areChanging, log }: KeptPeriods,
  signal: AbortSignal,
): Promise<void> {
  const ended = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => ended.resolve(), { once: true })
  const pause = async (ms: number) => {
    let timer: NodeJS.Timeout | undefined
    await Promise.race([new Promise((resolve) => (timer = setTimeout(resolve, ms))), ended.promise])
    clearTimeout(timer)
  }
  while (!signal.aborted) {
    let isMade = true
    try {
      isMade = !(await areChanging())
      const made = isMade ? await periods.makeChanged(signal) : 0
      if (made > 0) log.debug({ made }, 'made periods of the market')
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'could not make the periods of the market')
    }
    if (!signal.aborted) await pause(isMade ? EVERY_MS : LOOK_MS)
  }
}
