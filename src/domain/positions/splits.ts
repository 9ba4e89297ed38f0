// Detects splits of a class. Nobody reports them as transactions, so the balances of several owners jump by the same
// factor.
import { daysBetween } from '../shared/calendar.ts'
import type { DateText } from '../shared/identifiers.ts'
import { compareText } from '../shared/order.ts'

/** A balance that does not continue the one before. */
export interface Jump {
  scope: string
  class: string
  from: bigint
  fromDay: DateText
  to: bigint
  day: DateText
  isSplitSaid: boolean
}

export interface Split {
  class: string
  /** The day of the first balance that was reported after it. */
  day: DateText
  factor: Factor
}

interface Factor {
  new: bigint
  old: bigint
}

const RATIOS = [
  [2, 1],
  [3, 1],
  [3, 2],
  [4, 1],
  [5, 1],
  [10, 1],
  [20, 1],
] as const
const FACTORS: readonly Factor[] = RATIOS.flatMap(([most, least]) => [
  { new: BigInt(most), old: BigInt(least) },
  { new: BigInt(least), old: BigInt(most) },
])
const DAYS_APART = 60

/** Returns whether `to` is `from` times the factor, within 0.5 %. */
function fits({ from, to }: Pick<Jump, 'from' | 'to'>, { new: most, old: least }: Factor): boolean {
  const [expected, found] = [from * most, to * least]
  const difference = expected > found ? expected - found : found - expected
  return from > 0n && to > 0n && difference * 200n <= expected
}

/** Finds the splits that are shown by jumps of two owners within 60 days, or by one owner's jump with a footnote. */
export function splitsOf(jumps: readonly Jump[]): Split[] {
  const found: Split[] = []
  const seen = jumps.flatMap((jump) => {
    const factor = FACTORS.find((each) => fits(jump, each))
    return factor ? [{ jump, factor }] : []
  })
  const alike = Map.groupBy(seen, ({ jump, factor }) => `${jump.class} ${factor.new}/${factor.old}`)
  for (const own of alike.values()) {
    const factor = own[0]!.factor
    let first: Jump | null = null
    let confirmed: Split | null = null
    for (const { jump } of own.toSorted((a, b) => compareText(a.jump.day, b.jump.day))) {
      // An owner who seldom reports shows the same split late.
      if (confirmed && jump.fromDay < confirmed.day) continue
      if (!first || confirmed || daysBetween(first.day, jump.day) > DAYS_APART) {
        first = jump
        confirmed = null
      }
      if (jump.isSplitSaid || jump.scope !== first.scope) {
        confirmed = { class: jump.class, day: first.day, factor }
        found.push(confirmed)
      }
    }
  }
  return found.sort((a, b) => compareText(a.day, b.day))
}

/** Returns whether the splits between the two balances explain the whole difference. */
export const isSplitOnly = (jump: Jump, splits: readonly Split[]): boolean => {
  const between = splits.filter(({ day }) => jump.fromDay < day && day <= jump.day)
  return between.length > 0 && fits(jump, product(between))
}

/** Applies these splits to a balance. */
export const adjusted = (balance: bigint, splits: readonly Split[]): bigint => {
  const { new: most, old: least } = product(splits)
  return (balance * most) / least
}

const product = (splits: readonly Split[]): Factor =>
  splits.reduce((all, { factor }) => ({ new: all.new * factor.new, old: all.old * factor.old }), { new: 1n, old: 1n })
