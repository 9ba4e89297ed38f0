// Keys of lines: what rows of different filings must have in common to be about one holding.
import { comparableTitle } from '../trades/security-title.ts'
import { PLAN_WORDS, SPOUSE_WORDS, TRUST_WORDS, wordsOf } from '../trades/holder-names.ts'
import { isUninformative, type BalanceRow } from './evidence.ts'

/**
 * Returns the key of a class: one for `Common`, `Common Stock`, `Common Shares, par value $0.001`, `Shares of Common
 * Stock` and `Common Stock ("Common Stock")`.
 */
export function classKey(title: string): string {
  const comparable = comparableTitle(title).replace(/^stockof(?=common|ordinary|class)/, '')
  const half = comparable.slice(0, comparable.length / 2)
  const single = comparable === half + half ? half : comparable
  return /(?:common|ordinary)$/.test(single) ? `${single}stock` : single
}

/** Returns what the rows of one instrument of Table II have in common besides their title. */
export const instrumentKey = (row: BalanceRow): string =>
  row.table === 1 ? '' : `${row.exercisePrice ?? ''} ${row.expires ?? ''}`

export interface NatureKey {
  text: string
  /** Whether the nature itself says nothing: then the key is from a footnote, whose words may change, or empty. */
  isVague: boolean
}

const DIRECT: NatureKey = { text: '', isVague: false }

/** Returns the key of a nature of ownership. */
export function natureKey(row: BalanceRow): NatureKey {
  if (row.ownership !== 'I') return DIRECT
  const isVague = isUninformative(row.nature)
  const words = wordsOf((isVague ? (row.natureNote ?? '') : row.nature)!)
  let from = 0
  while (from < words.length - 1 && LEADING.has(words[from]!)) from += 1
  const rest = words.slice(from)
  const isSpouse = rest.some((word) => SPOUSE_WORDS.has(word))
  const isOfPlan = rest.some((word) => PLAN_WORDS.has(word) || TRUST_WORDS.has(word))
  if (!isVague && isSpouse && !isOfPlan && rest.length <= 2) return { text: 'SPOUSE', isVague }
  const text = rest.map((word) => (SPOUSE_WORDS.has(word) ? 'SPOUSE' : (SAME.get(word) ?? word))).join(' ')
  return { text: text === 'EMPLOYEE STOCK OWNERSHIP PLAN' ? 'ESOP' : text.replace(/\b(401K) PLAN\b/, '$1'), isVague }
}

const LEADING = new Set(['BY', 'HELD', 'THROUGH', 'THE', 'IN', 'OWNED', 'INDIRECTLY', 'VIA'])
const SAME = new Map([
  ['IRAS', 'IRA'],
  ['401', '401K'],
])
