// Signals, a row each: what was found where, by how many insiders, over how many dollars.
import type { Signal } from '../../client/index.ts'
import { count, isEstimated, money } from '../format.ts'
import { linkTo } from '../route.ts'
import { SIGNALS } from '../words.ts'
import { ESTIMATED, Level, Time } from './inline.tsx'

export function SignalTable({ signals, isOfCompany = false }: { signals: readonly Signal[]; isOfCompany?: boolean }) {
  if (signals.length === 0) return null
  return (
    <>
      <p class="legend">
        <span>
          <Level of="low" /> <Level of="medium" /> <Level of="high" /> <Level of="critical" /> severity, by insiders and
          dollars
        </span>
        {signals.some(({ detectedAt }) => isEstimated(detectedAt)) && <span>≈ {ESTIMATED}</span>}
      </p>
      <div class="scroller" role="region" aria-label="Signals" tabIndex={0}>
        <table class="signals" role="table">
          <caption class="sr">Signals, newest first</caption>
          <thead role="rowgroup">
            <tr role="row">
              {['Detected', 'Severity', 'Signal', ...(isOfCompany ? [] : ['Company']), 'What happened'].map((title) => (
                <th key={title} role="columnheader" scope="col">
                  {title}
                </th>
              ))}
              {['Insiders', 'Value'].map((title) => (
                <th key={title} role="columnheader" scope="col" class="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {signals.map(({ id, type, severity, ticker, companyName, description, insiderCount, ...each }) => (
              <tr key={id} role="row" data-signal={id}>
                <td role="cell" class="at">
                  <Time at={each.detectedAt} />
                </td>
                <td role="cell" class="level">
                  <Level of={severity} />
                </td>
                <th role="rowheader" scope="row" class="kind">
                  <a href={linkTo('signal', id)}>{SIGNALS[type]}</a>
                </th>
                {!isOfCompany && (
                  <td role="cell" class="company">
                    {ticker === '' ? (
                      companyName
                    ) : (
                      <a href={linkTo('company', ticker)} title={companyName}>
                        <b>{ticker}</b>
                      </a>
                    )}
                  </td>
                )}
                <td role="cell" class="said">
                  {description}
                </td>
                <td role="cell" class="number insiders">
                  {count(insiderCount)}
                  <span class="on-phone">{insiderCount === 1 ? ' insider' : ' insiders'}</span>
                </td>
                <td role="cell" class="number value">
                  {money(each.totalValue)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
