// Positions as they are answered: those of one insider at one company, and the holders of a company.
import type { components } from '../../contract.ts'
import {
  oldAfter,
  positionsOf,
  type IssuerPositions,
  type OwnerAtIssuer,
  type Position,
} from '../../domain/positions/positions.ts'
import { SCALE } from '../../domain/positions/runs.ts'
import { classTotals, holdersOf, type ClassTotal } from '../../domain/positions/totals.ts'
import { multiply, parseDecimal, round, toText } from '../../domain/shared/decimal.ts'
import type { Cik, DateText, Ticker } from '../../domain/shared/identifiers.ts'
import { newYorkDay, timestampOf } from '../../domain/shared/new-york-time.ts'
import { byAcceptance } from '../../domain/shared/order.ts'
import type { Evidence } from '../../domain/positions/evidence.ts'

type Schemas = components['schemas']
type Line = Schemas['PositionLine']

/** Evidence of an insider's filings and of other owners' at the same companies. */
export interface EvidenceOfInsider {
  cik: Cik
  /** The newest first. */
  own: readonly Evidence[]
  all: readonly Evidence[]
}

/** What an insider holds at a company, as JSON without the company's symbol, which depends on the SEC's list. */
export interface InsiderHoldings {
  issuerCik: Cik
  /** All other fields of an InsiderPosition. */
  rest: string
  /** The symbols in the insider's newest filing. */
  symbols: Ticker[]
  /** The symbols in the company's newest filing that states any. */
  typed: Ticker[]
}

type HoldingFields = Omit<Schemas['InsiderPosition'], 'issuerCik' | 'ticker'>

/** Returns what an insider holds, by company, that of the newest filing first. `asOf` in seconds. */
export function insiderHoldings({ cik, own, all }: EvidenceOfInsider, asOf: number): InsiderHoldings[] {
  const ofIssuers = Map.groupBy(all, ({ issuerCik }) => issuerCik)
  return [...Map.groupBy(own, ({ issuerCik }) => issuerCik)].map(([issuerCik, [newest]]) => {
    const ofIssuer = ofIssuers.get(issuerCik)!
    const naming = ofIssuer.filter(({ symbols }) => symbols.length > 0).sort(byAcceptance)
    const rest = holdingFields({ ...positionsOf(ofIssuer, asOf), newest: newest! }, cik, asOf)
    return { issuerCik, rest: JSON.stringify(rest), symbols: newest!.symbols, typed: naming.at(-1)?.symbols ?? [] }
  })
}

/** `newest` is the insider's newest filing. */
function holdingFields(
  { positions, owners, newest }: IssuerPositions & { newest: Evidence },
  cik: Cik,
  asOf: number,
): HoldingFields {
  const own = positions.filter((position) => position.owners.includes(cik))
  const owner = owners.get(cik)!
  const copies = Map.groupBy(positions, (position) => position.sameAs ?? position)
  const told = (position: Position): Line => {
    const holders = new Set(copies.get(position.sameAs ?? position)!.flatMap((each) => each.owners))
    holders.delete(cik)
    const sharedWith = [...holders].sort().map((other) => ({ cik: other, name: owners.get(other)!.name }))
    return lineOf(position, sharedWith)
  }
  return {
    companyName: newest.companyName,
    openedBefore: owner.hasForm3 ? null : owner.firstDay,
    exitedSince: owner.exit?.day ?? null,
    nothingOwned: own.length === 0 ? nothingOwned(owner, newYorkDay(asOf)) : null,
    classes: classTotals(own, owners).map((total) => ({
      securityTitle: total.title,
      ...totalsOf(total),
      lines: total.positions.toSorted(byLine).map(told),
    })),
    derivatives: own
      .filter(({ table, status }) => table === 2 && status !== 'ended')
      .toSorted(byInstrument)
      .map((position) => derivativeOf(position, told(position))),
  }
}

/** Where nothing was reported since: a position of zero, known as long as anything of the owner is. */
function nothingOwned({ nothingOwned: form, newestDay }: OwnerAtIssuer, day: DateText): Schemas['NothingOwned'] | null {
  if (!form) return null
  const old = oldAfter(newestDay)
  const isOld = old < day
  return {
    evidenceDay: form.period,
    accessionNumber: form.accession,
    filingDate: timestampOf(form.filedAt),
    confidence: isOld ? 'low' : 'high',
    staleSince: isOld ? old : null,
  }
}

function totalsOf({ direct, indirect, total, confidence, staleSince }: ClassTotal) {
  return {
    direct: numberOf(direct),
    indirect: numberOf(indirect),
    total: numberOf(total),
    confidence: total === null ? null : confidence,
    staleSince,
  }
}

function lineOf(position: Position, sharedWith: Line['sharedWith']): Line {
  const { run, units, status, gap, since, staleSince, splitSince, unitsAdjusted, isOverlapping } = position
  const { evidence, last } = run
  return {
    securityTitle: last.title,
    ownership: run.ownership === 'D' ? 'direct' : 'indirect',
    natureOfOwnership: last.nature ?? null,
    units: numberOf(units),
    unitsAdjusted: numberOf(unitsAdjusted),
    splitSince,
    value: last.value === undefined ? null : Number(last.value),
    status,
    gapUnits: numberOf(gap),
    since,
    staleSince,
    evidenceDay: run.day,
    accessionNumber: evidence.accession,
    filingDate: timestampOf(evidence.filedAt),
    sharedWith,
    disclaimed: run.rows.some(({ disclaimed }) => disclaimed === true),
    overlapping: isOverlapping,
  }
}

function derivativeOf({ run: { last } }: Position, line: Line): Schemas['DerivativePosition'] {
  const { unitsAdjusted: _, splitSince: _since, overlapping: _overlapping, ...common } = line
  return {
    ...common,
    exercisePrice: last.exercisePrice === undefined ? null : Number(last.exercisePrice),
    expirationDate: last.expires ?? null,
    underlyingTitle: last.underlyingTitle ?? null,
    underlyingUnits: underlyingUnits(last),
  }
}

/** A transaction has the underlying units of what was traded, not of what is held. */
function underlyingUnits({ kind, shares, after, underlying }: Position['run']['last']): number | null {
  if (underlying === undefined) return null
  if (kind === 'holding') return Number(underlying)
  const [moved, held, under] = [shares, after, underlying].map((text) => parseDecimal(text ?? ''))
  if (!moved || !held || !under || moved.units === 0n) return null
  const { units, scale } = multiply(under, held)
  const ratio = (units * 10n ** BigInt(moved.scale + SCALE)) / moved.units
  return Number(toText(round({ units: ratio, scale: scale + SCALE }, 4)))
}

/** Returns who holds how much of each class of a company, `limit` holders of each. `asOf` in seconds. */
export function companyHolders(
  evidence: readonly Evidence[],
  limit: number,
  asOf: number,
): Schemas['CompanyHolders']['classes'] {
  const { positions, owners } = positionsOf(evidence, asOf)
  return holdersOf(positions, owners).map(({ title, total, holders }) => ({
    securityTitle: title,
    total: numberOf(total)!,
    holderCount: holders.length,
    holders: holders.slice(0, limit).map((holder) => ({
      owners: holder.owners.map((cik) => ({ cik, name: owners.get(cik)!.name })),
      ...totalsOf(holder.total),
    })),
  })) as Schemas['CompanyHolders']['classes']
}

const numberOf = (steps: bigint | null): number | null =>
  steps === null ? null : Number(toText({ units: steps, scale: SCALE }))

/** Direct first, then the newest. */
const byLine = (a: Position, b: Position): number =>
  compare(a.run.ownership, b.run.ownership) || -compare(a.run.day, b.run.day) || byFiling(a, b)

const byInstrument = (a: Position, b: Position): number =>
  compare(a.run.last.title, b.run.last.title) ||
  compare(a.run.last.expires ?? '', b.run.last.expires ?? '') ||
  byFiling(a, b)

const byFiling = (a: Position, b: Position): number =>
  compare(a.run.evidence.accession, b.run.evidence.accession) ||
  compare(a.run.nature, b.run.nature) ||
  Number(b.units ?? 0n) - Number(a.units ?? 0n)

const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)
