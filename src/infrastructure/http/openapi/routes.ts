// Routes: from path and method to operation. One compiled pattern per documented path; plain text first, so
// `/v1/feed/stats` needs no rule of order.
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

export function routesOf(document: ApiDocument): FindRoute {
  const plain = new Map<string, DocumentedPath>()
  const patterns: { pattern: RegExp; names: string[]; documented: DocumentedPath }[] = []
  for (const documented of document.paths) {
    const names = [...documented.template.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
    if (names.length === 0) plain.set(documented.template, documented)
    else patterns.push({ pattern: patternOf(documented.template), names, documented })
  }
  return (path, method) => {
    const direct = plain.get(path)
    if (direct) return route(direct, method, {})
    for (const { pattern, names, documented } of patterns) {
      const match = pattern.exec(path)
      if (match) return route(documented, method, decoded(names, match))
    }
    return null
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
