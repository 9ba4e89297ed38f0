// SQL that adds entries to the log of changes. It is part of the statement that commits the changes, so both are stored
// or neither is. Numbers follow the order of commits, because the row of `change_position` stays locked until the
// commit. The commit waits for the disk, and shows nothing before: what readers got is still there after a crash.
import { NOTHING_TOUCHED, type ChangeScope, type Extent } from '../../../application/changes/change-tracker.ts'
import type { Outcome, ReportedChange } from '../../../application/ports/changes.ts'
import { eventExpressions, eventsJson, NOTIFY_RAISED } from '../alerts/outbox.ts'
import type { Prepared } from '../pool.ts'

/** NOTIFY channel: something was added to the log. */
export const CHANGES_CHANNEL = 'changes'

interface Entry extends Partial<ReportedChange> {
  scope?: object
}

/** Scopes of changes without a list of parts. */
const EXTENTS: Record<Extent, object> = { everything: {}, filings: { extent: 'filings' } }

/** Returns entries for callers, then one for the other processes, as the parameter of `logging`. */
export function entriesJson(reported: ReportedChange[], touched: ChangeScope | Extent): string {
  const scope = typeof touched === 'string' ? EXTENTS[touched] : scopeOf(touched)
  const entries: Entry[] = scope === null ? reported : [...reported, { scope }]
  return JSON.stringify(
    entries.map(({ id, type, issuerCiks, facts, data, scope, ifRaised, unlessRaised }, place) => ({
      place,
      id,
      type,
      issuer_ciks: issuerCiks,
      facts,
      data,
      scope,
      if_raised: ifRaised,
      unless_raised: unlessRaised,
    })),
  )
}

/** Returns the scope as the log stores it; null if nothing was touched. */
function scopeOf({ parts, feed }: ChangeScope): object | null {
  const scope = { parts: [...parts], feed: [...new Set(feed)] }
  return scope.parts.length === 0 && scope.feed.length === 0 ? null : scope
}

/**
 * Returns a statement that begins with the CTEs of `text`, whose parameters are `values`, and writes the outcome too.
 */
export function withOutcome(
  { name, text }: Prepared,
  values: unknown[],
  { events = [], touched = NOTHING_TOUCHED, reported = [] }: Outcome,
): { statement: Prepared; values: unknown[] } {
  const entries = `$${values.length + 1}`
  const all = [...values, entriesJson(reported, touched)]
  if (events.length === 0) return { statement: { name, text: `${text}, ${logging(entries)} ${ANNOUNCE}` }, values: all }
  const raising = eventExpressions(`$${values.length + 2}`)
  const statement = {
    name: `${name} with events`,
    text: `${text}, ${raising}, ${logging(entries, RAISED)} ${NOTIFY_RAISED} UNION ALL ${ANNOUNCE}`,
  }
  return { statement, values: [...all, eventsJson(events)] }
}

const RAISED = "(SELECT coalesce(array_agg(id), '{}') FROM raised)"
const NOT_RAISED = "'{}'::text[]"

/** Turns on waiting for the disk, for the current transaction, on a server whose commits do not wait by default. */
const WAIT_FOR_DISK = `set_config(
      'synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), true)`

/**
 * Returns CTEs that add the entries in `parameter`. `raised` is the list of events raised by the same statement,
 * `alsoSet` further assignments to the row of the position. `ANNOUNCE` has to follow.
 */
export const logging = (parameter: string, raised = NOT_RAISED, alsoSet = ''): string => `entries AS (
    SELECT *
    FROM jsonb_to_recordset(${parameter}::jsonb) AS entries (
      place integer, id text, type text, issuer_ciks text[], facts jsonb, data text, scope jsonb,
      if_raised text[], unless_raised text[])
  ), fresh AS (
    SELECT entries.*, row_number() OVER (ORDER BY place) AS nth, count(*) OVER () AS total
    FROM entries, (SELECT ${raised} AS raised) AS own
    WHERE (if_raised IS NULL OR if_raised && raised)
      AND (unless_raised IS NULL OR NOT unless_raised && raised)
  ), moved AS (
    UPDATE change_position
    SET last = last + (SELECT count(*) FROM fresh)${alsoSet}
    FROM ${WAIT_FOR_DISK}
    WHERE EXISTS (SELECT FROM fresh)
    RETURNING last
  ), placed AS (
    SELECT fresh.*, last - total + nth AS seq, EXISTS (SELECT FROM changes WHERE changes.id = fresh.id) AS is_again
    FROM fresh, moved
  ), named AS (
    SELECT *, CASE WHEN is_again THEN regexp_replace(type, '[.][a-z]+$', '.changed') ELSE type END AS kind
    FROM placed
  ), logged AS (
    INSERT INTO changes (seq, id, type, issuer_ciks, facts, data, scope)
    SELECT
      seq,
      CASE WHEN is_again OR id IS NULL THEN kind || '/' || seq ELSE id END,
      kind,
      issuer_ciks,
      facts,
      CASE
        WHEN NOT is_again THEN data
        WHEN kind = 'signal.changed' THEN left(data, -1) || ',"status":"holds"}'
        ELSE left(data, -1) || ',"removed":[]}'
      END,
      scope
    FROM named
    RETURNING seq
  )`

/** The end of a statement with `logging`: wakes the log's readers when it commits. */
export const ANNOUNCE = `SELECT pg_notify('${CHANGES_CHANNEL}', '') WHERE EXISTS (SELECT FROM logged)`
