// The questions that evidence is made of: each GET operation that reads derived data, with each of its parameters, of all
// pages, companies, insiders, filings and signals, also as of three instants.
import type { OperationId } from '../../../src/infrastructure/http/openapi/document.ts'
import { hashOf } from '../edgar/invented/seeded.ts'
import { ALERT } from './loading.ts'
import type { Material } from './material.ts'

export interface Question {
  operation: OperationId
  /** What is asked, without the names of companies and people: `asOf=2` is the second instant. */
  about: string
  /** Whose answer it is, where `about` is asked of many; else empty. */
  of: string
  /** Path and query. */
  path: string
  /** The member of `data` that has the rows of a list, read page by page; absent for one answer. */
  rows?: string
  /** Fewer than all. */
  pages?: number
  /** The answer is text, a row on each line; of Parquet, the rows and the hash of its bytes. */
  as?: 'lines' | 'xml' | 'parquet'
  /** The time on the service's clock; absent for the present. */
  now?: string
  /** Whether a recording tells the rows of the answer apart. */
  isMarked?: true
}

/** Who and what the answers are about. */
export interface Subjects {
  tickers: string[]
  issuers: string[]
  insiders: string[]
  filings: string[]
  signals: string[]
  notices: string[]
  /** As `transactions/2024-03.parquet`. */
  files: string[]
}

/** At most so many of each are asked for, chosen by a hash of their names. */
export interface Extent extends Record<'issuers' | 'insiders' | 'filings' | 'signals' | 'notices', number> {
  /** Whether each question with a filter is also asked as of the instants. */
  areFiltersDated: boolean
  /** Of lists with a filter at most so many pages are read. */
  pages: number
}

/** GET operations that are not asked, with the reason. */
export const NOT_ASKED: Partial<Record<OperationId, string>> = {
  streamChanges: 'sends the entries that listChanges lists',
  getStatus: 'tells of the process, of jobs and of times of the clock',
  listWatchlist: 'reads PostgreSQL, which nothing derives',
  listDeliveries: 'reads PostgreSQL, which nothing derives',
  getDelivery: 'reads PostgreSQL, which nothing derives',
  listAlerts: 'reads PostgreSQL, which nothing derives',
  getAlert: 'reads PostgreSQL, which nothing derives',
  getHealth: 'tells of the process',
  getReadiness: 'tells of the process',
  getMetrics: 'tells of the process',
  getOpenApiDocument: 'a document',
  getDocumentation: 'a document',
  getReference: 'a document',
  getReferenceAsset: 'a document',
  getLlmsText: 'a document',
  getDashboard: 'a page',
  getDashboardAsset: 'a page',
}

const FEED_FILTERS = [
  ...['buys', 'sells', 'high', 'ceo_cfo'].map((filter) => `filter=${filter}`),
  'tickers={tickers}',
  'issuerCiks={issuers}',
  'insiderCiks={insiders}',
  'transactionTypes=buy,sell',
  'transactionTypes=award,exercise,gift,tax_withholding,other',
  'transactionCodes=P,S',
  'transactionCodes=A,M,F,G,none',
  ...['officer', 'director', 'ten_percent_owner', 'other', 'ceo,cfo'].map((roles) => `roles=${roles}`),
  'sectors=Technology,Energy',
  'sectors=Unknown',
  ...['direct', 'indirect', 'unknown'].map((ownership) => `ownership=${ownership}`),
  ...['yes', 'no,unknown'].map((plan) => `plan10b51=${plan}`),
  ...['yes', 'no'].map((routine) => `routine=${routine}`),
  ...['true', 'false'].map((late) => `late=${late}`),
  'firstBuyInYears=1',
  'firstBuyInYears=3',
  ...['medium', 'high', 'critical'].map((least) => `minSignificance=${least}`),
  'minValue=100000&maxValue=2500000.5',
  'minShares=500&maxShares=20000.25',
  'minHoldingChange=0.1',
  'maxHoldingChange=-0.05&sort=holdingChange',
  'filedFrom={2}&filedTo={3}',
  'tradedFrom=2024-01-10&tradedTo=2024-05-20',
  'sort=value',
  'sort=holdingChange',
  'sort=value&filter=buys&minSignificance=medium&roles=officer,director',
]
/** Those that what is as of an instant decides. */
const DATED_FILTERS = [
  'minSeverity=high',
  'state=fulfilled',
  'of=companies&by=netValue&days=92&limit=100&to={day}',
  'roles=ceo,cfo,director&days=92&of=insiders&limit=100&to={day}',
  'filter=high',
  'filter=ceo_cfo',
  'insiderCiks={insiders}',
  'routine=yes',
  'firstBuyInYears=1',
  'sort=value',
  'sort=holdingChange',
]
const SIGNAL_FILTERS = [
  ...['cluster_buy', 'cluster_sell', 'unusual_size', 'ceo_trade', 'reversal'].map((type) => `type=${type}`),
  ...['low', 'medium', 'high', 'critical'].map((severity) => `severity=${severity}`),
  'minSeverity=high',
  'tickers={tickers}',
  'issuerCiks={issuers}',
  'insiderCiks={insiders}',
  'sectors=Technology,Energy,Unknown',
  'detectedFrom={2}&detectedTo={3}',
  'filedFrom={1}&filedTo={2}',
]
const FILING_FILTERS = [
  'tickers={tickers}',
  'issuerCiks={issuers}',
  'insiderCiks={insiders}',
  ...['3', '4', '5', '3/A,4/A,5/A'].map((forms) => `forms=${forms}`),
  'filedFrom={2}&filedTo={3}',
]
const NOTICE_FILTERS = [
  'tickers={tickers}',
  'issuerCiks={issuers}',
  'minValue=500000',
  'plan=yes',
  'plan=not_stated',
  ...['open', 'partly', 'fulfilled', 'not_reported', 'replaced'].map((state) => `state=${state}`),
  'filedFrom={2}&filedTo={3}',
]
const MARKET_SUMS = [
  'interval=month&from=2023-07-01&to=2025-03-31',
  'interval=week&by=traded&from=2024-01-01&to=2024-12-31',
  'interval=day&from=2024-03-01&to=2024-04-10&plan10b51=no,unknown',
  'interval=quarter&from=2020-01-01&to=2025-12-31&routine=no',
  'interval=month&sector=Technology&from=2020-01-01&to=2024-12-31',
]
const COMPANY_SUMS = ['interval=month&from=2020-01-01&to=2025-12-31', 'interval=quarter&by=traded&roles=director']
const RANKINGS = [
  ...['buyValue', 'sellValue', 'netValue', 'buys', 'sells'].flatMap((by) =>
    ['companies', 'insiders'].map((of) => `of=${of}&by=${by}&days=92&limit=100&to={day}`),
  ),
  ...['buyers', 'sellers'].map((by) => `by=${by}&days=92&limit=100&to={day}`),
  'sectors=Technology,Unknown&days=92&limit=100&to={day}',
  'roles=ceo,cfo,director&days=92&of=insiders&limit=100&to={day}',
  'plan10b51=no&routine=no&minValue=10000.50&days=31&limit=100&to={day}',
]

/** Returns the questions from whose answers the subjects come. */
export function firstQuestions({ instants }: Material): Question[] {
  const signals = marked(list('listSignals', '/v1/signals', 'signals', 'limit=100'))
  return [
    marked(list('listFilings', '/v1/filings', 'filings', 'limit=100')),
    signals,
    ...instants.map((instant, index) => asOf(signals, instant, index + 1)),
    marked(list('listNotices', '/v1/notices', 'notices', 'limit=100')),
    one('listExports', '/v1/exports', ''),
  ]
}

export function questionsOf(subjects: Subjects, material: Material, extent: Extent): Question[] {
  const { instants, searched } = material
  const filled = (text: string) =>
    text
      .replace('{tickers}', subjects.tickers.slice(0, 3).concat('NOSUCH').join())
      .replace('{49 tickers}', sampled(subjects.tickers, 49).concat('NOSUCH').join())
      .replace('{issuers}', sampled(subjects.issuers, 3).join())
      .replace('{insiders}', sampled(subjects.insiders, 5).join())
      .replace('{day}', instants[1].slice(0, 10))
      .replaceAll(/\{([123])\}/g, (_, place: string) => instants[Number(place) - 1]!)
  const fill = (question: Question): Question => ({ ...question, path: filled(question.path) })
  const dated = (question: Question) => instants.map((instant, index) => asOf(question, instant, index + 1))
  const always = (question: Question) => [question, ...dated(question)]

  const filters = (some: string[], ask: (filter: string) => Question) =>
    some.flatMap((filter) =>
      extent.areFiltersDated || DATED_FILTERS.includes(filter) ? always(ask(filter)) : ask(filter),
    )
  const feed = (query: string) => list('listFeed', '/v1/feed', 'transactions', `limit=100&${query}`)
  const questions = [
    ...always(feed('detail=full')).map(marked),
    ...filters(FEED_FILTERS, feed),
    ...['format=csv&detail=full', 'filter=buys&detail=full'].flatMap((query) =>
      always({ ...one('exportFeed', '/v1/feed/export', query), as: 'lines' }),
    ),
    { ...one('getFeedCsv', '/v1/feed.csv', 'limit=100&detail=full&tickers={tickers}'), as: 'lines' as const },
    ...always({ ...one('getFeedAtom', '/v1/feed.atom', 'limit=100&filter=high'), as: 'xml' }),
    ...instants.map((now, index) => ({
      ...one('getFeedStatistics', '/v1/feed/stats', ''),
      about: `now=${index + 1}`,
      now,
    })),
    ...instants.map((now, index) => ({
      ...one('listAlertMatches', `/v1/alerts/${ALERT}/matches`, 'days=30&limit=100'),
      about: `days=30&limit=100 now=${index + 1}`,
      now,
    })),
    ...filters(SIGNAL_FILTERS, (filter) => list('listSignals', '/v1/signals', 'signals', `limit=100&${filter}`)),
    ...always({ ...one('getSignalsAtom', '/v1/signals.atom', 'limit=100'), as: 'xml' }),
    one('listSignalRules', '/v1/signals/rules', ''),
    ...FILING_FILTERS.map((filter) => list('listFilings', '/v1/filings', 'filings', `limit=100&${filter}`)),
    ...always(list('listNotices', '/v1/notices', 'notices', 'limit=100')).slice(1),
    ...filters(NOTICE_FILTERS, (filter) => list('listNotices', '/v1/notices', 'notices', `limit=100&${filter}`)),
    ...MARKET_SUMS.flatMap((query) => always(one('getSentiment', '/v1/sentiment', query))),
    ...filters(RANKINGS, (query) => one('getRankings', '/v1/rankings', query)),
    ...searched.flatMap((text) => {
      const query = `q=${encodeURIComponent(text)}`
      return ['limit=20', 'limit=20&kinds=insider'].map((more) => ({
        ...one('search', '/v1/search', `${query}&${more}`),
        about: more,
        of: text,
      }))
    }),
    ...each(subjects.issuers, extent.issuers, (cik) => [
      ...always(one('getCompany', `/v1/companies/CIK${cik}`, 'detail=full')),
      ...always(one('listHolders', `/v1/companies/${cik}/holders`, 'limit=500')),
    ]),
    ...each(subjects.issuers, extent.issuers / 4, (cik) =>
      COMPANY_SUMS.flatMap((query) => always(one('getSentiment', '/v1/sentiment', `${query}&ticker=CIK${cik}`))),
    ),
    ...always(one('listCompanies', '/v1/companies', 'tickers={49 tickers}')),
    ...each(subjects.insiders, extent.insiders, (cik) => [
      ...always(one('getInsider', `/v1/insiders/${cik}`, 'detail=full')),
      ...always(one('listPositions', `/v1/insiders/${cik}/positions`, '')),
    ]),
    ...each(subjects.filings, extent.filings, (accession) => one('getFiling', `/v1/filings/${accession}`, '')),
    ...each(subjects.signals, extent.signals, (id) => one('getSignal', `/v1/signals/${id}`, 'detail=full')),
    ...each(subjects.notices, extent.notices, (accession) => always(one('getNotice', `/v1/notices/${accession}`, ''))),
    ...each([...new Set(subjects.files.map((file) => file.split('/')[0]!))], Infinity, (dataset) =>
      one('describeExport', `/v1/exports/${dataset}`, ''),
    ),
    ...each(subjects.files, Infinity, (file) => ({
      ...one('getExportFile', `/v1/exports/${file}`, ''),
      as: 'parquet' as const,
    })),
  ]
  const isShort = ({ rows, isMarked }: Question) => rows !== undefined && !isMarked
  return questions.map(fill).map((question) => (isShort(question) ? { ...question, pages: extent.pages } : question))
}

const one = (operation: OperationId, path: string, query: string): Question => ({
  operation,
  about: query,
  of: '',
  path: query === '' ? path : `${path}?${query}`,
})

const list = (operation: OperationId, path: string, rows: string, query: string): Question => ({
  ...one(operation, path, query),
  rows,
})

const marked = (question: Question): Question => ({ ...question, isMarked: true })

function asOf(question: Question, instant: string, place: number): Question {
  const path = `${question.path}${question.path.includes('?') ? '&' : '?'}asOf=${instant}`
  return { ...question, about: `${question.about} asOf=${place}`.trim(), path }
}

/** Asks of each of a sample, and leaves the name out of what it is about. */
function each(names: string[], most: number, ask: (name: string) => Question | Question[]): Question[] {
  return sampled(names, most).flatMap((name) =>
    [ask(name)].flat().map((question) => ({
      ...question,
      about: question.about.replace(`ticker=CIK${name}`, 'ticker={each}'),
      of: name,
    })),
  )
}

/** Chosen by a hash, so that one more or less changes no other; in the order of names. */
function sampled(names: string[], most: number): string[] {
  if (names.length <= most) return names
  const chosen = names.toSorted(
    (one, other) => hashOf('sample', one) - hashOf('sample', other) || (one < other ? -1 : 1),
  )
  return chosen.slice(0, most).sort()
}
