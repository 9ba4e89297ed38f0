// A Trade as rows of its sorted copies, and back. The only place that knows the columns of trades by heart.
import { cikNumber, type Cik } from '../../domain/identifiers.ts'
import type { Trade, TradeKey, TradeOwner } from '../../domain/trade.ts'
import type { InsertRow } from './client.ts'

const ROLE_BITS = [['isDirector', 1], ['isOfficer', 2], ['isTenPercentOwner', 4], ['isOther', 8]] as const

const place = (path: 'feed' | 'issuer' | 'insider', subject: Cik | 0): InsertRow => ({ path, subject: subject && cikNumber(subject) })

const key = (trade: TradeKey): InsertRow => ({ filed_at: trade.filedAt, accession: trade.accession, n: trade.place })

/** What all three copies show of a trade. */
const shown = (trade: Trade): InsertRow => ({
  ...key(trade),
  id: trade.id,
  issuer_cik: cikNumber(trade.issuerCik),
  ticker: trade.ticker,
  company_name: trade.companyName,
  insider_name: trade.insiderName,
  insider_title: trade.insiderTitle,
  type: trade.type,
  shares: trade.shares,
  price: trade.priceFiled ?? '0',
  total_value: trade.totalValue,
  significance: trade.significance,
  signals: trade.signals,
  ceo_cfo: trade.ceoOrCfo,
  price_status: trade.priceStatus,
  code: trade.code,
  acquired_disposed: trade.acquiredDisposed,
  direct_indirect: trade.directIndirect,
  trade_date: trade.date,
  trade_day: trade.tradeDay,
  shares_after: trade.sharesAfter,
  filed_basis: trade.filedBasis,
  plan: trade.plan,
  ambiguous: trade.ambiguous,
})

/** All rows of a trade. What is hidden is written as deleted, so that it also covers a row of an unfinished attempt. */
export function tradeRows(trade: Trade, version: number): InsertRow[] {
  const feed = { ...shown(trade), ...place('feed', 0), deleted: trade.listed ? 0 : 1 }
  const insiders = trade.owners.map((owner) => ({
    ...shown(trade),
    ...place('insider', owner.cik),
    owner_title: owner.title,
    deleted: trade.profileCiks.includes(owner.cik) ? 0 : 1,
  }))
  return [feed, issuerRow(trade), ...insiders].map((row) => ({ ...row, version }))
}

/** Rows that take a trade out of all copies again. */
export function goneRows(trade: TradeKey, version: number): InsertRow[] {
  const places = [place('feed', 0), place('issuer', trade.issuerCik), ...trade.ownerCiks.map((cik) => place('insider', cik))]
  return places.map((where) => ({ ...key(trade), ...where, version, deleted: 1 }))
}

function issuerRow(trade: Trade): InsertRow {
  return {
    ...shown(trade),
    ...place('issuer', trade.issuerCik),
    insider_cik: cikNumber(trade.insiderCik),
    listed: trade.listed,
    duplicate_of: trade.duplicateOf,
    superseded_by: trade.supersededBy,
    superseded_at: trade.supersededAt,
    profile_ciks: trade.profileCiks.map(cikNumber),
    price_filed: trade.priceFiled,
    security_title: trade.securityTitle,
    foreign: trade.foreign,
    symbols: trade.symbols,
    amendment: trade.amendment,
    original_date: trade.originalDate ?? '',
    filed_day: trade.filedDay,
    owner_ciks: trade.owners.map((owner) => cikNumber(owner.cik)),
    owner_names: trade.owners.map((owner) => owner.name),
    owner_titles: trade.owners.map((owner) => owner.title),
    owner_roles: trade.owners.map((owner) => ROLE_BITS.reduce((bits, [role, bit]) => bits + (owner[role] ? bit : 0), 0)),
    deleted: 0,
  }
}

/** Reads a whole Trade; decimals as text, because judging compares them exactly. */
export const TRADE_COLUMNS = `accession, n AS place, leftPad(toString(issuer_cik), 10, '0') AS issuerCik,
  toUnixTimestamp(filed_at) AS filedAt, id, company_name AS companyName, amendment,
  nullIf(original_date, '') AS originalDate, toString(filed_day) AS filedDay, filed_basis AS filedBasis,
  leftPad(toString(insider_cik), 10, '0') AS insiderCik, insider_name AS insiderName, insider_title AS insiderTitle,
  ceo_cfo AS ceoOrCfo, type, code, acquired_disposed AS acquiredDisposed, direct_indirect AS directIndirect,
  security_title AS securityTitle, trade_date AS date, toString(trade_day) AS tradeDay, toString(shares) AS sharesText,
  toString(price_filed) AS priceFiled, toString(shares_after) AS sharesAfter, toString(total_value) AS totalValue,
  foreign, symbols, plan, ambiguous, ticker, price_status AS priceStatus, listed,
  duplicate_of AS duplicateOf, superseded_by AS supersededBy, toUnixTimestamp(superseded_at) AS supersededAt,
  arrayMap(cik -> leftPad(toString(cik), 10, '0'), profile_ciks) AS profileCiks, significance, signals,
  arrayMap(cik -> leftPad(toString(cik), 10, '0'), owner_ciks) AS ownerCiks, owner_names AS ownerNames,
  owner_titles AS ownerTitles, owner_roles AS ownerRoles`

export interface StoredTrade extends Omit<Trade, 'owners' | 'shares'> {
  sharesText: string
  ownerNames: string[]
  ownerTitles: string[]
  ownerRoles: number[]
}

export function toTrade({ sharesText, ownerNames, ownerTitles, ownerRoles, ...stored }: StoredTrade): Trade {
  const owners = stored.ownerCiks.map((cik, index): TradeOwner => {
    const has = (bit: number) => (ownerRoles[index]! & bit) !== 0
    return {
      cik,
      name: ownerNames[index]!,
      title: ownerTitles[index]!,
      isDirector: has(1),
      isOfficer: has(2),
      isTenPercentOwner: has(4),
      isOther: has(8),
    }
  })
  return { ...stored, shares: sharesText, owners }
}
