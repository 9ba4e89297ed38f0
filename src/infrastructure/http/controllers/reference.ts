// Handlers of the documentation: the guides, the reference (the contract as JSON, and Swagger UI) and the clients. All
// of it works offline: the content security policies let the browser load from and call this service only.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ServiceError } from '../../../application/errors.ts'
import type { Handler } from '../handler.ts'
import type { ApiDocument } from '../openapi/document.ts'
import type { Content } from '../response.ts'
import { fileContent, type WebFiles } from '../web-files.ts'

export interface Reference {
  document: Handler<'getOpenApiDocument'>
  guides: Handler<'getDocumentation'>
  page: Handler<'getReference'>
  asset: Handler<'getReferenceAsset'>
  llmsText: Handler<'getLlmsText'>
}

// The style sheet draws its arrows from data: images; the page sets style attributes on its own elements.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

// Guides have no scripts and no styles of their own.
const GUIDE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}

// Addresses are relative, so that the page also works below a prefix that a proxy takes away.
const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Insider Trading Data Service: API reference</title>
  <link rel="stylesheet" href="swagger-ui.css">
  <link rel="icon" type="image/png" href="favicon-32x32.png">
</head>
<body>
  <noscript>This page needs scripts. The same document as JSON: <a href="../openapi.json">openapi.json</a>.</noscript>
  <div id="reference"></div>
  <script src="swagger-ui-bundle.js"></script>
  <script src="start.js"></script>
</body>
</html>
`

// The class is that of Swagger UI's own switch, which only its top bar has.
// validatorUrl: without null, Swagger UI has a public site validate the document.
const START = `const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 1,
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout'
})
`

// By llmstxt.org.
const llmsText = (hasProtocol: boolean, guides: string[]): string => `# Insider Trading Data Service

> SEC Form 4 filings as an HTTP API: which officers, directors and large owners of a company bought or sold its shares, with signals found by fixed rules and their evidence.

Everything is public but \`/v1/watchlist\`, \`/v1/alerts\` and \`/v1/feed/export\`, which need an API key; \`/v1/exports\` may need one too. Errors have a stable \`code\`. Answers cover what \`/v1/status\` says: an empty one does not mean that nothing happened.

## Interfaces
${hasProtocol ? '\n- [Model Context Protocol](mcp): tools for language models over Streamable HTTP, without a key or with one' : ''}
- [The contract](openapi.json): OpenAPI 3.1, with every operation, parameter and error
- [The contract as a page](docs/reference): for people
- [Coverage](v1/status): from when, up to when, and which days are incomplete
- [Rules of signals](v1/signals/rules): each rule in words, with its thresholds
${guides.length === 0 ? '' : `\n## Guides\n\n${guides.map((name) => `- [${name}](docs/${name}.md)\n`).join('')}`}
## Clients

- [TypeScript](docs/insider-trading-client.tgz): a package for npm, with a server of the protocol over stdio
- [Python](docs/insider_trading.py): one file without dependencies
`

const SWAGGER = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']
const BUILT = ['insider-trading-client.tgz', 'insider_trading.py', 'guides.css']

/** The index of the guides, which exists if they were built. */
export const GUIDES_PAGE = 'guides.html'

/** Makes the handlers; `hasProtocol` says whether `/mcp` is served. */
export function reference({ json }: ApiDocument, webFiles: WebFiles, hasProtocol = false): Reference {
  const guides = [...webFiles.names].flatMap((name) => (name.endsWith('.md') ? name.slice(0, -'.md'.length) : []))
  const llms = { type: 'text/markdown; charset=utf-8', bytes: Buffer.from(llmsText(hasProtocol, guides)) }
  const document = { type: 'application/json', bytes: Buffer.from(JSON.stringify(json)) }
  const page = fileContent('reference.html', Buffer.from(PAGE), null, { 'Content-Security-Policy': POLICY })
  const start = fileContent('start.js', Buffer.from(START), null)
  /** Files by path; null if one was not built. Only these names are served: no text of a request reaches the disk. */
  const assets = new Map<string, () => Content | null>([
    ['start.js', () => start],
    ...SWAGGER.map((name) => [name, readOnce(() => swaggerFile(name, webFiles))] as const),
    ...BUILT.map((name) => [name, () => webFiles.content(name)] as const),
    ...guides.map((name) => [name, () => webFiles.content(`${name}.html`, GUIDE_HEADERS)] as const),
    ...guides.map((name) => [`${name}.md`, () => webFiles.content(`${name}.md`)] as const),
  ])
  return {
    document: () => ({ status: 200, content: document }),
    guides: () => ({ status: 200, content: found(webFiles.content(GUIDES_PAGE, GUIDE_HEADERS)) }),
    page: () => ({ status: 200, content: page }),
    llmsText: () => ({ status: 200, content: llms }),
    asset: ({ path }) => ({ status: 200, content: found(assets.get(path.asset)?.()) }),
  }
}

function found(content: Content | null | undefined): Content {
  if (!content) throw new ServiceError('not_found', 'There is nothing at this path')
  return content
}

/** Reads a large file at its first use, and keeps it. */
function readOnce(read: () => Content): () => Content {
  let content: Content | undefined
  return () => (content ??= read())
}

function swaggerFile(name: string, webFiles: WebFiles): Content {
  const bytes = readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`))
  return fileContent(name, bytes, webFiles.compressed(name))
}
