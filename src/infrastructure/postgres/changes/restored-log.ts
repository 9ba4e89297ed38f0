// The log of changes in a restored database. It lacks the entries that were written after the backup was made, so its
// numbers continue far above theirs, and its first new entry says that everything may have changed.
import { reportedEverything } from '../../../application/changes/reported-extents.ts'
import { rows, type Connection } from '../pool.ts'
import { ANNOUNCE, entriesJson, logging } from './log-statement.ts'

/** Tables that have rows in a new database. */
export const LOG_TABLES = ['change_position', 'changes']

/** More numbers than a log uses between a backup and its restore, even if the service starts often meanwhile. */
const RESTORE_JUMP = 2 ** 40

/** Empties the log of this database. Call the returned function once the log of the backup has been restored. */
export async function beginLogRestore(connection: Connection): Promise<() => Promise<void>> {
  const [before] = await rows<{ last: number }>(connection, 'SELECT last FROM change_position')
  await connection.query(`TRUNCATE ${LOG_TABLES.join(', ')}`)
  return async () => {
    await rows(connection, 'UPDATE change_position SET last = greatest(last, $1) + $2', [
      before?.last ?? 0,
      RESTORE_JUMP,
    ])
    await rows(connection, `WITH ${logging('$1')} ${ANNOUNCE}`, [
      entriesJson(reportedEverything('restore'), 'everything'),
    ])
  }
}
