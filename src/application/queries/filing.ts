// One filing with everything it says: the document, read again by the reader that every filing passes, beside what was
// decided about its rows.
import { parseAccession } from '../../domain/shared/identifiers.ts'
import { madeFrom } from '../changes/dependence.ts'
import type { DataSetFiling } from '../ports/data-sets.ts'
import type { FilingRecords, ReadDocument } from '../ports/filings.ts'
import type { FilingAnalytics } from './filing-analytics.ts'
import { dataSetAnswer, detailsAnswer, documentAnswer, type FilingDetail } from './filing-answer.ts'
import type { Queries } from './queries.ts'

/** Returns the query: null if no filing is stored under this accession number, dashed or as 18 digits. */
export function makeAskFiling(
  records: FilingRecords,
  analytics: FilingAnalytics,
  read: ReadDocument,
): Queries['filing'] {
  return async (asked) => {
    const found = await records.find(parseAccession(asked) ?? asked)
    if (found === null) return null
    if ('places' in found) return ofDataSet(analytics, found)
    // Asked for before the document is read, which takes as long as the engine needs to answer.
    const [decisions, reading] = await Promise.all([analytics.decisions(found), read(found.document, found.source)])
    if (reading.kind !== 'filing') return null
    const filing = { ...reading.filing, accession: found.accession }
    const answer = documentAnswer(filing, found, decisions)
    // One that is about to be projected is decided otherwise in a moment, and nothing would say so before.
    return found.pending ? answer : madeFrom(answer, { parts: [`issuer:${filing.issuer.cik}`] })
  }
}

async function ofDataSet(analytics: FilingAnalytics, filing: DataSetFiling): Promise<FilingDetail> {
  const [details, decisions] = await Promise.all([analytics.details(filing), analytics.decisions(filing)])
  const answer = details
    ? detailsAnswer(filing, details, decisions)
    : dataSetAnswer(filing, await analytics.names(filing), decisions)
  return madeFrom(answer, { parts: [`issuer:${filing.issuerCik}`] })
}
