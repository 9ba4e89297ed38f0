// What an image of the checkout says that it was built from.
import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { checkoutRoot, serviceVersion } from '../../../service/version.ts'

export interface BuildFacts {
  VERSION: string
  /** Empty where no commit has these files: the checkout has changes, or is none of git's. */
  REVISION: string
}

export function buildFacts(): BuildFacts {
  const root = checkoutRoot()
  const top = git(root, ['rev-parse', '--show-toplevel'])
  const isOwn = top !== null && realpathSync(top) === realpathSync(root)
  const isClean = isOwn && git(root, ['status', '--porcelain', '--', 'src', 'openapi', 'docker', '*.json']) === ''
  return { VERSION: serviceVersion(), REVISION: (isClean && git(root, ['rev-parse', 'HEAD'])) || '' }
}

/** Returns null where git fails or is missing. */
function git(root: string, args: string[]): string | null {
  const { status, stdout } = spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return status === 0 ? stdout.trim() : null
}
