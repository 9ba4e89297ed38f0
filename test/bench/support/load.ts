// Keeps a number of connections busy against one address and prints how many answers came: run as a process of its
// own, `load.ts URL CONNECTIONS SECONDS [header: value…]`. Of an answer only the end of its head is searched for, since
// all bodies have one length while heads may differ, so that the client costs less than the server. It never sleeps:
// waking it would be time of the server, 18 us of each answer that takes longer than reading one, as no client on
// another machine costs it.
import { connect, type Socket } from 'node:net'

const [url, connections, seconds, ...headers] = process.argv.slice(2)
const { hostname, port, pathname, search } = new URL(url!)
const request = Buffer.from([`GET ${pathname}${search} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n'))

const HEAD_END = '\r\n\r\n'
let answers = 0
let isOver = false
const bodyLength = await lengthOfBody()
const begun = performance.now()
stayAwake()
const sockets = Array.from({ length: Number(connections) }, busy)
await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1_000))
isOver = true
const took = (performance.now() - begun) / 1_000
process.stdout.write(`${JSON.stringify({ answers, perSecond: answers / took })}\n`)
for (const socket of sockets) socket.destroy()

function stayAwake(): void {
  if (!isOver) setImmediate(stayAwake)
}

function busy(): Socket {
  let socket = connect(Number(port), hostname)
  const open = () => {
    let head: Buffer | null = null
    let awaited = 0
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      if (awaited === 0) {
        head = head === null ? chunk : Buffer.concat([head, chunk])
        const end = head.indexOf(HEAD_END)
        if (end < 0) return
        awaited = end + HEAD_END.length + bodyLength - head.length
        head = null
      } else {
        awaited -= chunk.length
      }
      if (awaited > 0) return
      awaited = 0
      answers += 1
      socket.write(request)
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

/** Returns how many bytes the body of an answer has. */
function lengthOfBody(): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = Buffer.alloc(0)
    socket.once('error', reject)
    socket.on('data', (chunk: Buffer) => {
      text = Buffer.concat([text, chunk])
      const head = text.indexOf(HEAD_END)
      if (head < 0) return
      resolve(Number(/content-length: (\d+)/i.exec(text.subarray(0, head).toString('latin1'))?.[1] ?? 0))
      socket.destroy()
    })
    socket.write(request)
  })
}
