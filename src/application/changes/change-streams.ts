// Live streams of the log of changes. The process reads the log once for all streams and holds the newest entries in a
// ring. A stream that resumes before the ring reads the log itself until it has reached the ring. A reader that is too
// slow is cut off, so that nothing piles up, and resumes from the last id that it received, so that nothing is skipped.
import type { SectorOf } from '../../domain/filings/sector.ts'
import { ServiceError } from '../errors.ts'
import type { LogReader, LogEntry } from '../ports/changes.ts'
import type { Monotonic } from '../ports/system.ts'
import type { ChangeFilter } from '../queries/change-queries.ts'
import type { Queries } from '../queries/queries.ts'
import { changePasses } from './change-facts.ts'
import { checkPosition, type LogExtent } from './log-position.ts'

export type StreamEnd = 'left' | 'slow' | 'aged' | 'pruned' | 'stopping' | 'unavailable' | 'failed'

/** The receiver of a stream: an HTTP response. */
export interface StreamSink {
  write(text: string): void
  /** Returns how many bytes are written and not sent yet. */
  unsent(): number
  /** Resolves when everything is sent, or the reader has left. */
  drained(): Promise<void>
  /** `failure` is what was thrown, if that ended it. */
  end(reason: StreamEnd, failure?: unknown): void
}

export interface OpenedStream {
  /** Has to be called when the reader has left. */
  close(): void
}

export interface StreamSettings {
  heartbeatMs: number
  /** Streams end when the log could not be read for this long. */
  maxAwayMs: number
  /** The shortest lifetime of a stream; the longest is half as long again. */
  lifetimeMs: number
  /** Bytes that may wait for a reader before it is cut off. */
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
/** Streams that read the log themselves at a time. */
const MAX_CATCHING_UP = 20
/** The log counts as unavailable when it was last read this long ago. */
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
  /** The position up to which all entries were written to the sink, or do not pass the filter. */
  position: number
  /** Whether the stream has caught up and gets new entries from the ring. */
  isLive: boolean
  endsAt: number
}

export class ChangeStreams {
  readonly #parts: StreamDependencies
  readonly #settings: StreamSettings
  readonly #streams = new Set<Stream>()
  /** Wakes streams that wait to read the log. */
  readonly #waiting: (() => void)[] = []
  #catchingUp = 0
  #ring: RingEntry[] = []
  #ringBytes = 0
  /** The position before the ring's first entry. */
  #floor = 0
  #extent: LogExtent | null = null
  /** The sectors after the newest entry of the ring, if a stream that filters by sector was open then. */
  #sectorOf: SectorOf = () => 'Unknown'
  /** Numbers of the last request for sectors, and of the request that `#sectorOf` is from. */
  #sectorsRequested = 0
  #sectorsReceived = 0
  #readAt = Number.NEGATIVE_INFINITY
  #beatAt: number
  #isStopping = false

  constructor(parts: StreamDependencies, settings: Partial<StreamSettings> = {}) {
    this.#parts = parts
    this.#beatAt = parts.monotonic()
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
   * Returns the position at which a stream begins. Throws if the log, or sectors that the filter names, can't be read,
   * and as `checkPosition` does.
   */
  async start(after: number | 'earliest' | undefined, filter: ChangeFilter): Promise<number> {
    if (filter.sectors) await this.#parts.queries.sectors()
    const extent = this.#extent
    if (extent === null || this.#parts.monotonic() - this.#readAt > AWAY_MS) {
      throw new ServiceError('unavailable', 'the log of changes cannot be read')
    }
    const position = after === undefined ? extent.last : after === 'earliest' ? extent.pruned : after
    // The caller may have a newer position than this process, such as the cursor of a page from another process.
    checkPosition(position, position > extent.last ? await this.#parts.reader.read(position, 1) : extent)
    return position
  }

  /** Begins a stream at a position that `start` returned. */
  open(position: number, filter: ChangeFilter, sink: StreamSink): OpenedStream {
    // A random delay, so that not all readers come back at once when a process restarts.
    sink.write(`retry: ${1_000 + Math.floor(this.#parts.random() * 4_000)}\n\n`)
    const lifetime = this.#settings.lifetimeMs * (1 + this.#parts.random() / 2)
    const stream: Stream = { filter, sink, position, isLive: false, endsAt: this.#parts.monotonic() + lifetime }
    if (this.#isStopping) {
      sink.end('stopping')
      return { close: () => {} }
    }
    sink.write(`id: ${position}\nevent: ready\ndata: {"oldest":"${this.#extent?.pruned ?? 0}"}\n\n`)
    this.#streams.add(stream)
    void this.#catchUp(stream).catch((failure: unknown) => this.#end(stream, 'failed', failure))
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
      const { last, pruned, isSettled, entries, end } = await this.#parts.reader.read(from, PAGE)
      if (entries.length > 0) await this.#readSectors([...this.#streams])
      if (this.#extent === null) this.#floor = last
      // The log's end can move back: when a backup was restored, or after a crash until lost numbers are skipped. The
      // maximum makes sure that no entry comes twice.
      this.#extent = { last: Math.max(end, from ?? end), pruned, isSettled }
      this.#readAt = this.#parts.monotonic()
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
    for (const stream of [...this.#streams]) if (stream.isLive) this.#deliver(stream, entry)
  }

  /** Writes the entry to the stream, unless the stream had it already or its filter leaves it out. */
  #deliver(stream: Stream, entry: RingEntry): void {
    if (entry.seq <= stream.position) return
    stream.position = entry.seq
    if (!changePasses(stream.filter, entry, this.#sectorOf)) return
    stream.sink.write(entry.text)
    if (stream.isLive && stream.sink.unsent() > this.#settings.maxUnsent) this.#end(stream, 'slow')
  }

  async #catchUp(stream: Stream): Promise<void> {
    await this.#readSectors([stream])
    while (stream.position < this.#floor && this.#streams.has(stream)) {
      const { entries, end, pruned } = await this.#inTurn(() => this.#parts.reader.read(stream.position, PAGE))
      // Entries after this position were deleted, and would be skipped. The reader gets 410 when it reconnects.
      if (stream.position < pruned) return this.#end(stream, 'pruned')
      await this.#readSectors([stream])
      for (const entry of entries) this.#deliver(stream, { ...entry, text: toText(entry) })
      stream.position = Math.max(stream.position, end)
      await stream.sink.drained()
    }
    while (this.#streams.has(stream)) {
      const next = this.#ring.findIndex(({ seq }) => seq > stream.position)
      const page = next < 0 ? [] : this.#ring.slice(next, next + PAGE)
      for (const entry of page) this.#deliver(stream, entry)
      if (page.length < PAGE) break
      await stream.sink.drained()
      if (stream.position < this.#floor) return this.#catchUp(stream)
    }
    stream.isLive = true
  }

  /**
   * Reads the present sectors if one of these streams filters by sector, so that an entry is filtered by the sector that
   * its company has after it. If they can't be read, these streams end and the others continue.
   */
  async #readSectors(streams: Stream[]): Promise<void> {
    const filtering = streams.filter(({ filter }) => filter.sectors)
    if (filtering.length === 0) return
    try {
      const request = (this.#sectorsRequested += 1)
      const sectorOf = await this.#parts.queries.sectors()
      if (request < this.#sectorsReceived) return
      this.#sectorsReceived = request
      this.#sectorOf = sectorOf
    } catch (failure) {
      for (const stream of filtering) this.#end(stream, 'unavailable', failure)
    }
  }

  /** Runs `read` once fewer than `MAX_CATCHING_UP` others run. */
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

  /** Ends streams that are too old, or all if the log can't be read, and sends heartbeats when they are due. */
  #beat(): void {
    const now = this.#parts.monotonic()
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

  #end(stream: Stream, reason: StreamEnd, failure?: unknown): void {
    if (this.#streams.delete(stream)) stream.sink.end(reason, failure)
  }
}

const toText = ({ seq, id, type, at, data }: LogEntry): string =>
  `id: ${seq}\nevent: ${type}\ndata: {"id":${JSON.stringify(id)},"type":"${type}","at":"${at}","data":${data}}\n\n`
