// Reads the SEC's list of companies and their symbols from a file or an address: company_tickers_exchange.json, or the
// simpler company_tickers.json, which has no exchanges.
import got from 'got'
import type { ListedCompany } from '../../../application/ports/filings.ts'
import { parseCik } from '../../../domain/shared/identifiers.ts'
import { canonicalTicker } from '../../../domain/filings/ticker-symbol.ts'
import { limitAnswer, maxWireBytes } from '../../answer-limits.ts'
import { readRegularFile } from '../documents/document-folder.ts'

// Many times the size of the real file: a larger one is something else.
const MAX_BYTES = 20 * 1024 * 1024
const TOO_LARGE = 'larger than any company list of the SEC (20 MB)'

export async function fetchCompanyList(from: string, userAgent: string | undefined): Promise<Buffer> {
  if (!/^https?:\/\//.test(from)) return readRegularFile(from, MAX_BYTES + 1)
  const chunks: Buffer[] = []
  let bytes = 0
  const response = got
    .stream(from, {
      headers: userAgent ? { 'user-agent': userAgent } : {},
      timeout: { request: 60_000 },
      retry: { limit: 0 },
    })
    .on('request', (sent) => limitAnswer(sent, maxWireBytes(MAX_BYTES)))
  for await (const chunk of response) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > MAX_BYTES) throw new Error(TOO_LARGE)
  }
  return Buffer.concat(chunks)
}

/**
 * Returns companies in the list's order, without symbols that no path could contain (`NONE.`). Throws what is wrong
 * with the text.
 */
export function parseCompanyList(text: string): ListedCompany[] {
  if (text.length > MAX_BYTES) throw new Error(TOO_LARGE)
  const lines = readLines(parseJson(text))
  const seen = new Set<string>()
  const companies = lines.flatMap(([cikValue, name, symbol, exchange]) => {
    const cik = parseCik(textOf(cikValue))
    const ticker = canonicalTicker(textOf(symbol).trim())
    if (!cik || !ticker || ticker === 'NONE' || seen.has(ticker)) return []
    seen.add(ticker)
    return {
      cik,
      ticker,
      name: textOf(name).trim(),
      exchange: typeof exchange === 'string' && exchange ? exchange : null,
    }
  })
  if (companies.length === 0)
    throw new Error("no company found: expected the SEC's company_tickers_exchange.json or company_tickers.json")
  return companies
}

const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? `${value}` : '')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`not JSON: ${(error as Error).message}`, { cause: error })
  }
}

type Line = [cik: unknown, name: unknown, ticker: unknown, exchange: unknown]

function readLines(list: unknown): Line[] {
  if (typeof list !== 'object' || list === null) return []
  if ('fields' in list && 'data' in list && Array.isArray(list.fields) && Array.isArray(list.data)) {
    const place = (field: string) => (list.fields as unknown[]).indexOf(field)
    const places = [place('cik'), place('name'), place('ticker'), place('exchange')]
    return list.data.filter(Array.isArray).map((row) => places.map((index) => row[index]) as Line)
  }
  return Object.values(list).flatMap((entry: unknown): Line[] =>
    typeof entry === 'object' && entry !== null && 'cik_str' in entry
      ? [[entry.cik_str, 'title' in entry ? entry.title : '', 'ticker' in entry ? entry.ticker : '', null]]
      : [],
  )
}
