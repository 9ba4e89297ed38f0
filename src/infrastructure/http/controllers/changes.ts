// Handlers of the log of changes, read from a position on, oldest first: page by page or as a stream.
import type { ChangeStreams } from '../../../application/changes/change-streams.ts'
import { ServiceError } from '../../../application/errors.ts'
import { CHANGE_TYPES } from '../../../application/ports/changes.ts'
import type { ChangeFilter, ChangeQueries } from '../../../application/queries/change-queries.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import type { AnswerHeaders } from '../response.ts'
import { okText, unknownTickers, type Handler, type QueryOf } from '../handler.ts'
import { defined, parseEach } from '../invalid-request.ts'
import { parseWords } from '../parameters.ts'
import { parseRowFilter } from './transaction-filter.ts'

const DEFAULT_CHANGES = 100

export function listChanges(changes: ChangeQueries, queries: Pick<Queries, 'issuers'>): Handler<'listChanges'> {
  return async ({ query }) => {
    const { filter, headers } = await changeFilter(query, queries)
    const after = query.after === undefined || query.after === 'earliest' ? query.after : Number(query.after)
    const limit = query.limit ?? DEFAULT_CHANGES
    return okText(await changes.changes({ ...filter, ...(after !== undefined && { after }), limit }), headers)
  }
}

export function streamChanges(streams: ChangeStreams, queries: Pick<Queries, 'issuers'>): Handler<'streamChanges'> {
  return async ({ query, headers: sent }) => {
    const { filter, headers } = await changeFilter(query, queries)
    // A browser sends Last-Event-ID when it reconnects, to the same address as before.
    const resumed = sent['last-event-id']
    const after = resumed === undefined || resumed === '' ? query.after : String(resumed)
    const position = await streams.start(
      after === undefined || after === 'earliest' ? after : positionOf(after),
      filter,
    )
    return { status: 200, stream: (sink) => streams.open(position, filter, sink), ...(headers && { headers }) }
  }
}

function positionOf(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text)
  const message = 'must be the id of an event of this stream'
  throw new ServiceError('invalid_cursor', `Last-Event-ID ${message}`, [{ path: 'header.Last-Event-ID', message }])
}

/** Parses the filter of changes. Throws `invalid_parameter` with all faults. */
export const parseChangeFilter = (query: QueryOf<'listChanges'>) =>
  parseEach({ types: () => parseWords(query, 'types', CHANGE_TYPES), rows: () => parseRowFilter(query) })

/** Returns the filter, and the headers that name unknown symbols. */
async function changeFilter(
  query: QueryOf<'listChanges'>,
  queries: Pick<Queries, 'issuers'>,
): Promise<{ filter: ChangeFilter; headers: AnswerHeaders | undefined }> {
  const { types, rows } = parseChangeFilter(query)
  const { companies, insiderCiks: insiders, sectors, ...conditions } = rows
  const named = companies && (await queries.issuers(companies))
  const transactions = Object.keys(conditions).length > 0 ? conditions : undefined
  const { minSeverity } = query
  return {
    filter: defined({ types, issuers: named?.issuers, sectors, insiders, transactions, minSeverity }),
    headers: unknownTickers(named?.unknown ?? []),
  }
}
