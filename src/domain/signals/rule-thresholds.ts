// Rule thresholds of all signals in one table: what an operator may set, and what `GET /v1/signals/rules` shows.
// Amounts in whole US dollars.
import { SEVERITIES, SIGNIFICANCE_FLOORS, type Severity, type SignificanceFloors } from '../trades/significance.ts'

/** The values from which each severity applies, lowest first; below the first there is no signal. */
export type Steps = readonly { from: number; severity: Severity }[]

export interface ClusterRule {
  /** The least number of persons who trade. */
  persons: number
  /** Of each person, in total. */
  minimum: number
  /** The most days between the first and the last trade date. */
  days: number
  /** By number of persons. */
  severities: Steps
  /** The number of officers among the least number of persons that makes it `high`. */
  officersForHigh: number
  /** The number of persons from which it is `critical` with the CEO or CFO. */
  personsForCriticalWithChief: number
  /** How many steps to lower the severity that follows from the persons. */
  stepsDown: number
  /** The totals below which the severity is at most `low`, `medium` and `high`. */
  lowBelow: number
  mediumBelow: number
  highBelow: number
}

export interface SignalRules {
  cluster_buy: ClusterRule
  cluster_sell: ClusterRule
  unusual_size: {
    minimum: number
    /** Multiples of the insider's own average. */
    ratios: Steps
    /** How many earlier trades the own average needs. */
    earlierTrades: number
    /** Of the company's trades, used if there are fewer own ones: a share of 1. */
    percentile: number
    companyTrades: number
    companyYears: number
    percentileSeverity: Severity
  }
  ceo_trade: { buy: Steps; sell: Steps }
  reversal: {
    against: number
    againstMonths: number
    noneOwnMonths: number
    buy: Severity
    sell: Severity
    /** The share of the last trades in the opposite direction that raises it a step. */
    oppositeShare: number
    lastTrades: number
    leastTrades: number
    /** The value that raises it another step. */
    stepUpFrom: number
  }
  /** How many months after a joint filing its owners count as one person. */
  personMonths: number
  significance: SignificanceFloors
}

const cluster = {
  persons: 3,
  days: 14,
  severities: [
    { from: 3, severity: 'medium' },
    { from: 4, severity: 'high' },
    { from: 5, severity: 'critical' },
  ],
  officersForHigh: 2,
  personsForCriticalWithChief: 4,
} as const

export const DEFAULT_RULES: SignalRules = {
  cluster_buy: {
    ...cluster,
    minimum: 10_000,
    stepsDown: 0,
    lowBelow: 100_000,
    mediumBelow: 250_000,
    highBelow: 1_000_000,
  },
  cluster_sell: {
    ...cluster,
    minimum: 100_000,
    stepsDown: 1,
    lowBelow: 1_000_000,
    mediumBelow: 2_500_000,
    highBelow: 10_000_000,
  },
  unusual_size: {
    minimum: 50_000,
    ratios: [
      { from: 3, severity: 'low' },
      { from: 5, severity: 'medium' },
      { from: 10, severity: 'high' },
      { from: 20, severity: 'critical' },
    ],
    earlierTrades: 2,
    percentile: 0.975,
    companyTrades: 20,
    companyYears: 3,
    percentileSeverity: 'medium',
  },
  ceo_trade: {
    buy: [
      { from: 25_000, severity: 'low' },
      { from: 100_000, severity: 'medium' },
      { from: 1_000_000, severity: 'high' },
      { from: 5_000_000, severity: 'critical' },
    ],
    sell: [
      { from: 1_000_000, severity: 'low' },
      { from: 10_000_000, severity: 'medium' },
      { from: 50_000_000, severity: 'high' },
    ],
  },
  reversal: {
    against: 2,
    againstMonths: 24,
    noneOwnMonths: 12,
    buy: 'medium',
    sell: 'low',
    oppositeShare: 0.8,
    lastTrades: 10,
    leastTrades: 5,
    stepUpFrom: 1_000_000,
  },
  personMonths: 24,
  significance: SIGNIFICANCE_FLOORS,
}

/** Shares of 1. All other numbers but those of `ratios` are whole. */
const SHARES = ['percentile', 'oppositeShare']
/** Without at least one of these a rule has nothing to compare with. */
const AT_LEAST_ONE = ['persons', 'earlierTrades', 'companyTrades', 'lastTrades', 'leastTrades']
/** There are no filings further back, and years stay within four digits. */
const MAX = { days: 36_500, companyYears: 100, againstMonths: 1200, noneOwnMonths: 1200, personMonths: 1200 } as const
/** In cents still far below 2^53. */
const MAX_DOLLARS = 10_000_000_000_000

/**
 * Returns the defaults with what `json` sets; a list of steps is replaced whole. Throws one line that names the path.
 */
export function parseRules(json: unknown): SignalRules {
  const rules = merged(DEFAULT_RULES, json, '') as SignalRules
  for (const type of ['cluster_buy', 'cluster_sell'] as const) {
    const { persons, severities, lowBelow, mediumBelow, highBelow } = rules[type]
    if (severities[0]!.from > persons) {
      throw new Error(`${type}.severities: the first step must be from ${persons} (persons) or less`)
    }
    if (mediumBelow < lowBelow) throw new Error(`${type}.mediumBelow: must be lowBelow (${lowBelow}) or more`)
    if (highBelow < mediumBelow) throw new Error(`${type}.highBelow: must be mediumBelow (${mediumBelow}) or more`)
  }
  for (const [lower, higher] of ASCENDING) {
    if (rules.significance[lower] <= rules.significance[higher]) continue
    throw new Error(`significance.${higher}: must be ${lower} (${rules.significance[lower]}) or more`)
  }
  return rules
}

const ASCENDING = [
  ['buyMedium', 'buyHigh'],
  ['buyHigh', 'buyCritical'],
  ['sellMedium', 'sellHigh'],
] as const

/** Former names of thresholds, with what to set instead. */
const REPLACED = new Map([
  ['significance.highBuy', 'replaced by buyHigh'],
  ['significance.mediumTrade', 'replaced by buyMedium and sellMedium'],
])

/** Returns `default`, or a text that is the same for the same rules. */
export function rulesVersion(rules: SignalRules): string {
  const text = canonical(rules)
  return text === canonical(DEFAULT_RULES) ? 'default' : `custom-${fnv1a(text).toString(16).padStart(8, '0')}`
}

function merged(base: unknown, given: unknown, path: string): unknown {
  if (given === undefined) return base
  if (Array.isArray(base)) return stepsOf(given, path)
  if (typeof base === 'number') return numberOf(given, path)
  if (typeof base === 'string') return severityOf(given, path)
  const set = objectOf(given, Object.keys(base as object), path)
  const entries = Object.entries(base as object).map(([key, value]) => [key, merged(value, set[key], below(path, key))])
  return Object.fromEntries(entries)
}

function stepsOf(given: unknown, path: string): Steps {
  if (!Array.isArray(given) || given.length === 0) throw new Error(`${path}: must be a list of at least one step`)
  const steps = given.map((step: unknown, index) => {
    const at = `${path}[${index}]`
    const { from, severity } = objectOf(step, ['from', 'severity'], at)
    if (typeof from !== 'number' || !(from > 0 && from <= MAX_DOLLARS)) {
      throw new Error(`${at}.from: must be a number above 0, up to ${MAX_DOLLARS}`)
    }
    if (!path.endsWith('ratios') && !Number.isInteger(from)) throw new Error(`${at}.from: must be a whole number`)
    return { from, severity: severityOf(severity, `${at}.severity`) }
  })
  steps.forEach(({ from }, index) => {
    if (index === 0 || from > steps[index - 1]!.from) return
    throw new Error(`${path}[${index}].from: must be more than in the step before`)
  })
  return steps
}

function numberOf(given: unknown, path: string): number {
  const key = path.slice(path.lastIndexOf('.') + 1)
  if (SHARES.includes(key)) {
    if (typeof given === 'number' && given > 0 && given <= 1) return given
    throw new Error(`${path}: must be a number above 0, up to 1`)
  }
  const least = AT_LEAST_ONE.includes(key) ? 1 : 0
  const most = (MAX as Record<string, number>)[key] ?? MAX_DOLLARS
  if (Number.isInteger(given) && (given as number) >= least && (given as number) <= most) return given as number
  throw new Error(`${path}: must be a whole number from ${least} to ${most}`)
}

function severityOf(given: unknown, path: string): Severity {
  const severity = SEVERITIES.find((one) => one === given)
  if (severity) return severity
  throw new Error(`${path}: must be one of ${SEVERITIES.join(', ')}`)
}

/** Checks for an object with no other keys than these. */
function objectOf(given: unknown, keys: string[], path: string): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Error(`${path || 'rules'}: must be an object`)
  }
  const unknown = Object.keys(given).find((key) => !keys.includes(key))
  if (unknown !== undefined) {
    const at = below(path, unknown)
    throw new Error(`${at}: ${REPLACED.get(at) ?? 'unknown'}, must be one of ${keys.join(', ')}`)
  }
  return given as Record<string, unknown>
}

function below(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

/** Formats JSON with keys in order, so that equal rules give equal texts. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `"${key}":${canonical(one)}`).join()}}`
}

/** Hashes to 32 bits. The text is ASCII: keys and severities of our own, and numbers. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}
