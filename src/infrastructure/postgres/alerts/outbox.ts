// The outbox: events and their deliveries. They are written by the statement that marks a filing projected or signals
// detected, so both are stored or neither is. An event that is stored already is not raised again, even for keys that
// began to watch since.
import type { RaisedEvent } from '../../../application/ports/alerts.ts'

/** NOTIFY channel: a delivery is due. Notifications may be lost; listeners poll as well. */
export const DELIVERIES_CHANNEL = 'deliveries'

/** Why a delivery to a disabled address is dead; null for an address that is in use. */
const ADDRESS_DISABLED = `CASE WHEN disabled_at IS NOT NULL
        THEN concat('address disabled: ', disabled_reason)
      END`

/** Whether a delivery has a reason that `ADDRESS_DISABLED` gives. */
export const IS_ADDRESS_DISABLED = `reason LIKE 'address disabled: %'`

/** The rules that the event in `incoming` passes, if they still exist and are enabled. */
const RULES_OF = `jsonb_to_recordset(incoming.rules) AS passed (id text, passing jsonb, "of" integer)
        JOIN alert_rules AS rule ON rule.id = passed.id AND enabled`

/** Whether an entry of a watchlist gets alerts of the event in `incoming`. */
const WATCHES = `watchlist.ticker = ANY(symbols) AND webhook_url IS NOT NULL
        AND (incoming.type <> 'notice.created' OR watchlist.notices)`

/**
 * Returns CTEs that store the events in `parameter`, such as `$3`, which is `eventsJson`; `NOTIFY_RAISED` has to
 * follow. They add one delivery for each key, address and format. Its ticker is a symbol that the key watches, or the
 * CIK if the key watches only that; if only rules match, it is the company's symbol. A delivery to a disabled address
 * is dead from the start: it is listed, and sent when the address is enabled again.
 */
export const eventExpressions = (parameter: string): string => `incoming AS (
    SELECT *
    FROM jsonb_to_recordset(${parameter}::jsonb) AS incoming (
      id text, type text, issuer_cik text, symbols text[], created_at timestamptz, data text, ticker text, rules jsonb)
  ), raised AS (
    INSERT INTO events (id, type, issuer_cik, created_at, data)
    SELECT id, type, issuer_cik, created_at,
      CASE
        WHEN EXISTS (SELECT FROM watchlist WHERE ${WATCHES}) THEN data
        WHEN EXISTS (SELECT FROM ${RULES_OF}) THEN data
      END
    FROM incoming
    ON CONFLICT (id) DO NOTHING
    RETURNING id
  ), matches AS (
    SELECT incoming.id AS event_id, key_id, webhook_url AS url, 'standard' AS format, watchlist.ticker, NULL AS rule_id,
      jsonb_build_object('kind', 'watchlist', 'ticker', watchlist.ticker, 'detail', nullif(detail, false)) AS matched
    FROM raised
      JOIN incoming USING (id)
      JOIN watchlist ON ${WATCHES}
    UNION ALL
    SELECT incoming.id, key_id, url, format, NULL, rule.id,
      jsonb_build_object(
        'kind', 'alert', 'id', rule.id, 'name', name, 'passing', passing, 'of', "of", 'detail', nullif(detail, false))
    FROM raised JOIN incoming USING (id) CROSS JOIN ${RULES_OF}
  ), new_deliveries AS (
    INSERT INTO deliveries (id, event_id, key_id, url, format, ticker, matched, status, reason, settled_at)
    SELECT
      'evt_' || left(
        encode(
          sha256(convert_to(concat_ws(' ', event_id, matches.key_id, matches.url, nullif(format, 'standard')), 'UTF8')),
          'hex'),
        32),
      event_id,
      matches.key_id,
      matches.url,
      format,
      CASE WHEN incoming.type LIKE 'transaction.%'
        THEN coalesce(
          (array_agg(matches.ticker ORDER BY matches.ticker ~ '^CIK[0-9]{10}$', matches.ticker)
            FILTER (WHERE matches.ticker IS NOT NULL))[1],
          incoming.ticker)
      END,
      jsonb_agg(jsonb_strip_nulls(matched) ORDER BY matches.ticker, rule_id),
      CASE WHEN disabled_at IS NULL THEN 'waiting' ELSE 'dead' END,
      ${ADDRESS_DISABLED},
      CASE WHEN disabled_at IS NOT NULL THEN now() END
    FROM matches
      JOIN incoming ON incoming.id = event_id
      JOIN api_keys ON api_keys.id = matches.key_id
        AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > now())
      LEFT JOIN endpoints ON endpoints.key_id = matches.key_id AND endpoints.url = matches.url
    GROUP BY
      event_id, incoming.type, incoming.ticker, matches.key_id, matches.url, format, disabled_at, disabled_reason
    RETURNING status
  ), noted AS (
    UPDATE alert_rules
    SET last_matched_at = now()
    WHERE id IN (SELECT rule_id FROM matches)
  )`

/** Stores the events in `$1`, which is `eventsJson`, without deliveries, so that they are not raised later. */
export const MARK_AS_RAISED = `INSERT INTO events (id, type, issuer_cik, created_at)
  SELECT id, type, issuer_cik, created_at
  FROM jsonb_to_recordset($1::jsonb) AS incoming (id text, type text, issuer_cik text, created_at timestamptz)
  WHERE NOT EXISTS (
      SELECT FROM signal_queue
      WHERE signal_queue.issuer_cik = incoming.issuer_cik
        AND NOT silent)
    AND NOT EXISTS (
      SELECT FROM filings
      WHERE pending
        AND filings.issuer_cik = incoming.issuer_cik)
  ON CONFLICT (id) DO NOTHING`

/** The end of a statement with `eventExpressions`: notifies the processes that deliver. */
export const NOTIFY_RAISED = `SELECT pg_notify('${DELIVERIES_CHANNEL}', '') 
  WHERE EXISTS (SELECT FROM new_deliveries WHERE status = 'waiting')`

export function eventsJson(events: RaisedEvent[]): string {
  return JSON.stringify(
    events.map(({ id, type, issuerCik, symbols, createdAt, data, ticker, rules }) => ({
      id,
      type,
      issuer_cik: issuerCik,
      symbols,
      created_at: new Date(createdAt),
      data,
      ticker,
      rules,
    })),
  )
}
