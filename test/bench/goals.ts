// What the service is to reach: every goal with its limit, and where in the benches' lines its figure stands. Figures
// are ratios within one run wherever they can be, so that they hold on any machine.

/** The lines that benches printed, by name. */
export type Lines = Record<string, any>

export interface Goal {
  id: string
  what: string
  atLeast?: number
  atMost?: number
  /** Of the figure, where it is no ratio. */
  unit?: string
  bench: string
  /** Undefined where the line has none; of several the worst. */
  figure: (line: any) => number | undefined
}

export const GOALS: readonly Goal[] = [
  {
    id: '1',
    what: 'answer from memory, requests/s ÷ bare Express with pino-http and the same bytes',
    atLeast: 0.9,
    bench: 'answers',
    figure: (line) => least(each(line.figures, 'cachedToExpress')),
  },
  {
    id: '1',
    what: 'the same for a caller who is counted by a rate limit in a shared Redis',
    atLeast: 0.9,
    bench: 'answers',
    figure: (line) => least(each(line.figures, 'countedToExpress')),
  },
  {
    id: '2',
    what: 'gzip from memory ÷ plain from memory',
    atLeast: 0.95,
    bench: 'answers',
    figure: (line) => least(each(line.figures, 'gzipToPlain')),
  },
  {
    id: '4',
    what: 'processor time of a validated request, 70 operations ÷ 10',
    atMost: 1.15,
    bench: 'validated',
    figure: (line) => line.ratios?.manyToFewOperations,
  },
  {
    id: '5',
    what: 'cold feed page ÷ SELECT 1: newest, half, 99 % depth',
    atMost: 4,
    bench: 'cold',
    figure: (line) => most(ofStores(line, ({ ratios }) => picked(ratios.toSelect1, /^feed /))),
  },
  {
    id: '6',
    what: 'cold company, insider, signals, statistics ÷ SELECT 1',
    atMost: 6,
    bench: 'cold',
    figure: (line) =>
      most(ofStores(line, ({ ratios }) => picked(ratios.toSelect1, /^(company|insider|signals|statistics)/))),
  },
  {
    id: '6',
    what: 'fifty companies at once, cold ÷ one company',
    atMost: 4,
    bench: 'cold',
    figure: (line) =>
      most(
        ofStores(line, ({ ratios }) => [
          ratios.toSelect1['fifty companies'] / ratios.toSelect1['company by popularity'],
        ]),
      ),
  },
  {
    id: '6',
    what: 'search by beginnings of a word or two, p99 ÷ SELECT 1',
    atMost: 6,
    bench: 'search',
    figure: (line) => most(['letter', 'word', 'words'].flatMap((name) => line.figures?.[name]?.p99ToSelect1 ?? [])),
  },
  {
    id: '6',
    what: 'search by one or two letters of several words, p99 ÷ SELECT 1',
    atMost: 15,
    bench: 'search',
    figure: (line) => line.figures?.short?.p99ToSelect1,
  },
  {
    id: '7',
    what: 'cold feed page with a filter ÷ without, same depth',
    atMost: 1.6,
    bench: 'cold',
    figure: (line) => most(ofStores(line, ({ ratios }) => Object.values(ratios.filterToNone))),
  },
  {
    id: 'aggregates',
    what: '20 years of the market by month ÷ cold feed page',
    atMost: 6,
    bench: 'aggregates',
    figure: (line) =>
      most(ofStores(line, ({ toPage }) => [toPage.market, toPage['market by trade date'], toPage.sector])),
  },
  {
    id: 'aggregates',
    what: 'series of a company ÷ its profile',
    atMost: 1.5,
    bench: 'aggregates',
    figure: (line) => most(ofStores(line, ({ companyToProfile }) => [companyToProfile])),
  },
  {
    id: 'aggregates',
    what: 'ranking of 7 days ÷ cold feed page',
    atMost: 3,
    bench: 'aggregates',
    figure: (line) => most(ofStores(line, ({ toPage }) => [toPage['ranking, 7 days']])),
  },
  {
    id: 'aggregates',
    what: 'ranking of 92 days ÷ cold feed page',
    atMost: 12,
    bench: 'aggregates',
    figure: (line) =>
      most(ofStores(line, ({ toPage }) => [toPage['ranking, 92 days'], toPage['ranking of insiders, 92 days']])),
  },
  {
    id: 'filters',
    what: 'feed by filters that fill a page within 30 days ÷ without, same depth',
    atMost: 1.6,
    bench: 'filters',
    figure: (line) => most(ofStores(line, ({ ratios }) => Object.values(ratios.toNone))),
  },
  {
    id: 'filters',
    what: 'feed by a filter that matches nothing ÷ a bare count with its condition',
    atMost: 1.5,
    bench: 'filters',
    figure: (line) => most(ofStores(line, ({ ratios }) => [ratios.nothingToCount])),
  },
  {
    id: 'filters',
    what: 'feed of one company ÷ of all',
    atMost: 1.6,
    bench: 'filters',
    figure: (line) => most(ofStores(line, ({ ratios }) => [ratios.companyToNone])),
  },
  {
    id: 'filters',
    what: 'feed of 100 companies, and by value over 31 days ÷ of all, newest first',
    atMost: 4,
    bench: 'filters',
    figure: (line) => most(ofStores(line, ({ ratios }) => [ratios.hundredToNone, ratios.valueToNone])),
  },
  {
    id: 'filters',
    what: 'p99 of plain cold pages beside 10 callers who ask for what matches nothing ÷ alone',
    atMost: 3,
    bench: 'filters',
    figure: (line) => most(ofStores(line, ({ besideSearches }) => [besideSearches.ratio])),
  },
  {
    id: 'as-of',
    what: 'feed page as of an instant ÷ present one at the same depth',
    atMost: 2,
    bench: 'as-of',
    figure: (line) => most(ofStores(line, ({ ratios }) => [ratios.page, ratios.detailed, ratios.significance])),
  },
  {
    id: 'as-of',
    what: 'company, insider as of an instant ÷ present',
    atMost: 1.3,
    bench: 'as-of',
    figure: (line) => most(ofStores(line, ({ ratios }) => [ratios.company, ratios.insider])),
  },
  {
    id: '8',
    what: 'each cold answer, ten times the history ÷ once',
    atMost: 1.15,
    bench: 'growth',
    figure: (line) => most(Object.values(line.ratios)),
  },
  {
    id: '9',
    what: 'cold answers after 500 live filings one by one ÷ before',
    atMost: 1.2,
    bench: 'cold',
    figure: (line) => most(ofStores(line, ({ oneByOne }) => Object.values(oneByOne?.afterToBefore ?? {}))),
  },
  {
    id: '10',
    what: "8 callers' cold answers/s ÷ 1 caller's",
    atLeast: 1.75,
    bench: 'cold',
    figure: (line) => least(ofStores(line, ({ callers }) => [callers.eightToOne])),
  },
  {
    id: '10',
    what: 'cold answers p99 ÷ p50, with 1 and 8 callers',
    atMost: 3,
    bench: 'cold',
    figure: (line) =>
      most(
        ofStores(line, ({ callers }) => [
          ...Object.values<number>(callers.p99ToP50.one),
          ...Object.values<number>(callers.p99ToP50.eight),
        ]),
      ),
  },
  {
    id: '11',
    what: 'engine statements of 64 equal cold requests at once ÷ of one',
    atMost: 1,
    bench: 'cold',
    figure: (line) => most(ofStores(line, ({ statementsAtOnce }) => each(statementsAtOnce, 'ratio'))),
  },
  {
    id: '12',
    what: 'walk through the feed, 100 a page',
    atLeast: 15_000,
    unit: 'transactions/s',
    bench: 'answers',
    figure: (line) => line.walks?.limit100?.perSecond,
  },
  {
    id: '13',
    what: 'steady mixed load, requests/s ÷ PostgreSQL behind Express',
    atLeast: 5,
    bench: 'mixed',
    figure: (line) => line.ratios?.steady,
  },
  {
    id: '14',
    what: 'backfill with signals ÷ bare INSERT SELECT of the same files',
    atLeast: 0.35,
    bench: 'backfill',
    figure: (line) => line.ratios?.withSignalsToBare,
  },
  {
    id: '14',
    what: 'most memory during a backfill',
    atMost: 1_229,
    unit: 'MiB',
    bench: 'backfill',
    figure: (line) => line.memoryMiB?.peak,
  },
  {
    id: '14',
    what: 'memory 60 s after a backfill',
    atMost: 800,
    unit: 'MiB',
    bench: 'backfill',
    figure: (line) => line.memoryMiB?.after,
  },
  {
    id: '15',
    what: 'answers from memory during a backfill, p99',
    atMost: 100,
    unit: 'ms',
    bench: 'backfill',
    figure: (line) => line.during?.cachedP99,
  },
  {
    id: '15',
    what: 'cold answers during a backfill, p99',
    atMost: 500,
    unit: 'ms',
    bench: 'backfill',
    figure: (line) => line.during?.coldP99,
  },
  {
    id: '16',
    what: 'document in hand to visible, p99',
    atMost: 25,
    unit: 'ms',
    bench: 'ingest',
    figure: (line) => line.documentToVisibleMs?.p99,
  },
  {
    id: '16',
    what: 'document in hand to event queued, p99',
    atMost: 75,
    unit: 'ms',
    bench: 'ingest',
    figure: (line) => line.documentToQueuedMs?.p99,
  },
  {
    id: '17',
    what: 'memory after 1,000,000 mixed requests ÷ after 100,000',
    atMost: 1.05,
    bench: 'resident',
    figure: (line) => line.ratios?.millionToHundredThousand,
  },
  {
    id: '18',
    what: 'make up to ready, over all rows loaded',
    atMost: 5,
    unit: 's',
    bench: 'start',
    figure: (line) => line.secondsToReady,
  },
  {
    id: '19',
    what: 'page of 100 changes over HTTP ÷ the bare range of the primary key',
    atMost: 3,
    bench: 'changes',
    figure: (line) => line.ratios?.pageToRange,
  },
  {
    id: '19',
    what: 'commit to the socket of the last of 1,000 streams, p99',
    atMost: 50,
    unit: 'ms',
    bench: 'changes',
    figure: (line) => line.commitToLastStreamMs?.p99,
  },
  {
    id: '19',
    what: 'feed requests/s with 1,000 idle streams ÷ without',
    atLeast: 0.95,
    bench: 'changes',
    figure: (line) => line.ratios?.feedWithStreams,
  },
  {
    id: '19',
    what: 'memory of an idle stream',
    atMost: 40,
    unit: 'kB',
    bench: 'changes',
    figure: (line) => line.kilobytesPerStream,
  },
  {
    id: '19',
    what: 'projection of a filing with the log ÷ without',
    atMost: 1.1,
    bench: 'changes',
    figure: (line) => line.ratios?.projectionWithLog,
  },
  {
    id: '20',
    what: 'month file, bytes/s ÷ bare node:http with the same file',
    atLeast: 0.9,
    bench: 'exports',
    figure: (line) => line.ratios?.fileToBare,
  },
  {
    id: '20',
    what: 'range of 64 KiB of a month file ÷ feed page from memory, requests/s',
    atLeast: 0.5,
    bench: 'exports',
    figure: (line) => line.ratios?.rangeToPage,
  },
  {
    id: '20',
    what: "feed as JSON lines ÷ the engine's own JSONEachRow, rows/s",
    atLeast: 0.6,
    bench: 'exports',
    figure: (line) => line.lines?.toEngine,
  },
  {
    id: '20',
    what: 'making month files: the bare statements ÷ all of it',
    atLeast: 0.8,
    bench: 'exports',
    figure: (line) => line.making?.statementsToMaking,
  },
  {
    id: '20',
    what: 'memory while a slow reader takes an export',
    atMost: 64,
    unit: 'MiB',
    bench: 'exports',
    figure: (line) => line.memory?.moreMiB,
  },
]

function ofStores(line: any, figures: (store: any) => unknown[]): number[] {
  return Object.values(line.stores ?? {}).flatMap((store) => figures(store) as number[])
}

function each(records: Record<string, any> | undefined, name: string): number[] {
  return Object.values(records ?? {}).flatMap((record) => record[name] ?? [])
}

function picked(figures: Record<string, number>, names: RegExp): number[] {
  return Object.entries(figures).flatMap(([name, figure]) => (names.test(name) ? [figure] : []))
}

const most = (figures: number[]) => (figures.length > 0 ? Math.max(...figures) : undefined)
const least = (figures: number[]) => (figures.length > 0 ? Math.min(...figures) : undefined)
