// A copy of the feed and the signals as a caller keeps one: the position first, then all pages, then every change after
// it, by pages of the log or by the stream. It is cut at random, between pages and between events, and continues with
// the position that it stored last, which may be an older one.
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { components } from '../../../src/contract.ts'
import { hashOf, seeded } from '../edgar/invented/seeded.ts'
import { call, contractFaults, send } from './contract-client.ts'
import { EventReader } from './event-source.ts'

type Schemas = components['schemas']
type Change = Pick<Schemas['Change'], 'type' | 'data'>

interface Row {
  issuerCik: string
  transaction: Schemas['Transaction']
}

/** Everything the API lists, by id. */
export type Contents = Map<string, Schemas['Transaction'] | Schemas['Signal']>

interface ReplicaOptions {
  /** Asked before each request. */
  address: () => string
  seed: number
  by: 'pages' | 'stream'
}

/** Cuts for each page or event. */
const CUTS = 0.02
const FEED_PAGE = 100
/** That one request may name. */
const MAX_COMPANIES = 100

class CutOff extends Error {}

export class Replica {
  readonly counts = { loads: 0, changes: 0, fetchedAgain: 0, cuts: 0 }
  /** For messages. */
  readonly #applied: string[] = []
  readonly #options: ReplicaOptions
  readonly #chance: () => number
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  #rows = new Map<string, Row>()
  #signals = new Map<string, Schemas['Signal']>()
  /** After the last change applied. */
  #position = 0
  /** What it continues with when it is cut; null before everything was loaded. */
  #stored: number | null = null
  #failure: unknown

  constructor(options: ReplicaOptions) {
    this.#options = options
    this.#chance = seeded(hashOf('replica', options.seed))
    this.#running = this.#run().catch((error: unknown) => void (this.#failure = error))
  }

  /** Returns what differs from what the API lists, with the last changes that it applied to it. */
  differences(listed: Contents): string[] {
    const copy: Contents = new Map(this.#signals)
    for (const [id, { transaction }] of this.#rows) copy.set(id, transaction)
    return [...new Set([...copy.keys(), ...listed.keys()])].flatMap((id) => {
      const [own, other] = [copy.get(id), listed.get(id)]
      if (isDeepStrictEqual(own, other)) return []
      const applied = this.#applied.filter((text) => text.includes(`"${id}"`)).slice(-3)
      return [`${id}: ${JSON.stringify(own)} instead of ${JSON.stringify(other)}, after ${applied.join('; ')}`]
    })
  }

  /** Waits until it has applied everything up to `position`. */
  async reached(position: number, seconds = 60): Promise<void> {
    for (const end = performance.now() + seconds * 1_000; this.#position < position; await sleep(10)) {
      if (this.#failure !== undefined) throw this.#failure
      if (performance.now() > end) throw new Error(`a copy is at ${this.#position}, not at ${position}`)
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#stored === null) await this.#load()
        this.#position = this.#stored!
        await (this.#options.by === 'pages' ? this.#followPages() : this.#followStream())
      } catch (error) {
        if (!(error instanceof CutOff) && !this.#stop.signal.aborted) throw error
        this.counts.cuts += 1
      }
    }
  }

  async #load(): Promise<void> {
    const { nextCursor } = await this.#ask<Schemas['ChangePage']>('/v1/changes')
    this.#rows = new Map()
    this.#signals = new Map()
    await this.#fetchAll(() => true)
    this.#stored = Number(nextCursor)
    this.counts.loads += 1
  }

  async #followPages(): Promise<void> {
    for (;;) {
      const limit = 1 + Math.floor(this.#chance() * 20)
      const after = this.#position
      const page = await this.#ask<Schemas['ChangePage']>(`/v1/changes?after=${after}&limit=${limit}`)
      for (const change of page.changes) await this.#take(Number(change.cursor), change)
      this.#position = Math.max(this.#position, Number(page.nextCursor))
      if (!page.hasMore) await sleep(20, undefined, { signal: this.#stop.signal })
    }
  }

  async #followStream(): Promise<void> {
    const reader = new EventReader(`${this.#options.address()}/v1/stream`, String(this.#position))
    try {
      for (let next = 0; ; await sleep(10, undefined, { signal: this.#stop.signal })) {
        for (; next < reader.events.length; next += 1) {
          const { id, type, data } = reader.events[next]!
          if (type !== 'ready') await this.#take(Number(id), JSON.parse(data) as Change)
        }
        // A service that starts again answers 503 before it has read the log, and its client gives up.
        if (reader.statuses.some((status) => status !== 200)) throw new CutOff('the stream was refused')
        if (reader.events.length === next) this.#position = Math.max(this.#position, Number(reader.lastId))
      }
    } finally {
      await reader.close()
    }
  }

  async #take(cursor: number, change: Change): Promise<void> {
    this.#cutAtRandom()
    await this.#apply(change)
    this.#applied.push(`${cursor} ${JSON.stringify(change)}`)
    this.counts.changes += 1
    this.#position = cursor
    if (this.#chance() < 0.3) this.#stored = cursor
  }

  async #apply({ type, data }: Change): Promise<void> {
    if (type === 'dataset.changed') return this.#fetchAgain(data as Schemas['DataSetChangeData'])
    if (type.startsWith('signal.')) {
      const { signal, status } = data as Schemas['SignalChangeData']
      if (status === 'ended') this.#signals.delete(signal.id)
      else this.#signals.set(signal.id, signal)
      return
    }
    const { issuerCik, transactions, superseded, removed, omitted } = data as Schemas['TransactionChangeData']
    if (omitted !== undefined) await this.#fetchAgain({ reason: 'recovered', issuerCiks: [issuerCik] })
    for (const transaction of transactions) this.#rows.set(transaction.id, { issuerCik, transaction })
    for (const id of [...(superseded ?? []), ...(removed ?? [])]) this.#rows.delete(id)
  }

  async #fetchAgain({ issuerCiks, periods }: Schemas['DataSetChangeData']): Promise<void> {
    this.counts.fetchedAgain += 1
    if (!issuerCiks && !periods) {
      // What follows is applied to the new copy.
      this.#stored = null
      throw new CutOff('everything may have changed')
    }
    if (!issuerCiks) return this.#fetchAll((_, at) => periods!.includes(at.slice(0, 7)))
    for (let from = 0; from < issuerCiks.length; from += MAX_COMPANIES) {
      const some = issuerCiks.slice(from, from + MAX_COMPANIES)
      await this.#fetchAll((cik) => some.includes(cik), `issuerCiks=${some.join()}&`)
    }
  }

  /** Fetches what `isWanted`, which `query` asks for at least, and drops what the copy had of that. */
  async #fetchAll(isWanted: (issuerCik: string, at: string) => boolean, query = ''): Promise<void> {
    const [rows, signals] = [new Map<string, Row>(), new Map<string, Schemas['Signal']>()]
    for await (const page of this.#pages<Schemas['FeedPage']>(`/v1/feed?detail=full&${query}`)) {
      for (const { detail, ...transaction } of page.transactions) {
        const issuerCik = detail!.issuerCik
        if (isWanted(issuerCik, transaction.filingDate)) rows.set(transaction.id, { issuerCik, transaction })
      }
    }
    for await (const page of this.#pages<Schemas['SignalPage']>(`/v1/signals?${query}`)) {
      for (const signal of page.signals)
        if (isWanted(issuerOf(signal.id), signal.detectedAt)) signals.set(signal.id, signal)
    }
    for (const [id, { issuerCik, transaction }] of this.#rows)
      if (isWanted(issuerCik, transaction.filingDate)) this.#rows.delete(id)
    for (const [id, { detectedAt }] of this.#signals) if (isWanted(issuerOf(id), detectedAt)) this.#signals.delete(id)
    for (const [id, row] of rows) this.#rows.set(id, row)
    for (const [id, signal] of signals) this.#signals.set(id, signal)
  }

  async *#pages<Page extends { hasMore: boolean; nextCursor?: string }>(path: string): AsyncGenerator<Page> {
    for (let cursor: string | undefined; ;) {
      const page = await this.#ask<Page>(`${path}limit=${FEED_PAGE}${cursor ? `&cursor=${cursor}` : ''}`)
      yield page
      if (!page.hasMore) return
      cursor = page.nextCursor
      this.#cutAtRandom()
    }
  }

  /** Asks until there is an answer, held against the contract. Begins again where the position is no longer kept. */
  async #ask<T>(path: string): Promise<T> {
    for (;;) {
      this.#stop.signal.throwIfAborted()
      const reply = await send(this.#options.address(), 'GET', path).catch(() => null)
      if (reply?.status === 410) {
        this.#stored = null
        throw new CutOff('the position is no longer kept')
      }
      if (reply?.status === 200) {
        const faults = contractFaults('GET', path, reply)
        if (faults.length > 0) throw new Error(`${path}: ${faults.join('; ')}`)
        return reply.body.data as T
      }
      // 408: this process was too slow to send it.
      if (reply !== null && ![408, 503].includes(reply.status)) throw new Error(`${path}: ${JSON.stringify(reply)}`)
      await sleep(20)
    }
  }

  #cutAtRandom(): void {
    if (this.#chance() < CUTS) throw new CutOff('by chance')
  }
}

/** Ids of signals have the issuer's CIK in second place. */
const issuerOf = (signalId: string): string => signalId.split('-')[1]!.padStart(10, '0')

/** Returns what the API lists, read in pages. */
export async function listedContents(address: string): Promise<Contents> {
  const found: Contents = new Map()
  for (const name of ['transactions', 'signals']) {
    const path = name === 'signals' ? '/v1/signals' : '/v1/feed'
    for (let cursor: string | undefined, hasMore = true; hasMore;) {
      const { body } = await call(address, 'GET', `${path}?limit=100${cursor ? `&cursor=${cursor}` : ''}`)
      for (const each of body.data[name]) found.set(each.id, each)
      ;({ hasMore, nextCursor: cursor } = body.data)
    }
  }
  return found
}
