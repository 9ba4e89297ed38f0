// Notices of proposed sales, a row each: who plans to sell what, and how much of it was reported as sold.
import type { components } from '../../contract.ts'
import { money, shares } from '../format.ts'
import { linkTo } from '../route.ts'
import { NOTICE_STATES } from '../words.ts'
import { InsiderLink, Time } from './inline.tsx'

export type Notice = components['schemas']['Notice']

/** `without` leaves out the column that says the same in all rows. */
export function NoticeTable({ notices, without }: { notices: readonly Notice[]; without?: 'company' | 'seller' }) {
  const columns = [
    ['Filed'],
    ...(without === 'company' ? [] : [['Company']]),
    ...(without === 'seller' ? [] : [['Seller']]),
    ['Units', true],
    ['Value', true],
    ['Sale about'],
    ['State'],
    ['Sold', true],
  ] as const
  return (
    <div class="scroller" role="region" aria-label="Notices of proposed sales" tabIndex={0}>
      <table>
        <caption class="sr">Notices of proposed sales, newest first</caption>
        <thead>
          <tr>
            {columns.map(([name, isNumber]) => (
              <th key={name} scope="col" class={isNumber ? 'number' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {notices.map((notice) => (
            <tr key={notice.accessionNumber} data-notice={notice.accessionNumber}>
              <td class="day">
                <a href={linkTo('notice', notice.accessionNumber)}>
                  <Time at={notice.filingDate} basis={notice.filingDateBasis} />
                </a>
              </td>
              {without !== 'company' && (
                <td>
                  <a href={linkTo('company', notice.ticker || notice.issuerCik)} title={notice.companyName}>
                    <b>{notice.ticker || notice.companyName}</b>
                  </a>
                </td>
              )}
              {without !== 'seller' && (
                <td>
                  <InsiderLink cik={notice.seller.cik} name={notice.seller.name} />{' '}
                  <span class="title">{notice.seller.relationships.join(', ')}</span>
                </td>
              )}
              <td class="number">{unitsOf(notice.units)}</td>
              <td class="number">{valueOf(notice)}</td>
              <td class="day">{notice.saleDate ?? '–'}</td>
              <td>
                {NOTICE_STATES[notice.state]}
                {notice.plan10b51 === 'yes' && <span title="under a 10b5-1 plan"> · plan</span>}
              </td>
              <td class="number">{notice.reportedUnits === 0 ? '–' : shares(notice.reportedUnits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export const unitsOf = (units: number | null): string => (units === null ? '–' : shares(units))

/** Returns the value, with a mark where it can't be right. */
export function valueOf({ marketValue, valueStatus }: Pick<Notice, 'marketValue' | 'valueStatus'>): string {
  if (marketValue === null) return '–'
  return valueStatus === 'suspect' ? `${money(marketValue)} ?` : money(marketValue)
}
