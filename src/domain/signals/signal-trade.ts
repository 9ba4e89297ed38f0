// Conversion of a Trade to the shapes that the rules of signals and of significance take.
import { isEstimated } from '../filings/acceptance-time.ts'
import { parseDecimal, round, unitsAt } from '../shared/decimal.ts'
import type { SignalTrade } from './signal.ts'
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
    id: trade.id,
    accession: trade.accession,
    place: trade.place,
    filedAt: trade.filedAt,
    filedDay: trade.filedDay,
    isDayKnown: !isEstimated(trade.filedBasis),
    day: trade.tradeDay,
    direction: trade.type === 'buy' || trade.type === 'sell' ? trade.type : null,
    directionByCode: trade.code === 'P' ? 'buy' : 'sell',
    valueCents: centsOf(trade),
    price: Number(trade.priceFiled ?? 0),
    priceStatus: trade.priceStatus,
    sharesStatus: trade.sharesStatus,
    plan: trade.plan,
    ownerCiks: trade.ownerCiks,
    insiderName: trade.insiderName,
    insiderRole: spokenRole(insiderTitle, { officer, ceo, isCeoOrCfo }),
    officer,
    standing: standingOf(trade.owners),
    tenPercentOnly: trade.owners.every(tenPercentOnly),
    ceo,
    isCeoOrCfo,
    byIssuer: trade.ownerCiks.includes(trade.issuerCik),
    duplicateOf: trade.duplicateOf,
    supersededBy: trade.supersededBy,
    supersededAt: trade.supersededAt,
  }
}

/** Converts a trade with code P or S for the search for first purchases. */
export function marketTrade(trade: Trade): MarketTrade {
  const { id, accession, filedAt, filedDay, filedBasis, tradeDay, type, ownerCiks, issuerCik } = trade
  const { duplicateOf, supersededBy, supersededAt } = trade
  const direction = type === 'buy' || type === 'sell' ? type : null
  const byIssuer = ownerCiks.includes(issuerCik)
  return {
    ...{ id, accession, filedAt, filedDay, day: tradeDay, direction, ownerCiks, byIssuer },
    ...{ isDayKnown: !isEstimated(filedBasis), duplicateOf, supersededBy, supersededAt },
  }
}

/** Converts a trade for its significance. */
export function weighedTrade(trade: Omit<Trade, 'significance'>): Weighed {
  const { accession, type, priceStatus, sharesStatus, listed, plan, routine, signalled } = trade
  const isMarket = type === 'buy' || type === 'sell'
  return {
    accession,
    type,
    priceStatus,
    sharesStatus,
    listed,
    plan,
    routine,
    signalled,
    valueCents: isMarket ? centsOf(trade) : 0,
    byIssuer: trade.ownerCiks.includes(trade.issuerCik),
    standing: standingOf(trade.owners),
  }
}

/** Converts a trade of the signals for its significance. */
export function weighedSignalTrade(trade: SignalTrade & Pick<Trade, 'routine' | 'signalled'>): Weighed {
  const { accession, direction, priceStatus, sharesStatus, valueCents, byIssuer, standing } = trade
  const { plan, routine, signalled } = trade
  const listed = trade.supersededBy === '' && trade.duplicateOf === ''
  return {
    accession,
    type: direction ?? 'other',
    priceStatus,
    sharesStatus,
    valueCents,
    listed,
    byIssuer,
    standing,
    plan,
    routine,
    signalled,
  }
}

function standingOf(owners: readonly TradeOwner[]): Standing {
  if (owners.some((owner) => owner.isOfficer || owner.isDirector)) return 'officer_or_director'
  return owners.some((owner) => owner.isTenPercentOwner) ? 'ten_percent_owner' : 'other'
}

function centsOf({ totalValue }: Pick<Trade, 'totalValue'>): number {
  return Number(unitsAt(round(parseDecimal(totalValue)!, 2), 2))
}
