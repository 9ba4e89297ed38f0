// Finds releases of the checkout, which are git tags such as v1.2.0, compares them and checks one out.
import { spawnSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { breakingReason } from '../../../infrastructure/migration-runner.ts'
import { dependenciesIn } from '../../bootstrap/checkout.ts'

export interface Release {
  /** Its name for git: the tag, else the commit. */
  ref: string
  /** Its version in package.json. */
  version: string
}

/** What a newer release changes. */
export interface Changes {
  /** The releases after the present one, oldest first, each with the first line of its tag. */
  releases: { tag: string; subject: string }[]
  /** Of PostgreSQL. */
  migrations: NewMigration[]
  /** Whether ClickHouse may be filled again, since its tables or rules change. */
  isRefilled: boolean
  /** Whether the dependencies differ, which can't be installed while a stack runs from this checkout. */
  isLockChanged: boolean
}

export interface NewMigration {
  name: string
  /** Why the present release can't use PostgreSQL after it; null if it can. */
  breaking: string | null
}

/** The files that have the tables of ClickHouse and the number of the rules. */
const DERIVED = [
  'src/infrastructure/clickhouse/schema.sql',
  'src/infrastructure/clickhouse/stores/generation.ts',
  'src/application/queries/transactions/transaction-fields.ts',
]

const TAG = /^v(\d+)\.(\d+)\.(\d+)$/

export class Checkout {
  readonly root: string

  /** Throws if the folder is not the root of a git repository, or has changes. */
  constructor(root: string) {
    this.root = root
    const top = this.#tried(['rev-parse', '--show-toplevel'])
    if (top === null || realpathSync(top) !== realpathSync(root))
      throw new Error(`${root} is not a git checkout: unpack the newer release beside it, and make up there`)
    const changed = this.#git(['status', '--porcelain', '--untracked-files=no']).split('\n').filter(Boolean)
    if (changed.length > 0)
      throw new Error(`the checkout has changes, such as ${changed[0]!.slice(3)}: commit or undo them first`)
  }

  /** Returns what is checked out. */
  present(): Release {
    const tag = this.#tried(['describe', '--tags', '--exact-match', '--match', 'v*'])
    const { version } = JSON.parse(readFileSync(join(this.root, 'package.json'), 'utf8')) as { version: string }
    return { ref: tag ?? this.#git(['rev-parse', '--short=12', 'HEAD']), version }
  }

  /**
   * Returns the release to go to: that of the tag, else the newest. Null if it is checked out. Fetches tags from the
   * remote, if there is one, unless the tag is here.
   */
  target(wanted: string | undefined): Release | null {
    if (wanted !== undefined && !TAG.test(wanted))
      throw new Error(`TO must be a release such as v1.2.0, not "${wanted}"`)
    if (wanted === undefined || !this.#tags().includes(wanted)) this.#fetch()
    const tag = wanted ?? this.#tags().at(-1)
    if (tag === undefined) throw new Error('the checkout has no release to upgrade to')
    if (!this.#tags().includes(tag)) throw new Error(`there is no release ${tag}`)
    if (this.#git(['rev-parse', 'HEAD']) === this.#git(['rev-parse', `${tag}^{commit}`])) return null
    const { version } = this.present()
    if (order(tag, `v${version}`) < 0 || this.#isPast(tag)) {
      if (wanted === undefined) return null
      throw new Error(
        `${tag} is older than what is checked out (${version}): see openapi/guides/upgrade.md for the way back`,
      )
    }
    return { ref: tag, version: tag.slice(1) }
  }

  changesTo({ ref }: Release): Changes {
    const present = `v${this.present().version}`
    const between = this.#tags(['--merged', ref]).filter((tag) => order(tag, present) > 0)
    const subject = (tag: string) => this.#git(['tag', '--list', '--format=%(contents:subject)', tag])
    return {
      releases: between.map((tag) => ({ tag, subject: subject(tag) })),
      migrations: this.#newMigrations(ref),
      isRefilled: this.#git(['diff', '--name-only', 'HEAD', ref, '--', ...DERIVED]) !== '',
      isLockChanged: this.#dependencies('HEAD') !== this.#dependencies(ref),
    }
  }

  checkOut({ ref }: Release): void {
    this.#git(['-c', 'advice.detachedHead=false', 'checkout', '--quiet', ref])
  }

  /** Returns whether what is checked out comes after the tag. */
  #isPast(tag: string): boolean {
    return this.#tried(['merge-base', '--is-ancestor', tag, 'HEAD']) !== null
  }

  /** Returns the tags of releases, the newest last. */
  #tags(conditions: string[] = []): string[] {
    const tags = this.#git(['tag', '--list', 'v*', ...conditions]).split('\n')
    return tags.filter((tag) => TAG.test(tag)).toSorted(order)
  }

  #fetch(): void {
    if (this.#git(['remote']) !== '') this.#git(['fetch', '--quiet', '--tags'])
  }

  #newMigrations(ref: string): NewMigration[] {
    const folder = 'src/infrastructure/postgres/migrations/'
    const present = this.#files('HEAD', folder)
    const added = this.#files(ref, folder).filter((path) => path.endsWith('.sql') && !present.includes(path))
    return added.map((path) => ({
      name: path.slice(folder.length),
      breaking: breakingReason(this.#git(['show', `${ref}:${path}`])),
    }))
  }

  #dependencies(ref: string): string {
    return dependenciesIn(this.#git(['show', `${ref}:package-lock.json`]))
  }

  #files(ref: string, folder: string): string[] {
    return this.#git(['ls-tree', '-r', '--name-only', ref, '--', folder]).split('\n').filter(Boolean)
  }

  #git(args: string[]): string {
    const { status, stdout, stderr, error } = spawnSync('git', args, {
      cwd: this.root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 ** 2,
      stdio: ['inherit', 'pipe', 'pipe'],
    })
    if (error) throw new Error(`make upgrade needs git, which can't be run: ${error.message}`)
    if (status === 0) return stdout.trimEnd()
    throw new Error(`git ${args.find((word) => /^[a-z]/.test(word))} failed: ${stderr.trim().split('\n').at(-1)}`)
  }

  #tried(args: string[]): string | null {
    try {
      return this.#git(args)
    } catch {
      return null
    }
  }
}

/** Compares two tags by their numbers. */
function order(one: string, other: string): number {
  const numbers = (tag: string) => /^v(\d+)\.(\d+)\.(\d+)/.exec(tag)?.slice(1).map(Number) ?? [0, 0, 0]
  const [first, second] = [numbers(one), numbers(other)]
  return first.map((number, index) => number - second[index]!).find((difference) => difference !== 0) ?? 0
}
