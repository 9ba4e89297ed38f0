// Equal rows of invented filings, and which of them are taken for one event.
import { holdingOf, type Holding } from '../../../src/domain/trades/holding.ts'
import type { EventRow } from '../../../src/domain/trades/reconciliation/duplicate-events.ts'
import type { FilingOwners } from '../../../src/domain/trades/reconciliation/event-evidence.ts'
import { eventKey, type EventFacts } from '../../../src/domain/trades/reconciliation/row-matching.ts'
import { sameEvents } from '../../../src/domain/trades/reconciliation/duplicate-events.ts'

export const facts: EventFacts = {
  securityTitle: 'Common Stock',
  date: '2024-05-10',
  code: 'P',
  acquiredDisposed: 'A',
  shares: '5000',
  priceFiled: '9',
  sharesAfter: '12000',
}
export const KEY = eventKey(facts)

export interface Paper {
  name: string
  owners: string[]
  /** The owners' names. */
  called?: string[]
  rows?: number
  /** Of a 10% owner; else of directors and officers. */
  group?: boolean
  /** A director has more than 10%. */
  insiders?: boolean
  holding?: Holding
  /** In nature and footnotes. */
  names?: string[]
  code?: string
  amendment?: boolean
  key?: string
  accession?: string
  at?: number
}

export const START = Date.parse('2024-05-14T20:00:00Z') / 1000

/** Rows of invented filings, accepted in the order given, one second apart, with one agent's numbers. */
export function filed(...papers: Paper[]): EventRow[] {
  return papers.flatMap(({ name, owners, rows = 1, ...rest }, index) =>
    Array.from({ length: rows }, (_, at) => ({
      id: `${name}${at + 1}`,
      accession: rest.accession ?? numbered(100 + index),
      place: at + 1,
      filedAt: rest.at ?? START + index,
      ownerCiks: owners,
      ownerNames: rest.called ?? owners.map((owner) => `NUMBER ${owner}`),
      amendment: rest.amendment ?? false,
      groupHint: rest.group ?? false,
      insidersOnly: rest.insiders ?? !rest.group,
      holding: rest.holding ?? 'direct',
      holderNames: rest.names ?? [],
      code: rest.code ?? 'P',
      eventKey: rest.key ?? KEY,
    })),
  )
}

export const numbered = (number: number, agent = '0001000001-24'): string =>
  `${agent}-${String(number).padStart(6, '0')}`

/** `b1=a1` for each hidden row. */
export const hidden = (rows: EventRow[], joint: FilingOwners[] = []): string =>
  [...sameEvents(rows, joint).duplicateOf]
    .map((pair) => pair.join('='))
    .sort()
    .join(' ')

/** Which rows count in an owner's profile. */
export function profile(rows: EventRow[], owner: string): string {
  const { inProfile } = sameEvents(rows, [])
  return rows
    .filter((row) => inProfile(row.id, owner))
    .map((row) => row.id)
    .join(' ')
}

/** How a paper's rows are held indirectly, by nature and footnotes. */
export function held(nature: string, ...footnotes: string[]): Pick<Paper, 'holding' | 'names'> {
  const { holding, holderNames } = holdingOf({ directIndirect: 'I', nature }, footnotes)
  return { holding, names: holderNames }
}

/** What footnotes of directly held rows say. */
export function noted(...footnotes: string[]): Pick<Paper, 'holding' | 'names'> {
  const { holding, holderNames } = holdingOf({ directIndirect: 'D', nature: null }, footnotes)
  return { holding, names: holderNames }
}
