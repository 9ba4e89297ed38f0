// Arithmetic of the thresholds: from an amount to a severity, from dollars to cents, from a share to whole numbers.
import type { Steps } from './rule-thresholds.ts'
import { compareSeverity, SEVERITIES, type Severity } from '../trades/significance.ts'

/** Six places of a share or a ratio; what is set more finely is rounded. */
const PARTS = 1_000_000

/** Returns the last step that is reached; null below the first. */
export function stepReached(steps: Steps, reaches: (from: number) => boolean): Severity | null {
  let severity: Severity | null = null
  for (const step of steps) {
    // Most trades don't reach the first step.
    if (!reaches(step.from)) break
    severity = step.severity
  }
  return severity
}

/** Raises by `steps`, or lowers if negative; `critical` and `low` are the ends. */
export function shifted(severity: Severity, steps: number): Severity {
  const at = SEVERITIES.indexOf(severity) + steps
  return SEVERITIES[Math.max(0, Math.min(SEVERITIES.length - 1, at))]!
}

export function lowest(a: Severity, b: Severity): Severity {
  return compareSeverity(a, b) < 0 ? a : b
}

export function centsOf(dollars: number): number {
  return Math.round(dollars * 100)
}

/** Returns whether `amount` >= `times` x `sum` / `count`, computed exactly: the products exceed 2^53. */
export function isTimesMean(amount: number, times: number, sum: number, count: number): boolean {
  return BigInt(amount) * BigInt(count) * BigInt(PARTS) >= BigInt(millionths(times)) * BigInt(sum)
}

/** Returns `amount` / (`sum` / `count`) to one place, rounded down. */
export function timesMean(amount: number, sum: number, count: number): number {
  return Number((BigInt(amount) * BigInt(count) * 10n) / BigInt(sum)) / 10
}

/**
 * Returns the nearest rank, from 1, of a share of `count` values. In whole numbers: a product might be rounded past a
 * rank.
 */
export function nearestRank(share: number, count: number): number {
  return Math.ceil((millionths(share) * count) / PARTS)
}

/** Returns whether `part` is at least `share` of `whole`. */
export function isShare(part: number, share: number, whole: number): boolean {
  return part * PARTS >= millionths(share) * whole
}

function millionths(number: number): number {
  return Math.round(number * PARTS)
}
