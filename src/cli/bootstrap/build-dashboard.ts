// Builds the dashboard: page, scripts, style sheet, and the licences of bundled packages.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const BUNDLED = ['preact', '@preact/signals', '@preact/signals-core', 'eventsource-parser']

/**
 * Bundles the page. Code that only some views need is loaded with them, from scripts of its own. The page preloads the
 * scripts that all views need.
 */
export async function buildDashboard(target: string): Promise<void> {
  const { metafile } = await build({
    entryPoints: { app: join(root, 'src/web/main.tsx'), style: join(root, 'src/web/style.css') },
    outdir: target,
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    // Browsers would not find the maps, but the scripts stay smaller without their names.
    sourcemap: 'external',
    logLevel: 'warning',
  })
  const [, { imports }] = Object.entries(metafile.outputs).find(([path]) => basename(path) === 'app.js')!
  const needed = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path))
  const links = needed.map((name) => `    <link rel="modulepreload" href="dashboard/${name}" />\n`).join('')
  const page = readFileSync(join(root, 'src/web/index.html'), 'utf8')
  writeFileSync(
    join(target, 'index.html'),
    page.replace('    <script type="module"', `${links}    <script type="module"`),
  )
  copyFileSync(join(root, 'src/web/icon.svg'), join(target, 'icon.svg'))
  writeFileSync(join(target, 'licences.txt'), licencesOf(BUNDLED))
}

/** Returns the texts of the licences of packages that are bundled. */
export function licencesOf(names: string[]): string {
  return names
    .map((name) => {
      const folder = join(root, 'node_modules', name)
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
      return `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}\n`
    })
    .join(`\n${'-'.repeat(72)}\n\n`)
}
