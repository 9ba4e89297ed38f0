// What natures of ownership, footnotes, remarks and titles of a data set say of its rows, interpreted by the domain:
// how a row is held and by whom, whether its price is in another unit or an average, whether it was traded under a plan,
// and whether the holdings contradict its number of shares.
import type { Filing, NonDerivativeRow } from '../../domain/filings/filing.ts'
import { planOf } from '../../domain/filings/trading-plan/trading-plan.ts'
import { averagePriceOf } from '../../domain/trades/average-price.ts'
import { holdingOf } from '../../domain/trades/holding.ts'
import { otherUnit } from '../../domain/trades/price-unit.ts'
import { sharesStatuses } from '../../domain/trades/shares-status.ts'
import type { CountedRow, DataSetFiles, DataSetStore, RowFacts, TextFiling, TextRow } from '../ports/data-sets.ts'
import { inSlices } from '../shared/time-slices.ts'

export async function resolveRowFacts(history: DataSetStore, files: DataSetFiles): Promise<void> {
  for await (const filings of history.textFilings(files.FOOTNOTES ?? null)) {
    const facts: RowFacts[] = []
    for await (const filing of inSlices(filings)) facts.push(...rowFacts(filing))
    await history.keepRowFacts(facts)
  }
  const byFiling = Map.groupBy(await history.countedRows(), ({ accession }) => accession)
  const suspect: CountedRow[] = []
  for await (const rows of inSlices(byFiling.values())) {
    const statuses = sharesStatuses(rows.map((row) => ({ ...row, securityTitle: row.title })) as Counted[])
    suspect.push(...rows.filter((_, index) => statuses[index] === 'suspect'))
  }
  await history.keepSuspectShares(suspect)
}

type Counted = Parameters<typeof sharesStatuses>[0][number]

function rowFacts({ accession, box, remarks, footnotes, rows }: TextFiling): RowFacts[] {
  const filing = {
    footnotes,
    remarks: remarks || null,
    aff10b5One: box === 'unknown' ? null : box === 'yes',
    // Data sets have no foreign symbols.
    issuer: { tickerRaw: '', foreignTickerRaw: null },
  }
  return rows.map((row) => ({ accession, sks: row.sks, ...factsOf(row, filing) }))
}

function factsOf(
  { code, title, price, directIndirect, nature, notes, priceNotes }: TextRow,
  filing: Pick<Filing, 'footnotes' | 'remarks' | 'aff10b5One'> & {
    issuer: Pick<Filing['issuer'], 'tickerRaw' | 'foreignTickerRaw'>
  },
): Omit<RowFacts, 'accession' | 'sks'> {
  const footnotes: NonDerivativeRow['footnotes'] = { all: notes, price: priceNotes, coding: [], nature: [] }
  const { plan, source: planSource } = planOf({ code, footnotes }, filing)
  const texts = filing.footnotes.filter(({ id }) => notes.includes(id)).map(({ text }) => text)
  return {
    ...holdingOf({ directIndirect, nature }, texts),
    otherUnit: otherUnit({ securityTitle: title, footnotes }, filing),
    plan,
    planSource,
    ...averagePriceOf({ price, footnotes }, filing),
  }
}
