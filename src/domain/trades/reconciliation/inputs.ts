// Inputs of the reconciliation: the parts of a trade that the three rules (amendments, duplicates, prices) need, each
// in its own shape.
import type { Cik } from '../../shared/identifiers.ts'
import { newYorkDay } from '../../shared/new-york-time.ts'
import type { AmendmentFiling, Amendments } from './amendments.ts'
import { eventKey, type SameEvents } from './duplicate-events.ts'
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
    period: first!.period,
    dateOfOriginal: first!.originalDate,
    ownerCiks: first!.ownerCiks,
    words: first!.amendmentWords,
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
    .map(({ accession, filedAt, period, originalDate, ownerCiks, amendmentWords }) => ({
      accession,
      formType: '4/A',
      acceptedAt: filedAt,
      filedDate: newYorkDay(filedAt),
      period,
      dateOfOriginal: originalDate,
      ownerCiks,
      words: amendmentWords,
      rows: [],
    }))
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
