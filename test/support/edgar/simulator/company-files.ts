// The SEC's company lists and the submissions of one party, as JSON.
import { newYork } from './new-york.ts'
import type { Published } from './published.ts'

export interface ListedCompany {
  /** Ten digits. */
  cik: string
  name: string
  ticker: string
  /** Null as for 198 of 10,403 real lines. */
  exchange: string | null
  /** Four digits, for a company whose filings show none. */
  sic?: string
}

export function tickersWithExchange(companies: ListedCompany[]): string {
  return JSON.stringify({
    fields: ['cik', 'name', 'ticker', 'exchange'],
    data: companies.map(({ cik, name, ticker, exchange }) => [Number(cik), name, ticker, exchange]),
  })
}

export function tickers(companies: ListedCompany[]): string {
  const lines = companies.map(({ cik, name, ticker }) => ({ cik_str: Number(cik), ticker, title: name }))
  return JSON.stringify(Object.fromEntries(lines.map((line, index) => [String(index), line])))
}

/** The newest thousand filings of a party, in columns; acceptance in true UTC, as for most real filers but not all. */
export function submissionsOf(cik: string, filings: Published[], companies: ListedCompany[]): string {
  const recent = filings.slice(0, 1000)
  const own = companies.filter((company) => company.cik === cik)
  const issued = filings.find((each) => each.parties.some((party) => party.cik === cik && party.role === 'Issuer'))
  const sic = /^(.*) \[(\d+)\]$/.exec(issued?.sic ?? `Of the list [${own[0]?.sic ?? ''}]`)
  const column = <T>(value: (filing: Published) => T): T[] => recent.map(value)
  return JSON.stringify({
    cik: String(Number(cik)),
    entityType: issued ? 'operating' : 'other',
    sic: sic?.[2] ?? '',
    sicDescription: sic?.[1] ?? '',
    insiderTransactionForOwnerExists: issued ? 0 : 1,
    insiderTransactionForIssuerExists: issued ? 1 : 0,
    name: own[0]?.name ?? recent[0]?.parties.find((party) => party.cik === cik)?.name ?? '',
    tickers: own.map((each) => each.ticker),
    exchanges: own.map((each) => each.exchange),
    formerNames: [],
    filings: {
      recent: {
        accessionNumber: column((each) => each.accession),
        filingDate: column((each) => dashed(each.filedAsOf)),
        reportDate: column((each) => dashed(each.period ?? '')),
        acceptanceDateTime: column((each) => new Date(each.acceptedAt).toISOString()),
        act: column(() => ''),
        form: column((each) => each.formType),
        fileNumber: column(() => ''),
        filmNumber: column(() => ''),
        items: column(() => ''),
        size: column((each) => each.bytes),
        isXBRL: column(() => 0),
        isInlineXBRL: column(() => 0),
        primaryDocument: column(rendering),
        primaryDocDescription: column(() => ''),
      },
      files: [],
    },
  })
}

/** The submissions API names the rendered page; without its folder it is the XML. */
function rendering({ formType, acceptedAt }: Published): string {
  if (!/^[345](\/A)?$/.test(formType)) return 'document.htm'
  return `xslF345X${newYork(acceptedAt).day < '20260401' ? '05' : '06'}/form4.xml`
}

function dashed(day: string): string {
  return day.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
}
