// One filing with everything it says: who filed, both tables, footnotes, remarks and signatures, and what the service
// made of each transaction.
import type { ComponentChildren } from 'preact'
import type { components } from '../../contract.ts'
import { pathOf } from '../../client/operations.ts'
import { client, useAsked } from '../api.ts'
import { money, price, shares } from '../format.ts'
import { Heading } from '../parts/heading.tsx'
import { FilingLink, InsiderLink, SecLink, Time } from '../parts/inline.tsx'
import { Loaded } from '../parts/notice.tsx'
import { AsRequest } from '../parts/request.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { Filings, Footnotes, type FilingDetail } from '../parts/trade-detail.tsx'
import { linkTo, route } from '../route.ts'
import { BASES, isMarked, PRICES, TYPE_LABELS } from '../words.ts'
import { Unknown } from './company.tsx'

type Row = components['schemas']['FilingRow']
type DerivativeRow = components['schemas']['DerivativeRow']

export function FilingPage() {
  const { id } = route.value
  const asked = useAsked((signal) => client.filings.get(id, { signal }), [id])
  if (asked.error !== null && ['unknown_filing', 'invalid_parameter'].includes(asked.error.code)) {
    return <Unknown what={`No filing has the accession number ${id}`} />
  }
  return (
    <>
      <Loaded asked={asked}>{(filing) => <Filing filing={filing} />}</Loaded>
      <AsRequest
        calls={[
          {
            path: pathOf('getFiling', { accessionNumber: id }),
            typescript: `const filing = await client.filings.get(${JSON.stringify(id)})`,
          },
        ]}
      />
    </>
  )
}

function Filing({ filing }: { filing: FilingDetail }) {
  const { accessionNumber, form, issuer, owners, amends, amendedBy, derivative, signatures, plan10b51Box } = filing
  return (
    <>
      <div class="head">
        <Heading>
          Form {form} at <a href={linkTo('company', issuer.ticker || issuer.cik)}>{issuer.ticker || issuer.name}</a>{' '}
          {issuer.ticker && <span class="full">{issuer.name}</span>}
        </Heading>
        {filing.url && <SecLink url={filing.url}>This filing at the SEC</SecLink>}
      </div>
      {filing.withdrawnAt !== null && (
        <p class="notice">
          The SEC deleted this filing; received <Time at={filing.withdrawnAt} basis="accepted" />. None of its trades
          counts.
        </p>
      )}
      {filing.repaired && (
        <p class="notice">
          The document is no well-formed XML: it was read after a fault of its markup was undone. Its texts and numbers
          are as filed.
        </p>
      )}
      {!filing.complete && <p class="notice">This service does not have all of the filing.</p>}
      <div class="facts">
        <dl>
          <Fact name="Accession number">{accessionNumber}</Fact>
          <Fact name="Filed">
            <Time at={filing.filingDate} basis={filing.filingDateBasis} isDated /> ({BASES[filing.filingDateBasis]})
          </Fact>
          <Fact name={owners.length === 1 ? 'Insider' : 'Insiders'}>
            {owners.map(({ cik, name, title }) => (
              <div key={cik}>
                <InsiderLink cik={cik} name={name} /> <span class="title">{title}</span>
              </div>
            ))}
          </Fact>
          {filing.periodOfReport !== null && <Fact name="Period of the report">{filing.periodOfReport}</Fact>}
          {plan10b51Box !== null && <Fact name="Box for a 10b5-1 plan">{plan10b51Box ? 'ticked' : 'not ticked'}</Fact>}
          {amends.length > 0 && (
            <Fact name="Amends">
              <Filings all={amends} />
            </Fact>
          )}
          {amendedBy.length > 0 && (
            <Fact name="Amended by">
              <Filings all={amendedBy} />
            </Fact>
          )}
          <Fact name="Source">
            {filing.source === 'document' ? 'the document itself' : 'a quarterly data set of the SEC'}
          </Fact>
        </dl>
      </div>
      <Lines
        title="Table I: shares and similar"
        none="Table I is empty."
        rows={filing.nonDerivative}
        columns={COLUMNS}
        cells={(row) => [
          row.kind === 'holding' ? 'holding' : (row.tradeDate ?? ''),
          nameOf(row),
          number(row.shares),
          row.pricePerShare === null ? '–' : price(row.pricePerShare),
          row.decision === null || isMarked(row.decision.priceStatus) ? '–' : money(row.decision.totalValue),
          number(row.sharesOwnedAfter),
          row.securityTitle,
          ownershipOf(row),
          <Decision row={row} />,
        ]}
      />
      {derivative === null ? (
        <p class="muted">Table II of this filing is not stored.</p>
      ) : (
        <Lines
          title="Table II: options and other derivatives"
          none="Table II is empty."
          rows={derivative}
          columns={DERIVATIVE_COLUMNS}
          cells={(row) => [
            row.kind === 'holding' ? 'holding' : (row.tradeDate ?? ''),
            row.securityTitle,
            nameOf(row),
            number(row.shares),
            row.conversionPrice === null ? '–' : price(row.conversionPrice),
            row.expirationDate ?? '–',
            [row.underlyingTitle, row.underlyingShares === null ? null : shares(row.underlyingShares)]
              .filter(Boolean)
              .join(', '),
            number(row.sharesOwnedAfter),
            ownershipOf(row),
          ]}
        />
      )}
      {((filing.footnotes ?? []).length > 0 || filing.remarks) && (
        <section>
          <h2>Footnotes and remarks</h2>
          <Footnotes footnotes={filing.footnotes} remarks={filing.remarks} />
        </section>
      )}
      {(signatures ?? []).length > 0 && (
        <section>
          <h2>Signatures</h2>
          {signatures!.map(({ name, date }) => (
            <p key={name + date} class="footnote">
              {name} {date !== null && <span class="muted">{date}</span>}
            </p>
          ))}
        </section>
      )}
    </>
  )
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const COLUMNS: readonly Column[] = [
  ['Traded', 'day'],
  ['Type'],
  ['Shares', 'number'],
  ['Price', 'number'],
  ['Value', 'number'],
  ['Owned after', 'number'],
  ['Security'],
  ['Ownership'],
  ['In the feed'],
]
const DERIVATIVE_COLUMNS: readonly Column[] = [
  ['Traded', 'day'],
  ['Security'],
  ['Code'],
  ['Amount', 'number'],
  ['Exercise price', 'number'],
  ['Expires'],
  ['Underlying'],
  ['Owned after', 'number'],
  ['Ownership'],
]

interface LinesProps<Each> {
  title: string
  none: string
  rows: readonly Each[]
  columns: readonly Column[]
  cells: (row: Each) => ComponentChildren[]
}

function Lines<Each extends Row | DerivativeRow>({ title, none, rows, columns, cells }: LinesProps<Each>) {
  return (
    <section>
      <h2>{title}</h2>
      {rows.length === 0 && <p class="muted">{none}</p>}
      {rows.length > 0 && (
        <Table
          caption={title}
          columns={[...columns, ['Footnotes']]}
          rows={rows.map((row) => ({
            cells: [...cells(row), [...new Set(Object.values(row.footnotes ?? {}).flat())].join(', ')],
          }))}
        />
      )}
    </section>
  )
}

const number = (value: number | null): string => (value === null ? '–' : shares(value))

/** Returns the type of a transaction, else the SEC's code with what it did. */
function nameOf(row: Row | DerivativeRow): string {
  if (row.kind === 'holding') return ''
  if ('decision' in row && row.decision !== null) return TYPE_LABELS[row.decision.transactionType]
  const did = { A: 'acquired', D: 'disposed of' }
  return [row.transactionCode, row.acquiredDisposed && did[row.acquiredDisposed]].filter(Boolean).join(', ')
}

const ownershipOf = ({ ownership, natureOfOwnership }: Row | DerivativeRow): string =>
  [ownership ?? 'not stated', natureOfOwnership].filter(Boolean).join(': ')

/** What became of a transaction in the feed. */
function Decision({ row: { decision } }: { row: Row }) {
  switch (decision?.status) {
    case 'listed':
      return (
        <>
          yes{isMarked(decision.priceStatus) && `; price ${PRICES[decision.priceStatus]}`}
          {decision.notices && (
            <>
              ; <a href={linkTo('notice', decision.notices[0]!.accessionNumber)}>planned</a>
            </>
          )}
        </>
      )
    case 'superseded':
      return (
        <>
          replaced
          {decision.supersededBy !== null && (
            <>
              {' '}
              by <FilingLink of={decision.supersededBy}>{decision.supersededBy}</FilingLink>
            </>
          )}
        </>
      )
    case 'duplicate':
      return <>no: the same trade as in another filing</>
    case 'withdrawn':
      return <>no: the filing was deleted</>
    default:
      return <>–</>
  }
}
