// Bytes to a port and back: for what no HTTP client would send.
import { connect, type Socket } from 'node:net'

/** Sends `text` and gives all that comes back until the other side closes, or `quietMs` pass without a byte. */
export function rawExchange(port: number, text: string, quietMs = 5000): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    const finish = () => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    socket.setTimeout(quietMs, finish)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', finish)
    socket.on('error', (fault) => (chunks.length ? finish() : reject(fault)))
    socket.write(text)
  })
}

/** A connection that sent `text` and reads nothing. */
export function silentReader(port: number, text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.pause()
      socket.write(text)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
}

/** The body of the only answer in `answer`, parsed. */
export function bodyOf(answer: string): any {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
}

export function get(target: string, ...headers: string[]): string {
  return `${[`GET ${target} HTTP/1.1`, 'Host: service.test', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`
}
