// The query of changes after a position of the log, oldest first, in pages.
import { issuerPasses } from '../../../application/changes/change-facts.ts'
import { checkPosition, type LogExtent } from '../../../application/changes/log-position.ts'
import type { ChangeFilter, ChangeQueries } from '../../../application/queries/change-queries.ts'
import { JsonText } from '../../../application/queries/json-text.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import type { components } from '../../../contract.ts'
import type { Cik } from '../../../domain/shared/identifiers.ts'
import { factsPath } from '../changes/facts-path.ts'
import { extentOf } from '../changes/log-extent.ts'
import { rows, type Pool } from '../pool.ts'

type Schemas = components['schemas']

/** The most entries of the log that one request with a filter scans. */
const MAX_SCANNED = 5_000
/** Bytes of data in one answer; a single larger change comes alone. */
const MAX_BYTES = 4 * 1024 * 1024

/** A row of a page; `last` is the end of the log, or the position up to which the page may reach. */
interface Row extends LogExtent {
  start: number
  /** The position of the last entry scanned; null if all were. */
  bound: number | null
  seq: number | null
  id: string
  type: string
  at: Date
  data: string
  /** Of this change and those before it. */
  bytes: number
}

/** Makes the query. `reached` delays each page until this process knows the changes up to the page's end. */
export function listChanges(
  pool: Pool,
  queries: Pick<Queries, 'sectors'>,
  reached: (position: number) => Promise<void> = async () => {},
): ChangeQueries['changes'] {
  return async ({ after, limit, ...filter }) => {
    const from = [typeof after === 'number' ? after : null, after === 'earliest']
    const result = await (Object.keys(filter).length > 0
      ? filtered(from, limit, filter)
      : rows<Row>(pool, ALL, [...from, limit + 1]))
    const { last, start, bound } = result[0]!
    checkPosition(start, result[0]!)
    const changes = result.filter(({ seq }) => seq !== null)
    const page = changes.filter(({ bytes }, index) => index < limit && (index === 0 || bytes <= MAX_BYTES))
    const isCut = page.length < changes.length
    const end = isCut ? page.at(-1)!.seq! : (bound ?? Math.max(last, start))
    await reached(Math.min(end, last))
    return JsonText.object<Schemas['ChangePage']>({
      changes: JsonText.list(page.map(toText)),
      hasMore: isCut || bound !== null,
      nextCursor: String(end),
    })
  }

  async function filtered(from: unknown[], limit: number, filter: ChangeFilter): Promise<Row[]> {
    const { types = null, issuers = null, sectors } = filter
    const companies = sectors ? await ofSectors(from, filter) : { issuers, upTo: null }
    const path = factsPath(filter) ?? [null, null]
    return rows<Row>(pool, FILTERED, [...from, limit + 1, companies.upTo, types, companies.issuers, ...path])
  }

  /**
   * Returns the issuers of the sectors in the filter, of those that the next changes name, and the position up to which
   * the list is complete. Sectors are read once these changes are known here, so the first filing of a company counts.
   */
  async function ofSectors(from: unknown[], filter: ChangeFilter): Promise<{ issuers: Cik[]; upTo: number }> {
    const [scanned] = await rows<{ last: number; end: number; issuers: Cik[] }>(pool, ISSUERS, from)
    const { last, end, issuers } = scanned!
    await reached(end)
    const sectorOf = await queries.sectors()
    return { issuers: issuers.filter((cik) => issuerPasses(filter, cik, sectorOf)), upTo: last }
  }
}

const toText = ({ seq, id, type, at, data }: Row): string =>
  `{"cursor":"${seq}","id":${JSON.stringify(id)},"type":"${type}","at":"${toSeconds(at)}","data":${data}}`

const toSeconds = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`

const startOf = (last: string) => `coalesce($1::bigint, CASE WHEN $2 THEN pruned_to ELSE ${last} END)`

const positionOf = (last: string) => `SELECT ${extentOf(last)}, ${startOf(last)} AS start FROM change_position`

/** Selects a page. Of the rows that do not fit into one answer, only the first is returned. */
const pageOf = (start: string, where = '') => `SELECT *
  FROM (
    SELECT
      seq, id, type, at, data, row_number() OVER before AS nth, sum(octet_length(data)) OVER before::bigint AS bytes
    FROM changes
    WHERE seq > ${start}
      AND type IS NOT NULL${where}
    WINDOW before AS (ORDER BY seq)
    ORDER BY seq
    LIMIT $3) AS found
  WHERE nth <= 2 OR bytes - octet_length(data) <= ${MAX_BYTES}`

// Each is one statement, and so one snapshot, which has all entries up to `last`. Most requests have no filter, so
// `ALL` is written to be planned quickly.
const ALL_ROWS = pageOf(`(SELECT ${startOf('last')} FROM change_position)`)
const ALL = `SELECT ${extentOf('last')}, ${startOf('last')} AS start, NULL::bigint AS bound, page.*
  FROM change_position
  LEFT JOIN (${ALL_ROWS}) AS page ON true
  ORDER BY seq`

const SCANNED = `SELECT CASE WHEN count(*) = ${MAX_SCANNED} THEN max(seq) END AS bound
  FROM (
    SELECT seq FROM changes WHERE seq > start AND seq <= last ORDER BY seq LIMIT ${MAX_SCANNED}) AS scanned`

const FILTERED = `SELECT last, pruned, "isSettled", start, bound, page.*
  FROM (${positionOf('least(last, $4::bigint)')}) AS position
  LEFT JOIN LATERAL (${SCANNED}) AS scanned ON true
  LEFT JOIN LATERAL (${pageOf(
    'start',
    `
      AND seq <= coalesce(bound, last)
      AND ($5::text[] IS NULL OR type = ANY($5))
      AND ($6::text[] IS NULL OR issuer_ciks IS NULL OR issuer_ciks && $6)
      AND ($7::jsonpath IS NULL OR facts IS NULL OR jsonb_path_exists(facts, $7, $8))`,
  )}) AS page ON true
  ORDER BY seq`
const ISSUERS = `SELECT
    last, coalesce(bound, last) AS "end",
    ARRAY(
      SELECT DISTINCT unnest(issuer_ciks)
      FROM changes
      WHERE seq > start AND seq <= coalesce(bound, last) AND type IS NOT NULL) AS issuers
  FROM (${positionOf('last')}) AS position, LATERAL (${SCANNED}) AS scanned`
