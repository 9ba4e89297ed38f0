// Makes the shell command that goes back to the release before an upgrade. If migrations only added to PostgreSQL, the
// former release can use it; after a breaking one it is restored from the backup. Each release fills ClickHouse for
// itself.
import type { StackKind } from '../../../config-values.ts'
import type { Changes, Release } from './releases.ts'

interface Upgraded {
  from: Release
  changes: Changes
  /** The folder of the backup; null if there is none. */
  backup: string | null
  stack: StackKind
  dataDir: string
  /** Whether it is the default, which commands need not name. */
  isDefaultDir: boolean
  /** Whether the store is a server of its own. */
  servers: { postgres: boolean; clickhouse: boolean }
  /** Files to copy from dataDir into the new one, such as `secrets.key`. */
  kept: string[]
}

/** Returns the command; null if a migration of PostgreSQL was breaking and no backup was made. */
export function wayBack(upgraded: Upgraded): string | null {
  const { from, changes, stack, dataDir, isDefaultDir } = upgraded
  const at = isDefaultDir ? '' : ` DATA_DIR=${quoted(dataDir)}`
  if (changes.migrations.some(({ breaking }) => breaking !== null)) return restored(upgraded, at)
  const needsDown = changes.isLockChanged && stack === 'embedded'
  return [...(needsDown ? [`make down${at}`] : []), `git checkout ${from.ref}`, `make up${at}`].join(' && ')
}

function restored({ from, backup, stack, dataDir, servers, kept }: Upgraded, at: string): string | null {
  if (backup === null) return null
  const folder = `${dataDir}-${from.version}`
  const others = [
    ` DATA_DIR=${quoted(folder)}`,
    ...(servers.postgres ? [' DATABASE_URL="$EMPTY_DATABASE_URL"'] : []),
    ...(servers.clickhouse ? [' CLICKHOUSE_URL="$EMPTY_CLICKHOUSE_URL"'] : []),
  ].join('')
  // Aborts before anything is stopped if the operator has not set them.
  const required = [
    ...(servers.postgres ? [': "${EMPTY_DATABASE_URL:?set it to an empty database}"'] : []),
    ...(servers.clickhouse ? [': "${EMPTY_CLICKHOUSE_URL:?set it to an empty database}"'] : []),
  ]
  const paths = kept.map((path) => quoted(`${dataDir}/${path}`)).join(' ')
  const isDocker = stack === 'docker'
  return [
    ...required,
    `make down${at}`,
    `git checkout ${from.ref}`,
    isDocker
      ? `SECRETS_KEY_FILE=${quoted(`${dataDir}/secrets/secrets_key`)} make restore FROM=${quoted(backup)} STACK=docker${others}`
      : `make restore FROM=${quoted(backup)}${others}`,
    ...(isDocker || kept.length === 0 ? [] : [`cp -p ${paths} ${quoted(folder)}`]),
    `make up${others}`,
  ].join(' && ')
}

/** Returns a word for a shell. */
const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
