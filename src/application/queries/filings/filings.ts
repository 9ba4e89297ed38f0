// The list of filings: a page from the analytics store, with what the record says of their times.
import type { components } from '../../../contract.ts'
import { timestampOf } from '../../../domain/shared/new-york-time.ts'
import { withDependencies } from '../../changes/data-dependencies.ts'
import type { FilingRecords } from '../../ports/filings.ts'
import type { FilingAnalytics } from './filing-analytics.ts'
import { urlOf } from './filing-answer.ts'
import { JsonText } from '../json-text.ts'
import type { Queries } from '../queries.ts'

type Schemas = components['schemas']

export function makeFilingsQuery(
  records: FilingRecords,
  analytics: Pick<FilingAnalytics, 'filings'>,
): Queries['filings'] {
  return async (ask) => {
    const { filings, nextCursor, unknown, dependencies } = await analytics.filings(ask)
    const withoutBasis = filings.filter(({ basis }) => basis === null).map(({ accession }) => accession)
    const bases = withoutBasis.length === 0 ? new Map<string, string>() : await records.timeBases(withoutBasis)
    const page = JsonText.object<Schemas['FilingPage']>({
      filings: filings.map(({ accession, form, filedAt, issuerCik, ticker, companyName, owners, ...rest }) => ({
        accessionNumber: accession,
        form,
        filingDate: timestampOf(filedAt),
        // The data sets have the day of filing.
        filingDateBasis: (rest.basis ?? bases.get(accession) ?? 'filed-date') as Schemas['FilingDateBasis'],
        issuerCik,
        ticker,
        companyName,
        owners,
        transactions: rest.transactions,
        url: urlOf(accession, issuerCik),
      })),
      hasMore: nextCursor !== undefined,
      ...(nextCursor !== undefined && { nextCursor }),
    })
    return { page: withDependencies(page, dependencies), unknown }
  }
}
