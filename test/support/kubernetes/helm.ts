// Helm as tests run it: of the package that has it for Linux on x64, elsewhere of the PATH.
import { spawnSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { openPromise } from 'yauzl'

export interface Helm {
  run: (words: readonly string[]) => { status: number | null; stdout: string; stderr: string }
  remove: () => void
}

/** Returns Helm, with a folder of its own for what it keeps; null where there is none. */
export async function findHelm(): Promise<Helm | null> {
  const folder = mkdtempSync(join(tmpdir(), 'helm-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const packed = process.platform === 'linux' && process.arch === 'x64'
  const program = packed ? await unpackHelm(folder) : 'helm'
  const env = { PATH: process.env.PATH, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder }
  const run = (words: readonly string[]) => spawnSync(program, words, { env, encoding: 'utf8' })
  if (run(['version']).status === 0) return { run, remove }
  remove()
  return null
}

async function unpackHelm(folder: string): Promise<string> {
  const archive = new URL('layer.zip', import.meta.resolve('@aws-cdk/asset-kubectl-v20'))
  const zip = await openPromise(fileURLToPath(archive))
  const program = join(folder, 'helm')
  for await (const entry of zip.eachEntry())
    if (entry.fileName === 'helm/helm')
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(program, { mode: 0o755 }))
  return program
}
