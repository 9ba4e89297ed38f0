// Builds the files that the service serves: the dashboard, the guides, the TypeScript client as an npm package, the
// Python client, and gzip variants. build.sh runs it after the installation, with the folder to write to.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type BuildOptions } from 'esbuild'
import { buildDashboard, licencesOf } from './build-dashboard.ts'
import { buildGuides } from './build-guides.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const CLIENT = 'insider-trading-client'

/** Builds the client as ES and as CommonJS module: with `Node16`, TypeScript can't import the one into the other. */
async function buildClient(target: string): Promise<void> {
  const types = declarations()
  const files: [path: string, text: string][] = [
    ['package.json', JSON.stringify(manifest(), null, 2)],
    ['index.js', await clientAs('esm')],
    ['cjs/package.json', '{ "type": "commonjs" }'],
    ['cjs/index.js', await clientAs('cjs')],
    ['README.md', readFileSync(join(root, 'src/client/README.md'), 'utf8')],
    ['LICENSE', readFileSync(join(root, 'LICENSE'), 'utf8')],
    ['mcp.js', await protocolProgram()],
    ['LICENCES.txt', licencesOf(['eventsource-parser', ...PROTOCOL])],
    ...types,
    ...types.map(([path, text]): [string, string] => [`cjs/${path}`, text]),
  ]
  packClient(files, join(target, `${CLIENT}.tgz`))
}

/** Returns the client as one module of this format. */
const clientAs = (format: 'esm' | 'cjs'): Promise<string> =>
  bundled('src/client/index.ts', { format, platform: 'neutral', mainFields: ['module', 'main'], target: 'es2022' })

/** The packages bundled into the program. */
const PROTOCOL = ['@modelcontextprotocol/server', '@modelcontextprotocol/core', 'zod']

/** Returns the server of the Model Context Protocol over stdio as one file. */
const protocolProgram = (): Promise<string> =>
  bundled('src/cli/packed-protocol.ts', {
    format: 'esm',
    platform: 'node',
    target: 'node22',
    banner: { js: '#!/usr/bin/env node' },
    define: { VERSION: JSON.stringify(manifest().version) },
  })

/** Returns a file of the source with all that it imports as one text. */
async function bundled(entry: string, options: BuildOptions): Promise<string> {
  const common = { bundle: true, minify: true, write: false, logLevel: 'warning' } as const
  const { outputFiles } = await build({ entryPoints: [join(root, entry)], ...common, ...options })
  return outputFiles![0]!.text
}

/** Packs these files into a tarball for npm. */
function packClient(files: [path: string, text: string][], target: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'insider-client-'))
  const content = join(folder, 'package')
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(content, path)), { recursive: true })
      writeFileSync(join(content, path), text)
    }
    // The user may have no home folder.
    const own = ['--cache', join(folder, 'cache'), '--userconfig', join(folder, '.npmrc')]
    const words = ['pack', '--silent', '--pack-destination', folder, ...own]
    const { status, stdout, stderr } = spawnSync('npm', words, { cwd: content, encoding: 'utf8' })
    if (status !== 0) throw new Error(`npm could not pack the client: ${stderr}`)
    copyFileSync(join(folder, stdout.trim()), target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function manifest() {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>
  const types = './types/client/index.d.ts'
  return {
    name: CLIENT,
    version,
    description: 'Client of the Insider Trading Data Service: SEC Form 4 insider transactions, signals and alerts.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=22' },
    types,
    bin: { 'insider-trading-mcp': './mcp.js' },
    exports: {
      '.': {
        require: { types: types.replace('./', './cjs/'), default: './cjs/index.js' },
        default: { types, default: './index.js' },
      },
    },
  }
}

/** Returns the declarations of the client and of the contract by their paths in the package. */
function declarations(): [path: string, text: string][] {
  const folder = mkdtempSync(join(tmpdir(), 'insider-client-'))
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const { status } = spawnSync(
      process.execPath,
      [compiler, '-p', join(root, 'src/client/tsconfig.json'), '--outDir', folder],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    )
    if (status !== 0) throw new Error(`the client's declarations could not be made: status ${status}`)
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.d.ts'))
      .sort()
      .map((path) => [`types/${path}`, withJsImports(readFileSync(join(folder, path), 'utf8'))])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Imports of `./errors.js` work with every version and setting of the compiler; those of `./errors.ts` do not. */
const withJsImports = (text: string) => text.replace(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js')

/** Writes a gzip variant of each file, and of Swagger UI's large files for the reference. */
function compress(target: string): void {
  const swagger = join(root, 'node_modules/swagger-ui-dist')
  const built = readdirSync(target).filter((name) => !name.endsWith('.tgz'))
  const paths = [
    ...built.map((name) => join(target, name)),
    join(swagger, 'swagger-ui.css'),
    join(swagger, 'swagger-ui-bundle.js'),
  ]
  for (const path of paths)
    writeFileSync(join(target, `${basename(path)}.gz`), gzipSync(readFileSync(path), { level: 9 }))
}

const target = process.argv[2]
if (target === undefined) throw new Error('build-web.ts needs the folder to build into')
mkdirSync(target, { recursive: true })
await buildDashboard(target)
await buildGuides(target)
await buildClient(target)
copyFileSync(join(root, 'src/client/python/insider_trading.py'), join(target, 'insider_trading.py'))
compress(target)
