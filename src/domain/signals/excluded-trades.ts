// Excluded trades: those around a signal that don't count towards it, each with the first reason that applies.
import type { Owner, Person, Row, Slot } from './trade-timeline.ts'
import type { ExcludedTrade, ExclusionReason } from './signal.ts'

/** Where to look for the trades that a signal excludes. */
export interface Neighbourhood {
  /** The persons whose rows they may be; null for everyone's. */
  persons: readonly Person[] | null
  /** All rows of the cluster, counted or not; null for a single person's signal. */
  members: readonly Row[] | null
}

/**
 * Returns them as known at the event with the index `evaluatedBy`, at which the signal was last evaluated, in the order
 * of (trade day, filedAt, accession, place).
 */
export function excludedTradesOf(
  around: Neighbourhood,
  slots: readonly Slot[],
  evaluatedBy: number,
  counted: ReadonlySet<Row>,
): ExcludedTrade[] {
  const members = around.members && new Set(around.members)
  const owners = around.persons && new Set<Owner>(around.persons.flatMap((person) => person.owners))
  const about = (row: Row): boolean =>
    row.addedAt <= evaluatedBy &&
    !counted.has(row) &&
    (owners === null || row.owners.some((owner) => owners.has(owner)))
  return slots.flatMap((slot) =>
    slot.rows
      .filter(about)
      .map((row): ExcludedTrade => ({ id: row.trade.id, reason: reasonOf(row, evaluatedBy, members) })),
  )
}

/** Returns the reason. A row that meets all conditions on rows belongs to another cluster, or to too small a sum. */
function reasonOf(row: Row, evaluatedBy: number, members: ReadonlySet<Row> | null): ExclusionReason {
  const { trade } = row
  if (row.removedAt <= evaluatedBy) return 'superseded'
  if (trade.duplicateOf !== '') return 'duplicate'
  if (trade.direction === null) return 'contradictory_code'
  if (trade.byIssuer) return 'issuer_itself'
  if (trade.priceStatus === 'suspect' || trade.suspectUntil !== 0) return 'suspect_price'
  if (trade.priceStatus === 'foreign') return 'foreign_price'
  if (trade.priceStatus === 'other_unit') return 'other_unit'
  if (trade.sharesStatus === 'suspect') return 'suspect_shares'
  if (trade.priceStatus !== 'as_filed' || trade.valueCents <= 0) return 'no_price'
  if (trade.plan === 'yes') return 'plan'
  if (trade.tenPercentOnly) return 'ten_percent_owner'
  if (members && !members.has(row)) return 'other_cluster'
  return 'below_minimum'
}
