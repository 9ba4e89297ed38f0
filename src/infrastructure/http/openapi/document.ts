// Reads the contract, openapi.yaml, once at the start, and returns what routing needs of it. Routes come from the
// document itself, so no second list of paths can disagree with it.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import type { operations } from '../../../contract.ts'

export type OperationId = keyof operations
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * A query parameter. `integer` is separate because digits are checked here, not by the validator, which takes `0x10`
 * for 16.
 */
export interface QueryParameter {
  name: string
  integer: { minimum: number; maximum: number } | null
  /** Whether it is a comma-separated list. */
  isList: boolean
}

/** The path of the Model Context Protocol, which answers every method itself. */
export const PROTOCOL_PATH = '/mcp'

export interface DocumentedOperation {
  id: OperationId
  query: Map<string, QueryParameter>
  takesBody: boolean
}

export interface DocumentedPath {
  /** As in the document: `/v1/companies/{ticker}`. */
  template: string
  operations: Map<Method, DocumentedOperation>
}

// Only a few parts of the document are read, so its full shape is not declared.
type Json = Record<string, any>

export interface ApiDocument {
  json: Json
  paths: DocumentedPath[]
}

const METHODS: Method[] = ['GET', 'POST', 'PUT', 'DELETE']

/** Reads openapi.yaml and inserts its examples, so that it stands alone. */
export function loadDocument(): ApiDocument {
  const folder = contractFolder()
  const json = readContract(folder)
  for (const example of Object.values<Json>(json.components.examples)) {
    example.value = JSON.parse(readFileSync(new URL(example.externalValue, folder), 'utf8'))
    delete example.externalValue
  }
  const paths = Object.entries<Json>(json.paths).map(([template, item]) => documentedPath(json, template, item))
  return { json, paths }
}

/** Reads openapi.json, which a build has, else openapi.yaml. */
function readContract(folder: URL): Json {
  const built = new URL('openapi.json', folder)
  if (existsSync(built)) return JSON.parse(readFileSync(built, 'utf8')) as Json
  return parse(readFileSync(new URL('openapi.yaml', folder), 'utf8'), { maxAliasCount: 1000 }) as Json
}

/**
 * Returns the folder `openapi/` of the checkout or of the build that this code belongs to. It is found by walking up
 * from this file, because the compiled code lies deeper than the source.
 */
export function contractFolder(): URL {
  let folder = new URL('./', import.meta.url)
  while (!existsSync(new URL('openapi/openapi.yaml', folder))) {
    const parent = new URL('../', folder)
    if (parent.href === folder.href) throw new Error(`no openapi/openapi.yaml above ${fileURLToPath(import.meta.url)}`)
    folder = parent
  }
  return new URL('openapi/', folder)
}

function documentedPath(json: Json, template: string, item: Json): DocumentedPath {
  const operations = new Map<Method, DocumentedOperation>()
  for (const method of METHODS) {
    const operation = item[method.toLowerCase()]
    if (operation) operations.set(method, documentedOperation(json, operation))
  }
  return { template, operations }
}

function documentedOperation(json: Json, operation: Json): DocumentedOperation {
  const query = new Map<string, QueryParameter>()
  for (const reference of operation.parameters ?? []) {
    const parameter = resolve(json, reference)
    if (parameter.in !== 'query') continue
    const { type, minimum, maximum } = resolve(json, parameter.schema)
    const integer = type === 'integer' ? { minimum, maximum } : null
    query.set(parameter.name, { name: parameter.name, integer, isList: type === 'array' })
  }
  return { id: operation.operationId, query, takesBody: operation.requestBody !== undefined }
}

/** Follows one `$ref` inside the document. */
function resolve(json: Json, node: Json): Json {
  if (typeof node.$ref !== 'string') return node
  return resolve(
    json,
    node.$ref
      .slice(2)
      .split('/')
      .reduce((at, part) => at[part], json),
  )
}
