// Adds up positions by class. Only lines that can't contain the same shares are added, and each total has a confidence.
import type { Cik, DateText } from '../shared/identifiers.ts'
import type { Confidence, OwnerAtIssuer, Position } from './positions.ts'

export interface ClassTotal {
  class: string
  /** The title in the newest filing. */
  title: string
  /** Null if nothing can be added up: all is reported by value, or by owners who no longer report. */
  direct: bigint | null
  indirect: bigint | null
  total: bigint | null
  confidence: Confidence
  staleSince: DateText | null
  positions: Position[]
}

/** Returns the total of each class of Table I, the largest first. `owners`: all owners at the issuer. */
export function classTotals(
  positions: readonly Position[],
  owners: ReadonlyMap<Cik, Pick<OwnerAtIssuer, 'hasForm3'>>,
): ClassTotal[] {
  const ofTableOne = positions.filter(({ table }) => table === 1)
  return [...Map.groupBy(ofTableOne, (position) => position.class)]
    .map(([name, own]) => classTotal(name, own, owners))
    .sort((a, b) => bySize(a.total, b.total) || (a.class < b.class ? -1 : 1))
}

/** Sorts the largest first, and unknown sizes last. */
const bySize = (a: bigint | null, b: bigint | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : a > b ? -1 : 1

/** Returns the units that count for a total, adjusted if a split came after the report. */
const countedUnits = ({ unitsAdjusted, units }: Position): bigint => unitsAdjusted ?? units ?? 0n

/** Whether a position is part of a total. */
export const isCounted = ({ status, units, isOverlapping }: Position): boolean =>
  units !== null && !isOverlapping && status !== 'ended' && status !== 'exited' && status !== 'expired'

function classTotal(
  name: string,
  positions: Position[],
  owners: ReadonlyMap<Cik, Pick<OwnerAtIssuer, 'hasForm3'>>,
): ClassTotal {
  const counted = positions.filter(isCounted)
  const sum = (ownership: 'D' | 'I') =>
    counted.filter(({ run }) => run.ownership === ownership).reduce((all, each) => all + countedUnits(each), 0n)
  const isKnown = counted.length > 0 || positions.every(({ status }) => status === 'ended')
  const [direct, indirect] = [sum('D'), sum('I')]
  const stale = counted.map(({ staleSince }) => staleSince).filter((day) => day !== null)
  const haveForm3 = counted.every((position) => position.owners.some((cik) => owners.get(cik)?.hasForm3 === true))
  return {
    class: name,
    title: newest(positions).run.last.title,
    direct: isKnown ? direct : null,
    indirect: isKnown ? indirect : null,
    total: isKnown ? direct + indirect : null,
    confidence: confidenceOf(counted, haveForm3),
    staleSince: stale.length > 0 ? stale.reduce((a, b) => (a < b ? a : b)) : null,
    positions,
  }
}

function confidenceOf(counted: readonly Position[], haveForm3: boolean): Confidence {
  if (counted.some(({ status, isSuspect }) => status === 'old' || isSuspect)) return 'low'
  return haveForm3 && counted.every(({ status, splitSince }) => status === 'exact' && splitSince === null)
    ? 'high'
    : 'medium'
}

const newest = (positions: readonly Position[]): Position => positions.reduce((a, b) => (b.run.day > a.run.day ? b : a))

interface Holder {
  /** By CIK. */
  owners: Cik[]
  total: ClassTotal
}

export interface HeldClass {
  class: string
  title: string
  total: bigint
  /** The largest first; those who hold nothing are left out. */
  holders: Holder[]
}

/** Returns the holders of each class. Owners who report together are one holder. */
export function holdersOf(
  positions: readonly Position[],
  owners: ReadonlyMap<Cik, Pick<OwnerAtIssuer, 'hasForm3'>>,
): HeldClass[] {
  const partners = new Map<Position, Cik[]>()
  for (const { sameAs, owners: own } of positions) {
    if (sameAs) partners.set(sameAs, [...(partners.get(sameAs) ?? []), ...own])
  }
  const own = positions.filter(({ table, sameAs }) => table === 1 && sameAs === null)
  return [...Map.groupBy(own, (position) => position.class)]
    .map(([name, ofClass]): HeldClass => {
      const holders = [...Map.groupBy(ofClass, ({ holder }) => holder).values()]
        .map((held): Holder => {
          const all = held.filter(isCounted).flatMap((each) => [...each.owners, ...(partners.get(each) ?? [])])
          return { owners: [...new Set(all)].sort(), total: classTotal(name, held, owners) }
        })
        .filter(({ total }) => total.total !== null && total.total > 0n)
        .sort((a, b) => bySize(a.total.total, b.total.total) || (a.owners[0]! < b.owners[0]! ? -1 : 1))
      const total = holders.reduce((sum, holder) => sum + holder.total.total!, 0n)
      return { class: name, title: newest(ofClass).run.last.title, total, holders }
    })
    .filter(({ holders }) => holders.length > 0)
    .sort((a, b) => bySize(a.total, b.total) || (a.class < b.class ? -1 : 1))
}
