// A session of the shell as a reader of the documents has it: its blocks one after the other, in a clean copy of the
// checkout.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
/** Not in a clone, or of no use to a reader. */
const LEFT_OUT = /^(node_modules|\.node|\.git|build|\.data[^/]*|test(?!\/fixtures(\/|$)|$)|.*\.log)(\/|$)/

/** A folder with what a clone has; what is installed is that of this checkout. */
export function cleanCopy(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'insider-readme-'))
  cpSync(root, folder, { recursive: true, filter: (path) => !LEFT_OUT.test(relative(root, path).split(sep).join('/')) })
  for (const name of ['node_modules', '.node'])
    if (existsSync(join(root, name))) symlinkSync(join(root, name), join(folder, name))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export interface ShellSession {
  status: number
  /** What was printed on stdout during each block, in their order. */
  outputs: string[]
  stderr: string
  /** All on stdout so far; what runs in the background may still print. */
  stdout: () => string
  /** Ends what still runs in the background. */
  end: () => void
}

const SEPARATOR = '\x1e'

/** Null where the programs are there that the blocks call. */
export function whyNoSession(...programs: string[]): string | null {
  const missing = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
  return missing.length === 0 ? null : `not on this machine: ${missing.join(', ')}`
}

/** Runs the blocks in one shell, which ends at the first command that fails. */
export async function shellSession(
  folder: string,
  blocks: string[],
  variables: Record<string, string>,
): Promise<ShellSession> {
  // A make above us must not hand down its own options and variables.
  const { MAKEFLAGS: _flags, MFLAGS: _old, MAKELEVEL: _level, JSON: _json, ...env } = process.env
  const script = blocks.map((block) => `${block}printf '\\036'\n`).join('')
  const child = spawn('sh', ['-ec', script], {
    cwd: folder,
    env: { ...env, ...variables },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const status = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    // Not `close`: what runs in the background keeps the pipes open.
    child.once('exit', (code) => resolve(code ?? -1))
  })
  for (let tries = 0; stdout.split(SEPARATOR).length <= blocks.length && status === 0 && tries < 3_000; tries += 1) {
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
  }
  const end = () => {
    try {
      process.kill(-child.pid!)
    } catch {
      // Nothing runs any more.
    }
  }
  return { status, outputs: stdout.split(SEPARATOR), stderr, stdout: () => stdout, end }
}
