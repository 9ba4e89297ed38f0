// Reconciliation of related trades: the decisions of reconcile-issuer.ts over parts of an issuer's trades, for a bulk
// load, which hands over only rows whose result depends on others. Each of the three decisions needs all rows of its
// own kind, and no others: an amendment the 4/As and their possible originals, an event all rows equal in key, a price
// all prices of the issuer.
import { amendmentSteps } from './amendments.ts'
import type { Cik } from '../../shared/identifiers.ts'
import type { Steps } from '../../shared/steps.ts'
import type { EventOwners } from './event-evidence.ts'
import { amendmentFiling, eventRow, filingsOf, withRepeats, type ReconciliationInput } from './inputs.ts'
import type { RelatedFiling, WithdrawnFilings } from './related-filing.ts'
import { PriceChecker } from './price-history.ts'
import { sameEventSteps } from './duplicate-events.ts'
import type { TradeVerdict } from '../trade.ts'

type Decided = Pick<
  TradeVerdict,
  'priceStatus' | 'suspectUntil' | 'duplicateOf' | 'supersededBy' | 'supersededAt' | 'ambiguous' | 'profileCiks'
>

export interface CandidateTrade extends ReconciliationInput, EventOwners {
  /** An owner of the filing holds more than 10 %. */
  tenPercentOwner: boolean
  /** The SEC's number of the row in a data set. */
  setKey: number
  /** What was decided before; null for a row that is not stored yet. */
  stored: Decided | null
}

/** Each list holds all rows of its kind. */
export interface RelatedTrades {
  amendable: CandidateTrade[]
  equal: CandidateTrade[]
  priced: CandidateTrade[]
  /** Joint filings of any form. */
  joint: Pick<RelatedFiling, 'issuerCik' | 'filedAt' | 'ownerCiks'>[]
}

/** `priceStatus` null: as the row itself says. */
export type CandidateVerdict = Omit<Decided, 'priceStatus'> & { priceStatus: TradeVerdict['priceStatus'] | null }

interface ReconciledTrades {
  verdicts: Map<string, CandidateVerdict>
  /** Issuers of which more must be known: a stored row is listed again whose equals were not handed over. */
  again: Set<Cik>
}

/**
 * Reconciles the trades of one issuer. `withdrawn`: filings not stored yet that the SEC withdrew. Their rows get no
 * verdict.
 */
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
  const amended = yield* amendmentSteps(filingsOf(amendable).map(amendmentFiling))
  const owners = new Map([...amendable, ...equal].map((trade) => [trade.id, trade.ownerCiks]))
  const [isAmendable, isEqual] = [idsOf(amendable), idsOf(equal)]
  const { duplicateOf, inProfile } = yield* sameEventSteps(
    equal.map((trade) => eventRow(trade, trade)),
    joint,
  )
  // A row without equal ones is an event of its own.
  const found = { duplicateOf, inProfile: (id: string, owner: Cik) => !isEqual.has(id) || inProfile(id, owner) }
  const events = withRepeats(found, amended.duplicates, (id) => owners.get(id)!)
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
      suspectUntil: stored?.suspectUntil ?? 0,
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

function* checkPrices(rows: CandidateTrade[], verdicts: Map<string, CandidateVerdict>): Steps<void> {
  const prices = new PriceChecker()
  const superseded = Map.groupBy(
    rows.map(({ id }) => id),
    (id) => verdicts.get(id)!.supersededBy,
  )
  for (const filing of filingsOf(rows)) {
    yield
    prices.check(filing, superseded.get(filing[0]!.accession) ?? [], (id) => verdicts.get(id)!.duplicateOf || undefined)
  }
  for (const { id } of rows) {
    yield
    Object.assign(verdicts.get(id)!, prices.verdict(id))
  }
}

const idsOf = (trades: CandidateTrade[]) => new Set(trades.map((trade) => trade.id))
