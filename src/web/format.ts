// Numbers, times and names as the page shows them. Pure: tested without a browser.

export { readableName as insiderName } from '../domain/wording/person-name.ts'

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const SHARES = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 })
const PRICE = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 4 })

export const count = (value: number): string => WHOLE.format(value)
/** Returns `1 trade` or `1,200 trades`. */
export const many = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`
export const shares = (value: number): string => SHARES.format(value)
export const price = (value: number): string => (value === 0 ? '–' : `$${PRICE.format(value)}`)

/** Returns `$1.2M` of 1,203,187: three figures at most. */
export function money(value: number): string {
  if (value === 0) return '–'
  const size = Math.abs(value)
  const sign = value < 0 ? '−' : ''
  for (const [unit, letter] of UNITS) {
    // 999,950 rounds to 1.0M, not to 1,000K.
    if (size >= unit * 0.99995) {
      const amount = size / unit
      return `${sign}$${amount >= 99.95 ? amount.toFixed(0) : amount.toFixed(1).replace(/\.0$/, '')}${letter}`
    }
  }
  return `${sign}$${size < 1 ? size.toFixed(2) : WHOLE.format(size)}`
}

const UNITS = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
] as const

/** Returns `+14 %` of 0.14. */
export function change(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined) return ''
  const percent = ratio * 100
  if (percent > 999) return '>+999%'
  const size = Math.abs(percent)
  return `${percent < 0 ? '−' : '+'}${size.toFixed(size < 1 && size > 0 ? 1 : 0)}%`
}

export type Zone = 'ET' | 'UTC'

const zoned = (zone: Zone, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone: zone === 'ET' ? 'America/New_York' : 'UTC',
    hourCycle: 'h23',
    ...options,
  })
const DAY = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
const TIME = { hour: '2-digit', minute: '2-digit' } as const
const FORMATS = {
  ET: { day: zoned('ET', DAY), time: zoned('ET', TIME), second: zoned('ET', { ...TIME, second: '2-digit' }) },
  UTC: { day: zoned('UTC', DAY), time: zoned('UTC', TIME), second: zoned('UTC', { ...TIME, second: '2-digit' }) },
}

export const timeOf = (at: string, zone: Zone): string => FORMATS[zone].time.format(new Date(at))
export const dayOf = (at: string, zone: Zone): string => FORMATS[zone].day.format(new Date(at))
export const secondOf = (at: string | number, zone: Zone): string => FORMATS[zone].second.format(new Date(at))

/** Returns `11-06` of a day of this year, else the whole day. */
export const shortDay = (day: string, now: number = Date.now()): string =>
  day.startsWith(`${new Date(now).getUTCFullYear()}-`) ? day.slice(5) : day

/** Returns the time of an instant of today, else its day and time. */
export function filedAt(at: string, zone: Zone, now: number = Date.now()): string {
  const time = timeOf(at, zone)
  const day = dayOf(at, zone)
  if (day === dayOf(new Date(now).toISOString(), zone)) return time
  return `${day.slice(0, 4) === String(new Date(now).getUTCFullYear()) ? day.slice(5) : day} ${time}`
}

/** Returns `January 2023` of a day or month. */
export const monthOf = (day: string): string => MONTH.format(new Date(`${day.slice(0, 7)}-01T00:00:00Z`))
const MONTH = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/**
 * Returns whether the time of an instant is estimated: without a known acceptance 22:00 in New York stands for it, when
 * EDGAR closes. Without a basis the time itself tells.
 */
export const isEstimated = (at: string, basis?: string): boolean =>
  basis === undefined ? secondOf(at, 'ET') === '22:00:00' : basis !== 'accepted'

/** Returns `14 s`, `3 min`, `2 h` or `5 d`. */
export function age(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`
  if (seconds < 129_600) return `${Math.round(seconds / 3_600)} h`
  return `${count(Math.round(seconds / 86_400))} d`
}

/** Returns the last second of a day in New York as the API takes it; undefined for what is no day or not over yet. */
export function endOfDay(day: string, now: number = Date.now()): string | undefined {
  if (!/^(19[7-9]\d|20\d\d)-\d\d-\d\d$/.test(day)) return undefined
  return ['-04:00', '-05:00']
    .map((offset) => Date.parse(`${day}T23:59:59${offset}`))
    .filter((at) => at <= now)
    .map((at) => new Date(at).toISOString().replace('.000', ''))
    .find((at) => dayOf(at, 'ET') === day && secondOf(at, 'ET') === '23:59:59')
}

/** Returns the day so many years before an instant; undefined for `all`. */
export const yearsAgo = (years: string, at: number = Date.now()): string | undefined =>
  years === 'all' ? undefined : new Date(at - Number(years) * 365.25 * 86_400_000).toISOString().slice(0, 10)
