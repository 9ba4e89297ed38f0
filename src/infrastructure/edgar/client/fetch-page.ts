// Sends one GET request with got, without retries and redirects, since these count towards the rate limit too. The body
// is decompressed here and not by got, to limit its size before and after.
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import got from 'got'
import { limitAnswer, maxWireBytes } from '../../answer-limits.ts'

export interface Page {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** `unreachable`: no response; `cut`: it broke off or can't be decompressed; `too-large`: over the limit. */
export type Fetched = Page | { fault: 'unreachable' | 'cut' | 'too-large'; reason: string }

export interface FetchOptions {
  headers: Record<string, string>
  /** Size limit of the body, compressed and decompressed. */
  maxBytes: number
  /** For the whole request. */
  timeoutMs: number
  signal?: AbortSignal | undefined
}

const CONNECT_MS = 10_000
const FIRST_BYTE_MS = 20_000
const unpack = promisify(gunzip)

/** Rejects only with the signal's reason. */
export async function fetchPage(url: URL, options: FetchOptions): Promise<Fetched> {
  const answer: { response?: { statusCode: number; headers: IncomingHttpHeaders } } = {}
  try {
    // The SEC asks clients for gzip; br is never requested.
    const stream = request(url, options, 'gzip', { request: options.timeoutMs }).once('response', (response) => {
      answer.response = response
    })
    const packed = await bodyOf(stream, options.maxBytes)
    options.signal?.throwIfAborted()
    const { statusCode, headers } = answer.response!
    if (packed === null) return tooLarge(options.maxBytes)
    return await unpacked({ status: statusCode, headers, body: packed }, options.maxBytes)
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason
    return { fault: answer.response ? 'cut' : 'unreachable', reason: (error as Error).message }
  }
}

/** Sends the request and returns the response's body as it comes. */
export function request(
  url: URL,
  { headers, maxBytes, signal }: FetchOptions,
  encoding: 'gzip' | 'identity',
  timeout: { request: number; socket?: number },
) {
  return got
    .stream(url, {
      headers: { ...headers, 'accept-encoding': encoding },
      decompress: false,
      followRedirect: false,
      throwHttpErrors: false,
      retry: { limit: 0 },
      timeout: { connect: CONNECT_MS, response: FIRST_BYTE_MS, ...timeout },
      signal,
    })
    .on('request', (sent) => limitAnswer(sent, maxWireBytes(maxBytes)))
}

/** Returns null above the limit; leaving the loop closes the connection. */
async function bodyOf(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) return null
  }
  return Buffer.concat(chunks)
}

async function unpacked(page: Page, maxBytes: number): Promise<Fetched> {
  const encoding = page.headers['content-encoding']?.trim().toLowerCase() || 'identity'
  if (encoding === 'identity' || page.body.length === 0) return page
  if (encoding !== 'gzip' && encoding !== 'x-gzip') return { fault: 'cut', reason: `packed as ${encoding}, not gzip` }
  try {
    return { ...page, body: await unpack(page.body, { maxOutputLength: maxBytes }) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(maxBytes)
    return { fault: 'cut', reason: `gzip: ${(error as Error).message}` }
  }
}

function tooLarge(maxBytes: number): Fetched {
  return { fault: 'too-large', reason: `larger than ${maxBytes} bytes` }
}
