// What a filing says beyond a trade's line: codes in words, plan, price, what is owned after, and its footnotes.
import type { Transaction } from '../../client/index.ts'
import type { Data } from '../../client/operations.ts'
import { client, useAsked } from '../api.ts'
import { shares } from '../format.ts'
import { linkTo } from '../route.ts'
import { BASES, moreFacts, OWNERSHIP, planWords, PRICES } from '../words.ts'
import { FilingLink, InsiderLink, SecLink } from './inline.tsx'
import { Loaded } from './notice.tsx'

export type FilingDetail = Data<'getFiling'>

export function TradeDetail({ row }: { row: Transaction }) {
  const { detail } = row
  const asked = useAsked((signal) => client.filings.get(detail?.accessionNumber ?? '', { signal }), [row.id])
  if (detail === undefined) return null
  const after = detail.sharesOwnedAfter
  const facts: [string, string][] = [
    ['Security', detail.securityTitle],
    [
      'SEC code',
      `${detail.transactionCode || 'none'}, ${detail.acquiredDisposed === 'A' ? 'acquired' : 'disposed of'}`,
    ],
    ['Ownership', OWNERSHIP[detail.ownership]],
    ['Shares owned after', after === null ? 'not stated' : shares(after)],
    ['Price', PRICES[detail.priceStatus]],
    ...moreFacts(detail),
    ['10b5-1 plan', planWords(detail)],
    ['Time of filing', BASES[detail.filingDateBasis] ?? ''],
    ['Name as filed', row.insiderName],
  ]
  return (
    <div class="facts">
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {detail.coOwners?.length > 0 && (
          <div>
            <dt>Filed with</dt>
            <dd>
              {detail.coOwners.map(({ cik, name, title }) => (
                <div key={cik}>
                  <InsiderLink cik={cik} name={name} /> <span class="title">{title}</span>
                </div>
              ))}
            </dd>
          </div>
        )}
        {detail.planAdoptedOn && (
          <div>
            <dt>Plan adopted</dt>
            <dd>{detail.planAdoptedOn}, by a notice</dd>
          </div>
        )}
        {detail.notices && (
          <div>
            <dt>Planned by</dt>
            <dd>
              {detail.notices.map(({ accessionNumber }, index) => (
                <span key={accessionNumber}>
                  {index > 0 && ', '}
                  <a href={linkTo('notice', accessionNumber)}>notice {accessionNumber}</a>
                </span>
              ))}
            </dd>
          </div>
        )}
        <div>
          <dt>Filing</dt>
          <dd>
            <FilingLink of={detail.accessionNumber}>{detail.accessionNumber}</FilingLink>{' '}
            {detail.url && <SecLink url={detail.url}>at the SEC</SecLink>}
          </dd>
        </div>
      </dl>
      <Loaded asked={asked}>
        {({ footnotes, remarks, amends, amendedBy }) => (
          <>
            {amends.length > 0 && (
              <p>
                Amends <Filings all={amends} />.
              </p>
            )}
            {amendedBy.length > 0 && (
              <p>
                Amended by <Filings all={amendedBy} />.
              </p>
            )}
            <Footnotes footnotes={footnotes} remarks={remarks} />
          </>
        )}
      </Loaded>
    </div>
  )
}

/** Links to filings, separated by commas. */
export const Filings = ({ all }: { all: readonly string[] }) =>
  all.map((each, index) => (
    <span key={each}>
      {index > 0 && ', '}
      <FilingLink of={each}>{each}</FilingLink>
    </span>
  ))

/** Footnotes and remarks as typed. */
export function Footnotes({ footnotes, remarks }: Pick<FilingDetail, 'footnotes' | 'remarks'>) {
  return (
    <>
      {(footnotes ?? []).map(({ id, text }) => (
        <p key={id} class="footnote">
          <b>{id}</b> {text}
        </p>
      ))}
      {remarks && (
        <p class="footnote">
          <b>Remarks</b> {remarks}
        </p>
      )}
    </>
  )
}
