// What the service is to reach: every goal with its limit, and where in the benches' lines its figure stands. Figures
// are ratios within one run wherever they can be, so that they hold on any machine.

/** The lines that benches printed, by name. */
export type Lines = Record<string, any>

export interface Goal {
  /** Some goals have two figures or three. */
  id: string
  what: string
  atLeast?: number
  atMost?: number
  /** Of the figure, where it is no ratio. */
  unit?: string
  bench: string
  /** Of several the worst; NaN where the volumes of the run did not have it. */
  figure: (line: any) => number
}

export const GOALS: readonly Goal[] = [
  {
    id: '1',
    what: 'answer from memory, requests/s ÷ bare Express with pino-http and the same bytes',
    atLeast: 0.9,
    bench: 'answers',
    figure: ({ figures }) => Math.min(...Object.values<any>(figures).map(({ toBare }) => toBare)),
  },
  {
    id: '2',
    what: 'cold feed page ÷ SELECT 1: newest, half, deep; p50',
    atMost: 5,
    bench: 'cold',
    figure: ({ toSelect1 }) => mostOf(toSelect1, /^feed /),
  },
  {
    id: '3',
    what: 'cold company, insider, signals, statistics ÷ SELECT 1, p50',
    atMost: 10,
    bench: 'cold',
    figure: ({ toSelect1 }) => mostOf(toSelect1, /^(company|insider|signals|statistics)/),
  },
  {
    id: '3',
    what: '50 companies at once, cold ÷ one company',
    atMost: 6,
    bench: 'cold',
    figure: ({ fiftyToOne }) => fiftyToOne,
  },
  {
    id: '4',
    what: 'cold feed page by a filter that fills it within 30 days ÷ without',
    atMost: 2,
    bench: 'cold',
    figure: ({ filterToNone }) => mostOf(filterToNone),
  },
  {
    id: '5',
    what: 'search p99 ÷ SELECT 1 p50',
    atMost: 25,
    bench: 'cold',
    figure: ({ searchP99ToSelect1 }) => searchP99ToSelect1,
  },
  {
    id: '6',
    what: 'mixed load, requests/s ÷ PostgreSQL behind Express',
    atLeast: 3,
    bench: 'mixed',
    figure: ({ productToPostgres }) => productToPostgres,
  },
  {
    id: '7',
    what: 'a page of 100 of a walk through the feed ÷ SELECT 1, p50',
    atMost: 5,
    bench: 'cold',
    figure: ({ walkToSelect1 }) => walkToSelect1,
  },
  {
    id: '8',
    what: 'cold answers, ten times the history ÷ once, p50',
    atMost: 1.4,
    bench: 'growth',
    figure: ({ ratios }) => mostOf(ratios),
  },
  {
    id: '9',
    what: 'answers from memory while make backfill runs, p99',
    atMost: 100,
    unit: 'ms',
    bench: 'backfill',
    figure: ({ ms }) => ms.cached.p99,
  },
  {
    id: '9',
    what: 'cold answers while make backfill runs, p99',
    atMost: 500,
    unit: 'ms',
    bench: 'backfill',
    figure: ({ ms }) => ms.cold.p99,
  },
  {
    id: '9',
    what: 'delay of the event loop while make backfill runs, p99',
    atMost: 20,
    unit: 'ms',
    bench: 'backfill',
    figure: ({ ms }) => ms.eventLoop.p99,
  },
  {
    id: '10',
    what: 'a filing a second: document in hand to in the feed ÷ bare insert of its rows, and its transaction; p50',
    atMost: 3,
    bench: 'ingest',
    figure: ({ feedToBare }) => feedToBare,
  },
  {
    id: '10',
    what: 'the same, p99 ÷ p50',
    atMost: 3,
    bench: 'ingest',
    figure: ({ feedP99ToP50 }) => feedP99ToP50,
  },
  {
    id: '10',
    what: 'a filing a second: document in hand to event queued, p99',
    atMost: 200,
    unit: 'ms',
    bench: 'ingest',
    figure: ({ documentToQueuedMs }) => documentToQueuedMs.p99,
  },
  {
    id: '10',
    what: 'until its event is queued, with 10,000 rules of alerts − with none, p50',
    atMost: 20,
    unit: 'ms',
    bench: 'rules',
    figure: ({ moreMs }) => moreMs,
  },
  {
    id: '11',
    what: 'backfill with signals ÷ bare INSERT SELECT of the same files, one quarter',
    atLeast: 0.25,
    bench: 'backfill',
    figure: ({ toBare }) => toBare,
  },
  ...[8, 40].map((quarters): Goal => ({
    id: '11',
    what: `the same, ${quarters} quarters into a new store`,
    atLeast: 0.25,
    bench: 'growth-of-history',
    figure: ({ bare }) => ofQuarters(bare, quarters)?.toBare ?? Number.NaN,
  })),
  {
    id: '11',
    what: 'rows/s over 80 quarters ÷ over 8',
    atLeast: 0.8,
    bench: 'growth-of-history',
    figure: ({ histories }) =>
      (ofQuarters(histories, 80)?.perSecond ?? Number.NaN) / ofQuarters(histories, 8)?.perSecond,
  },
  {
    id: '11',
    what: 'most memory during a backfill, of the longest history',
    atMost: 2_048,
    unit: 'MiB',
    bench: 'growth-of-history',
    figure: ({ histories }) => histories.at(-1).peakMiB,
  },
  {
    id: '12',
    what: 'memory after 1,000,000 mixed requests ÷ after 100,000',
    atMost: 1.1,
    bench: 'resident',
    figure: ({ allToTenth }) => allToTenth,
  },
  {
    id: '12',
    what: 'memory at rest, over the long history',
    atMost: 800,
    unit: 'MiB',
    bench: 'start',
    figure: ({ idleMiB }) => idleMiB,
  },
  {
    id: '12',
    what: 'make up to ready, over the long history',
    atMost: 8,
    unit: 's',
    bench: 'start',
    figure: ({ secondsToReady }) => secondsToReady,
  },
]

function ofQuarters(each: any[], quarters: number): any {
  return each.find((one) => one.quarters === quarters)
}

function mostOf(figures: Record<string, number>, names = /./): number {
  return Math.max(...Object.entries(figures).flatMap(([name, figure]) => (names.test(name) ? [figure] : [])))
}
