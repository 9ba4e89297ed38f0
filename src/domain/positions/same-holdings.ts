// Finds holdings that several owners report separately, such as a chain of firms, or spouses who are both insiders. The
// company's total counts such a holding once.
import { byAcceptance } from '../shared/order.ts'
import { isEvidence, JointOwners, Report } from '../trades/reconciliation/event-evidence.ts'
import type { Position } from './positions.ts'

/** The most positions with equal balances of one class that are compared with each other. */
const MOST_COMPARED = 20

const APART = new JointOwners([])

/** Returns copies with the position that counts for each. */
export function sameHoldings(positions: readonly Position[]): Map<Position, Position> {
  const standing = positions.filter(
    ({ table, units, status, isOverlapping }) =>
      table === 1 && units !== null && units > 0n && status !== 'exited' && !isOverlapping,
  )
  const copies = new Map<Position, Position>()
  for (const equal of Map.groupBy(standing, (each) => `${each.class}\n${each.units}`).values()) {
    if (equal.length === 1) continue
    const sorted = equal.toSorted(byPrecedence).slice(0, MOST_COMPARED)
    const reports = new Map(sorted.map((each) => [each, new Report(rowOf(each))]))
    const counted = new Map<Position, Set<string>>()
    for (const each of sorted) {
      const original = [...counted.keys()].find(
        (other) =>
          other.owners.every((cik) => !each.owners.includes(cik)) &&
          !counted.get(other)!.has(each.holder) &&
          isSame(reports.get(other)!, reports.get(each)!),
      )
      if (original) {
        copies.set(each, original)
        counted.get(original)!.add(each.holder)
      } else counted.set(each, new Set([each.holder]))
    }
  }
  return copies
}

/** Orders positions that are held directly first, then by acceptance. */
function byPrecedence(a: Position, b: Position): number {
  const [first, second] = [a.run, b.run]
  if (first.ownership !== second.ownership) return first.ownership === 'D' ? -1 : 1
  return byAcceptance(first.evidence, second.evidence)
}

const isSame = (some: Report, other: Report): boolean => {
  const [earlier, later] = some.row.filedAt <= other.row.filedAt ? [some, other] : [other, some]
  return isEvidence(earlier, later, APART) || areMarried(some, other) || areMarried(other, some)
}

/** Whether one is held through the spouse, and the other directly by an owner with the same surname. */
function areMarried({ row: through }: Report, { row: direct }: Report): boolean {
  if (through.holding !== 'spouse' || direct.holding !== 'direct') return false
  const surnames = new Set(direct.ownerNames.map(surname))
  return through.ownerNames.some((name) => surnames.has(surname(name)))
}

const surname = (name: string): string => name.trim().split(/[\s,]/, 1)[0]!.toUpperCase()

function rowOf({ run }: Position) {
  const { evidence, last } = run
  return {
    accession: evidence.accession,
    filedAt: evidence.filedAt,
    ownerCiks: evidence.owners.map(({ cik }) => cik),
    ownerNames: evidence.owners.map((owner) => owner.name),
    groupHint: evidence.owners.some(({ isGroup }) => isGroup),
    insidersOnly: evidence.owners.every(({ isInsider }) => isInsider),
    code: last.code ?? '',
    holding: last.holding ?? ('direct' as const),
    holderNames: last.holderNames ?? [],
  }
}
