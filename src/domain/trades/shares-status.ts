// Plausibility of a row's number of shares: `36.000` typed for 36,000 is read as 36, which the holdings contradict.
import { add, comparableDecimal, multiply, parseDecimal, subtract, toText, type Decimal } from '../shared/decimal.ts'
import type { DecimalText } from '../shared/identifiers.ts'
import { comparableTitle } from './security-title.ts'

export type SharesStatus = 'as_filed' | 'suspect'

interface CountedRow {
  securityTitle: string
  acquiredDisposed: string | null
  directIndirect: string | null
  shares: DecimalText | null
  sharesAfter: DecimalText | null
}

const THOUSAND: Decimal = { units: 1000n, scale: 0 }
const THOUSANDTH: Decimal = { units: 1n, scale: 3 }

/**
 * Returns the status of each transaction of one filing, in any order. A row is suspect if it does not open at a balance
 * of its line (title and D or I) but would with a thousand times or a thousandth of its shares.
 */
export function sharesStatuses(rows: readonly CountedRow[]): SharesStatus[] {
  const lines = new Map<string, Set<string>>()
  for (const row of rows) {
    if (row.sharesAfter === null) continue
    const line = lineOf(row)
    const balances = lines.get(line) ?? new Set()
    lines.set(line, balances.add(comparableDecimal(row.sharesAfter)))
  }
  return rows.map((row) => {
    const [shares, after] = [row.shares && parseDecimal(row.shares), row.sharesAfter && parseDecimal(row.sharesAfter)]
    if (!shares || !after || shares.units === 0n) return 'as_filed'
    if (row.acquiredDisposed !== 'A' && row.acquiredDisposed !== 'D') return 'as_filed'
    const balances = lines.get(lineOf(row))!
    const opensWith = (count: Decimal) =>
      balances.has(toText(row.acquiredDisposed === 'A' ? subtract(after, count) : add(after, count)))
    if (opensWith(shares)) return 'as_filed'
    return opensWith(multiply(shares, THOUSAND)) || opensWith(multiply(shares, THOUSANDTH)) ? 'suspect' : 'as_filed'
  })
}

const lineOf = ({ securityTitle, directIndirect }: CountedRow): string =>
  `${directIndirect ?? ''} ${comparableTitle(securityTitle)}`
