// Changes after a position of the log, oldest first.
import { checkPosition } from '../../../application/changes/log-position.ts'
import type { ChangeQueries } from '../../../application/queries/change-queries.ts'
import { JsonText } from '../../../application/queries/json-text.ts'
import type { components } from '../../../contract.ts'
import { factsPath } from '../changes/facts-path.ts'
import { rows, type Pool } from '../pool.ts'

type Schemas = components['schemas']

/** Numbers of the log that one request looks at, where a filter leaves changes out. */
const MAX_LOOKED_AT = 5_000
/** Data of one answer; a single larger change comes alone. */
const MAX_BYTES = 4 * 1024 * 1024

interface Row {
  last: number
  pruned: number
  start: number
  /** The last number looked at; null where all were. */
  bound: number | null
  seq: number | null
  id: string
  type: string
  at: string
  data: string
  /** Of this change and those before it. */
  bytes: number
}

/** A page is given once `reached` resolves with its end. */
export function listChanges(
  pool: Pool,
  reached: (position: number) => Promise<void> = async () => {},
): ChangeQueries['changes'] {
  return async ({ after, limit, ...filter }) => {
    const { types = null, issuers = null } = filter
    const path = factsPath(filter)
    const asked = typeof after === 'number' ? after : null
    const parameters = [asked, after === 'earliest', limit + 1, types, issuers]
    const found = await (types || issuers || path
      ? rows<Row>(pool, FILTERED, [...parameters, ...(path ?? [null, null])])
      : rows<Row>(pool, ALL, parameters))
    const { last, pruned, start, bound } = found[0]!
    checkPosition(start, { last, pruned })
    const changes = found.filter(({ seq }) => seq !== null)
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
}

const toText = ({ seq, id, type, at, data }: Row): string =>
  `{"cursor":"${seq}","id":${JSON.stringify(id)},"type":"${type}","at":"${at}","data":${data}}`

// One statement, so one moment: what is up to `last` is all there.
const list = (bound: string, where: string) => `SELECT last, pruned, start, bound, page.*
  FROM (
    SELECT last, pruned_to AS pruned, coalesce($1::bigint, CASE WHEN $2 THEN pruned_to ELSE last END) AS start
    FROM change_position) AS position
  LEFT JOIN LATERAL (${bound}) AS looked ON true
  LEFT JOIN LATERAL (
    SELECT
      seq, id, type, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at, data,
      sum(octet_length(data)) OVER (ORDER BY seq)::bigint AS bytes
    FROM changes
    WHERE seq > start
      AND type IS NOT NULL${where}
    ORDER BY seq
    LIMIT $3) AS page ON true
  ORDER BY seq`

const ALL = list('SELECT NULL::bigint AS bound WHERE $4::text[] IS NULL AND $5::text[] IS NULL', '')
const FILTERED = list(
  `SELECT CASE WHEN count(*) = ${MAX_LOOKED_AT} THEN max(seq) END AS bound
   FROM (SELECT seq FROM changes WHERE seq > start ORDER BY seq LIMIT ${MAX_LOOKED_AT}) AS looked_at`,
  `
      AND seq <= coalesce(bound, last)
      AND ($4::text[] IS NULL OR type = ANY($4))
      AND ($5::text[] IS NULL OR issuer_ciks IS NULL OR issuer_ciks && $5)
      AND ($6::jsonpath IS NULL OR facts IS NULL OR jsonb_path_exists(facts, $6, $7))`,
)
