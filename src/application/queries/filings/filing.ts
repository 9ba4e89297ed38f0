// One filing with everything it says: the document, read again by the reader that every filing passes, beside what was
// decided about its rows.
import { parseAccession } from '../../../domain/shared/identifiers.ts'
import { withDependencies } from '../../changes/data-dependencies.ts'
import type { FilingRecords, FilingRecord, ReadDocument } from '../../ports/filings.ts'
import type { FilingAnalytics, KnownFiling } from './filing-analytics.ts'
import {
  dataSetAnswer,
  decidedCount,
  detailsAnswer,
  documentAnswer,
  withNotices,
  type FilingDecisions,
  type FilingDetail,
} from './filing-answer.ts'
import type { Queries } from '../queries.ts'

/** Returns the query: null if no filing is stored under this accession number, dashed or as 18 digits. */
export function makeFilingQuery(
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
    const complete = await allDecisions(analytics, found, decisions, decidedCount(filing))
    const answer = withNotices(documentAnswer(filing, found, complete), decisions.notices)
    // One that is about to be projected is decided otherwise in a moment, and nothing would say so before.
    return found.pending ? answer : withDependencies(answer, { parts: [`issuer:${filing.issuer.cik}`] })
  }
}

async function ofDataSet(
  analytics: FilingAnalytics,
  filing: Extract<FilingRecord, { places: number[] }>,
): Promise<FilingDetail> {
  const [details, listed] = await Promise.all([analytics.details(filing), analytics.decisions(filing)])
  const answer = details
    ? detailsAnswer(filing, details, await allDecisions(analytics, filing, listed, decidedCount(details.content)))
    : dataSetAnswer(filing, await analytics.names(filing), listed, await analytics.trades(filing))
  return withDependencies(withNotices(answer, listed.notices), { parts: [`issuer:${filing.issuerCik}`] })
}

/** Asks for the transactions as well that are not listed, if there are any: superseded ones, and duplicates. */
async function allDecisions(
  analytics: FilingAnalytics,
  filing: KnownFiling,
  listed: FilingDecisions,
  transactions: number,
): Promise<FilingDecisions> {
  return listed.trades.length >= transactions ? listed : { ...listed, trades: await analytics.trades(filing) }
}
