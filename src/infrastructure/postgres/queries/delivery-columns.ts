// The columns by which deliveries and their addresses are shown to the operator.

/** Without its query, which may hold a secret of the receiver. */
export const URL_SHOWN = `regexp_replace(url, '\\?.*$', '?...')`

/** Columns of a `DeliveryRecord`. */
export const DELIVERY_COLUMNS = `deliveries.id,
  event_id AS event,
  key_id AS "keyId",
  ${URL_SHOWN} AS url,
  status,
  reason,
  attempts,
  deliveries.created_at AS "createdAt",
  CASE status WHEN 'waiting' THEN next_attempt_at END AS "nextAttemptAt",
  settled_at AS "settledAt"`
