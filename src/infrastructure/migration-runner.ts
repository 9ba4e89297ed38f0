// Migration runner of both stores: numbered .sql files, applied in order, once each, forward only. The first is the
// schema of release 1.0.0.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Migration {
  number: number
  name: string
  /** Statements, split on a semicolon at the end of a line. */
  statements: string[]
}

interface MigrationTarget {
  /** Names of those applied before. */
  applied(): Promise<string[]>
  apply(migration: Migration): Promise<void>
  /** What to do with a database of a version before 1.0.0, which none of the migrations fits. */
  unreleased: string
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
    const statements = readFileSync(join(folder, file), 'utf8')
      .replace(/^--.*$/gm, '')
      .split(/;\s*$/m)
      .map((statement) => statement.trim())
      .filter(Boolean)
    return { number, name: file, statements }
  })
}

/** Applies missing migrations and returns their names. Refuses a database of a version before 1.0.0, or a newer one. */
export async function migrate(migrations: Migration[], target: MigrationTarget): Promise<string[]> {
  const applied = new Set(await target.applied())
  if (applied.size > 0 && !applied.has(migrations[0]!.name)) throw new Error(target.unreleased)
  const known = new Set(migrations.map((migration) => migration.name))
  const foreign = [...applied].filter((name) => !known.has(name))
  if (foreign.length > 0) {
    throw new Error(`the database was made by a newer version of this service (it has ${foreign.join(', ')})`)
  }
  const missing = migrations.filter((migration) => !applied.has(migration.name))
  for (const migration of missing) await target.apply(migration)
  return missing.map((migration) => migration.name)
}
