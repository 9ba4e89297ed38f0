// What build-web.ts makes of this source, built once a process into a temporary folder.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

let folder: URL | undefined

/** Returns the folder, built at the first call and removed at the end of the process. */
export function builtWeb(): URL {
  if (folder !== undefined) return folder
  const path = mkdtempSync(join(tmpdir(), 'built-web-'))
  process.once('exit', () => rmSync(path, { recursive: true, force: true }))
  const script = join(import.meta.dirname, '../../../../src/cli/bootstrap/build-web.ts')
  execFileSync(process.execPath, ['--import=tsx', script, path], { stdio: ['ignore', 'ignore', 'inherit'] })
  return (folder = pathToFileURL(`${path}/`))
}
