// Handlers of filings of all six forms: the list, and one filing with all its contents.
import { ServiceError } from '../../../application/errors.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import type { FormType } from '../../../domain/filings/filing.ts'
import { ok, okText, unknownTickers, type Handler, type QueryOf } from '../handler.ts'
import { defined, parseEach } from '../invalid-request.ts'
import { parseCiks, parseCompanies, parseTimeSpan, parseWords } from '../parameters.ts'
import { DEFAULT_LIMIT } from '../server/limits.ts'

const FORMS: readonly FormType[] = ['3', '3/A', '4', '4/A', '5', '5/A']
const MAX_INSIDERS = 50

/** Parses the filter of filings. Throws `invalid_parameter` with all faults. */
export const parseFilingFilter = (query: QueryOf<'listFilings'>) =>
  parseEach({
    companies: () => parseCompanies(query),
    insiderCiks: () => parseCiks(query, 'insiderCiks', MAX_INSIDERS),
    forms: () => parseWords(query, 'forms', FORMS),
    filed: () => parseTimeSpan(query, 'filedFrom', 'filedTo'),
  })

export function listFilings(queries: Queries): Handler<'listFilings'> {
  return async ({ query }) => {
    const { cursor, limit = DEFAULT_LIMIT } = query
    const { page, unknown } = await queries.filings({ ...parseFilingFilter(query), ...defined({ cursor }), limit })
    return okText(page, unknownTickers(unknown))
  }
}

/**
 * Answers with a filing of any form. A rejected document counts as unknown, since nothing in it can be trusted.
 */
export function getFiling(queries: Queries): Handler<'getFiling'> {
  return async ({ path }) => {
    const filing = await queries.filing(path.accessionNumber)
    if (!filing) throw new ServiceError('unknown_filing', 'No filing with this accession number is stored here')
    return ok(filing)
  }
}
