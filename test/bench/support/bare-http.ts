// The least that a Node server can do: node:http sending the same head and the same bytes to every request. Started by
// benches with the answer as JSON on stdin; prints its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

const { headers, body } = (await json(process.stdin)) as { headers: Record<string, string>; body: string }
const bytes = Buffer.from(body, 'base64')
const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(bytes)
})
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
