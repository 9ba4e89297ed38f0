// Lines of the log on their way to the file: gathered into pieces, since each write of its own takes as long as making
// its line. sonic-boom gathers too, but measures all that it has gathered again at each line.

export interface LineDestination {
  write(text: string): unknown
  /** Calls back once all so far is written. */
  flush?(done: () => void): unknown
}

export interface LineBufferOptions {
  /** Characters from which on a piece is written at once. */
  pieceLength: number
  /** For how long a line waits at most. */
  waitMs: number
}

export class LineBuffer {
  readonly #to: LineDestination
  readonly #options: LineBufferOptions
  #waiting = ''
  #timer: NodeJS.Timeout | undefined

  constructor(to: LineDestination, options: LineBufferOptions) {
    this.#to = to
    this.#options = options
  }

  write(line: string): void {
    this.#waiting += line
    if (this.#waiting.length >= this.#options.pieceLength) return this.flush()
    this.#timer ??= setTimeout(() => this.flush(), this.#options.waitMs).unref()
  }

  /** Hands over what waits, as at the end of the process. `done` is called once it is written. */
  flush(done?: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const piece = this.#waiting
    this.#waiting = ''
    if (piece !== '') this.#to.write(piece)
    if (done) this.#to.flush?.(done)
  }
}
