// Scales and ticks of the pictures. Pure: tested without a browser.

export interface Scale {
  (value: number): number
  ticks: readonly number[]
}

/** Returns steps of 1, 2 or 5 times a power of ten between two values, about `count` of them. */
function niceTicks(from: number, to: number, count: number): number[] {
  const rough = (to - from) / Math.max(count, 1)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10)
  const ticks: number[] = []
  for (let at = Math.ceil(from / step); at * step <= to; at += 1) ticks.push(Number((at * step).toPrecision(12)))
  return ticks
}

/** Maps values to pixels, by logarithm where the largest is ten times the smallest. */
export function valueScale(values: readonly number[], [start, end]: readonly [number, number]): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const isLog = least > 0 && most >= 10 * least
  const pad = isLog ? 1.2 : 0
  const gap = most === least ? Math.max(Math.abs(most) * 0.1, 1) : (most - least) * 0.12
  const from = isLog ? least / pad : Math.max(least - gap, least >= 0 ? 0 : -Infinity)
  const to = isLog ? most * pad : most + gap
  const place = isLog ? Math.log : Number
  const scale = (value: number) => start + ((place(value) - place(from)) / (place(to) - place(from))) * (end - start)
  return Object.assign(scale, { ticks: isLog ? logTicks(from, to) : niceTicks(from, to, 4) })
}

function logTicks(from: number, to: number): number[] {
  const ticks: number[] = []
  for (let power = 10 ** Math.floor(Math.log10(from)); power <= to; power *= 10) {
    for (const factor of [1, 2, 5]) if (factor * power >= from && factor * power <= to) ticks.push(factor * power)
  }
  return ticks.length > 7 ? ticks.filter((tick) => Number.isInteger(Number(Math.log10(tick).toFixed(9)))) : ticks
}

const DAY = 86_400_000
export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY

/** Maps days to pixels, with a tick at the beginning of a year, of some months, or of some days. */
export function dayScale(from: number, to: number, [start, end]: readonly [number, number]): Scale {
  const length = Math.max(to - from, 1)
  const scale = (value: number) => start + ((value - from) / length) * (end - start)
  return Object.assign(scale, { ticks: dayTicks(from, to, Math.max(2, (end - start) / 100)) })
}

/** Months between ticks. */
const STEPS = [1, 2, 3, 6, 12, 24, 60, 120]

function dayTicks(from: number, to: number, most: number): number[] {
  const days = Math.max(to - from, 1)
  if (days <= 45) {
    const step = [1, 2, 7, 14].find((each) => days / each <= most) ?? 30
    return Array.from({ length: Math.floor(days / step) + 1 }, (_, index) => from + index * step)
  }
  const step = STEPS.find((each) => days / 30.4 / each <= most) ?? 240
  const first = new Date(from * DAY)
  const ticks: number[] = []
  for (let month = Math.ceil(first.getUTCMonth() / step) * step; ; month += step) {
    const at = Date.UTC(first.getUTCFullYear(), month, 1) / DAY
    if (at > to) return ticks
    if (at >= from) ticks.push(at)
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Returns `2026`, `Mar` or `5 Mar` as the ticks are apart; the first of a year names it, as `Mar 2026`. */
export function dayLabel(tick: number, ticks: readonly number[]): string {
  const at = new Date(tick * DAY)
  const year = at.getUTCFullYear()
  const gap = (ticks[1] ?? tick + 31) - (ticks[0] ?? tick)
  if (gap > 360) return String(year)
  const month = MONTHS[at.getUTCMonth()]!
  const name = gap < 28 ? `${at.getUTCDate()} ${month}` : month
  const before = ticks[ticks.indexOf(tick) - 1]
  return before !== undefined && new Date(before * DAY).getUTCFullYear() === year ? name : `${name} ${year}`
}

/** Returns the first days of some of consecutive months, each `step` pixels wide, so that their labels do not meet. */
export function monthTicks(months: readonly string[], step: number): number[] {
  const every = STEPS.find((each) => each * step >= 70) ?? 240
  const isTick = (month: string) => (Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1) % every === 0
  const found = months.filter(isTick)
  return (found.length > 0 ? found : months.slice(0, 1)).map((month) => dayNumber(`${month}-01`))
}
