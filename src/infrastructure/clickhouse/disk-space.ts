// Free space of the disk on which ClickHouse keeps its tables.
import { requireFree } from '../free-space.ts'
import type { ClickHouse } from './connection/client.ts'
import { sql } from './connection/sql.ts'

/**
 * Throws if the disk lacks room: for these bytes, or where they are null for all tables of the database once more.
 * `advice` says what to do then.
 */
export async function requireRoom(store: ClickHouse, bytes: number | null, advice?: string): Promise<void> {
  const query = sql`
    SELECT
      path, toFloat64(unreserved_space) AS free, toFloat64(total_space) AS total,
      (
        SELECT toFloat64(sum(bytes_on_disk))
        FROM system.parts
        WHERE active AND database = currentDatabase()
      ) AS stored
    FROM system.disks
    WHERE name = 'default' AND type = 'Local'`
  type Space = { path: string; free: number; total: number; stored: number }
  // A server may keep its disks from a user.
  const [disk] = await store.rows<Space>(query).catch((): Space[] => [])
  if (disk) requireFree(disk.path, { ...disk, bytes: bytes ?? disk.stored }, advice)
}
