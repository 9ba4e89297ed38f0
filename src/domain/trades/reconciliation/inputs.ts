// Inputs of the reconciliation: the parts of a trade that the three rules (amendments, duplicates, prices) need, each
// in its own shape.
import type { AmendmentFiling } from './amendments.ts'
import { eventKey } from './duplicate-events.ts'
import type { EventRow, JointFiling } from './event-evidence.ts'
import type { RelatedFiling } from './related-filing.ts'
import type { TradeFacts } from '../trade.ts'

export type ReconciliationInput = Pick<
  TradeFacts,
  | 'id'
  | 'accession'
  | 'place'
  | 'issuerCik'
  | 'filedAt'
  | 'filedDay'
  | 'amendment'
  | 'originalDate'
  | 'ownerCiks'
  | 'securityTitle'
  | 'date'
  | 'code'
  | 'acquiredDisposed'
  | 'directIndirect'
  | 'shares'
  | 'priceFiled'
  | 'sharesAfter'
  | 'foreign'
  | 'holding'
  | 'holderNames'
  | 'period'
  | 'amendmentWords'
  | 'otherUnit'
>

/** Sorts by acceptance, the order in which filings are reconciled, whatever the order of arrival. */
export function byAcceptance(a: ReconciliationInput, b: ReconciliationInput): number {
  return a.filedAt - b.filedAt || (a.accession < b.accession ? -1 : a.accession > b.accession ? 1 : a.place - b.place)
}

/** Converts the filing's trades, in place order. */
export function amendmentFiling(filing: ReconciliationInput[]): AmendmentFiling {
  const [first] = filing
  return {
    accession: first!.accession,
    formType: first!.amendment ? '4/A' : '4',
    acceptedAt: first!.filedAt,
    filedDate: first!.filedDay,
    dateOfOriginal: first!.originalDate,
    ownerCiks: first!.ownerCiks,
    rows: filing.map((trade) => ({
      id: trade.id,
      place: trade.place,
      title: trade.securityTitle,
      acquiredDisposed: trade.acquiredDisposed,
      directIndirect: trade.directIndirect,
      date: trade.date,
      code: trade.code,
      shares: trade.shares,
      price: trade.priceFiled,
      sharesAfter: trade.sharesAfter,
    })),
  }
}

/** What an event needs of a filing's owners. */
export type EventOwners = Pick<EventRow, 'ownerNames' | 'groupHint' | 'insidersOnly'>

export function eventRow(trade: ReconciliationInput, owners: EventOwners): EventRow {
  const { ownerNames, groupHint, insidersOnly } = owners
  const { holding, holderNames } = trade
  return {
    id: trade.id,
    accession: trade.accession,
    place: trade.place,
    acceptedAt: trade.filedAt,
    isAmendment: trade.amendment,
    ownerCiks: trade.ownerCiks,
    ownerNames,
    groupHint,
    insidersOnly,
    holding,
    holderNames,
    code: trade.code,
    eventKey: eventKey({
      title: trade.securityTitle,
      date: trade.date,
      code: trade.code,
      acquiredDisposed: trade.acquiredDisposed,
      shares: trade.shares,
      price: trade.priceFiled,
      sharesAfter: trade.sharesAfter,
    }),
  }
}

/** Returns those of the filings that have several owners. */
export const jointFilings = (filings: readonly Pick<RelatedFiling, 'filedAt' | 'ownerCiks'>[]): JointFiling[] =>
  filings
    .filter(({ ownerCiks }) => ownerCiks.length > 1)
    .map(({ filedAt, ownerCiks }) => ({ acceptedAt: filedAt, ownerCiks }))
