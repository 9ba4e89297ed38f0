// The limit of connections per address, so that no single caller takes all that the server has.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '../../../application/errors.ts'
import { countedConnection } from '../middleware/client-address.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'
import { faultResponse } from './malformed-requests.ts'

const TOO_MANY = new ServiceError('rate_limited', 'Too many connections from this address; close some, or reuse them')

/** Answers connections beyond `most` per address with 429 and closes them. Those from this machine are not counted. */
export function limitConnections(server: Server, most: number, onRefused: () => void): void {
  const limit = new ConcurrencyLimit(Infinity, most)
  server.on('connection', (socket: Socket) => {
    const release = limit.acquire(countedConnection(socket.remoteAddress ?? '127.0.0.1'))
    if (release !== null) return void socket.once('close', release)
    onRefused()
    socket.end(faultResponse(429, TOO_MANY, ['Retry-After: 5']), () => socket.destroy())
  })
}
