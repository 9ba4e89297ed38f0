// Starts the two loops of delivery, the outbox relay and the delivery worker, and stops them one after the other.
import type { DeliveryWorker } from './delivery-worker.ts'
import type { OutboxRelay } from './relay-outbox.ts'

export class DeliveryLoops {
  readonly #relay: OutboxRelay
  readonly #worker: DeliveryWorker
  readonly #stopRelay = new AbortController()
  readonly #stopWorker = new AbortController()
  #relaying = Promise.resolve()
  #working = Promise.resolve()

  constructor(relay: OutboxRelay, worker: DeliveryWorker) {
    this.#relay = relay
    this.#worker = worker
  }

  /** Delivers until `stop`. */
  start(): void {
    this.#relaying = this.#relay.run(this.#stopRelay.signal)
    this.#working = this.#worker.run(this.#stopWorker.signal)
  }

  /**
   * Stops the relay, then the worker, and waits for requests in progress. Deliveries that the relay handed to a stopped
   * worker would wait for the next sweep.
   */
  async stop(): Promise<void> {
    this.#stopRelay.abort()
    await this.#relaying
    this.#stopWorker.abort()
    await this.#working
  }
}
