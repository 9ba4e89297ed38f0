// How many filings of a company or an insider were late; nothing where the filings do not tell.
import type { components } from '../../contract.ts'
import { count } from '../format.ts'

interface LateFilingsProps {
  of: components['schemas']['LateFilings'] | undefined
  /** What stands between this and the words before it. */
  after?: string
}

export function LateFilings({ of, after = '' }: LateFilingsProps) {
  if (of === undefined || of.share === null) return null
  return (
    <span title="Filed after it was due, mostly the second business day after the trade">
      {after}filed late: {count(of.count)} of {count(of.of)} filings ({Math.round(of.share * 100)}%)
    </span>
  )
}
