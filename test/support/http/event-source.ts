// A reader of server-sent events as the HTML standard describes it: it comes back with the last id when a stream ends,
// after the time that the stream gave, and gives up on any answer but 200.
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ReceivedEvent {
  id: string
  type: string
  data: string
}

export class EventReader {
  readonly events: ReceivedEvent[] = []
  /** Statuses of all answers. */
  readonly statuses: number[] = []
  lastId = ''
  retryMs = 3_000
  readonly #url: string
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  /** `maxRetryMs` shortens the time that the stream gives, for tests. */
  constructor(url: string, lastId = '', maxRetryMs = 50) {
    this.#url = url
    this.lastId = lastId
    this.#running = this.#run(maxRetryMs)
  }

  /** Waits until `is` holds of the events. */
  async until(is: (events: ReceivedEvent[]) => boolean, seconds = 20): Promise<void> {
    for (const end = Date.now() + seconds * 1_000; !is(this.events); await sleep(5)) {
      if (Date.now() > end) throw new Error(`not within ${seconds} s: ${JSON.stringify(this.events).slice(0, 2_000)}`)
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(maxRetryMs: number): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const answer = await this.#connect().catch(() => null)
      if (answer !== null) {
        this.statuses.push(answer.statusCode!)
        if (answer.statusCode !== 200) return answer.destroy() && undefined
        await this.#read(answer).catch(() => {})
      }
      await sleep(Math.min(this.retryMs, maxRetryMs), undefined, { signal }).catch(() => {})
    }
  }

  #connect(): Promise<IncomingMessage> {
    const headers = { accept: 'text/event-stream', ...(this.lastId && { 'last-event-id': this.lastId }) }
    return new Promise((resolve, reject) => {
      get(this.#url, { headers, agent: false, signal: this.#stop.signal }, resolve).on('error', reject)
    })
  }

  // An event that is cut before its empty line is dropped, and its id with it.
  async #read(answer: IncomingMessage): Promise<void> {
    let rest = ''
    for await (const chunk of answer.setEncoding('utf8')) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) this.#take(block)
    }
  }

  #take(block: string): void {
    const event = { type: 'message', data: '' }
    for (const line of block.split('\n')) {
      const [, name = line, value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
      if (name === 'id') this.lastId = value
      else if (name === 'retry') this.retryMs = Number(value)
      else if (name === 'event') event.type = value
      else if (name === 'data') event.data += value
    }
    if (event.data !== '') this.events.push({ ...event, id: this.lastId })
  }
}
