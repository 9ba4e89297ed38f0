// The tools `search` and `fetch` in the shapes that the research modes of chat programs ask for: ids, and documents
// as JSON.
import type { components } from '../../contract.ts'
import { canonicalCompany } from '../../domain/filings/ticker-symbol.ts'
import type { Ask } from '../tool-operations.ts'
import { company, explainSignal, person } from './answers.ts'
import { FILED_ROWS } from './columns.ts'
import { cell, facts, minute, part } from './tables.ts'

type Schemas = components['schemas']

/** A document as JSON text; `url` is where a person reads about it. */
interface Document {
  id: string
  title: string
  text: string
  url: string
}

const edgarPage = (cik: string) => `https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=${cik}&type=4`

export async function searchDocuments(ask: Ask, { query }: { query: string }): Promise<string> {
  const { results } = (await ask('search', { query: { q: query, limit: 20 } })).data
  return JSON.stringify({
    results: results.map((found) => ({
      // Not by the symbol, which another company may have taken since.
      id: found.kind === 'company' ? `company:CIK${found.cik}` : `insider:${found.cik}`,
      title: [found.name, found.kind === 'company' ? found.ticker : found.title].filter(Boolean).map(one).join(', '),
      url: edgarPage(found.cik),
    })),
  })
}

const one = (text: string) => cell(text)

/** What an id may be, each with what it is looked up by. */
const FORMS: readonly [form: RegExp, make: (ask: Ask, name: string) => Promise<Document>][] = [
  [
    /^company:([A-Za-z0-9]{1,10}(?:[./-][A-Za-z0-9]{1,5}){0,2}|[Cc][Ii][Kk][0-9]{1,10})$/,
    async (ask, ticker) => {
      const { data } = await ask('getCompany', { path: { ticker } })
      const text = await company(ask, { ticker })
      // The page at EDGAR takes symbols too.
      const symbol = canonicalCompany(ticker) ?? ticker
      const url = edgarPage(symbol.replace(/^CIK/, ''))
      return { id: `company:${ticker}`, title: `${one(data.name)} (${one(data.ticker)}), insider trades`, text, url }
    },
  ],
  [
    /^insider:([0-9]{1,10})$/,
    async (ask, cik) => {
      const { data } = await ask('getInsider', { path: { cik } })
      const text = await person(ask, { cik })
      return { id: `insider:${cik}`, title: `${one(data.name)}, insider trades`, text, url: edgarPage(data.cik) }
    },
  ],
  [
    /^((?:cluster_buy|cluster_sell|unusual_size|ceo_trade|reversal)-[0-9]{1,10}-[A-Za-z0-9-]{1,100})$/,
    async (ask, id) => {
      const { signal } = (await ask('getSignal', { path: { id } })).data
      const title = `${signal.type.replaceAll('_', ' ')} at ${one(signal.companyName)}, ${signal.severity}`
      return { id, title, text: await explainSignal(ask, { id }), url: edgarPage(id.split('-')[1]!) }
    },
  ],
  [
    /^([0-9]{10}-[0-9]{2}-[0-9]{6}|[0-9]{18}|local-[0-9a-f]{16})$/,
    async (ask, accessionNumber) => {
      const { data } = await ask('getFiling', { path: { accessionNumber } })
      const title = `Form ${data.form} of ${data.owners.map(({ name }) => one(name)).join(', ')} at ${one(data.issuer.name)}`
      return { id: accessionNumber, title, text: filingText(data), url: data.url ?? edgarPage(data.issuer.cik) }
    },
  ],
]

const NO_FORM =
  'invalid_parameter: id must be an accession number such as 0000320193-26-000042, the id of a signal, company:TICKER ' +
  'or insider:CIK. Next: search finds ids.'

/** An answer that says what is wrong. */
export class RefusedAnswer extends Error {}

export async function fetchDocument(ask: Ask, { id }: { id: string }): Promise<string> {
  for (const [form, make] of FORMS) {
    const named = form.exec(id.trim())?.[1]
    if (named !== undefined) return JSON.stringify(await make(ask, named))
  }
  throw new RefusedAnswer(NO_FORM)
}

const MAX_ROWS = 50
const MAX_NOTE = 500
const MAX_NOTES = 30

/** Returns what a filing says. Notes are longer than cells, and cut as well. */
function filingText(filing: Schemas['FilingDetail']): string {
  const { issuer, owners, nonDerivative, derivative, footnotes, remarks, amends, amendedBy } = filing
  return [
    facts({
      form: filing.form,
      'accession number': filing.accessionNumber,
      filed: minute(filing.filingDate),
      period: filing.periodOfReport,
      issuer: issuer.name,
      ticker: issuer.ticker,
      'issuer CIK': issuer.cik,
      '10b5-1 box': filing.plan10b51Box,
      amends: amends.join(' '),
      'amended by': amendedBy.join(' '),
      complete: filing.complete,
      repaired: filing.repaired,
      withdrawn: filing.withdrawnAt,
    }),
    part('Owners', owners.slice(0, MAX_ROWS), {
      name: ({ name }) => name,
      cik: ({ cik }) => cik,
      title: ({ title }) => title,
    }),
    part('Table I, shares', nonDerivative.slice(0, MAX_ROWS), FILED_ROWS),
    part('Table II, options and other derivatives', (derivative ?? []).slice(0, MAX_ROWS), FILED_ROWS),
    ...(footnotes ?? []).slice(0, MAX_NOTES).map(({ id, text }) => `Footnote ${cell(id)}: ${cell(text, MAX_NOTE)}`),
    ...(remarks ? [`Remarks: ${cell(remarks, MAX_NOTE)}`] : []),
  ].join('\n')
}
