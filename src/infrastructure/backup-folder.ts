// The folder that a backup is written into: empty before, and again where the backup fails. While it is being written
// it has a mark, by which the next one tells what a killed process left from what somebody keeps there.
import { existsSync } from 'node:fs'
import { readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makeFolder } from './folders.ts'
import { requireSpace } from './free-space.ts'
import { isLeftOver, isOfThisMachine, unfinishedName } from './unfinished-files.ts'

const MARK = /^backup\..+\.part$/
/** Names of what a backup consists of. */
const PARTS = /^(history|backup\.json|\w+\.copy\.gz)$/

/**
 * Runs `work`, which writes a backup into the folder. Removes what it wrote where it fails. Throws one line if the
 * folder holds anything but what a killed run left, or its disk is full.
 */
export async function fillBackupFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const isNew = !existsSync(folder)
  if (!isNew) await removeLeftOvers(folder)
  await requireSpace(folder)
  makeFolder(resolve(folder), 0o700)
  const mark = unfinishedName(join(folder, 'backup'))
  await writeFile(mark, '', { mode: 0o600 })
  try {
    const result = await work()
    await rm(mark)
    return result
  } catch (error) {
    // What made the backup fail says more than what keeps its files from being removed.
    await removeParts(folder).catch(() => {})
    if (isNew) await rmdir(folder).catch(() => {})
    throw error
  }
}

async function removeLeftOvers(folder: string): Promise<void> {
  const names = await readdir(folder)
  const marks = names.filter((name) => MARK.test(name))
  for (const name of marks) {
    if (!isOfThisMachine(name))
      throw new Error(`${folder} has an unfinished backup of another machine: remove it, or name another folder`)
    if (!(await isLeftOver(join(folder, name)))) throw new Error(`another process is writing a backup into ${folder}`)
  }
  if (names.length > 0 && (marks.length === 0 || !names.every((name) => MARK.test(name) || PARTS.test(name))))
    throw new Error(`${folder} is not empty`)
  await removeParts(folder)
}

/** Removes what backups consist of, the mark last. */
async function removeParts(folder: string): Promise<void> {
  const names = await readdir(folder)
  for (const pattern of [PARTS, MARK]) {
    for (const name of names.filter((each) => pattern.test(each)))
      await rm(join(folder, name), { recursive: true, force: true })
  }
}
