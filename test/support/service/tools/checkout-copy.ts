// Copies of this checkout for tests that change its sources, or run it as another user or with another Node.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtMains } from '../../../../src/cli/bootstrap/checkout.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const PARTS = ['src', 'openapi', 'docker', 'Makefile', 'package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE']

/** What the build needs of a checkout, and what is installed by links. */
export function copyOfCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'insider-checkout-'))
  for (const part of [...PARTS, '.npmrc']) cpSync(join(root, part), join(folder, part), { recursive: true })
  // Whatever umask an earlier test left: others must be able to read it.
  execFileSync('chmod', ['-R', 'a+rX', folder])
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Copies this checkout's build into a copy of it, which then need not build the same again. */
export function copyBuild(checkout: string): void {
  execFileSync('sh', ['src/cli/bootstrap/run.sh', 'step', 'build'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const build = dirname(dirname(builtMains(root)[0]!))
  cpSync(build, join(checkout, 'build', basename(build)), { recursive: true })
}
