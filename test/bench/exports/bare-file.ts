// The least that a Node server can do with a file: it sends the same one to every request. Prints its port.
import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const path = process.argv[2]!
const { size } = statSync(path)
const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': size })
  createReadStream(path, { highWaterMark: 262_144 }).pipe(response)
})
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
