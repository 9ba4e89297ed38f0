// SQL statements for deliveries: which are due, who may send them, and what an attempt changes.

const SWEPT_BATCH = 5_000
const PRUNED_BATCH = 5_000

// Longer than any pause of the retry schedule, even doubled by Retry-After. After a longer gap nothing was tried for a
// while, so the address may have worked meanwhile.
const STALE_HOURS = 24
const FORMER_SECRETS = 10

/** Turns off waiting for the disk, for the current transaction. */
const ASYNC_COMMIT = `set_config('synchronous_commit', 'off', true)`

const ITEM = `id AS "deliveryId", md5(key_id || ' ' || url) AS endpoint`
const DUE = `status = 'waiting' AND published_at IS NULL AND next_attempt_at <= now()`

/** Tries to take the lock `$1`, with which a transaction may choose the deliveries to failing addresses. */
export const MAY_TRY = `SELECT
    CASE WHEN EXISTS (SELECT FROM endpoints WHERE failing_since IS NOT NULL)
      THEN pg_try_advisory_xact_lock($1)
      ELSE false
    END AS mine`

/** Selects for each failing address that is not held the delivery due first, unless one is already published. */
export const TRIALS = `SELECT next.*
  FROM endpoints CROSS JOIN LATERAL (
    SELECT ${ITEM}, next_attempt_at
    FROM deliveries
    WHERE key_id = endpoints.key_id
      AND url = endpoints.url
      AND ${DUE}
    ORDER BY next_attempt_at
    LIMIT 1
    FOR UPDATE SKIP LOCKED) AS next
  WHERE failing_since IS NOT NULL
    AND (held_until IS NULL OR held_until <= now())
    AND NOT EXISTS (
      SELECT FROM deliveries
      WHERE key_id = endpoints.key_id
        AND url = endpoints.url
        AND status = 'waiting'
        AND published_at IS NOT NULL)
  ORDER BY next_attempt_at
  LIMIT $1`

// NOT IN uses a hash table whatever the planner estimates, so the many deliveries that wait for failing addresses are
// skipped quickly.
export const HEALTHY = `SELECT ${ITEM}
  FROM deliveries
  WHERE ${DUE}
    AND (key_id, url) NOT IN (SELECT key_id, url FROM endpoints WHERE failing_since IS NOT NULL)
  ORDER BY next_attempt_at
  LIMIT $1
  FOR UPDATE SKIP LOCKED`

export const MARK_PUBLISHED = `UPDATE deliveries
  SET published_at = now()
  FROM ${ASYNC_COMMIT}
  WHERE id = ANY($1)`

export const SWEEP = `UPDATE deliveries
  SET published_at = NULL
  FROM ${ASYNC_COMMIT}
  WHERE id = ANY(ARRAY(
    SELECT id
    FROM deliveries
    WHERE status = 'waiting'
      AND published_at < now() - make_interval(secs => $1)
      AND next_attempt_at <= now()
      AND (leased_until IS NULL OR leased_until <= now())
    ORDER BY published_at
    LIMIT ${SWEPT_BATCH}
    FOR UPDATE SKIP LOCKED))
  RETURNING 1`

// Returns the data of an event only with the first of its deliveries.
//
// Locks rows in the order of their ids, so that two workers can't deadlock. Waits for a relay that has published a
// delivery and not marked it yet: with SKIP LOCKED that delivery would wait for the sweep.
export const LEASE = `WITH requested AS MATERIALIZED (
    SELECT id, key_id, url, next_attempt_at
    FROM deliveries
    WHERE id = ANY($1)
      AND status = 'waiting'
      AND next_attempt_at <= now()
      AND (leased_until IS NULL OR leased_until <= now())
    ORDER BY id
    FOR UPDATE
  ), checked AS MATERIALIZED (
    SELECT
      requested.id,
      webhook_secret,
      CASE WHEN failed_at > now() - make_interval(hours => ${STALE_HOURS}) THEN failing_since END AS failing,
      ARRAY(
        SELECT secret
        FROM former_webhook_secrets AS former
        WHERE former.key_id = requested.key_id
          AND until > now()
        ORDER BY until DESC
        LIMIT ${FORMER_SECRETS}) AS former,
      CASE
        WHEN revoked_at IS NOT NULL THEN 'key revoked'
        WHEN expires_at <= now() THEN 'key expired'
        WHEN disabled_at IS NOT NULL THEN concat('address disabled: ', disabled_reason)
      END AS reason,
      failing_since IS NOT NULL AND (
        coalesce(held_until > now(), false)
        OR row_number() OVER (PARTITION BY requested.key_id, requested.url ORDER BY next_attempt_at, requested.id) > 1
        OR EXISTS (
          SELECT FROM deliveries AS other
          WHERE other.key_id = requested.key_id
            AND other.url = requested.url
            AND other.status = 'waiting'
            AND other.leased_until > now())) AS held
    FROM requested
      JOIN api_keys ON api_keys.id = requested.key_id
      LEFT JOIN endpoints ON endpoints.key_id = requested.key_id AND endpoints.url = requested.url
  ), taken AS (
    UPDATE deliveries
    SET status = CASE WHEN checked.reason IS NULL THEN 'waiting' ELSE 'dead' END,
      reason = checked.reason,
      settled_at = CASE WHEN checked.reason IS NOT NULL THEN now() END,
      published_at = CASE WHEN checked.reason IS NOT NULL OR NOT held THEN published_at END,
      lease = CASE WHEN checked.reason IS NULL AND NOT held THEN gen_random_uuid()::text END,
      leased_until = CASE WHEN checked.reason IS NULL AND NOT held THEN now() + make_interval(secs => $2) END
    FROM checked, ${ASYNC_COMMIT}
    WHERE deliveries.id = checked.id
    RETURNING
      deliveries.id, lease, key_id, url, format, ticker, matched, attempts, event_id, webhook_secret, former, failing
  )
  SELECT
    taken.id, lease, key_id AS "keyId", url, format, ticker, matched, attempts, event_id AS "eventId",
    issuer_cik AS "issuerCik", type AS "eventType", created_at AS "createdAt",
    CASE WHEN row_number() OVER (PARTITION BY event_id ORDER BY taken.id) = 1 THEN coalesce(data, 'null') END AS data,
    failing AS "failingSince", webhook_secret AS secret, former AS "formerSecrets"
  FROM taken JOIN events ON events.id = event_id
  WHERE lease IS NOT NULL`

// `$2` repeats the ids of `$1` as a list: before the first ANALYZE the planner would read the whole table for a join. A
// delivery that is sent again on request counts its attempts from 0, while the numbers of attempts continue.
const SETTLED = `WITH attempt AS MATERIALIZED (
    SELECT *
    FROM jsonb_to_recordset($1::jsonb) AS attempt (
      id text, lease text, at float8, milliseconds real, answered integer, error text, answer text,
      status text, reason text, seconds float8, holds boolean)
  ), held AS MATERIALIZED (
    SELECT deliveries.id
    FROM deliveries JOIN attempt ON attempt.id = deliveries.id AND attempt.lease = deliveries.lease
    WHERE deliveries.id = ANY($2)
      AND deliveries.status = 'waiting'
    ORDER BY deliveries.id
    FOR UPDATE OF deliveries
  ), settled AS (
    UPDATE deliveries
    SET status = attempt.status,
      reason = attempt.reason,
      attempts = attempts + 1,
      lease = NULL,
      leased_until = NULL,
      settled_at = CASE WHEN attempt.status <> 'waiting' THEN now() END,
      published_at = CASE WHEN attempt.status <> 'waiting' THEN published_at END,
      next_attempt_at =
        CASE attempt.status WHEN 'waiting' THEN now() + make_interval(secs => seconds) ELSE next_attempt_at END
    FROM attempt JOIN held ON held.id = attempt.id, ${ASYNC_COMMIT}
    WHERE deliveries.id = held.id
      AND deliveries.id = ANY($2)
    RETURNING attempt.*, attempts, key_id, url
  )`

/** Counts attempts, and sets the next steps of their deliveries. */
export const COUNT = `${SETTLED} SELECT id FROM settled`

// If an address both accepted and failed in one batch, the attempt that ended last decides whether it is failing.
export const SETTLE = `${SETTLED}, recorded AS (
    INSERT INTO delivery_attempts (delivery_id, number, at, milliseconds, status, error, answer)
    SELECT
      id,
      1 + coalesce((SELECT max(number) FROM delivery_attempts WHERE delivery_id = settled.id), 0),
      to_timestamp(at), milliseconds, answered, error, decode(answer, 'base64')
    FROM settled
    ON CONFLICT (delivery_id, number) DO NOTHING
  ), newest AS MATERIALIZED (
    SELECT DISTINCT ON (key_id, url) key_id, url, status <> 'delivered' AS fails,
      coalesce(error, concat('the address answered ', answered)) AS failure,
      CASE WHEN holds THEN now() + make_interval(secs => seconds) END AS held_until
    FROM settled
    ORDER BY key_id, url, at + milliseconds / 1000 DESC
  ), failing AS (
    INSERT INTO endpoints AS known (key_id, url, failing_since, failed_at, failure, held_until)
    SELECT key_id, url, now(), now(), failure, held_until
    FROM newest
    WHERE fails
    ORDER BY key_id, url
    ON CONFLICT (key_id, url) DO UPDATE
      SET failed_at = now(),
        failure = excluded.failure,
        held_until = excluded.held_until,
        failing_since = CASE
          WHEN known.failed_at > now() - make_interval(hours => ${STALE_HOURS})
            THEN coalesce(known.failing_since, now())
          ELSE now()
        END
  ), healed AS (
    UPDATE endpoints
    SET failing_since = NULL
    FROM newest
    WHERE NOT fails
      AND endpoints.key_id = newest.key_id
      AND endpoints.url = newest.url
      AND failing_since IS NOT NULL
  )
  SELECT id FROM settled`

// Deliveries that are leased or being settled are skipped: they are marked dead when they are leased again.
export const DISABLE = `WITH ended AS MATERIALIZED (
    SELECT DISTINCT ON ("keyId", url) *
    FROM jsonb_to_recordset($1::jsonb) AS ended ("keyId" text, url text, reason text)
  ), disabled AS (
    INSERT INTO endpoints AS known (key_id, url, disabled_at, disabled_reason)
    SELECT "keyId", url, now(), reason
    FROM ended
    ORDER BY "keyId", url
    ON CONFLICT (key_id, url) DO UPDATE
      SET disabled_at = now(), disabled_reason = excluded.disabled_reason
      WHERE known.disabled_at IS NULL
    RETURNING key_id, url, disabled_reason
  ), dropped AS (
    UPDATE deliveries
    SET status = 'dead', reason = concat('address disabled: ', ended.reason), settled_at = now()
    FROM ended
    WHERE deliveries.key_id = "keyId"
      AND deliveries.url = ended.url
      AND deliveries.id = ANY(ARRAY(
        SELECT waiting.id
        FROM deliveries AS waiting
          JOIN ended AS over ON waiting.key_id = over."keyId" AND waiting.url = over.url
        WHERE status = 'waiting'
          AND (leased_until IS NULL OR leased_until <= now())
        FOR UPDATE OF waiting SKIP LOCKED))
  )
  SELECT key_id AS "keyId", url, disabled_reason AS reason FROM disabled`

export const UNPUBLISH = `UPDATE deliveries
  SET published_at = NULL
  FROM ${ASYNC_COMMIT}
  WHERE id = ANY(ARRAY(
    SELECT id
    FROM deliveries
    WHERE id = ANY($1)
      AND status = 'waiting'
      AND (leased_until IS NULL OR leased_until <= now())
    ORDER BY id
    FOR UPDATE))`

export const PRUNE_DELIVERIES = `DELETE FROM deliveries
  WHERE id = ANY(ARRAY(
    SELECT id
    FROM deliveries
    WHERE created_at < $1
      AND settled_at < $1
    ORDER BY created_at
    LIMIT ${PRUNED_BATCH}))
  RETURNING 1`

export const PRUNE_EVENTS = `DELETE FROM events
  WHERE id = ANY(ARRAY(
    SELECT id
    FROM events
    WHERE created_at < $1
      AND NOT EXISTS (SELECT FROM deliveries WHERE event_id = events.id)
    ORDER BY created_at
    LIMIT ${PRUNED_BATCH}))
  RETURNING 1`

/** Deletes addresses that no entry or rule has any more, once no delivery waits for them. */
export const PRUNE_ENDPOINTS = `DELETE FROM endpoints
  WHERE NOT EXISTS (
      SELECT FROM alert_addresses
      WHERE alert_addresses.key_id = endpoints.key_id
        AND alert_addresses.url = endpoints.url)
    AND NOT EXISTS (
      SELECT FROM deliveries
      WHERE deliveries.key_id = endpoints.key_id
        AND deliveries.url = endpoints.url
        AND status = 'waiting')`
