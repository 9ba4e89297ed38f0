// One notice of a proposed sale: who plans to sell what, how it was acquired, and the sales that count for it.
import type { ComponentChildren } from 'preact'
import type { components } from '../../contract.ts'
import { pathOf } from '../../client/operations.ts'
import { client, useAsked } from '../api.ts'
import { money, price, shares } from '../format.ts'
import { linkTo, route } from '../route.ts'
import { BASES, NOTICE_STATES } from '../words.ts'
import { Heading } from '../parts/heading.tsx'
import { FilingLink, InsiderLink, SecLink, Time } from '../parts/inline.tsx'
import { Loaded } from '../parts/notice.tsx'
import { unitsOf, valueOf } from '../parts/notice-table.tsx'
import { AsRequest } from '../parts/request.tsx'
import { Unknown } from './company.tsx'

type NoticeDetail = components['schemas']['NoticeDetail']

export function NoticePage() {
  const { id } = route.value
  const asked = useAsked((signal) => client.notices.get(id, {}, { signal }), [id])
  if (asked.error !== null && ['unknown_notice', 'invalid_parameter'].includes(asked.error.code)) {
    return <Unknown what={`No notice has the accession number ${id}`} />
  }
  return (
    <>
      <Loaded asked={asked}>{(notice) => <Notice notice={notice} />}</Loaded>
      <AsRequest
        calls={[
          {
            path: pathOf('getNotice', { accessionNumber: id }),
            typescript: `const notice = await client.notices.get(${JSON.stringify(id)})`,
          },
        ]}
      />
    </>
  )
}

function Notice({ notice }: { notice: NoticeDetail }) {
  const { form, ticker, issuerCik, companyName, seller, units, state, windowOpen, windowEnd, planAdoptionDates } =
    notice
  const facts: [string, ComponentChildren][] = [
    ['Seller', <InsiderLink cik={seller.cik} name={seller.name} />],
    ['Relationship', seller.relationships.join(', ') || 'not stated'],
    [
      'Filed',
      <>
        <Time at={notice.filingDate} basis={notice.filingDateBasis} /> ({BASES[notice.filingDateBasis]})
      </>,
    ],
    ['Units to be sold', unitsOf(units)],
    ['Value when filed', `${valueOf(notice)}${notice.valueStatus === 'suspect' ? ', which can not be right' : ''}`],
    ['Sale about', notice.saleDate ?? 'not readable'],
    ['10b5-1 plan', planWords(notice.plan10b51, planAdoptionDates)],
    ['State', NOTICE_STATES[state]],
    ['Reported as sold', `${shares(notice.reportedUnits)} of ${unitsOf(units)} units`],
    ['Sales count until', `${windowEnd}${windowOpen ? '' : ', which is over'}`],
  ]
  return (
    <>
      <div class="head">
        <Heading>
          Planned sale at <a href={linkTo('company', ticker || issuerCik)}>{ticker || companyName}</a>{' '}
          {ticker && <span class="full">{companyName}</span>}
        </Heading>
        {notice.url && <SecLink url={notice.url}>This notice at the SEC</SecLink>}
      </div>
      {notice.replacedBy !== null && (
        <p class="notice">
          <a href={linkTo('notice', notice.replacedBy)}>An amendment</a> took the place of this notice.
        </p>
      )}
      {notice.group !== null && notice.group !== notice.accessionNumber && (
        <p class="notice">
          It is about the same shares as <a href={linkTo('notice', notice.group)}>another notice</a>; they count once.
        </p>
      )}
      <div class="facts">
        <dl>
          <div>
            <dt>Form</dt>
            <dd>
              {form}, {notice.accessionNumber}
            </dd>
          </div>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <Rows
        title="To be sold"
        head={['Class', 'Units', 'Value', 'Price', 'Sale about', 'Broker', 'Exchange']}
        rows={notice.lines.map((line) => [
          line.securityTitle,
          unitsOf(line.units),
          valueOf(line),
          line.pricePerUnit === null ? '–' : price(line.pricePerUnit),
          line.saleDate ?? '–',
          line.broker ?? '–',
          line.exchange ?? '–',
        ])}
      />
      <Rows
        title="Sales that count for it"
        head={['Transaction', 'Units', 'Filing']}
        rows={notice.sales.map(({ transactionId, accessionNumber, units: sold }) => [
          transactionId,
          shares(sold),
          <FilingLink of={accessionNumber}>{accessionNumber}</FilingLink>,
        ])}
      />
      <Rows
        title="How the securities were acquired"
        head={['Class', 'Acquired', 'How', 'From', 'Units', 'Payment']}
        rows={notice.acquisitions.map((lot) => [
          lot.securityTitle,
          lot.acquiredDate ?? '–',
          lot.nature ?? '–',
          lot.from ?? '–',
          unitsOf(lot.units),
          lot.payment ?? '–',
        ])}
      />
      <Rows
        title="Sales of the three months before"
        head={['Seller', 'Class', 'Sold', 'Units', 'Proceeds']}
        rows={notice.pastSales.map((sale) => [
          sale.seller,
          sale.securityTitle,
          sale.saleDate ?? '–',
          unitsOf(sale.units),
          sale.grossProceeds === null ? '–' : money(sale.grossProceeds),
        ])}
      />
      {notice.remarks && (
        <section>
          <h2>Remarks</h2>
          <p class="footnote">{notice.remarks}</p>
        </section>
      )}
    </>
  )
}

const planWords = (plan: NoticeDetail['plan10b51'], adopted: readonly string[]): string =>
  plan === 'yes' ? `yes${adopted.length === 0 ? '' : `, adopted ${[...new Set(adopted)].join(', ')}`}` : 'not stated'

const NUMBERS = ['Units', 'Value', 'Price', 'Proceeds']

/** A table, or nothing where there are no rows. */
function Rows({ title, head, rows }: { title: string; head: readonly string[]; rows: ComponentChildren[][] }) {
  if (rows.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      <div class="scroller" role="region" aria-label={title} tabIndex={0}>
        <table>
          <caption class="sr">{title}</caption>
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col" class={NUMBERS.includes(name) ? 'number' : ''}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, index) => (
              <tr key={index}>
                {cells.map((cell, place) => (
                  <td key={place} class={NUMBERS.includes(head[place]!) ? 'number' : ''}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
