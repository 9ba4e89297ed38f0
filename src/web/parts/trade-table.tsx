// Trades, a line each: filed, traded, company, insider, what was done, how much, and what to know of it. A line opens
// in place to what else the filing says.
import { useSignal } from '@preact/signals'
import type { Transaction } from '../../client/index.ts'
import { change, insiderName, isEstimated, money, price, shares, shortDay } from '../format.ts'
import { linkTo } from '../route.ts'
import { flagsOf, hasValue, isOpenMarket, TYPE_LABELS } from '../words.ts'
import { ESTIMATED, FilingLink, InsiderLink, Level, Time } from './inline.tsx'
import { Opener } from './opener.tsx'
import { TradeDetail } from './trade-detail.tsx'

interface TableProps {
  caption: string
  rows: readonly Transaction[]
  /** Columns that the page says already. */
  without?: 'company' | 'insider' | undefined
  arrived?: ReadonlySet<string> | undefined
}

const COLUMNS = [
  ['Filed', ''],
  ['Traded', ''],
  ['Company', ''],
  ['Insider', ''],
  ['Type', ''],
  ['Shares', 'number'],
  ['Price', 'number'],
  ['Value', 'number'],
  ['Holding', 'number'],
  ['Notes', ''],
  ['Filing', ''],
] as const

/** With roles, since a line that is laid out as a grid on a phone is no row to a reader of screens. */
export function TradeTable({ caption, rows, without, arrived }: TableProps) {
  const left = without === undefined ? '' : without === 'company' ? 'Company' : 'Insider'
  const columns = COLUMNS.filter(([name]) => name !== left)
  return (
    <>
      <Legend rows={rows} />
      <div class="scroller" role="region" aria-label={caption} tabIndex={0}>
        <table class={`trades${without === 'company' ? ' no-company' : ''}`} role="table">
          <caption class="sr">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(([name, kind]) => (
                <th key={name} role="columnheader" scope="col" class={`${kind} c-${name.toLowerCase()}`}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <TradeRow
                key={row.id}
                row={row}
                without={without}
                isNew={arrived?.has(row.id) ?? false}
                span={columns.length}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

/** What the marks of these rows mean. */
function Legend({ rows }: { rows: readonly Transaction[] }) {
  const flags = new Map(rows.flatMap(flagsOf).map(({ letter, words }) => [letter, words]))
  return (
    <p class="legend">
      {rows.some(({ significance }) => significance !== 'low') && (
        <span>
          <Level of="medium" /> <Level of="high" /> <Level of="critical" /> stripe and badge: significance, by dollars
          and signals
        </span>
      )}
      {rows.some(({ signals }) => signals.length > 0) && (
        <span>
          <span class="badge">Signal</span> the trade is part of this signal
        </span>
      )}
      <span class="off-phone">Holding: how the trade changed what the insider holds</span>
      {rows.some(({ filingDate, detail }) => isEstimated(filingDate, detail?.filingDateBasis)) && (
        <span>≈ {ESTIMATED}</span>
      )}
      {[...flags].map(([letter, words]) => (
        <span key={letter}>
          <abbr title={words}>{letter}</abbr> {words}
        </span>
      ))}
    </p>
  )
}

interface RowProps {
  row: Transaction
  without: TableProps['without']
  isNew: boolean
  span: number
}

function TradeRow({ row, without, isNew, span }: RowProps) {
  const isOpen = useSignal(false)
  const { detail } = row
  const value = hasValue(row) ? money(row.totalValue) : '–'
  const classes = [
    isOpenMarket(row) ? row.transactionType : 'minor',
    `of-${row.significance}`,
    isNew ? 'fresh' : '',
    value === '–' ? 'no-value' : '',
    isOpen.value ? 'open' : '',
  ]
  const Head = without === 'company' ? 'td' : 'th'
  const head = without === 'company' ? { role: 'cell' as const } : { role: 'rowheader' as const, scope: 'row' as const }
  return (
    <>
      <tr role="row" class={classes.filter(Boolean).join(' ')} data-id={row.id}>
        <td role="cell" class="c-filed">
          <Opener isOpen={isOpen}>
            <Time at={row.filingDate} basis={detail?.filingDateBasis} />
            <span class="sr">
              , details of the {TYPE_LABELS[row.transactionType].toLowerCase()} by {insiderName(row.insiderName)}
            </span>
          </Opener>
        </td>
        <td role="cell" class="c-traded">
          {detail === undefined ? '' : shortDay(detail.tradeDate)}
        </td>
        {without !== 'company' && (
          <Head {...head} class="c-company">
            <a href={linkTo('company', row.ticker || (detail?.issuerCik ?? ''))} title={row.companyName}>
              <b>{row.ticker || '–'}</b> <span class="name">{row.companyName}</span>
            </a>
          </Head>
        )}
        {without !== 'insider' && (
          <td role="cell" class="c-insider">
            <InsiderLink cik={detail?.insiderCik ?? ''} name={row.insiderName} />{' '}
            <span class="title">{row.insiderTitle}</span>
            {row.signals.map((label) => (
              <span key={label} class="badge" title="A signal that this trade is part of">
                {label}
              </span>
            ))}
          </td>
        )}
        <td role="cell" class="c-type">
          <span class="type">{TYPE_LABELS[row.transactionType]}</span>{' '}
          {(row.significance === 'critical' || row.significance === 'high') && <Level of={row.significance} />}
          {without === 'insider' &&
            row.signals.map((label) => (
              <span key={label} class="badge" title="A signal that this trade is part of">
                {label}
              </span>
            ))}
        </td>
        <td role="cell" class="number c-shares">
          {shares(row.shares)}
          <span class="on-phone"> shares</span>
        </td>
        <td role="cell" class="number c-price">
          {price(row.pricePerShare)}
        </td>
        <td role="cell" class="number c-value">
          {value}
        </td>
        <td role="cell" class="number c-holding">
          {detail?.holdingChangeKind === 'new' ? 'new' : change(detail?.holdingChange)}
        </td>
        <td role="cell" class="c-notes">
          {flagsOf(row).map(({ letter, words }) => (
            <abbr key={letter} title={words}>
              {letter}
              <span class="sr"> {words}. </span>
            </abbr>
          ))}
        </td>
        <td role="cell" class="c-filing">
          <FilingLink of={detail?.accessionNumber}>Form {detail?.form ?? '4'}</FilingLink>
        </td>
      </tr>
      {isOpen.value && (
        <tr role="row" class="detail">
          <td role="cell" colSpan={span}>
            <TradeDetail row={row} />
          </td>
        </tr>
      )}
    </>
  )
}
