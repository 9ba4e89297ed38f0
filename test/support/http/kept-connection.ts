// A connection that is kept for many requests, byte by byte as the caller chooses.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const END = '\r\n\r\n'

export class KeptConnection {
  readonly #socket: Socket
  #received = ''
  #isClosed = false
  #notify = () => {}

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.setNoDelay(true)
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString('latin1')
      this.#notify()
    })
    const close = () => {
      this.#isClosed = true
      this.#notify()
    }
    this.#socket.on('close', close).on('error', close)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Sends the pieces, each when the one before has surely been read. Returns the responses to the requests of these
   * methods; fewer if the connection ends before.
   */
  async exchange(pieces: string[], methods: string[]): Promise<string[]> {
    for (const [place, piece] of pieces.entries()) {
      if (place > 0) await sleep(3)
      this.#socket.write(piece, 'latin1')
    }
    const responses: string[] = []
    for (const method of methods) {
      const response = await this.#response(method === 'HEAD')
      if (response === null) break
      responses.push(response)
    }
    return responses
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Ends this side alone. */
  end(): void {
    this.#socket.end()
  }

  close(): void {
    this.#socket.destroy()
  }

  async #response(isHead: boolean): Promise<string | null> {
    for (;;) {
      const end = this.#received.indexOf(END)
      const head = end < 0 ? null : this.#received.slice(0, end)
      const hasBody = head !== null && !isHead && !/^HTTP\/1\.1 (204|304)/.test(head)
      const length = hasBody ? Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0) : 0
      const whole = end + END.length + length
      if (head !== null && this.#received.length >= whole) {
        const response = this.#received.slice(0, whole)
        this.#received = this.#received.slice(whole)
        return response
      }
      if (this.#isClosed) return null
      await this.#more()
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#notify = resolve
    })
  }
}
