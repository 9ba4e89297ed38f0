// The public reference: the document as JSON, and Swagger UI over it from our own disk. It works without internet, and
// its policy forbids the browser to load or call anything but this service. Beside it the clients.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ServiceError } from '../../../application/errors.ts'
import type { Handler } from '../handler.ts'
import type { ApiDocument } from '../openapi/document.ts'
import { etagOf, type Content } from '../response.ts'
import { fileContent, type WebFiles } from '../web-files.ts'

export interface Reference {
  document: Handler<'getOpenApiDocument'>
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

// Addresses are relative, so that the page also works below a prefix that a proxy takes away.
const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Insider Trading Data Service: API reference</title>
  <link rel="stylesheet" href="docs/swagger-ui.css">
  <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
</head>
<body>
  <noscript>This page needs scripts. The same document as JSON: <a href="openapi.json">openapi.json</a>.</noscript>
  <div id="reference"></div>
  <script src="docs/swagger-ui-bundle.js"></script>
  <script src="docs/start.js"></script>
</body>
</html>
`

// validatorUrl: without null, Swagger UI has a public site validate the document.
const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 1,
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout'
})
`

// By llmstxt.org.
const llmsText = (hasProtocol: boolean): string => `# Insider Trading Data Service

> SEC Form 4 filings as an HTTP API: which officers, directors and large owners of a company bought or sold its shares, with signals found by fixed rules and their evidence.

Everything but the watchlist is public. Errors have a stable \`code\`. Answers cover what \`/v1/status\` says, and nothing found there is not nothing happened.

## Interfaces
${hasProtocol ? '\n- [Model Context Protocol](mcp): tools for language models over Streamable HTTP, without a key or with one' : ''}
- [The contract](openapi.json): OpenAPI 3.1, with every operation, parameter and error
- [The contract as a page](docs): for people
- [Coverage](v1/status): from when, up to when, and which days are incomplete
- [Rules of signals](v1/signals/rules): each rule in words, with its thresholds

## Clients

- [TypeScript](docs/insider-trading-client.tgz): a package for npm, with a server of the protocol over stdio
- [Python](docs/insider_trading.py): one file without dependencies
`

const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']
const BUILT = ['insider-trading-client.tgz', 'insider_trading.py']

/** Makes the handlers; `hasProtocol` says whether `/mcp` is served. */
export function reference({ json }: ApiDocument, webFiles: WebFiles, hasProtocol = false): Reference {
  const llms = content('text/markdown; charset=utf-8', Buffer.from(llmsText(hasProtocol)))
  const document = content('application/json', Buffer.from(JSON.stringify(json)))
  const page = content('text/html; charset=utf-8', Buffer.from(PAGE), { 'Content-Security-Policy': POLICY })
  const assets = new Map([['start.js', fileContent('start.js', Buffer.from(START), null)]])
  return {
    document: () => ({ status: 200, content: document }),
    page: () => ({ status: 200, content: page }),
    llmsText: () => ({ status: 200, content: llms }),
    asset: ({ path }) => ({ status: 200, content: assets.get(path.asset) ?? load(assets, webFiles, path.asset) }),
  }
}

/**
 * Reads a file at its first use and caches it (1.9 MB in all). Only named files: nothing of the path reaches the disk.
 */
function load(assets: Map<string, Content>, webFiles: WebFiles, name: string): Content {
  const asset = FILES.includes(name) ? ofSwagger(name, webFiles) : BUILT.includes(name) ? webFiles.content(name) : null
  if (asset === null) throw new ServiceError('not_found', 'There is nothing at this path')
  assets.set(name, asset)
  return asset
}

function ofSwagger(name: string, webFiles: WebFiles): Content {
  const bytes = readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`))
  return fileContent(name, bytes, webFiles.compressed(name))
}

function content(type: string, bytes: Buffer, headers: Record<string, string> = {}): Content {
  return { type, bytes, etag: etagOf(bytes), headers }
}
