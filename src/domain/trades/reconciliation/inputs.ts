// Inputs of the reconciliation: the parts of a trade that the three rules (amendments, duplicates, prices) need, each
// in its own shape.
import type { Cik } from '../../shared/identifiers.ts'
import { newYorkDay } from '../../shared/new-york-time.ts'
import { byPlace } from '../../shared/order.ts'
import type { AmendmentFiling, Amendments } from './amendments.ts'
import type { EventRow, SameEvents } from './duplicate-events.ts'
import type { EventOwners } from './event-evidence.ts'
import type { PricedTrade } from './price-history.ts'
import type { RelatedFiling } from './related-filing.ts'
import { eventKey, type AmendmentRow } from './row-matching.ts'
import type { TradeFacts } from '../trade.ts'

/** What the three rules read of a trade. */
export type ReconciliationInput = AmendmentRow &
  Omit<AmendmentFiling, 'rows'> &
  Omit<EventRow, keyof EventOwners | 'eventKey'> &
  Omit<PricedTrade, 'tenPercentOwner'> &
  Pick<TradeFacts, 'issuerCik'>

/** Returns the filings in the order in which they are reconciled, with their trades in the order of place. */
export const filingsOf = <Input extends ReconciliationInput>(trades: readonly Input[]): Input[][] => [
  ...Map.groupBy(trades.toSorted(byPlace), ({ accession }) => accession).values(),
]

export const amendmentFiling = (filing: ReconciliationInput[]): AmendmentFiling => ({ ...filing[0]!, rows: filing })

/** Returns the Forms 4/A among the related filings that have no rows and may withdraw their original. */
export const withdrawals = (
  related: readonly RelatedFiling[],
  filings: readonly ReconciliationInput[][],
): AmendmentFiling[] => {
  const withRows = new Set(filings.map(([first]) => first!.accession))
  return related
    .filter(
      ({ accession, form, amendmentWords }) => form === '4/A' && amendmentWords.length > 0 && !withRows.has(accession),
    )
    .map((filing) => ({ ...filing, amendment: true, filedDay: newYorkDay(filing.filedAt), rows: [] }))
}

export function eventRow(trade: ReconciliationInput, { ownerNames, groupHint, insidersOnly }: EventOwners): EventRow {
  const { id, accession, place, filedAt, amendment, ownerCiks, code, holding, holderNames } = trade
  return {
    ...{ id, accession, place, filedAt, amendment, ownerCiks, code, holding, holderNames },
    ...{ ownerNames, groupHint, insidersOnly },
    eventKey: eventKey(trade),
  }
}

/**
 * Returns the events after the amendment rule has its say: a 4/A's row that repeats one in force is a duplicate of it,
 * and counts in no profile in which that one counts. `ownersOf` must know the row that is repeated.
 */
export function withRepeats(
  events: SameEvents,
  repeats: Amendments['duplicates'],
  ownersOf: (id: string) => readonly Cik[],
): SameEvents {
  const repeated = [...repeats].map(([id, row]): [string, string] => [id, events.duplicateOf.get(row) ?? row])
  return {
    duplicateOf: new Map([...events.duplicateOf, ...repeated]),
    inProfile: (id, owner) => {
      const row = repeats.get(id)
      return events.inProfile(id, owner) && (row === undefined || !ownersOf(row).includes(owner))
    },
  }
}
