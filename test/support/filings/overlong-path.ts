// A folder in which a path is longer than the system takes: made of two that are not, one moved into the other.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes two files below `folder`, `near` with a path that can be read and `far` with one that can't. */
export function makeOverlongPath(folder: string): void {
  const chain = (root: string) => {
    let path = root
    // Of the 4,096 bytes that Linux takes, with the zero at their end.
    while (path.length + 251 < 3900) path = join(path, 'n'.repeat(250))
    mkdirSync(path, { recursive: true })
    return path
  }
  const [upper, lower] = [chain(join(folder, 'upper')), chain(join(folder, 'lower'))]
  writeFileSync(join(upper, 'near'), '')
  writeFileSync(join(lower, 'far'), '')
  renameSync(join(folder, 'lower'), join(upper, 'lower'))
}
