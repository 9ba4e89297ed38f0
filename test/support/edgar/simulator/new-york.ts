// New York's wall clock, by the platform's own time zone data: what the service computes by its own rules is then held
// against something it does not share. And the simulator's clock, which tests set, stop and move.

/** An instant as New York writes it. */
export interface WallTime {
  /** `2025-12-12`. */
  date: string
  /** `18:03:57`. */
  time: string
  /** `20251212`. */
  day: string
  /** `20251212180357`, as ACCEPTANCE-DATETIME has it. */
  stamp: string
  /** `-05:00`. */
  offset: string
  /** `EST` or `EDT`. */
  zone: string
  /** `Fri`. */
  weekday: string
  /** `Dec`. */
  month: string
}

const FORMAT = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  weekday: 'short',
  timeZoneName: 'short',
})
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `at` in milliseconds since 1970. */
export function newYork(at: number): WallTime {
  const part: Record<string, string> = Object.fromEntries(
    FORMAT.formatToParts(at).map(({ type, value }) => [type, value]),
  )
  const { year, month, day, hour, minute, second, timeZoneName: zone = '', weekday = '' } = part
  const compact = `${year}${month}${day}`
  return {
    date: `${year}-${month}-${day}`,
    time: `${hour}:${minute}:${second}`,
    day: compact,
    stamp: `${compact}${hour}${minute}${second}`,
    offset: zone === 'EDT' ? '-04:00' : '-05:00',
    zone,
    weekday,
    month: MONTHS[Number(month) - 1]!,
  }
}

/** Milliseconds since 1970 of `YYYYMMDDHHMMSS` or `YYYY-MM-DD HH:MM:SS` in New York; of two, the first. */
export function atNewYork(stamp: string): number {
  const [year, month, day, hour, minute, second] =
    stamp
      .replace(/\D/g, '')
      .match(/^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/)
      ?.slice(1)
      .map(Number) ?? []
  const wall = Date.UTC(year!, month! - 1, day, hour, minute, second)
  if (!Number.isFinite(wall)) throw new Error(`no time: ${stamp}`)
  const daylight = wall + 4 * 3_600_000
  return newYork(daylight).zone === 'EDT' ? daylight : wall + 5 * 3_600_000
}

/** What the simulated EDGAR takes for the present. Running unless stopped; all in milliseconds since 1970. */
export interface SimulatedClock {
  now: () => number
  /** A number, or New York time as `atNewYork` reads it. */
  set: (at: number | string) => void
  advance: (seconds: number) => void
  stop: () => void
  run: () => void
}

export function simulatedClock(start: number | string = Date.now(), stopped = false): SimulatedClock {
  const instant = (at: number | string): number => (typeof at === 'string' ? atNewYork(at) : at)
  let ahead = instant(start) - Date.now()
  let frozen = stopped ? instant(start) : null
  const now = (): number => frozen ?? Date.now() + ahead
  const set = (at: number | string): void => {
    ahead = instant(at) - Date.now()
    if (frozen !== null) frozen = instant(at)
  }
  return {
    now,
    set,
    advance: (seconds) => set(now() + seconds * 1000),
    stop: () => {
      frozen = now()
    },
    run: () => {
      set(now())
      frozen = null
    },
  }
}
