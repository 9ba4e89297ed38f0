// Handlers that serve the feed and the signals as Atom and CSV, for news readers and spreadsheets.
import { companyFilingsUrl, describeTransaction } from '../../../application/alerts/chat/message.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import type { components } from '../../../contract.ts'
import { ATOM_TYPE, atomXml, type AtomEntry, type AtomFeed, type AtomLink } from '../atom.ts'
import { csvPage } from '../csv.ts'
import { unknownTickers, type Handler } from '../handler.ts'
import { feedRequest } from './feed.ts'
import { signalRequest } from './signals.ts'

type Transaction = components['schemas']['Transaction']
type Signal = components['schemas']['Signal']

export function getFeedAtom(queries: Pick<Queries, 'feed'>, publicUrl: string | null): Handler<'getFeedAtom'> {
  return async ({ query }) => {
    const { page, unknown } = await queries.feed({ ...feedRequest(query), detail: true })
    const { transactions, nextCursor } = page.value
    const entries = transactions.map((transaction) => transactionEntry(transaction, publicUrl))
    const about = { name: 'feed', title: 'Insider transactions', publicUrl, query, nextCursor, entries }
    return atomAnswer(feedOf(about), unknown)
  }
}

export function getSignalsAtom(queries: Pick<Queries, 'signals'>, publicUrl: string | null): Handler<'getSignalsAtom'> {
  return async ({ query }) => {
    const { page, unknown } = await queries.signals(signalRequest(query))
    const { signals, nextCursor } = page.value
    const entries = signals.map((signal) => signalEntry(signal, publicUrl))
    const about = { name: 'signals', title: 'Insider signals', publicUrl, query, nextCursor, entries }
    return atomAnswer(feedOf(about), unknown)
  }
}

export function getFeedCsv(queries: Pick<Queries, 'feed'>): Handler<'getFeedCsv'> {
  return async ({ query }) => {
    const { page, unknown } = await queries.feed(feedRequest(query))
    const bytes = Buffer.from(csvPage(page.text, query.detail === 'full'))
    return answerOf('text/csv; charset=utf-8; header=present', bytes, unknown)
  }
}

function answerOf(type: string, bytes: Buffer, unknown: readonly string[]) {
  const headers = unknownTickers(unknown)
  return { status: 200 as const, content: { type, bytes, ...(headers && { headers }) } }
}

const atomAnswer = (feed: AtomFeed, unknown: readonly string[]) =>
  answerOf(ATOM_TYPE, Buffer.from(atomXml(feed)), unknown)

interface Subscription {
  /** As in the path. */
  name: string
  title: string
  publicUrl: string | null
  query: object
  nextCursor: string | undefined
  entries: AtomEntry[]
}

function feedOf({ name, title, publicUrl, query, nextCursor, entries }: Subscription): AtomFeed {
  // Without a public address, links are relative to the requested one.
  const folder = publicUrl === null ? '' : `${publicUrl}/v1/`
  const { cursor: _, limit: __, ...filters } = query as Record<string, string>
  return {
    // The same for all pages.
    id: withQuery(name, Object.fromEntries(Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)))),
    title,
    links: [
      { rel: 'self', href: withQuery(`${folder}${name}.atom`, query) },
      ...(nextCursor === undefined
        ? []
        : [{ rel: 'next' as const, href: withQuery(`${folder}${name}.atom`, { ...query, cursor: nextCursor }) }]),
    ],
    entries,
  }
}

function withQuery(path: string, query: object): string {
  const text = new URLSearchParams(query as Record<string, string>).toString()
  return text === '' ? path : `${path}?${text}`
}

function transactionEntry(transaction: Transaction, publicUrl: string | null): AtomEntry {
  const { id, companyName, filingDate, significance, transactionType, signals, detail } = transaction
  const { issuerCik, url } = detail!
  const { headline, line } = describeTransaction(transaction)
  const edgar = url ?? companyFilingsUrl(issuerCik)
  return {
    id: `transaction/${id}`,
    title: headline,
    updated: filingDate,
    summary: [`${line} (${companyName})`, `Significance: ${significance}`, ...signals].join('. '),
    categories: [transactionType, significance],
    links: linksOf(publicUrl && `${publicUrl}/#/company/CIK${issuerCik}`, edgar),
  }
}

function signalEntry(signal: Signal, publicUrl: string | null): AtomEntry {
  const { id, type, severity, ticker, companyName, description, detectedAt } = signal
  return {
    id: `signal/${id}`,
    title: `${type.replace('_', ' ')} at ${ticker || companyName} (${severity})`,
    updated: detectedAt,
    summary: description,
    categories: [type, severity],
    links: linksOf(
      publicUrl && `${publicUrl}/#/signal/${encodeURIComponent(id)}`,
      companyFilingsUrl(id.split('-')[1]!.padStart(10, '0')),
    ),
  }
}

/** Returns the links of an entry, of which one is the alternate: the dashboard's page if that is served. */
const linksOf = (dashboard: string | null, edgar: string): AtomLink[] =>
  dashboard === null
    ? [{ rel: 'alternate', href: edgar }]
    : [
        { rel: 'alternate', href: dashboard },
        { rel: 'related', href: edgar },
      ]
