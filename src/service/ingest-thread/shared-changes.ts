// Trackers of changes for a process whose role ingest has a thread of its own: that of the thread sends on what it
// records, and that of the thread that answers reads all of it before it says what is current. So what was ingested
// shows in the next answer, as with one tracker.
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import { ChangeTracker, type ChangeScope, type Extent } from '../../application/changes/change-tracker.ts'
import type { DataPart, Dependence } from '../../application/changes/dependence.ts'
import type { Cik } from '../../domain/shared/identifiers.ts'

/** What both threads have of it: the way of messages, and memory with the number of those sent. */
export interface ChangesChannel {
  port: MessagePort
  sent: Int32Array<SharedArrayBuffer>
}

type Message = { extent: Extent } | { parts: DataPart[]; feed: number[] }

/** Returns the two ends; that for the other thread has to be sent there with its port transferred. */
export function changesChannel(): { own: ChangesChannel; other: ChangesChannel } {
  const { port1, port2 } = new MessageChannel()
  const sent = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  return { own: { port: port1, sent }, other: { port: port2, sent } }
}

/** The tracker of the thread that writes. */
export class SentChanges extends ChangeTracker {
  readonly #channel: ChangesChannel

  constructor(channel: ChangesChannel) {
    super()
    this.#channel = channel
  }

  override record({ parts, feed }: ChangeScope): void {
    const scope = { parts: [...parts], feed: [...feed] }
    super.record(scope)
    this.#send(scope)
  }

  override drop(extent: Extent): void {
    super.drop(extent)
    this.#send({ extent })
  }

  // The message first: a reader that sees the number finds it.
  #send(message: Message): void {
    this.#channel.port.postMessage(message)
    Atomics.add(this.#channel.sent, 0, 1)
  }
}

/** Messages are read without a question, too, so that they don't pile up. */
const READ_EVERY_MS = 100

/** The tracker of the thread that answers. */
export class ReceivedChanges extends ChangeTracker {
  readonly #channel: ChangesChannel
  #received = 0
  readonly #reading: NodeJS.Timeout

  constructor(channel: ChangesChannel) {
    super()
    this.#channel = channel
    this.#reading = setInterval(() => this.#receive(), READ_EVERY_MS).unref()
  }

  override version(): number {
    this.#receive()
    return super.version()
  }

  override isCurrent(dependence: Dependence, since: number): boolean {
    this.#receive()
    return super.isCurrent(dependence, since)
  }

  override areListsCurrent(since: number): boolean {
    this.#receive()
    return super.areListsCurrent(since)
  }

  override issuersSince(since: number): Cik[] | null {
    this.#receive()
    return super.issuersSince(since)
  }

  close(): void {
    clearInterval(this.#reading)
  }

  #receive(): void {
    // The number wraps around, and is compared only.
    for (const sent = Atomics.load(this.#channel.sent, 0); this.#received !== sent;) {
      const received = receiveMessageOnPort(this.#channel.port)
      // Lost with a thread that has ended: anything may have changed.
      const message: Message = received ? received.message : { extent: 'everything' }
      this.#received = received ? (this.#received + 1) | 0 : sent
      if ('extent' in message) this.drop(message.extent)
      else this.record(message)
    }
  }
}
