// What a filing says beyond a trade's line: codes in words, plan, price, what is owned after, and its footnotes.
import type { Transaction } from '../../client/index.ts'
import { client, useAsked } from '../api.ts'
import { shares } from '../format.ts'
import { BASES, OWNERSHIP, planWords, PRICES } from '../words.ts'
import { SecLink } from './inline.tsx'
import { Loaded } from './notice.tsx'

export function TradeDetail({ row }: { row: Transaction }) {
  const { detail } = row
  const asked = useAsked((signal) => client.filings.get(detail?.accessionNumber ?? '', { signal }), [row.id])
  if (detail === undefined) return null
  const after = detail.sharesOwnedAfter
  const facts: [string, string][] = [
    ['Security', detail.securityTitle],
    ['Code', `${detail.transactionCode || 'none'}, ${detail.acquiredDisposed === 'A' ? 'acquired' : 'disposed of'}`],
    ['Ownership', OWNERSHIP[detail.ownership]],
    ['Owned after', after === null ? 'not stated' : shares(after)],
    ['Price', PRICES[detail.priceStatus]],
    ['Plan', planWords(detail)],
    ['Filed', BASES[detail.filingDateBasis] ?? ''],
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
        <div>
          <dt>Filing</dt>
          <dd>
            <SecLink url={detail.url}>{detail.accessionNumber}</SecLink> (form {detail.form})
          </dd>
        </div>
      </dl>
      <Loaded asked={asked}>
        {({ footnotes, remarks, amends, amendedBy, owners }) => (
          <>
            {owners.length > 1 && <p>Filed by {owners.map(({ name }) => name).join('; ')}.</p>}
            {amends.length > 0 && <p>Amends {amends.join(', ')}.</p>}
            {amendedBy.length > 0 && <p>Amended by {amendedBy.join(', ')}.</p>}
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
        )}
      </Loaded>
    </div>
  )
}
