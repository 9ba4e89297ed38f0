// One company: its totals, who bought and sold when and at what price, its signals, its trades; also as it was known
// at the end of an earlier day.
import { useSignal, type Signal as State } from '@preact/signals'
import type { CompanyProfile, Signal } from '../../client/index.ts'
import { pathOf, type Data, type Query } from '../../client/operations.ts'
import { client, sentimentCall, useAsked } from '../api.ts'
import { Bubbles } from '../chart/bubbles.tsx'
import { Columns } from '../chart/columns.tsx'
import { Lanes, type Lane } from '../chart/lanes.tsx'
import { marksOf, monthsOf, spanOf, sumsOf, type Mark, type Month } from '../chart/marks.ts'
import { windowOf, windowsWithin, type Window } from '../chart/windows.ts'
import { count, dayOf, endOfDay, many, money, yearsAgo } from '../format.ts'
import { goTo, linkTo, route } from '../route.ts'
import { feedCall, pictureQuery, pictureRows, type PictureRows } from '../picture.ts'
import { Heading } from '../parts/heading.tsx'
import { Holders, holdersQuery } from '../parts/holders.tsx'
import { LateFilings } from '../parts/late-filings.tsx'
import { Loaded } from '../parts/notice.tsx'
import { PlannedSales } from '../parts/planned-sales.tsx'
import { AsRequest } from '../parts/request.tsx'
import { SignalTable } from '../parts/signal-table.tsx'
import { Trades } from '../parts/trades.tsx'

const YEARS = ['1', '3', '5', 'all'] as const

export function CompanyPage() {
  const { id, query } = route.value
  const withPlan = useSignal(true)
  const day = query.get('asOf') ?? ''
  const asOf = endOfDay(day)
  const years = query.get('years') ?? undefined
  const show = (chosen?: string) => linkTo('company', id, { years, asOf: chosen })
  return (
    <>
      <label class="switch under">
        As known on
        <input
          type="date"
          min={EARLIEST}
          max={dayOf(new Date(Date.now() - 86_400_000).toISOString(), 'ET')}
          value={asOf ? day : ''}
          onChange={({ currentTarget: { value } }) => (value === '' || endOfDay(value)) && goTo(show(value))}
        />
      </label>
      {asOf && (
        <div class="notice">
          <p>
            <strong>As known at the end of {day} in New York.</strong> What was filed, corrected or detected later is
            left out. Links lead to the present. <a href={show()}>Show the present</a>
          </p>
        </div>
      )}
      {/* Nothing of another instant stays, not even while it loads. */}
      <Company key={asOf} asOf={asOf} withPlan={withPlan} />
    </>
  )
}

function Company({ asOf, withPlan }: { asOf: string | undefined; withPlan: State<boolean> }) {
  const { id, query } = route.value
  const years = query.get('years') ?? '3'
  const profile = useAsked((signal) => client.companies.get(id, { detail: 'full', asOf }, { signal }), [id])
  const trades = { tickers: id, tradedFrom: yearsAgo(years, asOf ? Date.parse(asOf) : undefined), asOf }
  const said = JSON.stringify([id, { detail: 'full', asOf }]).slice(1, -1)
  const holders = JSON.stringify([id, holdersQuery(asOf)]).slice(1, -1)
  const ofMonths = monthsQuery(trades, withPlan.value)
  const picture = useAsked((signal) => pictureRows(trades, signal), [id, years])
  const isCut = picture.data?.isCut === true
  // More than a picture is made of is summed up by the service.
  const months = useAsked(
    async (signal) => (isCut ? await client.sentiment(ofMonths, { signal }) : null),
    [id, years, isCut, withPlan.value],
  )
  const signals = useAsked((signal) => client.signals.list({ tickers: id, limit: 20, asOf }, { signal }), [id])
  // The evidence of a signal is that of now, whatever day is asked for.
  const ids = (asOf ? undefined : signals.data?.signals.map((each) => each.id)) ?? []
  const windows = useAsked((signal) => signalWindows(ids, signal), [ids.join()])
  if (profile.error?.code === 'unknown_ticker') return <Unknown what={`No company has the symbol ${id}`} />
  return (
    <>
      <Loaded asked={profile}>{(company) => <Head company={company} id={id} signals={signals.data?.signals} />}</Loaded>
      <div class="tools" role="group" aria-label="Years shown">
        {YEARS.map((each) => (
          <a
            key={each}
            class="button"
            href={linkTo('company', id, {
              years: each === '3' ? undefined : each,
              asOf: query.get('asOf') ?? undefined,
            })}
            aria-current={years === each ? 'true' : undefined}
          >
            {each === 'all' ? 'all years' : each === '1' ? '1 year' : `${each} years`}
          </a>
        ))}
        <label class="switch">
          <input
            type="checkbox"
            checked={withPlan.value}
            onChange={(event) => (withPlan.value = event.currentTarget.checked)}
          />
          include 10b5-1 plan trades
        </label>
      </div>
      <Loaded asked={picture}>
        {(rows) => (
          <Pictures
            rows={rows}
            withPlan={withPlan.value}
            windows={windows.data ?? []}
            id={id}
            months={months.data?.points.map(monthOf)}
          />
        )}
      </Loaded>
      {(signals.data?.signals.length ?? 0) > 0 && (
        <section>
          <h2>Active signals</h2>
          <SignalTable signals={signals.data!.signals} isOfCompany />
        </section>
      )}
      <PlannedSales query={{ tickers: id, asOf }} without="company" more={{ tickers: id }} />
      <Holders ticker={id} asOf={asOf} />
      <section>
        <h2>Trades</h2>
        <Trades query={{ tickers: id, asOf }} caption={`Trades at ${id}`} without="company" />
      </section>
      <AsRequest
        calls={[
          {
            path: pathOf('getCompany', { ticker: id }, { detail: 'full', asOf }),
            typescript: `const company = await client.companies.get(${said})`,
          },
          {
            path: pathOf('listHolders', { ticker: id }, holdersQuery(asOf)),
            typescript: `const { classes } = await client.companies.holders(${holders})`,
          },
          feedCall(pictureQuery(trades)),
          ...(isCut ? [sentimentCall(ofMonths)] : []),
        ]}
      />
    </>
  )
}

/** EDGAR has no Form 4 as XML before. */
const EARLIEST = '2003-05-01'

interface Shown {
  tickers: string
  tradedFrom: string | undefined
  asOf: string | undefined
}

const monthsQuery = ({ tickers, tradedFrom, asOf }: Shown, withPlan: boolean): Query<'getSentiment'> => ({
  ...{ ticker: tickers, by: 'traded', interval: 'month', from: tradedFrom ?? EARLIEST },
  ...{ plan10b51: withPlan ? undefined : 'no,unknown', asOf },
})

const monthOf = ({ start, buys, sells, buyValue, sellValue }: Data<'getSentiment'>['points'][number]): Month => ({
  ...{ month: start.slice(0, 7), buys, sells, bought: buyValue, sold: sellValue },
})

export function Unknown({ what }: { what: string }) {
  return (
    <div class="nothing">
      <Heading>Not found</Heading>
      <p>{what}.</p>
      <p>
        <button type="button" class="main" onClick={() => document.getElementById('search')?.focus()}>
          Search by name
        </button>
      </p>
    </div>
  )
}

function Head({ company, id, signals }: { company: CompanyProfile; id: string; signals: Signal[] | undefined }) {
  const { ticker, name, exchange, sector, totalBuys, totalSells, netSentiment } = company
  return (
    <>
      <div class="head">
        <Heading>
          {ticker} <span class="full">{name}</span>
        </Heading>
        <p class="tools">
          <span class="muted">{[exchange, sector].filter((text) => text !== 'Unknown').join(' · ')}</span>
          <a class="button" href={linkTo('watchlist', '', { add: ticker || id })}>
            Watch
          </a>
        </p>
      </div>
      <p class="lead">
        Open-market trades, all years: <b class="up">{many(totalBuys, 'buy')}</b>,{' '}
        <b class="down">{many(totalSells, 'sell')}</b>, buys minus sells{' '}
        {netSentiment > 0 ? '+' : netSentiment < 0 ? '−' : ''}
        {count(Math.abs(netSentiment))}
        <LateFilings of={company.lateFilings} after=", " />.{' '}
        {signals !== undefined && signals.length > 0 && (
          <>{signals.length === 20 ? '20 or more active signals' : many(signals.length, 'active signal')}.</>
        )}
      </p>
    </>
  )
}

interface PicturesProps {
  rows: PictureRows
  withPlan: boolean
  windows: Window[]
  id: string
  /** Of all trades, where the rows are not all. */
  months: Month[] | undefined
}

function Pictures({ rows: { rows, isCut }, withPlan, windows, id, months }: PicturesProps) {
  const { marks: all, leftOut } = marksOf(rows)
  const marks = withPlan ? all : all.filter(({ isPlan }) => !isPlan)
  if (marks.length === 0) return <p class="muted">No open-market trades with a plausible price in these years.</p>
  const { from, to } = spanOf(marks)
  const notes = [
    isCut ? 'These are the newest 1,000 trades; the months below have all.' : '',
    leftOut > 0 ? `${many(leftOut, 'trade')} without a plausible price not drawn.` : '',
  ]
  return (
    <>
      <figure>
        <figcaption>
          <b>Average price per insider and day.</b> The larger the mark, the more dollars. <span class="up">● buy</span>
          , <span class="down">◆ sell</span>; outlined: under a 10b5-1 plan. {notes.filter(Boolean).join(' ')}
        </figcaption>
        <Bubbles marks={marks} from={from} to={to} label={`Open-market trades at ${id}, price by day`} />
      </figure>
      <figure>
        <figcaption>
          <b>Trades of each insider</b>, largest first; on the right: bought minus sold.
          {windows.length > 0 && ' Shaded: the days that the signals below look at.'}
        </figcaption>
        <Lanes lanes={insiderLanes(marks)} from={from} to={to} windows={windowsWithin(windows, from, to)} />
      </figure>
      <figure>
        <figcaption>
          <b>Trades by month</b>: buys above the line, sells below;{' '}
          {months ? 'each transaction counts, in all of these years.' : 'each insider counts once per day.'}
        </figcaption>
        <Columns months={months ?? monthsOf(marks)} />
      </figure>
    </>
  )
}

function insiderLanes(marks: readonly Mark[]): Lane[] {
  return [...Map.groupBy(marks, ({ cik }) => cik)]
    .map(([key, own]) => ({ key, own, sums: sumsOf(own) }))
    .map(({ key, own, sums: [bought, sold] }) => ({ key, own, bought, sold, net: bought - sold }))
    .sort((one, other) => Math.abs(other.net) - Math.abs(one.net))
    .map(({ key, own, bought, sold, net }) => {
      const { name, title } = own.at(-1)!
      return {
        key,
        marks: own,
        head: (
          <>
            <a href={linkTo('insider', key)}>{name}</a> <span class="title">{title}</span>
          </>
        ),
        end: <Net value={net} />,
        words: `${name}: bought ${money(bought)}, sold ${money(sold)}`,
      }
    })
}

function Net({ value }: { value: number }) {
  return <span class={value > 0 ? 'up' : 'down'}>{value > 0 ? `+${money(value)}` : money(value)}</span>
}

/** A signal that is no longer active when it is asked for has no window. */
async function signalWindows(ids: readonly string[], signal: AbortSignal): Promise<Window[]> {
  const asked = await Promise.allSettled(ids.map((id) => client.signals.get(id, { detail: 'full' }, { signal })))
  return asked.flatMap((each) => (each.status === 'fulfilled' ? [windowOf(each.value)] : []))
}
