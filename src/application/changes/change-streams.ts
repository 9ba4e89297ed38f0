// Live streams of the log of changes. One reading of the log feeds all streams of this process from a ring of the
// newest entries; a stream that resumes before the ring reads the log itself until it has reached it. Nothing is
// skipped and nothing piles up: a reader that does not keep up is cut, and resumes from the last id that it received.
import type { SectorOf } from '../../domain/filings/sector.ts'
import { ServiceError } from '../errors.ts'
import type { LogReader, LogEntry } from '../ports/changes.ts'
import type { Monotonic } from '../ports/system.ts'
import type { ChangeFilter } from '../queries/change-queries.ts'
import type { Queries } from '../queries/queries.ts'
import { changePasses } from './change-facts.ts'
import { checkPosition, type LogExtent } from './log-position.ts'

export type StreamEnd = 'left' | 'slow' | 'aged' | 'stopping' | 'unavailable' | 'failed'

/** Where a stream is written to. */
export interface StreamSink {
  write(text: string): void
  /** Returns the bytes written and not sent yet. */
  unsent(): number
  /** Resolves when all was sent, or the reader has left. */
  drained(): Promise<void>
  end(reason: StreamEnd): void
}

export interface OpenedStream {
  /** The reader has left. */
  close(): void
}

export interface StreamSettings {
  heartbeatMs: number
  /** Without a reading of the log for this long, streams end. */
  maxAwayMs: number
  /** A stream ends after this and up to half as long again. */
  lifetimeMs: number
  maxUnsent: number
  ringEntries: number
  ringBytes: number
}

const SETTINGS: StreamSettings = {
  heartbeatMs: 15_000,
  maxAwayMs: 60_000,
  lifetimeMs: 3_600_000,
  maxUnsent: 1024 * 1024,
  ringEntries: 10_000,
  ringBytes: 32 * 1024 * 1024,
}
const PAGE = 500
/** Streams that read the log at a time. */
const MAX_CATCHING_UP = 20
/** A reading this old means that the log can't be read. */
const AWAY_MS = 5_000

interface StreamDependencies {
  reader: LogReader
  queries: Pick<Queries, 'sectors'>
  monotonic: Monotonic
  /** Returns a number from 0 to 1. */
  random: () => number
}

interface RingEntry extends LogEntry {
  text: string
}

interface Stream {
  filter: ChangeFilter
  sink: StreamSink
  /** All entries up to this were handed over or do not pass. */
  position: number
  isLive: boolean
  endsAt: number
}

export class ChangeStreams {
  readonly #reader: LogReader
  readonly #queries: Pick<Queries, 'sectors'>
  readonly #monotonic: Monotonic
  readonly #random: () => number
  readonly #settings: StreamSettings
  readonly #streams = new Set<Stream>()
  readonly #waiting: (() => void)[] = []
  #catchingUp = 0
  #ring: RingEntry[] = []
  #ringBytes = 0
  /** The position before the ring's first entry. */
  #floor = 0
  #extent: LogExtent | null = null
  /** As it was after the newest entry of the ring became known, if a stream was open then that asks for sectors. */
  #sectorOf: SectorOf = () => 'Unknown'
  #sectorsAsked = 0
  #sectorsKnown = 0
  #readAt = Number.NEGATIVE_INFINITY
  #beatAt: number
  #isStopping = false

  constructor({ reader, queries, monotonic, random }: StreamDependencies, settings: Partial<StreamSettings> = {}) {
    this.#reader = reader
    this.#queries = queries
    this.#monotonic = monotonic
    this.#random = random
    this.#beatAt = monotonic()
    this.#settings = { ...SETTINGS, ...settings }
  }

  /** Returns how many streams are open. */
  count(): number {
    return this.#streams.size
  }

  /** Reads the log at each wake-up until the signal. `failed` receives each fault. */
  async run(wait: () => Promise<void>, failed: (error: unknown) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#read().catch(failed)
      this.#beat()
      await wait()
    }
  }

  /**
   * Returns the position to begin at. Throws if the log, or the sectors that are asked for, can't be read, or the
   * position is not one to begin at.
   */
  async start(after: number | 'earliest' | undefined, filter: ChangeFilter): Promise<number> {
    if (filter.sectors) await this.#queries.sectors()
    const extent = this.#extent
    if (extent === null || this.#monotonic() - this.#readAt > AWAY_MS) {
      throw new ServiceError('unavailable', 'the log of changes cannot be read')
    }
    const position = after === undefined ? extent.last : after === 'earliest' ? extent.pruned : after
    // One above what was read here may be newer, such as the cursor of a page that another process answered.
    checkPosition(position, position > extent.last ? await this.#reader.read(position, 1) : extent)
    return position
  }

  /** Begins a stream at a position that `start` returned. */
  open(position: number, filter: ChangeFilter, sink: StreamSink): OpenedStream {
    // Drawn, so that not all readers of a process that restarts come back at once.
    sink.write(`retry: ${1_000 + Math.floor(this.#random() * 4_000)}\n\n`)
    const lifetime = this.#settings.lifetimeMs * (1 + this.#random() / 2)
    const stream: Stream = { filter, sink, position, isLive: false, endsAt: this.#monotonic() + lifetime }
    if (this.#isStopping) {
      sink.end('stopping')
      return { close: () => {} }
    }
    sink.write(`id: ${position}\nevent: ready\ndata: {"oldest":"${this.#extent?.pruned ?? 0}"}\n\n`)
    this.#streams.add(stream)
    void this.#catchUp(stream).catch(() => this.#end(stream, 'failed'))
    return { close: () => this.#end(stream, 'left') }
  }

  /** Ends all streams, and those that are opened from now on. */
  stop(): void {
    this.#isStopping = true
    for (const stream of [...this.#streams]) this.#end(stream, 'stopping')
  }

  async #read(): Promise<void> {
    for (;;) {
      const from = this.#extent?.last ?? null
      const { last, pruned, isSettled, entries, end } = await this.#reader.read(from, PAGE)
      if (entries.length > 0) await this.#readSectors([...this.#streams])
      if (this.#extent === null) this.#floor = last
      // A database restored from a backup, or a crash whose lost numbers are not skipped yet: nothing comes twice.
      this.#extent = { last: Math.max(end, from ?? end), pruned, isSettled }
      this.#readAt = this.#monotonic()
      for (const entry of entries) this.#add({ ...entry, text: toText(entry) })
      for (const stream of [...this.#streams])
        if (stream.isLive) stream.position = Math.max(stream.position, this.#extent.last)
      if (end >= last) return
    }
  }

  #add(entry: RingEntry): void {
    this.#ring.push(entry)
    this.#ringBytes += entry.text.length
    const { ringEntries, ringBytes } = this.#settings
    while (this.#ring.length > ringEntries || this.#ringBytes > ringBytes) {
      const first = this.#ring.shift()!
      this.#ringBytes -= first.text.length
      this.#floor = first.seq
    }
    for (const stream of [...this.#streams]) if (stream.isLive) this.#hand(stream, entry)
  }

  #hand(stream: Stream, entry: RingEntry): void {
    if (entry.seq <= stream.position) return
    stream.position = entry.seq
    if (!changePasses(stream.filter, entry, this.#sectorOf)) return
    stream.sink.write(entry.text)
    if (stream.isLive && stream.sink.unsent() > this.#settings.maxUnsent) this.#end(stream, 'slow')
  }

  async #catchUp(stream: Stream): Promise<void> {
    await this.#readSectors([stream])
    while (stream.position < this.#floor && this.#streams.has(stream)) {
      const { entries, end } = await this.#inTurn(() => this.#reader.read(stream.position, PAGE))
      await this.#readSectors([stream])
      for (const entry of entries) this.#hand(stream, { ...entry, text: toText(entry) })
      stream.position = Math.max(stream.position, end)
      await stream.sink.drained()
    }
    while (this.#streams.has(stream)) {
      const next = this.#ring.findIndex(({ seq }) => seq > stream.position)
      const some = next < 0 ? [] : this.#ring.slice(next, next + PAGE)
      for (const entry of some) this.#hand(stream, entry)
      if (some.length < PAGE) break
      await stream.sink.drained()
      if (stream.position < this.#floor) return this.#catchUp(stream)
    }
    stream.isLive = true
  }

  /**
   * Reads the present sectors if one of these streams asks for them, so that the company of an entry is looked up as it
   * is after the entry. Where they can't be read, those streams end and the others continue.
   */
  async #readSectors(streams: Stream[]): Promise<void> {
    const asking = streams.filter(({ filter }) => filter.sectors)
    if (asking.length === 0) return
    try {
      const asked = (this.#sectorsAsked += 1)
      const sectorOf = await this.#queries.sectors()
      if (asked < this.#sectorsKnown) return
      this.#sectorsKnown = asked
      this.#sectorOf = sectorOf
    } catch {
      for (const stream of asking) this.#end(stream, 'unavailable')
    }
  }

  /** Runs `read` when fewer than so many others do. */
  async #inTurn<T>(read: () => Promise<T>): Promise<T> {
    while (this.#catchingUp >= MAX_CATCHING_UP) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#catchingUp += 1
    try {
      return await read()
    } finally {
      this.#catchingUp -= 1
      this.#waiting.shift()?.()
    }
  }

  #beat(): void {
    const now = this.#monotonic()
    const away = now - this.#readAt
    if (away > this.#settings.maxAwayMs) for (const stream of [...this.#streams]) this.#end(stream, 'unavailable')
    for (const stream of [...this.#streams]) if (stream.isLive && now > stream.endsAt) this.#end(stream, 'aged')
    if (now - this.#beatAt < this.#settings.heartbeatMs) return
    this.#beatAt = now
    const seconds = Math.round(this.#settings.heartbeatMs / 1000)
    for (const stream of this.#streams) {
      if (!stream.isLive) continue
      stream.sink.write(`: ${seconds}\n${away > AWAY_MS ? '' : `id: ${stream.position}\n`}\n`)
    }
  }

  #end(stream: Stream, reason: StreamEnd): void {
    if (this.#streams.delete(stream)) stream.sink.end(reason)
  }
}

const toText = ({ seq, id, type, at, data }: LogEntry): string =>
  `id: ${seq}\nevent: ${type}\ndata: {"id":${JSON.stringify(id)},"type":"${type}","at":"${at}","data":${data}}\n\n`
