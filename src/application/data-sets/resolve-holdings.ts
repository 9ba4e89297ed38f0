// How the rows of a data set are held, and whom their footnotes name, interpreted by the domain: once for each nature
// of ownership with its footnotes in a filing.
import { holdingOf } from '../../domain/trades/holding.ts'
import type { DataSetFiles, DataSetStore, HeldRows } from '../ports/data-sets.ts'
import { pausing } from '../shared/pausing.ts'

/** Characters interpreted without a pause. */
const TEXT_BATCH = 10_000

export async function resolveHoldings(history: DataSetStore, files: DataSetFiles): Promise<void> {
  for await (const rows of history.heldRows(files.FOOTNOTES ?? null)) {
    const holdings: Parameters<DataSetStore['keepHoldings']>[0] = []
    for await (const row of pausing(rows, TEXT_BATCH, lengthOf)) {
      holdings.push({ accession: row.accession, sks: row.sks, ...holdingOf(row, row.footnotes) })
    }
    await history.keepHoldings(holdings)
  }
}

const lengthOf = ({ nature, footnotes }: HeldRows): number =>
  footnotes.reduce((length, text) => length + text.length, nature.length + 1)
