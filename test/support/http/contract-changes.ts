// What a contract takes from those who rely on an earlier one: the rules of openapi/CHANGELOG.md as a comparison. Something
// may be added, and values of an answer too; nothing may be taken away, newly required, or narrowed.

type Json = Record<string, any>
/** What callers send, or what they get. The requests of webhooks are what they get. */
type Direction = 'sent' | 'received'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
/** Words and samples, which may change. */
const WORDS = ['description', 'summary', 'example', 'examples', 'externalValue', 'title', 'tags']

/** Returns the part of a contract that callers depend on. */
export function withoutWords(node: unknown, isNames = false): unknown {
  if (Array.isArray(node)) return node.map((each) => withoutWords(each))
  if (typeof node !== 'object' || node === null) return node
  const kept = Object.entries(node).filter(([name]) => isNames || !WORDS.includes(name))
  return Object.fromEntries(
    // Below these, keys are names of the contract's own.
    kept.map(([name, child]) => [name, withoutWords(child, ['properties', 'schemas', 'parameters'].includes(name))]),
  )
}

/** Returns a line for each change that an existing caller can notice as a loss. */
export function lossesOf(before: Json, after: Json): string[] {
  return new Comparison(before, after).run()
}

class Comparison {
  readonly #before: Json
  readonly #after: Json
  readonly #losses: string[] = []
  readonly #seen = { sent: new Map<Json, Set<Json>>(), received: new Map<Json, Set<Json>>() }

  constructor(before: Json, after: Json) {
    this.#before = before
    this.#after = after
  }

  run(): string[] {
    for (const kind of ['paths', 'webhooks'])
      for (const [path, item] of Object.entries<Json>(this.#before[kind] ?? {}))
        for (const method of METHODS.filter((each) => item[each] !== undefined)) {
          const at = kind === 'paths' ? `${method.toUpperCase()} ${path}` : path
          const now = this.#after[kind]?.[path]?.[method]
          if (now === undefined) this.#lose(at, 'is taken away')
          else this.#operation(at, item[method], now, kind === 'paths')
        }
    return this.#losses
  }

  #lose(at: string, what: string): void {
    this.#losses.push(`${at} ${what}`)
  }

  #operation(at: string, before: Json, after: Json, isOurs: boolean): void {
    if (before.operationId !== after.operationId) this.#lose(at, `is named ${after.operationId}`)
    if (keysOf(this.#before, before).length === 0 && keysOf(this.#after, after).length > 0)
      this.#lose(at, 'needs a key now')
    this.#parameters(at, before, after, isOurs)
    this.#body(at, before.requestBody, after.requestBody, isOurs)
    for (const [status, reference] of Object.entries<Json>(before.responses ?? {})) {
      const [was, is] = [this.#of(this.#before, reference), this.#of(this.#after, after.responses?.[status])]
      if (is === undefined) this.#lose(`${at}: status ${status}`, 'is taken away')
      else this.#response(`${at}: ${status}`, was!, is)
    }
  }

  #parameters(at: string, before: Json, after: Json, isOurs: boolean): void {
    const listed = (document: Json, { parameters = [] }: Json) =>
      new Map(
        (parameters as Json[]).map((each) => {
          const parameter = this.#of(document, each)!
          return [`${parameter.in} ${parameter.name}`, parameter]
        }),
      )
    const [was, is] = [listed(this.#before, before), listed(this.#after, after)]
    for (const [name, parameter] of was) {
      const now = is.get(name)
      if (now === undefined) this.#lose(`${at}: ${name}`, 'is taken away')
      else this.#schema(`${at}: ${name}`, parameter.schema, now.schema, isOurs ? 'sent' : 'received')
    }
    if (!isOurs) return
    for (const [name, { required = false }] of is)
      if (required && !was.get(name)?.required) this.#lose(`${at}: ${name}`, 'is required now')
  }

  #body(at: string, before: Json | undefined, after: Json | undefined, isOurs: boolean): void {
    const [was, is] = [this.#of(this.#before, before), this.#of(this.#after, after)]
    if (isOurs && is?.required && !was?.required) this.#lose(`${at}: body`, 'is required now')
    if (was === undefined) return
    if (is === undefined) return this.#lose(`${at}: body`, 'is taken away')
    this.#content(`${at}: body`, was.content, is.content, isOurs ? 'sent' : 'received')
  }

  #response(at: string, before: Json, after: Json): void {
    for (const name of Object.keys(before.headers ?? {}))
      if (after.headers?.[name] === undefined) this.#lose(`${at}: header ${name}`, 'is taken away')
    this.#content(at, before.content, after.content, 'received')
  }

  #content(at: string, before: Json = {}, after: Json = {}, direction: Direction): void {
    for (const [type, { schema }] of Object.entries<Json>(before)) {
      if (after[type] === undefined) this.#lose(`${at}: ${type}`, 'is taken away')
      else this.#schema(at, schema, after[type].schema, direction)
    }
  }

  #schema(at: string, before: Json | undefined, after: Json | undefined, direction: Direction): void {
    const [was, is] = [this.#of(this.#before, before), this.#of(this.#after, after)]
    if (was === undefined || is === undefined) {
      if (was !== undefined && direction === 'received') this.#lose(at, 'has no schema any more')
      if (is !== undefined && direction === 'sent') this.#lose(at, 'has a schema now')
      return
    }
    const compared = this.#seen[direction].get(was) ?? new Set()
    if (compared.has(is)) return
    this.#seen[direction].set(was, compared.add(is))
    this.#types(at, was, is, direction)
    this.#alternatives(at, was, is, direction)
    this.#values(at, was, is, direction)
    this.#properties(at, was, is, direction)
    if (direction === 'sent') this.#bounds(at, was, is)
    if (was.format !== is.format) this.#lose(at, `has the format ${is.format}`)
    if (was.items !== undefined) this.#schema(`${at}[]`, was.items, is.items, direction)
    if (typeof was.additionalProperties === 'object')
      this.#schema(`${at}.*`, was.additionalProperties, is.additionalProperties, direction)
    else if (direction === 'sent' && was.additionalProperties !== false && is.additionalProperties === false)
      this.#lose(at, 'takes no other properties any more')
  }

  #types(at: string, before: Json, after: Json, direction: Direction): void {
    const [was, is] = [this.#typesOf(this.#before, before), this.#typesOf(this.#after, after)]
    if (was === null && is === null) return
    const covers = (some: Set<string> | null, type: string) =>
      some === null || some.has(type) || (type === 'integer' && some.has('number'))
    const [whole, part] = direction === 'sent' ? [is, was] : [was, is]
    if (part === null) return this.#lose(at, direction === 'sent' ? 'takes one type alone now' : 'has any type now')
    for (const type of part)
      if (!covers(whole, type)) this.#lose(at, direction === 'sent' ? `takes no ${type}` : `may be ${type}`)
  }

  /** Null where any type fits; those of alternatives count as the schema's own. */
  #typesOf(document: Json, schema: Json): Set<string> | null {
    const alternatives = alternativesOf(schema)
    if (alternatives === null) return schema.type === undefined ? null : new Set([schema.type].flat() as string[])
    const each = alternatives.map((one) => this.#typesOf(document, this.#of(document, one)!))
    return each.includes(null) ? null : new Set(each.flatMap((types) => [...types!]))
  }

  /** Compares those with the same name, or the only ones. */
  #alternatives(at: string, before: Json, after: Json, direction: Direction): void {
    const listed = (schema: Json) => (alternativesOf(schema) ?? []).filter(({ type }) => type !== 'null')
    const [was, is] = [listed(before), listed(after)]
    if (was.length === 0 && is.length === 0) return this.#allOf(at, before, after, direction)
    const [whole, now] = [was.length > 0 ? was : [before], is.length > 0 ? is : [after]]
    if (whole.length === 1 && now.length === 1) return this.#schema(at, whole[0], now[0], direction)
    whole.forEach((each, index) => {
      const same = each.$ref === undefined ? now[index] : now.find(({ $ref }) => $ref === each.$ref)
      if (same === undefined) this.#lose(at, `is never ${each.$ref?.split('/').at(-1) ?? `alternative ${index + 1}`}`)
      else this.#schema(at, each, same, direction)
    })
  }

  #allOf(at: string, before: Json, after: Json, direction: Direction): void {
    const [was, is] = [before.allOf ?? [], after.allOf ?? []] as [Json[], Json[]]
    if (was.length !== is.length) return this.#lose(at, 'is made of other parts')
    was.forEach((each, index) => this.#schema(at, each, is[index], direction))
  }

  #values(at: string, before: Json, after: Json, direction: Direction): void {
    if (direction === 'received') return
    const [was, is] = [valuesOf(before), valuesOf(after)]
    if (is === null) return
    if (was === null) return this.#lose(at, 'takes some values only')
    for (const value of was) if (!is.includes(value)) this.#lose(at, `takes ${String(value)} no more`)
  }

  #properties(at: string, before: Json, after: Json, direction: Direction): void {
    const [was, is] = [before.required ?? [], after.required ?? []] as [string[], string[]]
    for (const [name, property] of Object.entries<Json>(before.properties ?? {})) {
      const now = after.properties?.[name]
      if (now === undefined) this.#lose(`${at}.${name}`, 'is taken away')
      else this.#schema(`${at}.${name}`, property, now, direction)
      if (direction === 'received' && now !== undefined && was.includes(name) && !is.includes(name))
        this.#lose(`${at}.${name}`, 'may be absent')
    }
    if (direction === 'sent')
      for (const name of is) if (!was.includes(name)) this.#lose(`${at}.${name}`, 'is required now')
  }

  #bounds(at: string, before: Json, after: Json): void {
    for (const name of ['minimum', 'minLength', 'minItems'])
      if (after[name] !== undefined && after[name] > (before[name] ?? -Infinity))
        this.#lose(at, `has ${name} ${after[name]}`)
    for (const name of ['maximum', 'maxLength', 'maxItems'])
      if (after[name] !== undefined && after[name] < (before[name] ?? Infinity))
        this.#lose(at, `has ${name} ${after[name]}`)
    for (const name of ['pattern', 'default'])
      if (before[name] !== after[name] && (name === 'default' || after[name] !== undefined))
        this.#lose(at, `has ${name} ${after[name]}`)
  }

  /** Follows references. */
  #of(document: Json, node: Json | undefined): Json | undefined {
    if (typeof node?.$ref !== 'string') return node
    const names = node.$ref.slice(2).split('/')
    return this.#of(
      document,
      names.reduce<Json>((at, name) => at?.[name.replaceAll('~1', '/')], document),
    )
  }
}

const alternativesOf = (schema: Json): Json[] | null => schema.oneOf ?? schema.anyOf ?? null

function valuesOf({ enum: values, const: only }: Json): unknown[] | null {
  return values ?? (only === undefined ? null : [only])
}

/** Returns the schemes that an operation cannot do without. */
function keysOf(document: Json, operation: Json): Json[] {
  const named = (operation.security ?? document.security ?? []) as Json[]
  return named.some((each) => Object.keys(each).length === 0) ? [] : named
}
