// The receiver of the bench of webhooks, a process of its own: answers 204 to everything, tells its parent its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end())
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
