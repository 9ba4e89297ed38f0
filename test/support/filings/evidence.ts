// Evidence of positions from filings of our own invention, and positions in a form to compare.
import { evidenceOf, type Evidence } from '../../../src/domain/positions/evidence.ts'
import { positionsOf, type Position } from '../../../src/domain/positions/positions.ts'
import { SCALE } from '../../../src/domain/positions/runs.ts'
import { classTotals, holdersOf } from '../../../src/domain/positions/totals.ts'
import { toText } from '../../../src/domain/shared/decimal.ts'
import { newYorkToUtc } from '../../../src/domain/shared/new-york-time.ts'
import { filingOf, type FilingSpec, type RowSpec } from './filing-builder.ts'

/**
 * A row as in `S D 4000 →6000 I By Trust`; without a code a holding: `→6000`. It is traded on the day of its filing
 * unless a date is given.
 */
export function row(text: string, more: Partial<RowSpec> = {}): RowSpec {
  const [, code, acquiredDisposed, shares, after, ownership = 'D', nature] =
    /^(?:(\w) ([AD]) ([\d.]+) )?→([\d.]+)(?: ([DI])(?: (.+))?)?$/.exec(text)!
  return {
    kind: code === undefined ? 'holding' : 'transaction',
    code: code ?? null,
    acquiredDisposed: (acquiredDisposed ?? null) as 'A' | 'D' | null,
    shares: shares ?? null,
    price: code === undefined ? null : '20',
    sharesAfter: after!,
    directIndirect: ownership as 'D' | 'I',
    nature: nature ?? null,
    date: null,
    dateRaw: null,
    ...more,
  }
}

/** A filing of a day, `3: 2025-02-01`, accepted on it unless another day is given: `4: 2025-02-02 2025-08-01`. */
export function filed(form: string, rows: (string | RowSpec)[], more: FilingSpec = {}): Evidence {
  const [, formType, period, accepted = period] = /^(\S+): (\S+)(?: (\S+))?$/.exec(form)!
  const own = rows.map((each) => (typeof each === 'string' ? row(each) : each))
  const dated = own.map((each) => (each.kind === 'transaction' && !each.date ? { ...each, date: period! } : each))
  const filing = filingOf({
    formType: formType as '4',
    periodOfReport: period!,
    rows: dated,
    accession: `${formType} ${period} ${accepted} ${JSON.stringify(rows)}`,
    ...more,
  })
  return evidenceOf(filing, { at: newYorkToUtc(accepted!, 64_800), day: accepted! })
}

export const instantOf = (day: string): number => newYorkToUtc(day, 86_399)

export const unitsText = (units: bigint | null): string | null =>
  units === null ? null : toText({ units, scale: SCALE })

/** `6000 exact`, `5000 I TRUST carried 2025-05-03`. */
export function told({ units, run, status, gap, staleSince, splitSince, unitsAdjusted }: Position): string {
  const parts = [
    unitsText(units),
    run.ownership === 'I' && `I ${run.nature}`,
    status,
    gap !== null && unitsText(gap),
    staleSince && `since ${staleSince}`,
    splitSince && `split ${splitSince}, ${unitsText(unitsAdjusted)}`,
  ]
  return parts.filter((part) => part !== false && part !== null).join(' ')
}

/** The lines of Table I in the order of their units, and the total of each class with its confidence. */
export function answer(evidence: Evidence[], asOf = '2025-12-31', owner?: string) {
  const { positions, owners } = positionsOf(evidence, instantOf(asOf))
  const own = positions.filter(({ owners: ciks }) => owner === undefined || ciks.includes(owner))
  return {
    lines: own
      .filter(({ table }) => table === 1)
      .map(told)
      .sort(),
    totals: classTotals(own, owners).map(({ class: name, total, confidence }) =>
      [name, unitsText(total), confidence].join(' '),
    ),
  }
}

export function holders(evidence: Evidence[], asOf = '2025-12-31') {
  const { positions, owners } = positionsOf(evidence, instantOf(asOf))
  return holdersOf(positions, owners).map(({ class: name, total, holders: all }) => ({
    class: name,
    total: unitsText(total),
    holders: all.map((holder) => `${holder.owners.map(Number).join('+')} ${unitsText(holder.total.total)}`),
  }))
}
