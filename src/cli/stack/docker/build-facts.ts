// The version and commit that are recorded in an image of the checkout.
import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { checkoutRoot, serviceVersion } from '../../../service/version.ts'

export interface BuildFacts {
  VERSION: string
  /** Empty if the checkout has changes that are not committed, or is no git repository. */
  REVISION: string
}

export function buildFacts(): BuildFacts {
  const root = checkoutRoot()
  const top = git(root, ['rev-parse', '--show-toplevel'])
  const isOwn = top !== null && realpathSync(top) === realpathSync(root)
  const isClean = isOwn && git(root, ['status', '--porcelain', '--', 'src', 'openapi', 'docker', '*.json']) === ''
  return { VERSION: serviceVersion(), REVISION: (isClean && git(root, ['rev-parse', 'HEAD'])) || '' }
}

/** Returns null if git fails or is missing. */
function git(root: string, args: string[]): string | null {
  const { status, stdout } = spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return status === 0 ? stdout.trim() : null
}
