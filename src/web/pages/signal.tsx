// One signal explained: its window with every trade that counts and every one that was left out, and why.
import type { SignalDetail, Transaction } from '../../client/index.ts'
import { pathOf } from '../../client/operations.ts'
import { client, useAsked } from '../api.ts'
import { Lanes, type Lane } from '../chart/lanes.tsx'
import { marksOf } from '../chart/marks.ts'
import { windowOf } from '../chart/windows.ts'
import { insiderName, many, money } from '../format.ts'
import { linkTo, route } from '../route.ts'
import { REASONS, SIGNALS } from '../words.ts'
import { Heading } from '../parts/heading.tsx'
import { FilingLink, InsiderLink, Level, Time } from '../parts/inline.tsx'
import { Loaded } from '../parts/notice.tsx'
import { AsRequest } from '../parts/request.tsx'
import { TradeTable } from '../parts/trade-table.tsx'

export function SignalPage() {
  const { id } = route.value
  const asked = useAsked((signal) => client.signals.get(id, { detail: 'full' }, { signal }), [id])
  const rules = useAsked((signal) => client.signals.rules({ signal }), [])
  return (
    <>
      <Loaded asked={asked}>
        {(detail) => {
          const rule = rules.data?.rules.find(({ type }) => type === detail.signal.type)
          return (
            <>
              <Explained detail={detail} />
              {rule && (
                <section class="text">
                  <h2>Research and limits</h2>
                  <p>{rule.research}</p>
                  <p>{rule.limits}</p>
                </section>
              )}
            </>
          )
        }}
      </Loaded>
      <AsRequest
        calls={[
          {
            path: pathOf('getSignal', { id }, { detail: 'full' }),
            typescript: `const signal = await client.signals.get(${JSON.stringify(id)}, { detail: 'full' })`,
          },
        ]}
      />
    </>
  )
}

function Explained({ detail }: { detail: SignalDetail }) {
  const { signal, status, endedAt, counted, leftOut, history, rule } = detail
  const { lanes, from, to, windows } = lanesOf(detail)
  const basisOf = (accession: string) =>
    counted.find((row) => row.detail?.accessionNumber === accession)?.detail?.filingDateBasis
  return (
    <>
      <div class="head">
        <Heading>
          {SIGNALS[signal.type]} at{' '}
          {signal.ticker ? <a href={linkTo('company', signal.ticker)}>{signal.ticker}</a> : signal.companyName}
        </Heading>
        <p class="tools">
          <Level of={signal.severity} />
          {status === 'holding' ? (
            <span class="badge" title="Its rule holds at present">
              active
            </span>
          ) : (
            <span class="badge">ended {endedAt && <Time at={endedAt} />}</span>
          )}
          <span class="muted">
            first detected <Time at={signal.detectedAt} />
          </span>
        </p>
      </div>
      <p class="lead">{signal.description}</p>
      <p class="muted">{evidenceWords(detail)}</p>
      <figure>
        <figcaption>
          A line for each insider, a mark for each day: filled ones count towards the signal, outlined ones do not.
          {windows.length > 0 && ' Shaded: the days that the rule looks at.'}
        </figcaption>
        <Lanes lanes={lanes} from={from} to={to} windows={windows} />
      </figure>
      <section>
        <h2>
          Trades that count ({counted.length} of {counted.length + leftOut.length})
        </h2>
        <TradeTable caption="Trades that count" rows={counted} without="company" />
      </section>
      {leftOut.length > 0 && (
        <section>
          <h2>Trades left out, and why</h2>
          <LeftOut rows={leftOut} />
        </section>
      )}
      <section>
        <h2>History of the signal</h2>
        <ol class="history">
          {history.map(({ at, accessionNumber, severity, insiderCount, totalValue }) => (
            <li key={at + accessionNumber}>
              <Time at={at} basis={basisOf(accessionNumber)} /> <Level of={severity} /> {many(insiderCount, 'insider')},{' '}
              {money(totalValue)}{' '}
              <span class="muted">
                with filing <FilingLink of={accessionNumber}>{accessionNumber}</FilingLink>
              </span>
            </li>
          ))}
        </ol>
      </section>
      <section class="text">
        <h2>The rule</h2>
        <p>{rule.text}</p>
        <p class="muted">
          Detected with {thresholds(rule.madeBy)}
          {rule.madeBy === rule.version ? '' : `; in use now: ${thresholds(rule.version)}`}.
        </p>
      </section>
    </>
  )
}

const thresholds = (version: string) => (version === 'default' ? 'default thresholds' : `thresholds ${version}`)

function LeftOut({ rows }: { rows: SignalDetail['leftOut'] }) {
  return (
    <div class="scroller" role="region" aria-label="Trades left out" tabIndex={0}>
      <table class="left-out">
        <caption class="sr">Trades left out, and why</caption>
        <thead>
          <tr>
            <th scope="col">Traded</th>
            <th scope="col">Insider</th>
            <th scope="col" class="number">
              Value
            </th>
            <th scope="col">Why it does not count</th>
            <th scope="col">Filing</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ transaction, reason }) => (
            <tr key={transaction.id} data-reason={reason}>
              <td>{transaction.detail?.tradeDate}</td>
              <th scope="row">
                <InsiderLink cik={transaction.detail?.insiderCik ?? ''} name={transaction.insiderName} />{' '}
                <span class="title">{transaction.insiderTitle}</span>
              </th>
              <td class="number">{money(transaction.totalValue)}</td>
              <td class="why">{REASONS[reason]}</td>
              <td>
                <FilingLink of={transaction.detail?.accessionNumber}>Form {transaction.detail?.form}</FilingLink>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function evidenceWords({ signal, evidence, firstTradeDate: first, lastTradeDate: last }: SignalDetail): string {
  const on = first === last ? first : `${first} to ${last}`
  switch (evidence.kind) {
    case 'cluster':
      return `Traded ${on} by ${signal.insiderCount} insiders, ${evidence.officers} of them ${
        evidence.officers === 1 ? 'an officer' : 'officers'
      }${evidence.withCeoOrCfo ? ', the CEO or CFO included' : ''}.`
    case 'own_mean': {
      const { ratio, meanValue, earlierTrades } = evidence
      const mean = `${money(meanValue)}, the average of the insider's ${earlierTrades} earlier trades`
      return `Traded ${on}: ${ratio.toFixed(1)} times ${mean}.`
    }
    case 'percentile': {
      const { percentileValue, companyTrades } = evidence
      const limit = `${money(percentileValue)}, the limit by ${companyTrades} earlier trades at the company`
      return `Traded ${on}: above ${limit}.`
    }
    case 'reversal':
      return `Traded ${on}, after ${evidence.oppositeTrades} earlier trades in the other direction.`
    default:
      return `Traded ${on}.`
  }
}

/** A line for each insider, with what counts filled and what does not outlined. */
function lanesOf(detail: SignalDetail) {
  const { counted, leftOut } = detail
  const reasons = new Map(leftOut.map(({ transaction, reason }) => [transaction.id, reason]))
  const all = [...counted, ...leftOut.map(({ transaction }) => transaction)]
  const byInsider = Map.groupBy(all, ({ detail, insiderName: name }) => detail?.insiderCik ?? name)
  const lanes = [...byInsider].map(([key, rows]): Lane => {
    const out = rows.filter(({ id }) => reasons.has(id))
    const inside = rows.filter(({ id }) => !reasons.has(id))
    const why = [...new Set(out.map(({ id }) => REASONS[reasons.get(id)!]))].join('; ')
    const total = sum(inside.length > 0 ? inside : out)
    const { insiderName: name, insiderTitle: title } = rows[0]!
    const marks = [
      ...marksOf(inside).marks.map((mark) => ({ ...mark, isPlan: false })),
      ...marksOf(out).marks.map((mark) => ({ ...mark, id: `${mark.id} out`, isPlan: true })),
    ]
    return {
      key,
      marks,
      head: (
        <>
          {insiderName(name)} <span class="title">{title}</span>
        </>
      ),
      end: (
        <>
          {money(total)} <span class="muted">{inside.length > 0 ? 'counts' : why}</span>
        </>
      ),
      words: `${insiderName(name)}: ${money(total)} ${inside.length > 0 ? 'counts' : `left out, ${why}`}`,
    }
  })
  const window = windowOf(detail)
  const at = lanes.flatMap(({ marks }) => marks.map((mark) => mark.at))
  const windows = window.to > window.from ? [window] : []
  const pad = windows.length > 0 ? 2 : 5
  return { lanes, windows, from: Math.min(window.from, ...at) - pad, to: Math.max(window.to, ...at) + pad }
}

const sum = (rows: readonly Transaction[]): number => rows.reduce((total, { totalValue }) => total + totalValue, 0)
