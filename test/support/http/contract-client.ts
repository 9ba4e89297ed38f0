// Asks a running service and holds its answer against openapi.yaml: status, headers and body. Reads the document on
// its own, with another validator set-up than the service's own, so that a fault in the one is not hidden by the same
// fault in the other.
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'

type Json = Record<string, any>

export interface CallOptions {
  headers?: Record<string, string | string[]>
  /** An object is sent as JSON; text and bytes as they are, with the headers given. */
  body?: object | string | Buffer
}

export interface Reply {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  /** Parsed where the answer is JSON, else text; undefined where there is none. */
  body: any
}

export const contract: Json = parse(readFileSync(new URL('../../../openapi/openapi.yaml', import.meta.url), 'utf8'))

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(contract, 'contract')

/** Sends and checks. Throws an Error that says what breaks the contract. `path` is sent untouched. */
export async function call(baseUrl: string, method: string, path: string, options: CallOptions = {}): Promise<Reply> {
  const reply = await send(baseUrl, method, path, options)
  const faults = contractFaults(method, path, reply)
  if (faults.length) {
    const shown = JSON.stringify(reply.body)?.slice(0, 1000)
    throw new Error(`${method} ${path} answered ${reply.status} against the contract: ${faults.join('; ')}\n${shown}`)
  }
  return reply
}

/** Sends without a check, and without what fetch tidies up in addresses. */
export async function send(baseUrl: string, method: string, path: string, options: CallOptions = {}): Promise<Reply> {
  const { body, ...reply } = await sendRaw(baseUrl, method, path, options)
  return { ...reply, body: decoded(reply.headers['content-type'], body) }
}

/** Sends without a check; the bytes of the answer are as they came. */
export function sendRaw(
  baseUrl: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply & { body: Buffer }> {
  const { hostname, port } = new URL(baseUrl)
  const { body, headers } = encoded(options)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const received = response.headers as Record<string, string>
        resolve({ status: response.statusCode!, headers: received, body: Buffer.concat(chunks) })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

function encoded({ body, headers = {} }: CallOptions) {
  if (body === undefined) return { headers }
  const plain = typeof body === 'string' || Buffer.isBuffer(body)
  const bytes = plain ? Buffer.from(body as string) : Buffer.from(JSON.stringify(body))
  const type = plain ? {} : { 'content-type': 'application/json' }
  return { body: bytes, headers: { ...type, 'content-length': String(bytes.length), ...headers } }
}

function decoded(type: string | undefined, bytes: Buffer): any {
  if (bytes.length === 0) return undefined
  const text = bytes.toString('utf8')
  return type?.startsWith('application/json') ? JSON.parse(text) : text
}

/** What of the answer the document does not allow; empty when all is well. */
export function contractFaults(method: string, path: string, reply: Reply): string[] {
  const documented = documentedResponse(method, path, reply.status)
  if (typeof documented === 'string') return [documented]
  const bodiless = method === 'HEAD' || !documented.response.content
  return [...headerFaults(documented.response, reply), ...bodyFaults(documented, reply, bodiless)]
}

interface Documented {
  response: Json
  pointer: string
}

function documentedResponse(method: string, path: string, status: number): Documented | string {
  if (status === 421) return resolved({ $ref: '#/components/responses/MisdirectedRequest' }, '')
  const template = templateOf(path)
  const item = template && contract.paths[template]
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase()
  const operation = item?.[asked]
  if (operation) {
    const response = operation.responses[String(status)]
    if (!response) return `status ${status} is not documented`
    return resolved(response, `/paths/${escape(template!)}/${asked}/responses/${status}`)
  }
  if (status === 401) return resolved({ $ref: '#/components/responses/Unauthorized' }, '')
  if (!item) return undocumented(status, 404, 'NotFound')
  // A preflight is HTTP's business more than the contract's.
  if (method === 'OPTIONS' && status === 204) return { response: { headers: {} }, pointer: '' }
  return undocumented(status, 405, 'MethodNotAllowed')
}

function undocumented(status: number, expected: number, name: string): Documented | string {
  if (status !== expected) return `status ${status} where only ${expected} can be`
  return resolved({ $ref: `#/components/responses/${name}` }, '')
}

function resolved(node: Json, pointer: string): Documented {
  return node.$ref ? { response: follow(node), pointer: node.$ref.slice(1) } : { response: node, pointer }
}

function follow(node: Json): Json {
  if (!node.$ref) return node
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((at: Json, part: string) => at[part], contract)
}

function templateOf(path: string): string | undefined {
  const plain = path.replace(/^https?:\/\/[^/?]*/i, '').split('?')[0]!
  const templates = Object.keys(contract.paths)
  if (templates.includes(plain)) return plain
  return templates.find((template) => {
    const pattern = template
      .split(/\{\w+\}/)
      .map((part) => part.replaceAll('.', '\\.'))
      .join('[^/]+')
    return template.includes('{') && new RegExp(`^${pattern}$`).test(plain)
  })
}

function headerFaults({ headers = {} }: Json, reply: Reply): string[] {
  return Object.entries<Json>(headers).flatMap(([name, reference]) => {
    const header = follow(reference)
    const value = reply.headers[name.toLowerCase()]
    if (value === undefined) return header.required ? [`header ${name} is missing`] : []
    return ajv.validate(header.schema, value) ? [] : [`header ${name}: ${[value].flat().join()} ${ajv.errorsText()}`]
  })
}

function bodyFaults({ response, pointer }: Documented, { headers, body }: Reply, bodiless: boolean): string[] {
  if (bodiless) return body === undefined ? [] : ['there is a body where none may be']
  const type = headers['content-type']?.split(';')[0]?.trim() ?? ''
  if (!response.content[type]) return [`content type ${type || 'missing'} is not documented`]
  if (type !== 'application/json') return typeof body === 'string' ? [] : ['the body is empty']
  return schemaFaults(`${pointer}/content/${escape(type)}/schema`, body)
}

/** Against the schema at a JSON pointer of the document, such as `/components/schemas/Transaction`. */
export function schemaFaults(pointer: string, value: unknown): string[] {
  const id = `contract#${encodeURI(pointer)}`
  const validate = ajv.getSchema(id) ?? ajv.compile({ $ref: id })
  return validate(value)
    ? []
    : (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
      )
}

function escape(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1')
}
