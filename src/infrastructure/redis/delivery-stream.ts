// Deliveries on their way to the workers, as a Redis Stream with one group. Nothing here has to last: whatever is lost
// is published again from PostgreSQL. So each fault of the stream itself (no group, wrong type) is mended on the spot.
import type { DeliveryStream, StreamEntry, StreamItem } from '../../application/ports/alerts.ts'
import type { Redis } from './client.ts'
import { LimitedConnection } from './deadline-connection.ts'

const GROUP = 'workers'
const COMMAND_MS = 2_000
/** Commands with many entries each are cut into such parts, since Redis does nothing else meanwhile. */
const PART = 1_000
const IDLE_CONSUMER_MS = 3_600_000
const CLEAN_EVERY_MS = 600_000
/** Calls of one claim: each looks at ten times `count` entries at most. */
const CLAIM_CALLS = 20

export interface DeliveryStreamOptions {
  /** Of this worker; no two at once may have the same. */
  consumer: string
  /** The key; `deliveries`. */
  name?: string
  /** Milliseconds an answer may take; 2,000. Then the connection is made again. */
  answerWithin?: number
  /** Consumers that have done nothing for so long and hold nothing are removed; an hour. */
  idleConsumerMs?: number
  onError: (error: Error) => void
  /** Something was in the way and has been mended. */
  onMended?: (what: string) => void
  /** Entries that were deleted from the stream while somebody had them; the sweep brings the deliveries again. */
  onLost?: (entries: number) => void
}

export class RedisDeliveryStream implements DeliveryStream {
  readonly #options: Required<DeliveryStreamOptions>
  readonly #commands: LimitedConnection
  readonly #reads: LimitedConnection
  #cleaned = performance.now()
  #hadGroup = false

  /** `redis` lends its settings only: blocking reads and commands with a time limit need connections of their own. */
  constructor(redis: Redis, options: DeliveryStreamOptions) {
    this.#options = {
      name: 'deliveries',
      answerWithin: COMMAND_MS,
      idleConsumerMs: IDLE_CONSUMER_MS,
      onMended: () => {},
      onLost: () => {},
      ...options,
    }
    this.#commands = new LimitedConnection(redis, options.onError)
    this.#reads = new LimitedConnection(redis, options.onError)
  }

  async publish(items: StreamItem[]): Promise<void> {
    const { name } = this.#options
    for (const part of parts(items)) {
      await this.#command((client) =>
        Promise.all(part.map(({ deliveryId, endpoint }) => client.xAdd(name, '*', { deliveryId, endpoint }))),
      )
    }
  }

  async read(count: number, milliseconds: number): Promise<StreamEntry[]> {
    const { name, consumer, answerWithin } = this.#options
    const block = Math.max(1, Math.floor(milliseconds))
    const answer = await this.#mending(() =>
      this.#reads.run(block + answerWithin, (client) =>
        client.xReadGroup(GROUP, consumer, { key: name, id: '>' }, { COUNT: count, BLOCK: block }),
      ),
    )
    this.#hadGroup = true
    return toEntries((answer as { messages: Message[] }[] | null)?.[0]?.messages ?? [])
  }

  async claim(idleMilliseconds: number, count: number): Promise<StreamEntry[]> {
    await this.#removeIdleNowAndThen()
    const found: StreamEntry[] = []
    for (let from = '0-0', calls = 0; calls < CLAIM_CALLS; calls += 1) {
      const { entries, lost, next } = await this.#claimFrom(from, idleMilliseconds, count - found.length)
      if (lost > 0) this.#options.onLost(lost)
      found.push(...entries)
      from = next
      if (from === '0-0' || found.length >= count) break
    }
    return found
  }

  async done(entries: string[]): Promise<void> {
    const { name } = this.#options
    for (const part of parts(entries)) {
      await this.#command((client) => Promise.all([client.xAck(name, GROUP, part), client.xDel(name, part)]))
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
    // Before Redis 7 deleted entries come as null among the messages, and there is no third element.
    const present = (messages as (Message | null)[]).filter((message) => message !== null)
    const lost = messages.length - present.length + ((deletedMessages as unknown[] | undefined)?.length ?? 0)
    return { entries: toEntries(present), lost, next: String(nextId) }
  }

  async #removeIdleNowAndThen(): Promise<void> {
    const { name, consumer, idleConsumerMs } = this.#options
    if (performance.now() - this.#cleaned <= Math.min(CLEAN_EVERY_MS, idleConsumerMs)) return
    this.#cleaned = performance.now()
    await this.#command((client) => removeIdle(client, name, consumer, idleConsumerMs))
  }

  #command<T>(act: (client: Redis) => Promise<T>): Promise<T> {
    return this.#mending(() => this.#commands.run(this.#options.answerWithin, act))
  }

  async #mending<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      const { message } = error as Error
      const isWrongType = message.startsWith('WRONGTYPE')
      // UNBLOCKED: the stream was deleted while a read waited for entries.
      if (!isWrongType && !/^(NOGROUP|UNBLOCKED)/.test(message)) throw error
      await this.#makeGroup(isWrongType)
      if (isWrongType) this.#options.onMended('another type of value was in the place of the stream')
      // On a new Redis there is none, which is nothing to tell.
      else if (this.#hadGroup) this.#options.onMended('the stream had no group')
      return act()
    }
  }

  #makeGroup(isWrongType: boolean): Promise<void> {
    const { name, answerWithin } = this.#options
    return this.#commands.run(answerWithin, async (client) => {
      if (isWrongType) await client.del(name)
      // From 0, not `$`: that would pass over what was added since.
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

/** One that somebody else wrote there has no such fields; it leads to nothing, and is done with as all are. */
function toEntries(messages: Message[]): StreamEntry[] {
  return messages.map(({ id, message: { deliveryId = '', endpoint = '' } }) => ({
    entry: String(id),
    deliveryId: String(deliveryId),
    endpoint: String(endpoint),
  }))
}

/** Every process that ever worked has left its name in the group. */
async function removeIdle(client: Redis, name: string, self: string, idleMs: number): Promise<void> {
  const consumers = await client.xInfoConsumers(name, GROUP)
  for (const each of consumers) {
    if (String(each.name) === self || each.pending > 0 || each.idle < idleMs) continue
    await client.xGroupDelConsumer(name, GROUP, String(each.name))
  }
}

function* parts<T>(items: T[]): Iterable<T[]> {
  for (let from = 0; from < items.length; from += PART) yield items.slice(from, from + PART)
}
