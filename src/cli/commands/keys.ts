// The command keys: issues, lists and revokes API keys. A key and the secret of its webhooks are shown only once,
// because only a hash of the key is stored.
import { parseArgs } from 'node:util'
import type { ApiKeys, IssuedKey } from '../../application/commands/api-keys.ts'
import type { Config } from '../../config.ts'
import { createContainer } from '../../container/container.ts'
import { TYPES } from '../../container/tokens.ts'
import { KEY_ID } from '../../domain/alerts/api-key.ts'
import { withoutSecrets } from '../../infrastructure/printable.ts'
import type { Pool } from '../../infrastructure/postgres/pool.ts'
import type { KeyRecord, PostgresOperatorQueries } from '../../infrastructure/postgres/queries/operator-queries.ts'
import { type Output, usageError } from '../output.ts'
import { useSecretsKey } from '../../service/secrets-key.ts'
import { withLedger } from '../with-database.ts'

export const help = `keys: API keys, which watchlists need

  keys issue --name NAME [--expires DAYS]   make one; shown once, with the secret its webhooks are signed with
  keys list                                 all keys, without secrets
  keys revoke ID                            revoke one permanently, within a second
  keys rotate-secret ID                     make a new secret for its webhooks; the previous one signs too for 24 hours

  SECRETS_KEY   encrypts secrets in PostgreSQL: 32 bytes as base64 or 64 hex digits (the file DATA_DIR/secrets.key)`

/** Returns the API keys without starting a service. `secretsKey` is null for actions that need no secret. */
export function openApiKeys(pool: Pool, secretsKey: Buffer | null): ApiKeys {
  return createContainer({ pool, secretsKey }).get(TYPES.apiKeys)
}

export async function run(config: Config, [action = '', ...args]: string[], out: Output): Promise<void> {
  const act = actionOf(action, args)
  await withLedger(config, out, 'keys', async ({ pool, operatorQueries: queries }) => {
    const secretsKey = ENCRYPTING.includes(action) ? (await useSecretsKey(config, pool)).key : null
    await act({ keys: openApiKeys(pool, secretsKey), queries, out })
  })
}

const ENCRYPTING = ['issue', 'rotate-secret']

type Act = (at: { keys: ApiKeys; queries: PostgresOperatorQueries; out: Output }) => Promise<void>

/** Parses the arguments, so that wrong ones are refused before any store is started. */
function actionOf(action: string, args: string[]): Act {
  if (action === 'issue') return issue(args)
  if (action === 'list') return (parseArgs({ args }), list)
  if (action === 'revoke') return revoke(idIn(action, args))
  if (action === 'rotate-secret') return rotateSecret(idIn(action, args))
  throw usageError(
    `keys: ${action === '' ? 'name an action' : `unknown action "${action}"`}: issue, list, revoke or rotate-secret`,
  )
}

function issue(args: string[]): Act {
  const { values } = parseArgs({ args, options: { name: { type: 'string' }, expires: { type: 'string' } } })
  const name = values.name?.trim() ?? ''
  if (!/^[^\p{C}]{1,100}$/u.test(name)) {
    throw usageError('keys issue: --name NAME names the owner of the key, in 1 to 100 printable characters')
  }
  if (withoutSecrets(name) !== name) throw usageError('keys issue: --name is a name, and this looks like a key')
  const { expires } = values
  const days = Number(expires)
  if (expires !== undefined && (!/^\d{1,4}$/.test(expires) || days < 1 || days > 3650)) {
    throw usageError(`keys issue: --expires takes days from 1 to 3650, not "${expires}"`)
  }
  return async ({ keys, out }) => {
    const issued = await keys.issue(name, expires === undefined ? null : days)
    const expiry = `expires         ${issued.expiresAt?.toISOString() ?? 'never'}`
    out.result(
      { ...issued },
      [...issuedLines(issued), expiry, 'Both secrets are shown only this once.'],
      [issued.key, issued.webhookSecret],
    )
  }
}

export function issuedLines({
  id,
  name,
  key,
  webhookSecret,
}: Pick<IssuedKey, 'id' | 'name' | 'key' | 'webhookSecret'>): string[] {
  return [`id              ${id} (${name})`, `key             ${key}`, `webhook secret  ${webhookSecret}`]
}

const list: Act = async ({ queries, out }) => {
  const all = await queries.apiKeys()
  const shown = all.map((key) => ({ ...key, status: statusOf(key) }))
  const line = ({ id, status, createdAt, lastUsedAt, expiresAt, name }: (typeof shown)[number]) =>
    `${id}  ${status.padEnd(7)}  made ${day(createdAt)}  used ${day(lastUsedAt)}  expires ${day(expiresAt)}  ${name}`
  out.result({ keys: shown }, shown.length === 0 ? ['no keys; make key NAME=... issues one'] : shown.map(line))
}

function statusOf({ revokedAt, expiresAt }: KeyRecord): 'revoked' | 'expired' | 'active' {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? 'expired' : 'active'
}

const day = (date: Date | null): string => date?.toISOString().slice(0, 10) ?? 'never     '

const revoke =
  (id: string): Act =>
  async ({ keys, out }) => {
    if (!(await keys.revoke(id))) throw noSuchKey(id)
    out.result({ id, revoked: true }, [`revoked ${id}`])
  }

const rotateSecret =
  (id: string): Act =>
  async ({ keys, out }) => {
    const rotated = await keys.rotateSecret(id)
    if (rotated === null) throw noSuchKey(id)
    out.result(
      { id, ...rotated },
      [
        `webhook secret  ${rotated.webhookSecret}`,
        `It is shown only once. The previous one signs as well until ${rotated.previousUntil.toISOString()}.`,
      ],
      [rotated.webhookSecret],
    )
  }

function idIn(action: string, args: string[]): string {
  const {
    positionals: [id, ...more],
  } = parseArgs({ args, allowPositionals: true })
  if (id === undefined || more.length > 0)
    throw usageError(`keys ${action}: takes the id of one key; keys list shows all`)
  return keyIdIn(id)
}

/** Returns the id. Throws on anything else without repeating it, since it may be a key. */
export function keyIdIn(text: string): string {
  if (KEY_ID.test(text)) return text
  throw usageError(
    'a key is named by its id, 10 letters and digits, which follow itd_ in the key: make keys lists them',
  )
}

function noSuchKey(id: string): Error {
  return new Error(`there is no key ${id} that is not revoked; keys list shows all`)
}
