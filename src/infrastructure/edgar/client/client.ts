// The HTTP client of EDGAR. Each request waits for the rate limiter, each response is checked before it is used, and
// failures are returned as one of a few outcomes. The client retries nothing: its callers decide when to request again.
import type { FilingSource, FollowedForm } from '../../../application/ports/filings.ts'
import type { SicSource } from '../../../application/ports/sectors.ts'
import type { Cik, DateText } from '../../../domain/shared/identifiers.ts'
import type { Quarter } from '../../../domain/shared/quarter.ts'
import { BackOff, retryAfterMs } from './back-off.ts'
import {
  isAbsentObject,
  isHtml,
  isRefusal,
  describe,
  lackOfSubmission,
  UnexpectedContent,
} from '../response-content.ts'
import { parseSubmissions, submissionsPath } from '../listings/company-submissions.ts'
import { currentFeedPath, DEEPEST_START, parseCurrentFeed, type CurrentFeedPage } from '../listings/current-feed.ts'
import { dailyIndexPath, parseIndex, type Index } from '../listings/daily-index.ts'
import { DATA_SET_BYTES, dataSetPath, downloadTo, type OnBytes, type SavedDataSet } from './download.ts'
import { fetchPage, type Fetched, type Page } from './fetch-page.ts'
import { RateLimiter, systemTimer, type Priority, type Timer } from './rate-limiter.ts'
import { FOLLOWED_FORMS, type EdgarListing } from '../listings/listed-filing.ts'

/** The complete value, or the reason why there is none. */
type EdgarResult<T> = { kind: 'ok'; value: T } | NoValue

type NoValue =
  /** Not published yet, truncated, or something else in its place: request the same again. */
  | { kind: 'pending'; reason: string }
  /** Not there, and possibly never will be. */
  | { kind: 'missing'; reason: string }
  /** Refused (403) or not served (429, 5xx, no answer, an error page with 200). No request is sent for `pauseMs`. */
  | { kind: 'blocked' | 'unavailable'; reason: string; pauseMs: number }

/** A file's version as the server gave it, for conditional requests. */
interface Version {
  etag: string | null
  lastModified: string | null
}

export interface EdgarOptions {
  /** The address of EDGAR, such as `https://www.sec.gov`; may have a path. */
  baseUrl: string
  /** The server of the SEC's JSON, such as `https://data.sec.gov`; `baseUrl` by default. */
  dataUrl?: string
  /** Company and contact, without which the SEC refuses requests. */
  userAgent: string
  /** Requests a second, at most the SEC's limit. A process may have one client, since each has a limiter of its own. */
  maxPerSecond?: number
  /** Timeout of a whole request; for a data set, of the time without a byte. */
  timeoutMs?: number
  timer?: Timer
  /** Milliseconds since 1970, for a `Retry-After` that is a date. */
  clock?: () => number
}

/** How a resource is requested, and what its absence means. */
interface Request {
  path: string
  priority: Priority
  maxBytes: number
  absent: 'pending' | 'missing' | 'unavailable'
  /** Whether a 403 with this text means "not there" instead of "refused". */
  absentBy403: (text: string) => boolean
  conditions?: Record<string, string>
  /** The server of `path`; `baseUrl` by default. */
  at?: URL
  /** Whether failures of that server say nothing about `baseUrl`. */
  isApart?: boolean
  /** Receives the body; by default as a page. */
  fetch?: typeof fetchPage
  signal?: AbortSignal | undefined
}

const MEGABYTE = 1024 * 1024
// Limits of size, many times above real responses.
const FEED_BYTES = 4 * MEGABYTE
const FILE_BYTES = 20 * MEGABYTE
const SUBMISSIONS_BYTES = 4 * MEGABYTE
const MAX_REDIRECTS = 3

/** The only client of EDGAR in a process. Throws on an unusable address, rate or User-Agent. */
export class EdgarClient implements FilingSource, SicSource {
  readonly #userAgent: string
  readonly #timeoutMs: number
  readonly #timer: Timer
  readonly #clock: () => number
  readonly #base: URL
  readonly #data: URL
  readonly #limiter: RateLimiter
  readonly #backOff: BackOff
  /** Counts the failures of the server at `dataUrl`. Pauses no requests. */
  readonly #apart: BackOff

  constructor(options: EdgarOptions) {
    const { userAgent, maxPerSecond = 8, timeoutMs = 60_000, timer = systemTimer, clock = Date.now } = options
    if (!/^[\x20-\x7e]*[\x21-\x7e][\x20-\x7e]*$/.test(userAgent)) {
      throw new Error('EDGAR needs a User-Agent with your name and contact, in plain ASCII')
    }
    this.#userAgent = userAgent
    this.#timeoutMs = timeoutMs
    this.#timer = timer
    this.#clock = clock
    this.#base = folder(options.baseUrl)
    this.#data = folder(options.dataUrl ?? options.baseUrl)
    this.#limiter = new RateLimiter(maxPerSecond, timer)
    this.#backOff = new BackOff(this.#limiter, timer)
    this.#apart = new BackOff({ pause: () => {} }, timer)
  }

  /** Fetches one page of the current filings of a form and its amendments, from entry `start` on. */
  async currentFeed(
    start: number,
    signal?: AbortSignal,
    form: FollowedForm = '4',
  ): Promise<EdgarResult<CurrentFeedPage>> {
    if (start > DEEPEST_START) return { kind: 'missing', reason: `the feed ends at ${DEEPEST_START}` }
    const page = await this.#get({
      path: currentFeedPath(start, form),
      priority: form === '4' ? 'live' : 'other-forms',
      maxBytes: FEED_BYTES,
      absent: 'unavailable',
      absentBy403: () => false,
      signal,
    })
    const forms = new Set([form, `${form}/A`])
    return 'kind' in page ? page : parsed(page, (bytes) => parseCurrentFeed(bytes, forms))
  }

  /** Fetches the bytes of a full submission, checked for completeness by the announced length and the closing tag. */
  async submission(
    { accession, path }: Pick<EdgarListing, 'accession' | 'path'>,
    priority: Priority,
    signal?: AbortSignal,
  ): Promise<EdgarResult<Buffer>> {
    const page = await this.#get({
      path: `Archives/${path}`,
      priority,
      maxBytes: FILE_BYTES,
      absent: 'pending',
      absentBy403: isAbsentObject,
      signal,
    })
    if ('kind' in page) return page
    const reason = lackOfSubmission(page.body.toString('latin1'), accession)
    return reason === null ? { kind: 'ok', value: page.body } : { kind: 'pending', reason }
  }

  /** Fetches the filings of all six forms of a day; `missing` until the index is written, and for a day without one. */
  async dailyIndex(date: DateText, signal?: AbortSignal): Promise<EdgarResult<Index>> {
    const page = await this.#get({
      path: dailyIndexPath(date),
      priority: 'catch-up',
      maxBytes: FILE_BYTES,
      absent: 'missing',
      // An index not written yet is answered by 403, in one shape or another.
      absentBy403: (text) => !isRefusal(text),
      signal,
    })
    return 'kind' in page ? page : parsed(page, (bytes) => parseIndex(bytes, FOLLOWED_FORMS))
  }

  /** Fetches `company_tickers_exchange.json`; `unchanged` if it still has the version `loaded`. */
  async companyList(
    loaded: Version | null,
    signal?: AbortSignal,
  ): Promise<EdgarResult<{ bytes: Buffer; version: Version }> | { kind: 'unchanged' }> {
    const page = await this.#get({
      path: 'files/company_tickers_exchange.json',
      priority: 'catch-up',
      maxBytes: FILE_BYTES,
      absent: 'missing',
      absentBy403: isAbsentObject,
      conditions: conditions(loaded),
      signal,
    })
    if ('kind' in page) return page
    if (page.status === 304) return { kind: 'unchanged' }
    const text = page.body.toString('latin1').trim()
    if (!text.startsWith('{')) return { kind: 'pending', reason: `no company list: ${describe(text)}` }
    if (!text.endsWith('}')) return { kind: 'pending', reason: 'cut short: the list is not closed' }
    const { etag = null, 'last-modified': lastModified = null } = page.headers
    return { kind: 'ok', value: { bytes: page.body, version: { etag, lastModified } } }
  }

  /**
   * Fetches the SIC code of a company from the list of its submissions; null if it has none. Waits for all other
   * requests. If only the server at `dataUrl` fails (`unavailable`), other requests go on: the caller has to wait for
   * `pauseMs`.
   */
  async sicOf(issuer: Cik, signal?: AbortSignal): Promise<EdgarResult<string | null>> {
    const page = await this.#get({
      path: submissionsPath(issuer),
      at: this.#data,
      isApart: true,
      priority: 'background',
      maxBytes: SUBMISSIONS_BYTES,
      // Only the page about the rate or the User-Agent is a refusal. Any other 403 must not stop the live feed.
      absent: 'missing',
      absentBy403: (text) => !isRefusal(text),
      signal,
    })
    return 'kind' in page ? page : parsed(page, (bytes) => parseSubmissions(bytes, issuer))
  }

  /**
   * Saves a quarter's zip of the insider transactions data sets as `toPath`, in an existing folder; `missing` until it
   * is published. Rejects if the file can't be written.
   */
  async dataSet(
    quarter: Quarter,
    toPath: string,
    onBytes?: OnBytes,
    signal?: AbortSignal,
  ): Promise<EdgarResult<SavedDataSet>> {
    const download = downloadTo(toPath, onBytes)
    const page = await this.#get({
      path: dataSetPath(quarter),
      priority: 'catch-up',
      maxBytes: DATA_SET_BYTES,
      absent: 'missing',
      absentBy403: isAbsentObject,
      fetch: download.fetch,
      signal,
    })
    return 'kind' in page ? page : parsed(page, download.saved)
  }

  async #get(request: Request): Promise<Page | NoValue> {
    let url = new URL(request.path, request.at ?? this.#base)
    for (let redirects = 0; ; redirects += 1) {
      await this.#limiter.turn(request.priority, request.signal)
      const sentAt = this.#timer.now()
      const headers = { ...request.conditions, 'user-agent': this.#userAgent }
      const { maxBytes, signal, fetch = fetchPage } = request
      const fetched = await fetch(url, { headers, maxBytes, timeoutMs: this.#timeoutMs, signal })
      const target = redirects < MAX_REDIRECTS ? redirectTarget(fetched, url) : null
      if (!target) return this.#classify(fetched, request, sentAt)
      url = target
    }
  }

  /** Classifies a response and starts the pause that it requires. */
  #classify(fetched: Fetched, request: Request, sentAt: number): Page | NoValue {
    const problem = 'fault' in fetched ? problemOfFault(fetched) : problemOfPage(fetched, request)
    // Refusals and 429 concern our address, whichever server sent them.
    const isRate = 'status' in fetched && fetched.status === 429
    const backOff = request.isApart && !isRate ? this.#apart : this.#backOff
    if (problem?.kind === 'blocked') return { ...problem, pauseMs: this.#backOff.refused() }
    if (problem?.kind === 'unavailable') {
      const header = 'headers' in fetched ? fetched.headers['retry-after'] : undefined
      return { ...problem, pauseMs: backOff.busy(sentAt, retryAfterMs(header, this.#clock())) }
    }
    backOff.answered(sentAt)
    return (problem as NoValue | null) ?? (fetched as Page)
  }
}

/** The client's methods without its private parts. */
export type EdgarSource = Pick<EdgarClient, keyof EdgarClient>

const folder = (url: string): URL => new URL(url.replace(/\/*$/, '/'))

type Problem = { kind: NoValue['kind']; reason: string }

function problemOfFault({ fault, reason }: Exclude<Fetched, Page>): Problem {
  return { kind: fault === 'unreachable' ? 'unavailable' : 'pending', reason: `${fault}: ${reason}` }
}

/** Returns null if the response can be read: it has status 200, or 304 to a condition. */
function problemOfPage({ status, headers, body }: Page, request: Request): Problem | null {
  const text = body.toString('latin1', 0, 20_000)
  const reason = `${status}, ${describe(text)}`
  if (status === 403) {
    return { kind: request.absentBy403(text) ? request.absent : 'blocked', reason }
  }
  if (status === 404) return { kind: request.absent, reason }
  if (status === 410) return { kind: 'missing', reason }
  if (status === 304 && Object.keys(request.conditions ?? {}).length > 0) return null
  if (status !== 200)
    return { kind: 'unavailable', reason: headers.location ? `${status} to ${headers.location}` : reason }
  if (isRefusal(text)) return { kind: 'blocked', reason }
  if (!isHtml(text)) return null
  // A page in place of one filing can stay there forever, and must not slow down requests for the others.
  return { kind: request.absent === 'pending' ? 'pending' : 'unavailable', reason }
}

/** Returns the target of a redirect if it is on the same host and does not downgrade from https. */
function redirectTarget(fetched: Fetched, from: URL): URL | null {
  if ('fault' in fetched || ![301, 302, 303, 307, 308].includes(fetched.status)) return null
  const { location } = fetched.headers
  const target = location === undefined ? null : URL.parse(location, from.href)
  const safe = target?.protocol === 'https:' || target?.protocol === from.protocol
  return target?.host === from.host && safe ? target : null
}

function parsed<T>({ body }: Page, parse: (bytes: Buffer) => T): EdgarResult<T> {
  try {
    return { kind: 'ok', value: parse(body) }
  } catch (error) {
    if (error instanceof UnexpectedContent) return { kind: 'pending', reason: error.message }
    throw error
  }
}

function conditions(version: Version | null): Record<string, string> {
  return {
    ...(version?.etag ? { 'if-none-match': version.etag } : {}),
    ...(version?.lastModified ? { 'if-modified-since': version.lastModified } : {}),
  }
}
