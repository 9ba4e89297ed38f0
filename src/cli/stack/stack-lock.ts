// The lock of one DATA_DIR that commands which start or stop its stack hold, so that they run one after the other.
import { join } from 'node:path'
import { dataPaths } from '../../infrastructure/embedded/data-dir.ts'
import { withLock } from '../../infrastructure/embedded/files.ts'
import type { Output } from '../output.ts'

/** A first start may install or build for minutes. */
const MAX_WAIT_MS = 600_000

/** Runs `work` with the lock held. Prints which process it waits for. */
export function withStackLock<T>(dataDir: string, out: Output, work: () => Promise<T>): Promise<T> {
  const onWait = (pid: number) => out.note(`waiting for process ${pid}, which is working on the same DATA_DIR`)
  const path = join(dataPaths(dataDir).run, 'up.lock')
  return withLock(path, { waitMs: MAX_WAIT_MS, onWait }, work)
}
