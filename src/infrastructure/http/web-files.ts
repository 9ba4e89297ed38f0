// Files that the build makes, in `web/` beside `openapi/`: the dashboard, the guides and the clients. There are none if
// the service runs from source without a build.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gzipEtag } from './cache/compression.ts'
import { contractFolder } from './openapi/document.ts'
import { etagOf, type Content } from './response.ts'

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  map: 'text/plain; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  png: 'image/png',
  tgz: 'application/gzip',
  py: 'text/x-python; charset=utf-8',
}

/** Reads each file at its first use and keeps it. */
export class WebFiles {
  readonly #folder: URL
  /** The names of all files that were built. */
  readonly names: ReadonlySet<string>
  readonly #contents = new Map<string, Content>()

  constructor(folder: URL = new URL('../web/', contractFolder())) {
    this.#folder = folder
    this.names = new Set(existsSync(folder) ? readdirSync(folder) : [])
  }

  /** Returns a file with its compressed form, if it has one; null if it was not built. */
  content(name: string, headers: Record<string, string> = {}): Content | null {
    const known = this.#contents.get(name)
    if (known) return known
    const bytes = this.#bytes(name)
    if (!bytes) return null
    const content = fileContent(name, bytes, this.compressed(name), headers)
    this.#contents.set(name, content)
    return content
  }

  /** Returns the compressed form of a file, which itself need not be in the folder. */
  compressed(name: string): Buffer | null {
    return this.#bytes(`${name}.gz`)
  }

  #bytes(name: string): Buffer | null {
    return this.names.has(name) ? readFileSync(new URL(name, this.#folder)) : null
  }
}

/** Returns a file as an answer, in both encodings if it has two. */
export function fileContent(
  name: string,
  bytes: Buffer,
  compressed: Buffer | null,
  headers: Record<string, string> = {},
): Content {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  const etag = etagOf(bytes)
  if (compressed === null) return { type, bytes, etag, headers }
  const gzip = { bytes: compressed, etag: gzipEtag(etag) }
  return { type, bytes, etag, gzip, headers: { ...headers, Vary: 'Accept-Encoding' } }
}
