// Computes positions from the rows that a statement returned: a company may have thousands of filings, so this is done
// in a worker thread.
import type { Computations, EvidenceRows } from '../../../application/ports/computations.ts'
import { companyHolders, insiderHoldings } from '../../../application/queries/position-answer.ts'
import type { Evidence } from '../../../domain/positions/evidence.ts'
import { parseRows } from '../connection/answer-shape.ts'

/** The most filings that are used for one answer, the newest first. A statement reads one more, if there is one. */
export const MOST_FILINGS = 10_000

type EvidenceRow = [content: string, own: 0 | 1]

export const insiderHoldingsOfRows: Computations['insiderHoldings'] = ({ cik, ...asked }) => {
  const { all, own, isComplete, asOf } = read(asked)
  return {
    name: own[0]?.owners.find((owner) => owner.cik === cik)?.name ?? null,
    complete: isComplete || own.length < all.length,
    holdings: insiderHoldings({ cik, own, all }, asOf),
  }
}

export const companyHoldersOfRows: Computations['companyHolders'] = ({ limit, ...asked }) => {
  const { all, isComplete, asOf } = read(asked)
  return { filed: namingOf(all), complete: isComplete, classes: JSON.stringify(companyHolders(all, limit, asOf)) }
}

/** Returns the company's name and symbols in its newest filings; null if there are none. */
export function namingOf(evidence: readonly Evidence[]): ReturnType<Computations['companyHolders']>['filed'] {
  const [newest] = evidence
  const symbols = evidence.find((filing) => filing.symbols.length > 0)?.symbols ?? []
  return newest ? { name: newest.companyName, symbols } : null
}

function read({ rows, asOf, now }: EvidenceRows) {
  const found = parseRows<EvidenceRow>(rows)
  const used = found.slice(0, MOST_FILINGS).map(([content, own]) => ({ filing: JSON.parse(content) as Evidence, own }))
  const all = used.map(({ filing }) => filing)
  return {
    all,
    own: used.filter(({ own }) => own).map(({ filing }) => filing),
    isComplete: found.length <= MOST_FILINGS,
    // Without `asOf` all filings count, even if EDGAR's clock is ahead of ours.
    asOf: asOf ?? all.reduce((latest, { filedAt }) => Math.max(latest, filedAt), now),
  }
}
