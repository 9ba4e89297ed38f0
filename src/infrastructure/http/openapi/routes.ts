// Routes: from path and method to operation. One compiled pattern per documented path; plain text first, so
// `/v1/feed/stats` needs no rule of order. Patterns are found by the text before their first parameter, so that a path
// is not compared with all of them.
import type { ApiDocument, DocumentedOperation, DocumentedPath, Method } from './document.ts'
import { decode } from './request-target.ts'

export interface Route {
  template: string
  /** Undefined if the path does not support the method. */
  operation: DocumentedOperation | undefined
  /** Decoded. */
  params: Record<string, string>
  /** For the `Allow` header. */
  methods: Method[]
}

type FindRoute = (path: string, method: string) => Route | null

interface Pattern {
  pattern: RegExp
  names: string[]
  documented: DocumentedPath
  /** Where several match, the first in the document is meant. */
  place: number
}

export function routesOf(document: ApiDocument): FindRoute {
  const plain = new Map<string, DocumentedPath>()
  const starts = new Map<string, Pattern[]>()
  for (const [place, documented] of document.paths.entries()) {
    const { template } = documented
    const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
    if (names.length === 0) plain.set(template, documented)
    else {
      const start = template.slice(0, template.lastIndexOf('/', template.indexOf('{')) + 1)
      starts.set(start, [...(starts.get(start) ?? []), { pattern: patternOf(template), names, documented, place }])
    }
  }
  const longest = Math.max(0, ...[...starts.keys()].map(({ length }) => length))
  return (path, method) => {
    const direct = plain.get(path)
    if (direct) return route(direct, method, {})
    let found: { match: RegExpExecArray; by: Pattern } | null = null
    for (let end = 1; end > 0 && end <= longest; end = path.indexOf('/', end) + 1) {
      for (const by of starts.get(path.slice(0, end)) ?? []) {
        if (found && found.by.place < by.place) continue
        const match = by.pattern.exec(path)
        if (match) found = { match, by }
      }
    }
    return found && route(found.by.documented, method, decoded(found.by.names, found.match))
  }
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`)
}

function decoded(names: string[], match: RegExpExecArray): Record<string, string> {
  const params: Record<string, string> = {}
  // the target would have been refused already if this could fail
  names.forEach((name, place) => {
    params[name] = decode(match[place + 1]!) ?? ''
  })
  return params
}

function route(documented: DocumentedPath, method: string, params: Record<string, string>): Route {
  const methods = [...documented.operations.keys()]
  return { template: documented.template, operation: documented.operations.get(method as Method), params, methods }
}
