// The client without the stream of changes: a method for each operation under /v1, and for lists an iterator over all
// pages.
import { Transport, type Call, type CallOptions, type ClientOptions } from './transport.ts'
import type { Data, OperationId, Query } from './operations.ts'
import type { components } from '../contract.ts'

type Settings = components['schemas']['AlertSettings']
type Named = 'transactions' | 'signals' | 'filings' | 'notices' | 'deliveries'
type Element<Page, Name extends Named> = Page extends { [Key in Name]: (infer Each)[] } ? Each : never

type Page<Each> = { hasMore: boolean; nextCursor?: string } & { [Name in Named]?: Each[] }

/** Sends requests to an Insider Trading Data Service. Enough for pages that follow changes with an EventSource. */
export class RequestClient {
  protected readonly transport: Transport

  constructor(options: ClientOptions) {
    this.transport = new Transport(options)
  }

  readonly feed = {
    /** Returns one page of the feed. */
    list: (query: Query<'listFeed'> = {}, options?: CallOptions) => this.#ask('listFeed', { query }, options),
    /** Returns the transactions of all pages, newest first, and requests each page when it is needed. */
    all: (query: Query<'listFeed'> = {}, options?: CallOptions) =>
      this.#pages('listFeed', 'transactions', query, options),
    /** Returns all transactions that pass a filter from one answer, newest first. Throws if the answer is cut short. */
    export: (query: Omit<Query<'exportFeed'>, 'format'> = {}, options?: CallOptions) =>
      this.transport.lines<Element<Data<'listFeed'>, 'transactions'>>({ operation: 'exportFeed', query }, options),
    /** Returns one page of the feed as CSV, with the names of the columns. */
    csv: (query: Query<'getFeedCsv'> = {}, options?: CallOptions) =>
      this.transport.text({ operation: 'getFeedCsv', query }, options),
    /** Returns one page of the feed as Atom. */
    atom: (query: Query<'getFeedAtom'> = {}, options?: CallOptions) =>
      this.transport.text({ operation: 'getFeedAtom', query }, options),
    /** Returns the strongest signals and largest trades of the past 24 hours. */
    statistics: (options?: CallOptions) => this.#ask('getFeedStatistics', {}, options),
  }

  readonly companies = {
    /** Returns a company by any of its symbols or its CIK. */
    get: (ticker: string, query: Query<'getCompany'> = {}, options?: CallOptions) =>
      this.#ask('getCompany', { path: { ticker }, query }, options),
    /** Returns up to 50 companies, each with its totals. Options may take the place of the query. */
    list: (
      tickers: readonly string[],
      { signal, timeoutMs, retries, ...query }: Omit<Query<'listCompanies'>, 'tickers'> & CallOptions = {},
      options: CallOptions = { signal, timeoutMs, retries },
    ) => this.#ask('listCompanies', { query: { tickers, ...query } }, options),
    /** Returns how much its insiders hold, by class. */
    holders: (ticker: string, query: Query<'listHolders'> = {}, options?: CallOptions) =>
      this.#ask('listHolders', { path: { ticker }, query }, options),
  }

  readonly insiders = {
    get: (cik: string, query: Query<'getInsider'> = {}, options?: CallOptions) =>
      this.#ask('getInsider', { path: { cik }, query }, options),
    /** Returns what a person or firm holds, by company. */
    positions: (cik: string, query: Query<'listPositions'> = {}, options?: CallOptions) =>
      this.#ask('listPositions', { path: { cik }, query }, options),
  }

  /** Returns open-market trades by interval: of a company, a sector, or all companies. */
  sentiment(query: Query<'getSentiment'> = {}, options?: CallOptions): Promise<Data<'getSentiment'>> {
    return this.#ask('getSentiment', { query }, options)
  }

  /** Returns companies or insiders by their open-market trades of the last days. */
  rankings(query: Query<'getRankings'> = {}, options?: CallOptions): Promise<Data<'getRankings'>> {
    return this.#ask('getRankings', { query }, options)
  }

  /** Returns companies and insiders by words of their names, or by symbols. */
  search(query: Query<'search'>, options?: CallOptions): Promise<Data<'search'>> {
    return this.#ask('search', { query }, options)
  }

  readonly signals = {
    list: (query: Query<'listSignals'> = {}, options?: CallOptions) => this.#ask('listSignals', { query }, options),
    all: (query: Query<'listSignals'> = {}, options?: CallOptions) =>
      this.#pages('listSignals', 'signals', query, options),
    /** Returns one signal with its evidence. */
    get: (id: string, query: Query<'getSignal'> = {}, options?: CallOptions) =>
      this.#ask('getSignal', { path: { id }, query }, options),
    rules: (options?: CallOptions) => this.#ask('listSignalRules', {}, options),
    /** Returns one page of the signals as Atom. */
    atom: (query: Query<'getSignalsAtom'> = {}, options?: CallOptions) =>
      this.transport.text({ operation: 'getSignalsAtom', query }, options),
  }

  readonly notices = {
    list: (query: Query<'listNotices'> = {}, options?: CallOptions) => this.#ask('listNotices', { query }, options),
    all: (query: Query<'listNotices'> = {}, options?: CallOptions) =>
      this.#pages('listNotices', 'notices', query, options),
    /** Returns one notice with all its contents. */
    get: (accessionNumber: string, query: Query<'getNotice'> = {}, options?: CallOptions) =>
      this.#ask('getNotice', { path: { accessionNumber }, query }, options),
  }

  readonly filings = {
    list: (query: Query<'listFilings'> = {}, options?: CallOptions) => this.#ask('listFilings', { query }, options),
    all: (query: Query<'listFilings'> = {}, options?: CallOptions) =>
      this.#pages('listFilings', 'filings', query, options),
    /** Returns one filing with all its contents. */
    get: (accessionNumber: string, options?: CallOptions) =>
      this.#ask('getFiling', { path: { accessionNumber } }, options),
  }

  readonly exports = {
    /** Returns the datasets that there are as Parquet files. */
    list: (options?: CallOptions) => this.#ask('listExports', {}, options),
    /** Returns the columns and files of a dataset. */
    get: (dataset: string, options?: CallOptions) => this.#ask('describeExport', { path: { dataset } }, options),
    /** Returns the response with a file, such as `2026-10.parquet`: its body is Parquet. */
    file: (dataset: string, file: string, options?: CallOptions): Promise<Response> =>
      this.transport.response({ operation: 'getExportFile', path: { dataset, file } }, options),
  }

  /** Returns what changed after a position, oldest first; without `after` the present position. */
  protected readonly listChanges = (query: Query<'listChanges'> = {}, options?: CallOptions) =>
    this.#ask('listChanges', { query }, options)

  readonly changes = { list: this.listChanges }

  /** Returns how fresh and how complete the data is. */
  status(options?: CallOptions): Promise<Data<'getStatus'>> {
    return this.#ask('getStatus', {}, options)
  }

  readonly watchlist = {
    /** Returns the entries; with `detail: 'full'` also how deliveries to their addresses go. */
    list: ({ detail, ...options }: CallOptions & { detail?: 'full' | undefined } = {}) =>
      this.#ask('listWatchlist', { query: { detail } }, options),
    /** Watches a company, or sets where its alerts are sent. */
    add: (
      ticker: string,
      webhookUrl?: string | null,
      {
        detail,
        notices,
        ...options
      }: CallOptions & { detail?: boolean | undefined; notices?: boolean | undefined } = {},
    ) => {
      const settings = { ...(webhookUrl && { webhookUrl }), ...(detail && { detail }), ...(notices && { notices }) }
      return this.#ask('addToWatchlist', { body: { ticker, ...settings } }, options)
    },
    remove: async (ticker: string, options?: CallOptions): Promise<void> => {
      await this.#ask('removeFromWatchlist', { path: { ticker } }, options)
    },
    /** Sends a test event to the webhook address of an entry. */
    test: (ticker: string, options?: CallOptions) => this.#ask('testWebhook', { path: { ticker } }, options),
  }

  readonly alerts = {
    list: (options?: CallOptions) => this.#ask('listAlerts', {}, options),
    get: (id: string, options?: CallOptions) => this.#ask('getAlert', { path: { id } }, options),
    /** Creates an alert. Not repeated if no answer came, since the alert may have been created. */
    create: (settings: Settings, options?: CallOptions) => this.#ask('createAlert', { body: settings }, options),
    /** Replaces everything that can be set. */
    replace: (id: string, settings: Settings, options?: CallOptions) =>
      this.#ask('replaceAlert', { path: { id }, body: settings }, options),
    remove: async (id: string, options?: CallOptions): Promise<void> => {
      await this.#ask('removeAlert', { path: { id } }, options)
    },
    /** Returns what the alert would have matched in the past days. */
    matches: (id: string, query: Query<'listAlertMatches'> = {}, options?: CallOptions) =>
      this.#ask('listAlertMatches', { path: { id }, query }, options),
    /** Sends a test message; returns the delivery with its attempt. */
    test: (id: string, options?: CallOptions) => this.#ask('testAlert', { path: { id } }, options),
  }

  readonly deliveries = {
    list: (query: Query<'listDeliveries'> = {}, options?: CallOptions) =>
      this.#ask('listDeliveries', { query }, options),
    all: (query: Query<'listDeliveries'> = {}, options?: CallOptions) =>
      this.#pages('listDeliveries', 'deliveries', query, options),
    /** Returns one delivery with its body and attempts. */
    get: (id: string, options?: CallOptions) => this.#ask('getDelivery', { path: { id } }, options),
    /** Sends a delivery again, with the same id. */
    resend: (id: string, options?: CallOptions) => this.#ask('resendDelivery', { path: { id } }, options),
  }

  #ask<Id extends OperationId>(operation: Id, call: Omit<Call, 'operation'>, options?: CallOptions): Promise<Data<Id>> {
    return this.transport.call<Data<Id>>({ operation, ...call }, options)
  }

  async *#pages<Id extends OperationId, Name extends Named>(
    operation: Id,
    name: Name,
    query: object,
    options?: CallOptions,
  ): AsyncGenerator<Element<Data<Id>, Name>, void, undefined> {
    let pageQuery: object = { limit: 100, ...query }
    for (;;) {
      const page = await this.transport.call<Page<Element<Data<Id>, Name>>>({ operation, query: pageQuery }, options)
      yield* page[name]!
      if (!page.hasMore) return
      pageQuery = { ...pageQuery, cursor: page.nextCursor }
    }
  }
}
