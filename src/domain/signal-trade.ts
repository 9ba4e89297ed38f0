// A Trade as the rules of signals see it.
import { parseDecimal, round, unitsAt } from './decimal.ts'
import type { SignalTrade } from './signal.ts'
import type { Trade, TradeOwner } from './trade.ts'

/** Whether signals ask about it at all: bought or sold in the open market or privately, code P or S. */
export const isSignalTrade = ({ code }: Pick<Trade, 'code'>): boolean => code === 'P' || code === 'S'

const tenPercentOnly = ({ isTenPercentOwner, isOfficer, isDirector }: TradeOwner) => isTenPercentOwner && !isOfficer && !isDirector

/** Of a trade with code P or S. */
export function signalTrade(trade: Trade): SignalTrade {
  return {
    id: trade.id,
    accession: trade.accession,
    place: trade.place,
    filedAt: trade.filedAt,
    filedDay: trade.filedDay,
    day: trade.tradeDay,
    direction: trade.type === 'buy' || trade.type === 'sell' ? trade.type : null,
    wanted: trade.code === 'P' ? 'buy' : 'sell',
    cents: Number(unitsAt(round(parseDecimal(trade.totalValue)!, 2), 2)),
    priceStatus: trade.priceStatus,
    plan: trade.plan,
    ownerCiks: trade.ownerCiks,
    insiderName: trade.insiderName,
    officer: trade.owners.some((owner) => owner.isOfficer),
    tenPercentOnly: trade.owners.every(tenPercentOnly),
    ceo: trade.ceo,
    chief: trade.ceoOrCfo,
    byIssuer: trade.ownerCiks.includes(trade.issuerCik),
    duplicateOf: trade.duplicateOf,
    supersededBy: trade.supersededBy,
    supersededAt: trade.supersededAt,
  }
}
