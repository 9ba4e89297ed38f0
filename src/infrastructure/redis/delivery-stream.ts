// Deliveries on their way to the workers, as a Redis Stream with one group. Nothing here has to last: whatever is lost is
// published again from PostgreSQL. So each fault of the stream itself (no group, wrong type) is mended on the spot.
import type { DeliveryStream, StreamEntry } from '../../application/ports/alerts.ts'
import type { Redis } from './client.ts'
import { limitedConnection } from './deadline-connection.ts'

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

/** `redis` lends its settings only: blocking reads and commands with a time limit need connections of their own. */
export function openDeliveryStream(redis: Redis, options: DeliveryStreamOptions): DeliveryStream {
  const { consumer, name = 'deliveries', answerWithin = COMMAND_MS, idleConsumerMs = IDLE_CONSUMER_MS } = options
  const { onError, onMended = () => {}, onLost = () => {} } = options
  const [commands, reads] = [limitedConnection(redis, onError), limitedConnection(redis, onError)]
  let cleaned = performance.now()
  let hadGroup = false

  const mending = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      const { message } = error as Error
      const isWrongType = message.startsWith('WRONGTYPE')
      // UNBLOCKED: the stream was deleted while a read waited for entries.
      if (!isWrongType && !/^(NOGROUP|UNBLOCKED)/.test(message)) throw error
      await commands.run(answerWithin, async (client) => {
        if (isWrongType) await client.del(name)
        // From 0, not `$`: that would pass over what was added since.
        await client.xGroupCreate(name, GROUP, '0', { MKSTREAM: true }).catch((fault: Error) => {
          if (!fault.message.startsWith('BUSYGROUP')) throw fault
        })
      })
      if (isWrongType) onMended('another type of value was in the place of the stream')
      // On a new Redis there is none, which is nothing to tell.
      else if (hadGroup) onMended('the stream had no group')
      return act()
    }
  }
  const command = <T>(act: (client: Redis) => Promise<T>) => mending(() => commands.run(answerWithin, act))

  return {
    publish: async (items) => {
      for (const part of parts(items)) {
        await command((client) =>
          Promise.all(part.map(({ deliveryId, endpoint }) => client.xAdd(name, '*', { deliveryId, endpoint }))),
        )
      }
    },
    read: async (count, milliseconds) => {
      const block = Math.max(1, Math.floor(milliseconds))
      const answer = await mending(() =>
        reads.run(block + answerWithin, (client) =>
          client.xReadGroup(GROUP, consumer, { key: name, id: '>' }, { COUNT: count, BLOCK: block }),
        ),
      )
      hadGroup = true
      return toEntries((answer as { messages: Message[] }[] | null)?.[0]?.messages ?? [])
    },
    claim: async (idleMilliseconds, count) => {
      if (performance.now() - cleaned > Math.min(CLEAN_EVERY_MS, idleConsumerMs)) {
        cleaned = performance.now()
        await command((client) => removeIdle(client, name, consumer, idleConsumerMs))
      }
      const found: StreamEntry[] = []
      for (let from = '0-0', calls = 0; calls < CLAIM_CALLS; calls += 1) {
        const { nextId, messages, deletedMessages } = await command((client) =>
          client.xAutoClaim(name, GROUP, consumer, idleMilliseconds, from, { COUNT: count - found.length }),
        )
        // Before Redis 7 deleted entries come as null among the messages, and there is no third element.
        const present = (messages as (Message | null)[]).filter((message) => message !== null)
        const lost = messages.length - present.length + ((deletedMessages as unknown[] | undefined)?.length ?? 0)
        if (lost > 0) onLost(lost)
        found.push(...toEntries(present))
        from = String(nextId)
        if (from === '0-0' || found.length >= count) break
      }
      return found
    },
    done: async (entries) => {
      for (const part of parts(entries)) {
        await command((client) => Promise.all([client.xAck(name, GROUP, part), client.xDel(name, part)]))
      }
    },
    length: () => command((client) => client.xLen(name)),
    close: async () => {
      commands.close()
      reads.close()
    },
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
