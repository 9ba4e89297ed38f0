// Migration runner of PostgreSQL: numbered .sql files, applied in order, once each, forward only. The first is the
// schema of release 1.0.0. A later one that the version before it can't work with says so in a line of its own,
// `-- breaking: why`; one that only adds has no such line, and the version before it runs on.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Migration {
  number: number
  name: string
  /** Why versions without this migration can't use the database any more; null if they can. */
  breaking: string | null
  /** Statements, split on a semicolon at the end of a line. */
  statements: string[]
}

export type AppliedMigration = Pick<Migration, 'name' | 'breaking'>

interface MigrationTarget {
  applied(): Promise<AppliedMigration[]>
  apply(migration: Migration): Promise<void>
  /** What to do with a database of a version before 1.0.0, which none of the migrations fits. */
  unreleased: string
  /** What to do with a database that this version can't use, after what a newer version changed. */
  broken: string
}

/** Returns what a migration's file says of versions that do not know it; null if it says nothing. */
export function breakingReason(text: string): string | null {
  return /^-- breaking: *(\S.*?) *$/m.exec(text)?.[1] ?? null
}

/**
 * Reads `0001_verb_noun.sql` files in the order of their numbers, which can have gaps. Throws if a number occurs
 * twice or a file is not named so.
 */
export function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
  const seen = new Set<number>()
  return files.map((file) => {
    const number = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1])
    if (!(number > 0)) throw new Error(`migration ${file}: expected a name such as 0001_create_ledger.sql`)
    if (seen.has(number)) throw new Error(`migration ${file}: its number is taken by another one`)
    seen.add(number)
    const text = readFileSync(join(folder, file), 'utf8')
    const statements = text
      .replace(/^--.*$/gm, '')
      .split(/;\s*$/m)
      .map((statement) => statement.trim())
      .filter(Boolean)
    return { number, name: file, breaking: breakingReason(text), statements }
  })
}

/**
 * Applies missing migrations and returns their names. Migrations of a newer version are left as they are. Refuses a
 * database of a version before 1.0.0, and one that a newer version changed so that this one can't use it.
 */
export async function migrate(migrations: Migration[], target: MigrationTarget): Promise<string[]> {
  const applied = await target.applied()
  const names = new Set(applied.map(({ name }) => name))
  if (names.size > 0 && !names.has(migrations[0]!.name)) throw new Error(target.unreleased)
  const known = new Set(migrations.map(({ name }) => name))
  const breaking = applied.find(({ name, breaking: why }) => why !== null && !known.has(name))
  if (breaking) throw new Error(`${target.broken} (${breaking.name}: ${breaking.breaking})`)
  const missing = migrations.filter(({ name }) => !names.has(name))
  for (const migration of missing) await target.apply(migration)
  return missing.map(({ name }) => name)
}
