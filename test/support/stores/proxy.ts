// A TCP proxy that fails on demand, for stores that go away, grow slow or hang: the kernel here has no netem.
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { serverTarget } from '../../../src/infrastructure/embedded/ports.ts'
import { freePort } from '../ports.ts'

/**
 * `pass`; `refuse`: the port is closed and what was connected is cut; `reset`: what is or gets connected is reset;
 * `hang`: connections are taken and kept, and nothing goes through, until it does again; `delay`: answers come so many
 * milliseconds late.
 */
export type ProxyMode = 'pass' | 'refuse' | 'reset' | 'hang' | { delay: number }

export interface Proxy {
  port: number
  set(mode: ProxyMode): Promise<void>
  /** Cuts what is connected, as a restart of the store would. */
  cut(): void
  /** Holds back what a caller sends next with this text, and all that follows on its connection; resolves then. */
  caught(text: string): Promise<void>
  close(): Promise<void>
}

interface Pair {
  caller: Socket
  store: Socket
}

/** Listens on 127.0.0.1 and connects to the server of a URL, or to a port of this machine. */
export async function startProxy(target: string | number): Promise<Proxy> {
  const behind = typeof target === 'number' ? { host: '127.0.0.1', port: target } : serverTarget(target)
  let mode: ProxyMode = 'pass'
  const pairs = new Set<Pair>()
  let trap: { text: Buffer; sprung: () => void } | null = null
  let server: Server | null = null
  // Not one that others are given while it is closed.
  let port = await freePort()

  const isCaught = (piece: Buffer): boolean => {
    if (!trap || !piece.includes(trap.text)) return false
    trap.sprung()
    trap = null
    return true
  }
  const accept = (caller: Socket) => {
    if (mode === 'reset') return void caller.resetAndDestroy()
    const pair = { caller, store: connect({ ...behind, allowHalfOpen: true }) }
    pairs.add(pair)
    forward(pair.caller, pair.store, () => 0, isCaught)
    forward(pair.store, pair.caller, () => (typeof mode === 'object' ? mode.delay : 0))
    const ended = () => {
      pairs.delete(pair)
      pair.caller.destroy()
      pair.store.destroy()
    }
    for (const socket of [pair.caller, pair.store]) socket.on('error', ended).on('close', ended)
    if (mode === 'hang') hold(pair)
  }
  const listen = async () => {
    if (server) return
    const listening = createServer({ allowHalfOpen: true }, accept)
    await new Promise<void>((resolve, reject) => {
      listening.once('error', reject).listen(port, '127.0.0.1', resolve)
    })
    server = listening
    port = (listening.address() as AddressInfo).port
  }
  const stopListening = () => {
    server?.close()
    server = null
  }
  const drop = (how: 'destroy' | 'resetAndDestroy') => {
    for (const { caller, store } of pairs) {
      caller[how]()
      store.destroy()
    }
  }
  await listen()
  return {
    port,
    set: async (next) => {
      mode = next
      if (mode === 'refuse') stopListening()
      else await listen()
      if (mode === 'refuse' || mode === 'reset') drop(mode === 'reset' ? 'resetAndDestroy' : 'destroy')
      else for (const pair of pairs) (mode === 'hang' ? hold : release)(pair)
    },
    cut: () => drop('destroy'),
    caught: (text) =>
      new Promise((sprung) => {
        trap = { text: Buffer.from(text), sprung }
      }),
    close: async () => {
      stopListening()
      drop('destroy')
    },
  }
}

/** In order, each piece so much later than it came; nothing from one on that `isCaught`. */
function forward(from: Socket, to: Socket, delay: () => number, isCaught?: (piece: Buffer) => boolean): void {
  let before = Promise.resolve()
  let isHeld = false
  const later = (act: () => void) => {
    const due = performance.now() + delay()
    before = before.then(async () => {
      const left = due - performance.now()
      if (left > 0)
        await new Promise((resolve) => {
          setTimeout(resolve, left)
        })
      if (!to.destroyed) act()
    })
  }
  from
    .on('data', (piece) => {
      isHeld ||= isCaught?.(piece) ?? false
      if (!isHeld) later(() => void to.write(piece))
    })
    .on('end', () => later(() => void to.end()))
}

function hold({ caller, store }: Pair): void {
  caller.pause()
  store.pause()
}

function release({ caller, store }: Pair): void {
  caller.resume()
  store.resume()
}

/** Returns the address of a store by way of the proxy before it. */
export function through(url: string, { port }: Pick<Proxy, 'port'>): string {
  const changed = new URL(url)
  changed.hostname = '127.0.0.1'
  changed.port = String(port)
  return changed.href
}
