// The market: who bought and sold by week or month, of all companies or a sector, and what stood out lately.
import type { Query } from '../../client/operations.ts'
import type { Transaction } from '../../client/index.ts'
import { client, sentimentCall, useAsked } from '../api.ts'
import { MarketPanels } from '../chart/market-panels.tsx'
import { insiderName, money, yearsAgo } from '../format.ts'
import { MonthFiles } from '../parts/month-files.tsx'
import { Heading } from '../parts/heading.tsx'
import { Loaded } from '../parts/notice.tsx'
import { AsRequest } from '../parts/request.tsx'
import { goTo, linkTo, route } from '../route.ts'
import { SECTORS, sectorWords } from '../words.ts'

/** Trades under a 10b5-1 plan were decided long before. */
const PLANS = 'no,unknown'
const RANKED = 5

export function MarketPage() {
  const { query } = route.value
  const interval = query.get('interval') === 'week' ? 'week' : 'month'
  // Twenty years are more weeks than one answer has.
  const all = interval === 'week' ? ['1', '5'] : ['1', '5', '20']
  const years = all.find((each) => each === query.get('years')) ?? '5'
  const sector = SECTORS.find((each) => each === query.get('sector'))
  const link = (other: object) => linkTo('market', '', { interval, years, sector, ...other })
  const asked = { interval, from: yearsAgo(years), plan10b51: PLANS, sector } as Query<'getSentiment'>
  const status = useAsked((signal) => client.status({ signal }), [])
  const series = useAsked((signal) => client.sentiment(asked, { signal }), [interval, years, sector])
  return (
    <>
      <div class="head">
        <Heading>Market</Heading>
        <span class="muted">
          Open-market trades by filing day, without those under 10b5-1 plans or with implausible prices
        </span>
      </div>
      <div class="tools under">
        <Choices words="Interval" chosen={interval} all={['week', 'month']} link={(each) => link({ interval: each })} />
        <Choices words="Years shown" chosen={years} all={all} unit=" years" link={(each) => link({ years: each })} />
        <select
          aria-label="Sector"
          value={sector ?? ''}
          onChange={(event) => goTo(link({ sector: event.currentTarget.value }))}
        >
          <option value="">all sectors</option>
          {SECTORS.map((each) => (
            <option key={each} value={each}>
              {sectorWords(each)}
            </option>
          ))}
        </select>
      </div>
      <div class="market">
        <div>
          <Loaded asked={series}>
            {({ points }) => (
              <MarketPanels points={points} interval={interval} historyFrom={status.data?.historyFrom ?? null} />
            )}
          </Loaded>
          <Ranked sector={sector} />
        </div>
        <Lately />
      </div>
      <MonthFiles />
      <AsRequest calls={[sentimentCall(asked)]} />
    </>
  )
}

interface ChoicesProps {
  words: string
  chosen: string
  all: readonly string[]
  unit?: string
  link: (choice: string) => string
}

function Choices({ words, chosen, all, unit = '', link }: ChoicesProps) {
  return (
    <span class="tools" role="group" aria-label={words}>
      {all.map((each) => (
        <a key={each} class="button" href={link(each)} aria-current={each === chosen ? 'true' : undefined}>
          {each === '1' ? '1 year' : each + unit}
        </a>
      ))}
    </span>
  )
}

/** What was filed in the past 24 hours. */
function Lately() {
  const day = useAsked((signal) => client.feed.statistics({ signal }), [])
  return (
    <section class="lately" aria-label="The past 24 hours">
      <h2>Past 24 hours</h2>
      <Loaded asked={day}>
        {({ topBuys, topSells, topSignals }) => (
          <>
            <Top words="Largest buys" rows={topBuys} />
            <Top words="Largest sells" rows={topSells} />
            <h3>Strongest signals</h3>
            {topSignals.length === 0 && <p class="muted">None detected.</p>}
            <ol>
              {topSignals.slice(0, RANKED).map(({ id, ticker, description }) => (
                <li key={id}>
                  <a href={linkTo('signal', id)}>
                    <b>{ticker}</b>
                  </a>{' '}
                  <span class="muted">{description}</span>
                </li>
              ))}
            </ol>
          </>
        )}
      </Loaded>
    </section>
  )
}

function Top({ words, rows }: { words: string; rows: readonly Transaction[] }) {
  return (
    <>
      <h3>{words}</h3>
      {rows.length === 0 && <p class="muted">None filed.</p>}
      <ol>
        {rows.slice(0, RANKED).map(({ id, ticker, companyName, totalValue, insiderName: name }) => (
          <li key={id}>
            <a href={linkTo('company', ticker)}>
              <b>{ticker || companyName}</b>
            </a>{' '}
            {money(totalValue)} <span class="muted">{insiderName(name)}</span>
          </li>
        ))}
      </ol>
    </>
  )
}

/** The companies that insiders bought and sold most in seven days. */
function Ranked({ sector }: { sector: string | undefined }) {
  return (
    <div class="ranked">
      <Ranking by="buyValue" words="Bought" who="buyers" sector={sector} />
      <Ranking by="sellValue" words="Sold" who="sellers" sector={sector} />
    </div>
  )
}

interface RankingProps {
  by: 'buyValue' | 'sellValue'
  words: string
  who: 'buyers' | 'sellers'
  sector: string | undefined
}

function Ranking({ by, words, who, sector }: RankingProps) {
  const query = { by, days: 7, plan10b51: PLANS, sectors: sector, limit: RANKED } as Query<'getRankings'>
  const asked = useAsked((signal) => client.rankings(query, { signal }), [sector])
  return (
    <section>
      <h2>{words} most in 7 days</h2>
      <Loaded asked={asked}>
        {({ companies = [] }) =>
          companies.length === 0 ? (
            <p class="muted">None filed.</p>
          ) : (
            <table>
              <caption class="sr">{words} most in seven days</caption>
              <thead>
                <tr>
                  <th scope="col">Company</th>
                  {[who === 'buyers' ? 'Buyers' : 'Sellers', words].map((title) => (
                    <th key={title} scope="col" class="number">
                      {title}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {companies.map((company) => (
                  <tr key={company.cik}>
                    <th scope="row">
                      <a href={linkTo('company', company.ticker || `CIK${company.cik}`)}>
                        <b>{company.ticker}</b> {company.companyName}
                      </a>
                    </th>
                    <td class="number">{company[who]}</td>
                    <td class="number">{money(company[by])}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </section>
  )
}
