// Conversion of a Trade to the shapes that the rules of signals and of significance take.
import { isEstimated } from '../filings/acceptance-time.ts'
import { parseDecimal, round, unitsAt } from '../shared/decimal.ts'
import type { Direction, SignalTrade } from './signal.ts'
import type { MarketTrade } from '../trades/first-buys.ts'
import type { Standing, Weighed } from '../trades/significance.ts'
import type { Trade, TradeOwner } from '../trades/trade.ts'
import { spokenRole } from '../wording/spoken-role.ts'

const tenPercentOnly = ({ isTenPercentOwner, isOfficer, isDirector }: TradeOwner) =>
  isTenPercentOwner && !isOfficer && !isDirector

/** Converts a trade with code P or S for the rules of signals. */
export function signalTrade(trade: Trade): SignalTrade {
  const { insiderTitle, ceo } = trade
  const isCeoOrCfo = ceo || trade.cfo
  const officer = trade.owners.some((owner) => owner.isOfficer)
  return {
    ...marketTrade(trade),
    place: trade.place,
    directionByCode: trade.code === 'P' ? 'buy' : 'sell',
    valueCents: centsOf(trade),
    price: Number(trade.priceFiled ?? 0),
    priceStatus: trade.priceStatus,
    suspectUntil: trade.suspectUntil,
    sharesStatus: trade.sharesStatus,
    plan: trade.plan,
    insiderName: trade.insiderName,
    insiderRole: spokenRole(insiderTitle, { officer, ceo, isCeoOrCfo }),
    officer,
    standing: standingOf(trade.owners),
    tenPercentOnly: trade.owners.every(tenPercentOnly),
    ceo,
    isCeoOrCfo,
  }
}

/** Converts a trade with code P or S for the search for first purchases and routine trades. */
export function marketTrade(trade: Omit<Trade, 'significance'>): MarketTrade {
  const { id, accession, filedAt, filedDay, ownerCiks, duplicateOf, supersededBy, supersededAt } = trade
  return {
    ...{ id, accession, filedAt, filedDay, ownerCiks, duplicateOf, supersededBy, supersededAt },
    isDayKnown: !isEstimated(trade.filedBasis),
    day: trade.tradeDay,
    direction: directionOf(trade),
    byIssuer: isByIssuer(trade),
  }
}

/** Converts a trade for its significance. */
export function weighedTrade(trade: Omit<Trade, 'significance'>): Weighed {
  const { accession, priceStatus, sharesStatus, duplicateOf, supersededBy, plan, routine, signalled } = trade
  const direction = directionOf(trade)
  return {
    ...{ accession, priceStatus, sharesStatus, duplicateOf, supersededBy, plan, routine, signalled },
    direction,
    valueCents: direction === null ? 0 : centsOf(trade),
    byIssuer: isByIssuer(trade),
    standing: standingOf(trade.owners),
  }
}

const directionOf = ({ type }: Pick<Trade, 'type'>): Direction | null =>
  type === 'buy' || type === 'sell' ? type : null

const isByIssuer = ({ ownerCiks, issuerCik }: Pick<Trade, 'ownerCiks' | 'issuerCik'>): boolean =>
  ownerCiks.includes(issuerCik)

function standingOf(owners: readonly TradeOwner[]): Standing {
  if (owners.some((owner) => owner.isOfficer || owner.isDirector)) return 'officer_or_director'
  return owners.some((owner) => owner.isTenPercentOwner) ? 'ten_percent_owner' : 'other'
}

function centsOf({ totalValue }: Pick<Trade, 'totalValue'>): number {
  return Number(unitsAt(round(parseDecimal(totalValue)!, 2), 2))
}
