// The alert rules of API keys, one key at a time for its holder, and of all keys for matching events.
import { randomUUID } from 'node:crypto'
import type {
  ActiveAlerts,
  ActiveAlertsStore,
  AlertRuleStore,
  RuleSettings,
  SharedRules,
  StoredRule,
} from '../../../application/ports/alerts.ts'
import { rows, transaction, type Connection, type Pool } from '../pool.ts'
import { ADDRESS_STATE, releaseAddress, lockKey, reenableAddress, stateOf, type StateRow } from './addresses.ts'

/** The columns that a key's holder sets, as parameters from `$3` on. */
const COLUMNS = ['name', 'enabled', 'events', 'filter', 'signal_types', 'min_severity', 'url', 'format', 'detail']
const PARAMETERS = COLUMNS.map((_, place) => `$${place + 3}`).join(', ')

const RULE = `SELECT alert_rules.id, name, enabled, events, filter, signal_types AS "signalTypes",
    min_severity AS "minSeverity", alert_rules.url, format, detail, created_at AS "createdAt",
    updated_at AS "updatedAt", last_matched_at AS "lastMatchedAt", ${ADDRESS_STATE}
  FROM alert_rules
    LEFT JOIN endpoints ON endpoints.key_id = alert_rules.key_id AND endpoints.url = alert_rules.url
  WHERE alert_rules.key_id = $1`

export class PostgresAlertRules implements AlertRuleStore {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async list(keyId: string): Promise<StoredRule[]> {
    const rules = await rows<RuleRow>(this.#pool, `${RULE} ORDER BY created_at DESC, alert_rules.id`, [keyId])
    return rules.map(toRule)
  }

  get(keyId: string, id: string): Promise<StoredRule | null> {
    return find(this.#pool, keyId, id)
  }

  add(keyId: string, id: string, settings: RuleSettings, most: number): Promise<StoredRule | null> {
    return transaction(this.#pool, async (connection) => {
      await lockKey(connection, keyId)
      const [{ n } = { n: 0 }] = await rows<{ n: number }>(
        connection,
        'SELECT count(*) AS n FROM alert_rules WHERE key_id = $1',
        [keyId],
      )
      if (n >= most) return null
      await rows(
        connection,
        `INSERT INTO alert_rules (key_id, id, ${COLUMNS.join(', ')}, created_at, updated_at)
         VALUES ($1, $2, ${PARAMETERS}, clock_timestamp(), clock_timestamp())`,
        [keyId, id, ...valuesOf(settings)],
      )
      await reenableAddress(connection, keyId, settings.destination.url)
      await bumpVersion(connection)
      return find(connection, keyId, id)
    })
  }

  replace(keyId: string, id: string, settings: RuleSettings): Promise<StoredRule | null> {
    return transaction(this.#pool, async (connection) => {
      await lockKey(connection, keyId)
      const before = await find(connection, keyId, id)
      if (!before) return null
      await rows(
        connection,
        `UPDATE alert_rules
         SET (${COLUMNS.join(', ')}) = ROW(${PARAMETERS}), updated_at = clock_timestamp()
         WHERE key_id = $1
           AND id = $2`,
        [keyId, id, ...valuesOf(settings)],
      )
      const { destination } = settings
      const isMoved = before.destination.url !== destination.url || before.destination.format !== destination.format
      if (isMoved) await releaseAddress(connection, keyId, before.destination, destination)
      await reenableAddress(connection, keyId, destination.url)
      await bumpVersion(connection)
      return find(connection, keyId, id)
    })
  }

  remove(keyId: string, id: string): Promise<boolean> {
    return transaction(this.#pool, async (connection) => {
      await lockKey(connection, keyId)
      const before = await find(connection, keyId, id)
      if (!before) return false
      await rows(connection, 'DELETE FROM alert_rules WHERE key_id = $1 AND id = $2', [keyId, id])
      await releaseAddress(connection, keyId, before.destination, null)
      await bumpVersion(connection)
      return true
    })
  }
}

type RuleRow = Omit<StoredRule, 'destination' | 'health'> & StoredRule['destination'] & StateRow

async function find(db: Pool | Connection, keyId: string, id: string): Promise<StoredRule | null> {
  const [rule] = await rows<RuleRow>(db, `${RULE} AND alert_rules.id = $2`, [keyId, id])
  return rule ? toRule(rule) : null
}

function toRule({ url, format, failingSince, disabledAt, disabledReason, failure, ...rule }: RuleRow): StoredRule {
  const health = stateOf({ failingSince, disabledAt, disabledReason, failure })
  return { ...rule, destination: { url, format }, health }
}

const valuesOf = ({ destination, ...rule }: RuleSettings): unknown[] => [
  rule.name,
  rule.enabled,
  rule.events,
  JSON.stringify(rule.filter),
  rule.signalTypes,
  rule.minSeverity,
  destination.url,
  destination.format,
  rule.detail,
]

/** Has to come last in a transaction: until the commit, its row lock makes other changes of rules wait. */
async function bumpVersion(connection: Connection): Promise<void> {
  await rows(
    connection,
    `INSERT INTO alert_rules_version AS known (version)
     VALUES (1)
     ON CONFLICT (one) DO UPDATE
       SET version = known.version + 1`,
  )
}

// One statement, so that version and rules are of one snapshot.
const ACTIVE_ALERTS = `SELECT
    present.version,
    EXISTS (SELECT FROM alert_addresses) AS any,
    EXISTS (SELECT FROM watchlist WHERE detail) OR EXISTS (SELECT FROM alert_rules WHERE enabled AND detail) AS detail,
    CASE WHEN present.version IS DISTINCT FROM $1 THEN (
      SELECT coalesce(json_agg(json_build_object(
        'id', id, 'events', events, 'filter', filter, 'signalTypes', signal_types, 'minSeverity', min_severity)), '[]')
      FROM alert_rules
      WHERE enabled)::text
    END AS rules
  FROM (SELECT coalesce(max(version), 0) AS version FROM alert_rules_version) AS present`

/** Reads the rules only when their version has changed. */
export class PostgresActiveAlerts implements ActiveAlertsStore {
  readonly #pool: Pool
  #cached: { version: number; rules: SharedRules | null } | null = null

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async current(): Promise<ActiveAlerts> {
    const [row] = await rows<ActiveAlertsRow>(this.#pool, ACTIVE_ALERTS, [this.#cached?.version ?? null])
    const { version, any, detail, rules } = row!
    if (rules !== null) this.#cached = { version, rules: rules === '[]' ? null : shared(rules) }
    return { any, detail, rules: this.#cached!.rules }
  }
}

function shared(rules: string): SharedRules {
  const bytes = Buffer.from(rules)
  const json = new SharedArrayBuffer(bytes.length)
  new Uint8Array(json).set(bytes)
  return { id: randomUUID(), json }
}

interface ActiveAlertsRow {
  version: number
  any: boolean
  detail: boolean
  /** As JSON; null while their version is the one in memory. */
  rules: string | null
}
