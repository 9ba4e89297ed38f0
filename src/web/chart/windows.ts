// The windows of signals on a time axis: the days within which a rule looks for trades, from the first that it counts.
import type { SignalDetail } from '../../client/index.ts'
import { dayNumber } from './scale.ts'

export interface Window {
  from: number
  to: number
}

/** Returns the window of a signal, in days since 1970; a rule about single trades looks at one day. */
export function windowOf({ rule, firstTradeDate }: Pick<SignalDetail, 'rule' | 'firstTradeDate'>): Window {
  const from = dayNumber(firstTradeDate)
  return { from, to: from + ('days' in rule.thresholds ? rule.thresholds.days : 0) }
}

/** Returns what of the windows lies within a span of days. */
export function windowsWithin(windows: readonly Window[], from: number, to: number): Window[] {
  return windows
    .filter((each) => each.to >= from && each.from <= to)
    .map((each) => ({ from: Math.max(each.from, from), to: Math.min(each.to, to) }))
}
