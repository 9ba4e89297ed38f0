// One insider over all companies: what was bought and sold where, what is owned after, the trades.
import type { InsiderProfile, Transaction } from '../../client/index.ts'
import { pathOf } from '../../client/operations.ts'
import { client, useAsked } from '../api.ts'
import { Lanes, type Lane } from '../chart/lanes.tsx'
import { marksOf, spanOf, sumsOf } from '../chart/marks.ts'
import { dayNumber } from '../chart/scale.ts'
import { Spark } from '../chart/spark.tsx'
import { count, insiderName, many, money } from '../format.ts'
import { linkTo, route } from '../route.ts'
import { feedCall, pictureQuery, pictureRows, type PictureRows } from '../picture.ts'
import { Heading } from '../parts/heading.tsx'
import { LateFilings } from '../parts/late-filings.tsx'
import { Loaded } from '../parts/notice.tsx'
import { PlannedSales } from '../parts/planned-sales.tsx'
import { Held } from '../parts/positions.tsx'
import { AverageReturns } from '../parts/returns.tsx'
import { AsRequest } from '../parts/request.tsx'
import { Trades } from '../parts/trades.tsx'
import { Unknown } from './company.tsx'

export function InsiderPage() {
  const { id } = route.value
  const profile = useAsked((signal) => client.insiders.get(id, { detail: 'full' }, { signal }), [id])
  const picture = useAsked((signal) => pictureRows({ insiderCiks: id }, signal), [id])
  if (profile.error !== null && ['unknown_insider', 'invalid_parameter'].includes(profile.error.code)) {
    return <Unknown what={`No insider has the CIK ${id}`} />
  }
  return (
    <>
      <Loaded asked={profile}>{(insider) => <Head insider={insider} />}</Loaded>
      <Loaded asked={picture}>{(rows) => <Picture rows={rows} />}</Loaded>
      <Held cik={id} />
      <PlannedSales query={{ insiderCiks: id }} without="seller" more={{ insiderCiks: id }} />
      <section>
        <h2>Trades</h2>
        <Trades query={{ insiderCiks: id }} caption="Trades of this insider" without="insider" />
      </section>
      <AsRequest
        calls={[
          {
            path: pathOf('getInsider', { cik: id }, { detail: 'full' }),
            typescript: `const insider = await client.insiders.get(${JSON.stringify(id)}, { detail: 'full' })`,
          },
          {
            path: pathOf('listPositions', { cik: id }),
            typescript: `const { companies } = await client.insiders.positions(${JSON.stringify(id)})`,
          },
          feedCall(pictureQuery({ insiderCiks: id })),
        ]}
      />
    </>
  )
}

function Head({ insider }: { insider: InsiderProfile }) {
  const { cik, name, titles, companies, stats } = insider
  return (
    <>
      <div class="head">
        <Heading>{insiderName(name)}</Heading>
        <span class="muted">
          CIK {cik}, filed as “{name}”
        </span>
      </div>
      <p class="lead">
        {count(companies.length)} {companies.length === 1 ? 'company' : 'companies'},{' '}
        <b class="up">{many(stats.totalBuys, 'buy')}</b>, <b class="down">{many(stats.totalSells, 'sell')}</b>
        {titles.length > 0 && ` · ${titles.join(' · ')}`}
        <LateFilings of={insider.lateFilings} after=" · " />
      </p>
      <AverageReturns of={insider.record?.returns} />
    </>
  )
}

function Picture({ rows: { rows, isCut } }: { rows: PictureRows }) {
  const { marks, leftOut } = marksOf(rows)
  if (marks.length === 0) return <p class="muted">No open-market trades with a plausible price.</p>
  const lanes = [...Map.groupBy(marks, ({ ticker }) => ticker)].map(([ticker, own]): Lane => {
    const [bought, sold] = sumsOf(own)
    return {
      key: ticker,
      marks: own,
      head: (
        <>
          <a href={linkTo('company', ticker)}>
            <b>{ticker}</b>
          </a>{' '}
          <span class="title">{own.at(-1)!.title}</span>
        </>
      ),
      end: (
        <>
          bought <span class="up">{money(bought)}</span>, sold <span class="down">{money(sold)}</span>
        </>
      ),
      words: `${ticker}: bought ${money(bought)}, sold ${money(sold)}`,
    }
  })
  const owned = ownedAfter(rows)
  return (
    <>
      <figure>
        <figcaption>
          <b>Trades at each company</b>: <span class="up">● buy</span>, <span class="down">◆ sell</span>; outlined:
          under a 10b5-1 plan. The larger the mark, the more dollars that day; on the right: bought and sold.
          {isCut && ' These are the newest 1,000 trades; there are more.'}
          {leftOut > 0 && ` ${many(leftOut, 'trade')} without a plausible price not drawn.`}
        </figcaption>
        <Lanes lanes={lanes} {...spanOf(marks)} />
      </figure>
      {owned.length > 0 && (
        <figure>
          <figcaption>
            <b>Shares owned directly</b> after each trade; on the right: the first and the last number.
          </figcaption>
          {owned.map(({ name, points }) => (
            <Spark key={name} what="Owned directly after each trade" name={name} points={points} />
          ))}
        </figure>
      )}
    </>
  )
}

const MAX_SPARKS = 3

/** What was owned directly after each trade, by company and security, where there are several. */
function ownedAfter(rows: readonly Transaction[]) {
  const direct = rows.filter(
    ({ detail }) =>
      detail?.ownership === 'direct' && detail.sharesOwnedAfter !== null && detail.tradeDateStatus === 'plausible',
  )
  const groups = Map.groupBy(direct, ({ ticker, detail }) => `${ticker} ${detail!.securityTitle}`)
  return [...groups]
    .map(([name, own]) => ({
      name,
      points: own
        .map(({ detail }) => ({ at: dayNumber(detail!.tradeDate), value: detail!.sharesOwnedAfter! }))
        .toReversed()
        .sort((one, other) => one.at - other.at),
    }))
    .filter(({ points }) => points.length > 2)
    .slice(0, MAX_SPARKS)
}
