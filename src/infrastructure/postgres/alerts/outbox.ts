// The outbox: events and their deliveries, written by the statement that marks their cause as done, so that both are
// stored or neither. An event that is stored already is not raised again, even for keys that watch only now.
import type { RaisedEvent } from '../../../application/ports/alerts.ts'

/** NOTIFY channel: a delivery is due. Notifications may be lost; listeners poll as well. */
export const DELIVERIES_CHANNEL = 'deliveries'

/** Why a delivery to a disabled address is dead; null for an address that is in use. */
const ADDRESS_DISABLED = `CASE WHEN disabled_at IS NOT NULL
        THEN concat('address disabled: ', disabled_reason)
      END`

/** Selects the reasons that `ADDRESS_DISABLED` gives. */
export const IS_ADDRESS_DISABLED = `reason LIKE 'address disabled: %'`

/**
 * Returns expressions for a WITH clause that `NOTIFY_RAISED` has to follow. `parameter`, such as `$3`, is `eventsJson`.
 * They add one delivery for each key and address, under a symbol that the key watches, or the CIK where it watches only
 * that. A delivery to a disabled address is dead from the start: it is listed, and sent when the address is used again.
 */
export const eventExpressions = (parameter: string): string => `incoming AS (
    SELECT *
    FROM jsonb_to_recordset(${parameter}::jsonb) AS incoming (
      id text, type text, issuer_cik text, symbols text[], created_at timestamptz, data text)
  ), raised AS (
    INSERT INTO events (id, type, issuer_cik, created_at, data)
    SELECT id, type, issuer_cik, created_at,
      CASE WHEN EXISTS (SELECT FROM watchlist WHERE ticker = ANY(symbols) AND webhook_url IS NOT NULL) THEN data END
    FROM incoming
    ON CONFLICT (id) DO NOTHING
    RETURNING id
  ), new_deliveries AS (
    INSERT INTO deliveries (id, event_id, key_id, url, ticker, status, reason, settled_at)
    SELECT
      'evt_' || left(
        encode(sha256(convert_to(concat_ws(' ', incoming.id, watchlist.key_id, webhook_url), 'UTF8')), 'hex'), 32),
      incoming.id,
      watchlist.key_id,
      webhook_url,
      CASE WHEN incoming.type LIKE 'transaction.%'
        THEN (array_agg(ticker ORDER BY ticker ~ '^CIK[0-9]{10}$', ticker))[1]
      END,
      CASE WHEN disabled_at IS NULL THEN 'waiting' ELSE 'dead' END,
      ${ADDRESS_DISABLED},
      CASE WHEN disabled_at IS NOT NULL THEN now() END
    FROM raised
      JOIN incoming USING (id)
      JOIN watchlist ON ticker = ANY(symbols) AND webhook_url IS NOT NULL
      JOIN api_keys ON api_keys.id = watchlist.key_id
        AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > now())
      LEFT JOIN endpoints ON endpoints.key_id = watchlist.key_id AND url = webhook_url
    GROUP BY incoming.id, incoming.type, watchlist.key_id, webhook_url, disabled_at, disabled_reason
    RETURNING status
  )`

/** Records events (`eventsJson` as `$1`) without deliveries, so that they are not raised later. */
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

/** Ends the statement: notifies the processes that deliver. */
export const NOTIFY_RAISED = `SELECT pg_notify('${DELIVERIES_CHANNEL}', '') 
  WHERE EXISTS (SELECT FROM new_deliveries WHERE status = 'waiting')`

export function eventsJson(events: RaisedEvent[]): string {
  return JSON.stringify(
    events.map(({ id, type, issuerCik, symbols, createdAt, data }) => ({
      id,
      type,
      issuer_cik: issuerCik,
      symbols,
      created_at: new Date(createdAt),
      data,
    })),
  )
}
