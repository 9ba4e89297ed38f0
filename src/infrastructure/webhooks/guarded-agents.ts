// HTTP agents for webhooks that check each address as they connect to it. A check before the request would not be
// enough, since a name can resolve to another address by the time of the connection.
import http from 'node:http'
import https from 'node:https'
import { errorWithCode, REFUSED, type AddressGuard } from './address-guard.ts'

export interface Agents {
  http: http.Agent
  https: https.Agent
}

interface AgentOptions {
  /** The limit for look-up, connection and TLS together. */
  connectMs: number
  /** How long a connection is kept for the next request to the same host; 0 for one connection per request. */
  idleMs: number
}

export function guardedAgents(guard: AddressGuard, { connectMs, idleMs }: AgentOptions): Agents {
  const options = idleMs > 0 ? { keepAlive: true, timeout: idleMs } : { keepAlive: false }
  return {
    http: guarded(new http.Agent(options), guard, 'connect', connectMs),
    https: guarded(new https.Agent(options), guard, 'secureConnect', connectMs),
  }
}

/** Makes `agent` check addresses and give up connecting after `connectMs`. `connectedEvent`: the socket's event. */
function guarded<T extends http.Agent>(agent: T, guard: AddressGuard, connectedEvent: string, connectMs: number): T {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, done) => {
    const refusal = options.socketPath ? errorWithCode(REFUSED) : guard.refusalOf(options.host ?? '')
    if (refusal) {
      process.nextTick(() => done?.(refusal, undefined as never))
      return undefined
    }
    const socket = connect({ ...options, lookup: guard.lookup }, done)
    const timer = setTimeout(() => socket?.destroy(errorWithCode('ETIMEDOUT')), connectMs)
    for (const event of [connectedEvent, 'close']) socket?.once(event, () => clearTimeout(timer))
    return socket
  }
  return agent
}
