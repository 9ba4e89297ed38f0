// The Redis Stream that carries deliveries to the workers, with one consumer group. Entries may be lost, since the sweep
// publishes their deliveries again from PostgreSQL; so a stream without its group, or of the wrong type, is just made
// anew.
import type { DeliveryStream, StreamEntry, StreamItem } from '../../application/ports/alerts.ts'
import type { Redis } from './client.ts'
import { DeadlineConnection } from './deadline-connection.ts'

const GROUP = 'workers'
const COMMAND_MS = 2_000
/** Commands with more entries are split into batches of this size, since Redis does nothing else meanwhile. */
const BATCH = 1_000
const IDLE_CONSUMER_MS = 3_600_000
const CLEAN_EVERY_MS = 600_000
/** Calls of XAUTOCLAIM in one claim: Redis looks at ten times `count` entries at most in each. */
const CLAIM_CALLS = 20

export interface DeliveryStreamOptions {
  /** The consumer's name; must be unique among running workers. */
  consumer: string
  /** The stream's key. */
  name?: string
  /** Milliseconds until an unanswered command fails and the connection is replaced. */
  answerWithin?: number
  /** Consumers idle for this long without pending entries are removed. */
  idleConsumerMs?: number
  onError: (error: Error) => void
  /** Called after a fault of the stream was repaired. */
  onRepaired?: (what: string) => void
  /** Called for pending entries that were deleted from the stream; the sweep publishes their deliveries again. */
  onLost?: (entries: number) => void
}

export class RedisDeliveryStream implements DeliveryStream {
  readonly #options: Required<DeliveryStreamOptions>
  readonly #commands: DeadlineConnection
  readonly #reads: DeadlineConnection
  /** When idle consumers were last removed, by performance.now(). */
  #cleanedAt = performance.now()
  #hadGroup = false

  /**
   * Opens two connections with the settings of `redis`: one for reads, which block, and one for commands.
   */
  constructor(redis: Redis, options: DeliveryStreamOptions) {
    this.#options = {
      name: 'deliveries',
      answerWithin: COMMAND_MS,
      idleConsumerMs: IDLE_CONSUMER_MS,
      onRepaired: () => {},
      onLost: () => {},
      ...options,
    }
    this.#commands = new DeadlineConnection(redis, options.onError)
    this.#reads = new DeadlineConnection(redis, options.onError)
  }

  async publish(items: StreamItem[]): Promise<void> {
    const { name } = this.#options
    for (const batch of batches(items)) {
      await this.#command((client) =>
        Promise.all(batch.map(({ deliveryId, endpoint }) => client.xAdd(name, '*', { deliveryId, endpoint }))),
      )
    }
  }

  async read(count: number, milliseconds: number): Promise<StreamEntry[]> {
    const { name, consumer, answerWithin } = this.#options
    const block = Math.max(1, Math.floor(milliseconds))
    const answer = await this.#repairing(() =>
      this.#reads.run(block + answerWithin, (client) =>
        client.xReadGroup(GROUP, consumer, { key: name, id: '>' }, { COUNT: count, BLOCK: block }),
      ),
    )
    this.#hadGroup = true
    return toEntries((answer as { messages: Message[] }[] | null)?.[0]?.messages ?? [])
  }

  async claim(idleMilliseconds: number, count: number): Promise<StreamEntry[]> {
    await this.#removeIdleConsumers()
    const claimed: StreamEntry[] = []
    for (let from = '0-0', calls = 0; calls < CLAIM_CALLS; calls += 1) {
      const { entries, lost, next } = await this.#claimFrom(from, idleMilliseconds, count - claimed.length)
      if (lost > 0) this.#options.onLost(lost)
      claimed.push(...entries)
      from = next
      if (from === '0-0' || claimed.length >= count) break
    }
    return claimed
  }

  async done(entries: string[]): Promise<void> {
    const { name } = this.#options
    for (const batch of batches(entries)) {
      await this.#command((client) => Promise.all([client.xAck(name, GROUP, batch), client.xDel(name, batch)]))
    }
  }

  length(): Promise<number> {
    return this.#command((client) => client.xLen(this.#options.name))
  }

  async close(): Promise<void> {
    this.#commands.close()
    this.#reads.close()
  }

  async #claimFrom(from: string, idleMilliseconds: number, count: number) {
    const { name, consumer } = this.#options
    const { nextId, messages, deletedMessages } = await this.#command((client) =>
      client.xAutoClaim(name, GROUP, consumer, idleMilliseconds, from, { COUNT: count }),
    )
    // Redis 6 returns deleted entries as null among the messages, without a third element.
    const present = (messages as (Message | null)[]).filter((message) => message !== null)
    const lost = messages.length - present.length + ((deletedMessages as unknown[] | undefined)?.length ?? 0)
    return { entries: toEntries(present), lost, next: nextId }
  }

  /** Removes idle consumers, unless that was done a short time ago. */
  async #removeIdleConsumers(): Promise<void> {
    const { name, consumer, idleConsumerMs } = this.#options
    if (performance.now() - this.#cleanedAt <= Math.min(CLEAN_EVERY_MS, idleConsumerMs)) return
    this.#cleanedAt = performance.now()
    await this.#command((client) => removeIdle(client, name, consumer, idleConsumerMs))
  }

  #command<T>(act: (client: Redis) => Promise<T>): Promise<T> {
    return this.#repairing(() => this.#commands.run(this.#options.answerWithin, act))
  }

  /** Runs a command, once more after a fault of the stream was repaired. */
  async #repairing<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      const { message } = error as Error
      const isWrongType = message.startsWith('WRONGTYPE')
      // UNBLOCKED: the stream was deleted during a blocking read.
      if (!isWrongType && !/^(NOGROUP|UNBLOCKED)/.test(message)) throw error
      await this.#makeGroup(isWrongType)
      if (isWrongType) this.#options.onRepaired('another type of value was in the place of the stream')
      // In a new Redis the group is missing as expected.
      else if (this.#hadGroup) this.#options.onRepaired('the stream had no group')
      return act()
    }
  }

  #makeGroup(isWrongType: boolean): Promise<void> {
    const { name, answerWithin } = this.#options
    return this.#commands.run(answerWithin, async (client) => {
      if (isWrongType) await client.del(name)
      // From 0, since `$` would skip entries added before this.
      await client.xGroupCreate(name, GROUP, '0', { MKSTREAM: true }).catch((fault: Error) => {
        if (!fault.message.startsWith('BUSYGROUP')) throw fault
      })
    })
  }
}

interface Message {
  id: unknown
  message: Record<string, unknown>
}

/** An entry that another program added lacks these fields; it matches no delivery and is acknowledged all the same. */
function toEntries(messages: Message[]): StreamEntry[] {
  return messages.map(({ id, message: { deliveryId = '', endpoint = '' } }) => ({
    entry: String(id),
    deliveryId: String(deliveryId),
    endpoint: String(endpoint),
  }))
}

/** Removes idle consumers: the group has one for each process that ever read the stream. */
async function removeIdle(client: Redis, name: string, self: string, idleMs: number): Promise<void> {
  const consumers = await client.xInfoConsumers(name, GROUP)
  for (const consumer of consumers) {
    if (consumer.name === self || consumer.pending > 0 || consumer.idle < idleMs) continue
    await client.xGroupDelConsumer(name, GROUP, consumer.name)
  }
}

function* batches<T>(items: T[]): Iterable<T[]> {
  for (let from = 0; from < items.length; from += BATCH) yield items.slice(from, from + BATCH)
}
