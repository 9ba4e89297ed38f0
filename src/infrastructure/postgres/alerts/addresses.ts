// The addresses that receive the alerts of a key, set in its watchlist and its rules: their state, and what happens to
// waiting deliveries when an address is changed.
import type { AddressState, Destination } from '../../../application/ports/alerts.ts'
import { RESTARTED } from './delivery-commands.ts'
import { DELIVERIES_CHANNEL, IS_ADDRESS_DISABLED } from './outbox.ts'
import { rows, type Connection } from '../pool.ts'

/** The columns of `endpoints` that `stateOf` reads, for a query with a LEFT JOIN. */
export const ADDRESS_STATE = `failing_since AS "failingSince", disabled_at AS "disabledAt",
  disabled_reason AS "disabledReason", failure`

export interface StateRow {
  failingSince: Date | null
  disabledAt: Date | null
  disabledReason: string | null
  failure: string | null
}

export function stateOf({ failingSince, disabledAt, disabledReason, failure }: StateRow): AddressState {
  if (disabledAt) return { status: 'disabled', since: disabledAt, reason: disabledReason }
  if (failingSince) return { status: 'failing', since: failingSince, reason: failure }
  return { status: 'active', since: null, reason: null }
}

/** Serializes changes to a key's list. Rows that reference the key, such as deliveries, can still be added. */
export async function lockKey(connection: Connection, keyId: string): Promise<void> {
  await rows(connection, 'SELECT FROM api_keys WHERE id = $1 FOR NO KEY UPDATE', [keyId])
}

/**
 * Moves the deliveries that wait for `from`, an address that an entry or a rule no longer has, to `to`; ends them if
 * `to` is null. Does nothing while another entry or rule of the key has the address.
 */
export async function releaseAddress(
  connection: Connection,
  keyId: string,
  from: Destination,
  to: Destination | null,
): Promise<void> {
  await moveUnwatched(connection, keyId, from, to)
  await dropUnwatched(connection, keyId, from)
}

/** A delivery that waits for an address that no entry or rule has any more. */
const IS_UNWATCHED = `status = 'waiting'
         AND format = $3
         AND NOT EXISTS (SELECT FROM alert_addresses AS other WHERE key_id = $1 AND url = $2 AND other.format = $3)`

/** An entry or a rule still sends to the address in the format of the delivery. */
const IS_FORMAT_USED = `EXISTS (
           SELECT FROM alert_addresses AS other WHERE key_id = $1 AND url = $2 AND other.format = deliveries.format)`

/** Selects deliveries of key $1 to address $2, and locks them in the order of their ids, so that none deadlock. */
const lockedSql = (condition: string): string => `FROM deliveries
       WHERE key_id = $1
         AND url = $2
         AND ${condition}
       ORDER BY id
       FOR UPDATE`

/**
 * Moves deliveries that wait for an address that no entry or rule has any more: to the present address of their own
 * entry, or else to the one that replaced it, if any. Their attempts start again, and events already delivered to the
 * new address are skipped. A delivery being sent is due again when its lease ends; the result of the running attempt is
 * ignored.
 */
async function moveUnwatched(
  connection: Connection,
  keyId: string,
  from: Destination,
  to: Destination | null,
): Promise<void> {
  await rows(
    connection,
    `WITH waiting AS MATERIALIZED (
       SELECT
         id,
         event_id,
         (SELECT webhook_url
          FROM watchlist
          WHERE key_id = $1
            AND CASE WHEN matched IS NULL
              THEN watchlist.ticker = deliveries.ticker
              ELSE matched @> jsonb_build_array(jsonb_build_object('kind', 'watchlist', 'ticker', watchlist.ticker))
            END
          ORDER BY webhook_url IS NULL, watchlist.ticker = deliveries.ticker DESC NULLS LAST, watchlist.ticker
          LIMIT 1) AS own
       ${lockedSql(IS_UNWATCHED)}
     ), aimed AS (
       SELECT id, event_id, coalesce(own, $4) AS target, CASE WHEN own IS NULL THEN $5 ELSE 'standard' END AS form
       FROM waiting
     ), moved AS (
       UPDATE deliveries
       SET url = target,
         format = form,
         attempts = 0,
         next_attempt_at = greatest(now(), leased_until),
         published_at = NULL,
         lease = NULL,
         leased_until = NULL
       FROM aimed
       WHERE deliveries.id = aimed.id
         AND target IS NOT NULL
         AND NOT EXISTS (
           SELECT FROM deliveries AS other
           WHERE other.event_id = aimed.event_id
             AND other.key_id = $1
             AND other.url = target
             AND other.format = form)
       RETURNING 1
     )
     SELECT pg_notify('${DELIVERIES_CHANNEL}', '') FROM moved LIMIT 1`,
    [keyId, from.url, from.format, to?.url ?? null, to?.format ?? 'standard'],
  )
}

// A delivery being sent is dropped too: it loses its lease, so the result of the running attempt is ignored.
async function dropUnwatched(connection: Connection, keyId: string, { url, format }: Destination): Promise<void> {
  await rows(
    connection,
    `WITH waiting AS MATERIALIZED (
       SELECT id
       ${lockedSql(IS_UNWATCHED)}
     )
     UPDATE deliveries
     SET status = 'dead',
       reason = 'no longer watched',
       settled_at = now(),
       lease = NULL,
       leased_until = NULL
     FROM waiting
     WHERE deliveries.id = waiting.id`,
    [keyId, url, format],
  )
}

/**
 * Enables an address that a key has set again, whatever failed before, and queues the deliveries that were not sent
 * because it was disabled.
 */
export async function reenableAddress(connection: Connection, keyId: string, url: string): Promise<void> {
  const [enabled] = await rows<{ wasDisabled: boolean }>(
    connection,
    `WITH before AS (SELECT disabled_at FROM endpoints WHERE key_id = $1 AND url = $2 FOR UPDATE)
     UPDATE endpoints
     SET failing_since = NULL, disabled_at = NULL, disabled_reason = NULL
     FROM before
     WHERE key_id = $1
       AND url = $2
       AND (failing_since IS NOT NULL OR endpoints.disabled_at IS NOT NULL)
     RETURNING before.disabled_at IS NOT NULL AS "wasDisabled"`,
    [keyId, url],
  )
  if (!enabled?.wasDisabled) return
  await rows(
    connection,
    `WITH held AS MATERIALIZED (
       SELECT id
       ${lockedSql(`status = 'dead' AND ${IS_ADDRESS_DISABLED} AND ${IS_FORMAT_USED}`)}
     ), again AS (
       UPDATE deliveries
       SET ${RESTARTED}
       FROM held
       WHERE deliveries.id = held.id
       RETURNING 1
     )
     SELECT pg_notify('${DELIVERIES_CHANNEL}', '') FROM again LIMIT 1`,
    [keyId, url],
  )
}
