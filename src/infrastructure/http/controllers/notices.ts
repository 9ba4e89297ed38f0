// Handlers of notices of proposed sales: the list, and one notice with all its contents.
import { ServiceError } from '../../../application/errors.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import { NOTICE_STATES } from '../../../domain/notices/link-notices.ts'
import { parseAccession } from '../../../domain/shared/identifiers.ts'
import { ok, okText, unknownTickers, type Handler, type QueryOf } from '../handler.ts'
import { defined, parseEach } from '../invalid-request.ts'
import { parseAmount, parseAsOf, parseCiks, parseCompanies, parseTimeSpan, parseWords } from '../parameters.ts'
import { DEFAULT_LIMIT } from '../server/limits.ts'

const MAX_SELLERS = 50

/** Parses the filter of notices. Throws `invalid_parameter` with all faults. */
export const parseNoticeFilter = (query: QueryOf<'listNotices'>) =>
  parseEach({
    companies: () => parseCompanies(query),
    insiderCiks: () => parseCiks(query, 'insiderCiks', MAX_SELLERS),
    minValue: () => parseAmount(query, 'minValue', 2),
    states: () => parseWords(query, 'state', NOTICE_STATES),
    filed: () => parseTimeSpan(query, 'filedFrom', 'filedTo'),
    asOf: () => parseAsOf(query),
  })

export function listNotices(queries: Queries): Handler<'listNotices'> {
  return async ({ query }) => {
    const { plan, cursor, limit = DEFAULT_LIMIT } = query
    const { page, unknown } = await queries.notices({
      ...parseNoticeFilter(query),
      ...defined({ plan, cursor }),
      limit,
    })
    return okText(page, unknownTickers(unknown))
  }
}

export function getNotice(queries: Queries): Handler<'getNotice'> {
  return async ({ path, query }) => {
    const notice = await queries.notice(parseAccession(path.accessionNumber) ?? path.accessionNumber, parseAsOf(query))
    if (!notice) throw new ServiceError('unknown_notice', 'No notice with this accession number is stored here')
    return ok(notice)
  }
}
