// Reconciliation of related trades: the decisions of reconcile-issuer.ts over parts of an issuer's trades, for a bulk
// load, which hands over only rows whose result depends on others. Each of the three decisions needs all rows of its
// own kind, and no others: an amendment the 4/As and their possible originals, an event all rows equal in key, a price
// all prices of the issuer.
import { amendmentSteps, type Amendments } from './amendments.ts'
import type { Cik } from '../../shared/identifiers.ts'
import type { Steps } from '../../shared/steps.ts'
import {
  amendmentFiling,
  byAcceptance,
  eventRow,
  jointFilings,
  withRepeats,
  type EventOwners,
  type ReconciliationInput,
} from './inputs.ts'
import type { RelatedFiling, WithdrawnFilings } from './related-filing.ts'
import { PriceChecker } from './price-history.ts'
import { sameEventSteps, type SameEvents } from './duplicate-events.ts'
import type { TradeVerdict } from '../trade.ts'

type Decided = Pick<
  TradeVerdict,
  'priceStatus' | 'duplicateOf' | 'supersededBy' | 'supersededAt' | 'ambiguous' | 'profileCiks'
>

export interface CandidateTrade extends ReconciliationInput, EventOwners {
  /** An owner of the filing holds more than 10 %. */
  tenPercentOwner: boolean
  /** The SEC's number of the row in a data set. */
  setKey: number
  /** What was decided before; null for a row that is not stored yet. */
  stored: Decided | null
}

/** Each list holds all rows of its kind, of all issuers in question. */
export interface RelatedTrades {
  amendable: CandidateTrade[]
  equal: CandidateTrade[]
  priced: CandidateTrade[]
  /** Joint filings of the issuers of `equal`, of any form. */
  joint: Pick<RelatedFiling, 'issuerCik' | 'filedAt' | 'ownerCiks'>[]
}

/** `priceStatus` null: as the row itself says. */
export type CandidateVerdict = Omit<Decided, 'priceStatus'> & { priceStatus: TradeVerdict['priceStatus'] | null }

interface ReconciledTrades {
  verdicts: Map<string, CandidateVerdict>
  /** Issuers of which more must be known: a stored row is listed again whose equals were not handed over. */
  again: Set<Cik>
}

/** `withdrawn`: filings among those not stored yet that the SEC withdrew. Their rows get no verdict. */
export function* reconcileSubset(
  related: RelatedTrades,
  withdrawn: WithdrawnFilings = new Map(),
): Steps<ReconciledTrades> {
  const { joint } = related
  // Rows of a filing that the SEC withdrew stay as they are, and decide nothing about others.
  const isWithdrawn = ({ accession, stored }: CandidateTrade): boolean =>
    stored ? stored.supersededBy === accession : withdrawn.has(accession)
  const standing = (trades: CandidateTrade[]) => trades.filter((trade) => !isWithdrawn(trade))
  const [amendable, equal, priced] = [related.amendable, related.equal, related.priced].map(standing) as [
    CandidateTrade[],
    CandidateTrade[],
    CandidateTrade[],
  ]
  const amended = yield* amendments(amendable)
  const owners = new Map([...amendable, ...equal].map((trade) => [trade.id, trade.ownerCiks]))
  const events = withRepeats(yield* eventsOf(equal, joint), amended.duplicates, (id) => owners.get(id)!)
  const [isAmendable, isEqual] = [idsOf(amendable), idsOf(equal)]
  const again = new Set<Cik>()
  const decide = (trade: CandidateTrade): CandidateVerdict => {
    const { stored } = trade
    const superseded = isAmendable.has(trade.id)
      ? (amended.superseded.get(trade.id) ?? { by: '', at: 0 })
      : { by: stored?.supersededBy ?? '', at: stored?.supersededAt ?? 0 }
    const isDecided = isEqual.has(trade.id) || amended.duplicates.has(trade.id)
    const duplicateOf = isDecided ? (events.duplicateOf.get(trade.id) ?? '') : (stored?.duplicateOf ?? '')
    const standsAgain = superseded.by === '' && stored !== null && stored.supersededBy !== ''
    // A 4/A's row may repeat one in force that is not among the equal ones, or have done so.
    const mayRepeat = amended.duplicates.has(trade.id) || (trade.amendment && (stored?.duplicateOf ?? '') !== '')
    if ((standsAgain || mayRepeat) && !isEqual.has(trade.id)) again.add(trade.issuerCik)
    const counting = isDecided
      ? trade.ownerCiks.filter((cik) => events.inProfile(trade.id, cik))
      : (stored?.profileCiks ?? trade.ownerCiks)
    return {
      priceStatus: stored?.priceStatus ?? null,
      duplicateOf,
      supersededBy: superseded.by,
      supersededAt: superseded.at,
      ambiguous: isAmendable.has(trade.id) ? amended.ambiguous.has(trade.accession) : (stored?.ambiguous ?? false),
      profileCiks: counting,
    }
  }
  const verdicts = new Map<string, CandidateVerdict>()
  for (const trade of [...amendable, ...equal, ...priced]) {
    verdicts.set(trade.id, decide(trade))
    yield
  }
  yield* checkPrices(priced, verdicts)
  const all = [...related.amendable, ...related.equal, ...related.priced]
  for (const { id, stored } of all.filter(isWithdrawn)) if (stored) verdicts.set(id, stored)
  return { verdicts, again }
}

type SubsetAmendments = Pick<Amendments, 'superseded' | 'ambiguous' | 'duplicates'>

function* amendments(rows: CandidateTrade[]): Steps<SubsetAmendments> {
  const outcome: SubsetAmendments = {
    superseded: new Map(),
    ambiguous: new Set(),
    duplicates: new Map(),
  }
  for (const trades of Map.groupBy(rows, (trade) => trade.issuerCik).values()) {
    const filings = [...Map.groupBy(trades.toSorted(byAcceptance), (trade) => trade.accession).values()]
    const { superseded, ambiguous, duplicates } = yield* amendmentSteps(filings.map(amendmentFiling))
    for (const [id, supersession] of superseded) outcome.superseded.set(id, supersession)
    for (const accession of ambiguous) outcome.ambiguous.add(accession)
    for (const [id, repeated] of duplicates) outcome.duplicates.set(id, repeated)
  }
  return outcome
}

/** Finds events issuer by issuer, because keys of events leave the issuer out. */
function* eventsOf(rows: CandidateTrade[], joint: RelatedTrades['joint']): Steps<SameEvents> {
  const duplicateOf = new Map<string, string>()
  const profiles = new Map<string, SameEvents['inProfile']>()
  const jointOf = Map.groupBy(joint, ({ issuerCik }) => issuerCik)
  for (const [issuer, trades] of Map.groupBy(rows, (trade) => trade.issuerCik)) {
    const events = yield* sameEventSteps(
      trades.map((trade) => eventRow(trade, trade)),
      jointFilings(jointOf.get(issuer) ?? []),
    )
    for (const [id, shown] of events.duplicateOf) duplicateOf.set(id, shown)
    for (const { id } of trades) profiles.set(id, events.inProfile)
  }
  return { duplicateOf, inProfile: (id, owner) => profiles.get(id)?.(id, owner) ?? true }
}

function* checkPrices(rows: CandidateTrade[], verdicts: Map<string, CandidateVerdict>): Steps<void> {
  for (const trades of Map.groupBy(rows, (trade) => trade.issuerCik).values()) {
    const prices = new PriceChecker()
    const superseded = Map.groupBy(
      trades.map(({ id }) => id),
      (id) => verdicts.get(id)!.supersededBy,
    )
    for (const filing of Map.groupBy(trades.toSorted(byAcceptance), (trade) => trade.accession).values()) {
      yield
      const statuses = prices.check(
        filing,
        superseded.get(filing[0]!.accession) ?? [],
        (id) => verdicts.get(id)!.duplicateOf || undefined,
      )
      filing.forEach((trade, index) => {
        verdicts.get(trade.id)!.priceStatus = statuses[index]!
      })
    }
  }
}

const idsOf = (trades: CandidateTrade[]) => new Set(trades.map((trade) => trade.id))
