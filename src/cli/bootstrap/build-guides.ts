// Builds the guides of openapi/: pages without scripts, the Markdown, and a style sheet.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Marked, type Tokens } from 'marked'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A guide: the name of its file, and the text of links to it. */
interface Guide {
  name: string
  label: string
}

export async function buildGuides(target: string): Promise<void> {
  await build({
    entryPoints: [join(root, 'src/web/guides.css')],
    outdir: target,
    bundle: true,
    minify: true,
    logLevel: 'warning',
  })
  const write = (name: string, text: string) => writeFileSync(join(target, name), text)
  const index = readFileSync(join(root, 'openapi/README.md'), 'utf8')
  const guides = guidesOf(index)
  write('guides.html', guidePage(index, guides))
  for (const { name } of guides) {
    const text = readFileSync(join(root, 'openapi/guides', `${name}.md`), 'utf8')
    // Files of the checkout are not served.
    write(`${name}.md`, text.replace(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1'))
    write(`${name}.html`, guidePage(text, guides, name))
  }
}

/** Returns the guides in the order in which the index links to them. */
function guidesOf(index: string): Guide[] {
  const links = [...index.matchAll(/\[([^\]]+)\]\(guides\/([\w-]+)\.md\)/g)]
  return [...new Map(links.map(([, label, name]) => [name!, { name: name!, label: label! }])).values()]
}

/** Renders a guide, or the index where `name` is absent. Addresses are relative, so that a proxy may add a prefix. */
export function guidePage(text: string, guides: readonly Guide[], name?: string): string {
  const [docs, base] = name === undefined ? ['docs/', './'] : ['', '../']
  const pages = [
    { address: `${base}docs`, label: 'Guides', isThis: name === undefined },
    ...guides.map((guide) => ({ address: docs + guide.name, label: guide.label, isThis: guide.name === name })),
    { address: `${docs}reference`, label: 'Reference', isThis: false },
  ]
  const links = pages.map(
    ({ address, label, isThis }) => `<a href="${address}"${isThis ? ' aria-current="page"' : ''}>${escaped(label)}</a>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${escaped(/^# (.+)$/m.exec(text)?.[1] ?? 'Guides')}</title>
  <link rel="stylesheet" href="${docs}guides.css">
  <link rel="icon" type="image/png" href="${docs}favicon-32x32.png">
</head>
<body>
<nav aria-label="Guides">
${links.join('\n')}
</nav>
<main>
${rendered(text, (href) => addressOf(href, guides, docs, base))}</main>
</body>
</html>
`
}

/** Returns the address on the service that a link of a guide leads to; null for files of the checkout. */
function addressOf(href: string, guides: readonly Guide[], docs: string, base: string): string | null {
  if (href.startsWith('http://localhost:8080/')) return base + href.slice('http://localhost:8080/'.length)
  if (/^(https:\/\/|#)/.test(href)) return href
  const [, name, heading = ''] = /^(?:guides\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return guides.some((guide) => guide.name === name) ? docs + name + heading : null
}

/** Renders Markdown; HTML in it is shown as text. */
function rendered(text: string, address: (href: string) => string | null): string {
  const marked = new Marked({
    renderer: {
      html: ({ text: html }: Tokens.HTML | Tokens.Tag) => escaped(html),
      heading({ tokens, depth, text: title }) {
        return `<h${depth} id="${slug(title)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ tokens, href }) {
        const [words, to] = [this.parser.parseInline(tokens), address(href)]
        return to === null ? words : `<a href="${escaped(to)}">${words}</a>`
      },
      // Focusable, so that wide code can be scrolled by keyboard.
      code: ({ text: code }) => `<pre tabindex="0"><code>${escaped(code)}\n</code></pre>\n`,
    },
  })
  return marked.parse(text, { async: false })
}

/** Returns the anchor of a heading, as GitHub makes it. */
const slug = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
