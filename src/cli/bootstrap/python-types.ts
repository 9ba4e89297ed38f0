// Generates the types of the Python client from the contract, between two marks in its file; `make contract` runs it.
// It writes neither NotRequired nor `|`, so that Python 3.8 can import the file.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

// The full shape of the document is not declared; only this file walks through it.
type Json = Record<string, any>

const root = new URL('../../../', import.meta.url)
const CLIENT = new URL('src/client/python/insider_trading.py', root)
const MARKS = ['# --- types of the contract: generated, see make contract ---', '# --- end of what is generated ---']
const METHODS = ['get', 'post', 'put', 'delete']

/** Returns the client's text with the types of this contract in it. */
export function withTypes(client: string, contract: Json): string {
  const [before, , after] = client.split(new RegExp(`(?<=${MARKS[0]}\\n)([\\s\\S]*?)(?=${MARKS[1]}\\n)`))
  if (after === undefined) throw new Error('the marks of the generated types are missing')
  return `${before}\n${new Types(contract).text()}\n${after}`
}

/** Collects the definitions in an order in which each class or alias follows those that it needs. */
class Types {
  readonly #contract: Json
  readonly #definitions = new Map<string, string>()

  constructor(contract: Json) {
    this.#contract = contract
  }

  text(): string {
    for (const operation of this.#operations()) {
      this.#query(operation)
      const body = this.#content(operation.requestBody)
      if (body) this.#type(body, '')
      for (const status of [200, 201, 202]) {
        const schema = this.#content(operation.responses[status])
        const data = schema && this.#followed(schema).properties?.data
        if (data) this.#type(data, '')
      }
    }
    const bodies = Object.values<Json>(this.#contract.webhooks).map(({ post }) => this.#content(post.requestBody))
    this.#named({ oneOf: bodies }, 'WebhookEvent')
    return [...this.#definitions.values()].join('\n\n')
  }

  #operations(): Json[] {
    return Object.entries<Json>(this.#contract.paths)
      .filter(([path]) => path.startsWith('/v1/'))
      .flatMap(([, item]) => METHODS.flatMap((method) => item[method] ?? []))
  }

  #content = (part: Json | undefined): any => part?.content?.['application/json']?.schema

  #followed(node: Json): Json {
    if (typeof node.$ref !== 'string') return node
    const path = node.$ref.slice(2).split('/')
    return this.#followed(path.reduce((at: Json, name: string) => at[name], this.#contract))
  }

  /** Adds the parameters of an operation. Lists with commas may be given as sequences too. */
  #query({ operationId, parameters = [] }: Json): void {
    const query = (parameters as Json[]).map((each) => this.#followed(each)).filter((each) => each.in === 'query')
    if (query.length === 0) return
    const fields = query.map(({ name, schema }): Field => {
      const { enum: words, type } = this.#followed(schema)
      const isValue = type === 'array' || (type === 'string' && !words)
      return [name, isValue ? 'Value' : this.#type(schema, capital(name))]
    })
    this.#add(`${capital(operationId)}Query`, (name) => classOf(name, 'TypedDict', fields, false))
  }

  /** Returns the Python type of a schema; `hint` names it if it needs a name and has none. */
  #type(schema: Json, hint: string): string {
    if (schema.$ref) {
      const target = this.#followed(schema)
      const isNamed = target.enum ?? target.properties ?? target.oneOf ?? target.anyOf
      return isNamed ? this.#named(target, schema.$ref.split('/').pop()) : this.#type(target, hint)
    }
    const choices: Json[] | undefined = schema.oneOf ?? schema.anyOf
    if (choices) return unionOf(choices.map((each, index) => this.#type(each, `${hint}${index + 1}`)))
    if (schema.allOf?.length === 1) return this.#type(schema.allOf[0], hint)
    if (schema.const !== undefined || schema.enum) return literal(schema.enum ?? [schema.const])
    if (Array.isArray(schema.type)) {
      return unionOf(schema.type.map((type: string) => this.#type({ ...schema, type }, hint)))
    }
    if (schema.type === 'array') return `List[${this.#type(schema.items ?? {}, singular(hint))}]`
    if (schema.properties) return this.#named(schema, hint)
    return PRIMITIVES[schema.type] ?? 'Any'
  }

  #named(schema: Json, name: string): string {
    if (this.#definitions.has(name)) return name
    if (!schema.properties) {
      this.#definitions.set(name, '')
      const type = this.#type({ ...schema, $ref: undefined }, name)
      this.#definitions.delete(name)
      return this.#add(name, () => wrapped(`${name} = ${type}`))
    }
    // Before its fields, which may refer back to it. Python itself does not evaluate annotations.
    this.#definitions.set(name, '')
    const required = new Set<string>(schema.required ?? [])
    const fields = Object.entries<Json>(schema.properties).map(([field, each]): Field => [
      field,
      this.#type(each, name + capital(field)),
    ])
    const [always, maybe] = [true, false].map((wanted) => fields.filter(([field]) => required.has(field) === wanted))
    this.#definitions.delete(name)
    if (maybe!.length === 0 || always!.length === 0) {
      return this.#add(name, () => classOf(name, 'TypedDict', fields, maybe!.length === 0))
    }
    const base = this.#add(`_${name}`, (own) => classOf(own, 'TypedDict', always!, true))
    return this.#add(name, () => classOf(name, base, maybe!, false))
  }

  #add(name: string, lines: (name: string) => string[]): string {
    this.#definitions.set(name, `${lines(name).join('\n')}\n`)
    return name
  }
}

type Field = [name: string, type: string]

/** Python keywords, such as `from`, can be keys only in the functional syntax of TypedDict. */
function classOf(name: string, base: string, fields: Field[], isTotal: boolean): string[] {
  if (!fields.some(([field]) => KEYWORDS.has(field))) {
    const head = `class ${name}(${base}${isTotal ? '' : ', total=False'}):`
    return [head, ...fields.flatMap(([field, type]) => wrapped(`    ${field}: ${type}`))]
  }
  if (base !== 'TypedDict') throw new Error(`${name}: a class with a base can not have a key that is a keyword`)
  const keys = fields.map(([field, type]) => `        "${field}": "${type.replaceAll('"', "'")}",`)
  const end = isTotal ? '    },' : '    },\n    total=False,'
  return [`${name} = TypedDict(`, `    "${name}",`, '    {', ...keys, end, ')']
}

const KEYWORDS = new Set(['from', 'in', 'is', 'class', 'def', 'global', 'import', 'pass', 'return', 'with', 'as'])

const PRIMITIVES: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  object: 'Dict[str, Any]',
  null: 'None',
}

/** Breaks a line that is too long, with one element of its list per line. */
function wrapped(line: string): string[] {
  if (line.length <= 120) return [line]
  const indent = /^ */.exec(line)![0]
  const [begin, list, end] = line.split(/(?<=^[^[]*\[)(.*)(?=\]$)/)
  return [begin!, ...list!.split(/, (?![^[]*\])/).map((each) => `${indent}    ${each},`), indent + end!]
}

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
const singular = (name: string) => name.replace(/ies$/, 'y').replace(/s$/, '')

function literal(words: (string | number | boolean | null)[]): string {
  const isNull = words.includes(null)
  const shown = words.filter((word) => word !== null)
  const texts = shown.map((word) => (typeof word === 'boolean' ? capital(String(word)) : JSON.stringify(word)))
  return unionOf([`Literal[${texts.join(', ')}]`, ...(isNull ? ['None'] : [])])
}

function unionOf(types: string[]): string {
  const distinct = [...new Set(types)]
  const present = distinct.filter((type) => type !== 'None')
  const union = present.length === 1 ? present[0]! : `Union[${present.join(', ')}]`
  return present.length < distinct.length ? `Optional[${union}]` : union
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const contract = parse(readFileSync(new URL('openapi/openapi.yaml', root), 'utf8'), { maxAliasCount: 1000 }) as Json
  writeFileSync(CLIENT, withTypes(readFileSync(CLIENT, 'utf8'), contract))
}
