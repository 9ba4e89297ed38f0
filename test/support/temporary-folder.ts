// A folder of a test's own.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes an empty folder for each test of a block, and removes it after the test. Returns what gives paths in it. */
export function temporaryFolder(): (...names: string[]) => string {
  let folder: string
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'insider-test-')))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  return (...names) => join(folder, ...names)
}
