// Keeps a number of connections busy against one address and prints how many answers came: run as a process of its
// own, `load.ts URL CONNECTIONS SECONDS [header: value…]`. Answers are counted by their length, which all have in
// common, so that the client costs less than the server.
import { connect, type Socket } from 'node:net'

const [url, connections, seconds, ...headers] = process.argv.slice(2)
const { hostname, port, pathname, search } = new URL(url!)
const request = Buffer.from([`GET ${pathname}${search} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n'))

let answers = 0
let isOver = false
const length = await answerLength()
const begun = performance.now()
const sockets = Array.from({ length: Number(connections) }, busy)
await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1_000))
isOver = true
const took = (performance.now() - begun) / 1_000
process.stdout.write(`${JSON.stringify({ answers, perSecond: answers / took })}\n`)
for (const socket of sockets) socket.destroy()

function busy(): Socket {
  let socket = connect(Number(port), hostname)
  const open = () => {
    let received = 0
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      while (received >= length) {
        received -= length
        answers += 1
        socket.write(request)
      }
    })
    // The server ends a connection after a thousand requests.
    socket.once('close', () => {
      if (isOver) return
      socket = connect(Number(port), hostname)
      open()
    })
    socket.on('error', () => {})
    socket.write(request)
  }
  open()
  return socket
}

/** Returns how many bytes an answer has, head and body; equal for all but the last of a connection. */
function answerLength(): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = Buffer.alloc(0)
    socket.once('error', reject)
    socket.on('data', (chunk: Buffer) => {
      text = Buffer.concat([text, chunk])
      const head = text.indexOf('\r\n\r\n')
      if (head < 0) return
      const body = Number(/content-length: (\d+)/i.exec(text.subarray(0, head).toString('latin1'))?.[1] ?? 0)
      if (text.length < head + 4 + body) return
      resolve(head + 4 + body)
      socket.destroy()
    })
    socket.write(request)
  })
}
