// The development server of the dashboard: bundles src/web again after each change, serves it on a port of its own, and
// proxies everything else to a running service. `make web` runs it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, watch } from 'node:fs'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { lineOf } from '../../infrastructure/printable.ts'
import { buildDashboard } from './build-dashboard.ts'

const source = fileURLToPath(new URL('../..', import.meta.url))

/** Editors save a file in several steps. */
const DEBOUNCE_MS = 100

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const { values } = parseArgs({
  options: { url: { type: 'string', default: 'http://127.0.0.1:8080' }, port: { type: 'string', default: '8081' } },
})
const service = new URL(values.url)
if (service.protocol !== 'http:') throw new Error(`URL must begin with http://, but is ${values.url}`)
const target = mkdtempSync(join(tmpdir(), 'insider-web-'))
process.once('exit', () => rmSync(target, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))

const print = (text: string) => process.stderr.write(lineOf(text))

/** Bundles into the emptied folder, so that no outdated script is left. Prints errors. */
async function bundle(): Promise<void> {
  const begun = performance.now()
  for (const name of readdirSync(target)) rmSync(join(target, name))
  await buildDashboard(target).then(
    () => print(`bundled in ${Math.round(performance.now() - begun)} ms; reload the page`),
    (error: Error) => print(error.message),
  )
}

/** Bundles once for changes in quick succession, and again for changes while it was bundling. */
function bundleSoon(): void {
  clearTimeout(timer)
  timer = setTimeout(() => {
    work = work.then(bundle)
  }, DEBOUNCE_MS)
}

let timer: NodeJS.Timeout | undefined
let work = bundle()
await work
for (const folder of ['web', 'client']) watch(join(source, folder), { recursive: true }, bundleSoon)

const server = createServer((incoming, response) => {
  const path = (incoming.url ?? '/').replace(/\?.*$/s, '')
  const name = path === '/' ? 'index.html' : /^\/dashboard\/([^/]+)$/.exec(path)?.[1]
  if (name === undefined) proxy(incoming, response)
  else void work.then(() => serveFile(name, response))
})
server.on('error', (error) => {
  print(error.message)
  process.exit(1)
})
server.listen(Number(values.port), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  print(`the page of src/web is at http://127.0.0.1:${port}, over the service at ${service.origin}; Ctrl-C ends it`)
})

function serveFile(name: string, response: ServerResponse): void {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
  if (type === undefined || !readdirSync(target).includes(name)) return void response.writeHead(404).end()
  response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(readFileSync(join(target, name)))
}

function proxy(incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url } = incoming
  const options = { host: service.hostname, port: service.port || 80, method, path: url, headers }
  const passed = request({ ...options, headers: { ...headers, host: service.host } }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
  passed.on('error', (error) => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end(`The service at ${service.origin} can not be reached: ${error.message}\n`)
  })
  response.on('close', () => passed.destroy())
  incoming.pipe(passed)
}
