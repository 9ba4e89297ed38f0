// What was sent to the addresses of a key, newest first: each opens to its body and its attempts.
import { useSignal } from '@preact/signals'
import type { Query, Signal, Transaction } from '../../client/index.ts'
import type { components } from '../../contract.ts'
import { keyedClient, useAsked } from '../api.ts'
import { many } from '../format.ts'
import { linkTo } from '../route.ts'
import { DELIVERY_STATUS, EVENTS, SIGNALS } from '../words.ts'
import { FilingLink, Time } from './inline.tsx'
import { useActs } from './keyed.tsx'
import { Loaded } from './notice.tsx'
import { Opener } from './opener.tsx'

type Delivery = components['schemas']['Delivery']

interface DeliveriesProps {
  /** What they are chosen by, with the words for all and each value with its words. */
  by: 'ticker' | 'alertId'
  all: string
  choices: [value: string, words: string][]
  /** They are asked for again when it changes. */
  turn: number
}

export function Deliveries({ by, all, choices, turn }: DeliveriesProps) {
  const status = useSignal<Delivery['status'] | undefined>(undefined)
  const of = useSignal('')
  const pages = useSignal(1)
  const sent = useAsked(
    (signal) => deliveriesOf({ status: status.value, [by]: of.value || undefined }, pages.value, signal),
    [status.value, of.value, pages.value, turn],
  )
  const { act, said } = useActs(sent.again)
  const choose = (change: () => void) => (change(), (pages.value = 1))
  return (
    <section>
      <h2>Deliveries of alerts</h2>
      <p class="muted">Open one to see its filing, its body and every attempt. Given up: nothing more is tried.</p>
      <div class="tools" role="group" aria-label="Which deliveries">
        {([undefined, 'waiting', 'delivered', 'dead'] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={status.value === each}
            onClick={() => choose(() => (status.value = each))}
          >
            {each ? DELIVERY_STATUS[each] : 'all'}
          </button>
        ))}
        <label>
          of{' '}
          <select value={of.value} onChange={(event) => choose(() => (of.value = event.currentTarget.value))}>
            <option value="">{all}</option>
            {choices.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={sent.again}>
          Refresh
        </button>
      </div>
      {said}
      <Loaded asked={sent}>
        {({ deliveries, hasMore }) => (
          <ul class="lines">
            {deliveries.map((each) => (
              <DeliveryLine
                key={each.id}
                delivery={each}
                onResend={() =>
                  void act(keyedClient.value.deliveries.resend(each.id), () => 'The delivery is sent again.')
                }
              />
            ))}
            {deliveries.length === 0 && <li class="none">No deliveries.</li>}
            {hasMore && (
              <li>
                <button type="button" onClick={() => (pages.value += 1)}>
                  Older
                </button>
              </li>
            )}
          </ul>
        )}
      </Loaded>
    </section>
  )
}

const PAGE = 50

/** Returns the newest deliveries, so many pages of them. */
async function deliveriesOf(query: Query<'listDeliveries'>, pages: number, signal: AbortSignal) {
  const { deliveries } = keyedClient.value
  let page = await deliveries.list({ ...query, limit: PAGE }, { signal })
  const found = [...page.deliveries]
  for (let read = 1; read < pages && page.hasMore; read += 1) {
    page = await deliveries.list({ ...query, limit: PAGE, cursor: page.nextCursor }, { signal })
    found.push(...page.deliveries)
  }
  return { deliveries: found, hasMore: page.hasMore }
}

function DeliveryLine({ delivery, onResend }: { delivery: Delivery; onResend: () => void }) {
  const { id, event, ticker, host, status, reason, attempts, createdAt, nextAttemptAt, lastAttempt } = delivery
  const isOpen = useSignal(false)
  return (
    <li data-delivery={id}>
      <span class="kind">
        <Opener isOpen={isOpen}>{EVENTS[event]}</Opener> <b>{ticker}</b>
      </span>
      <span class="said">
        <b>{DELIVERY_STATUS[status]}</b> to {host}, {many(attempts, 'attempt')}
        {lastAttempt && `, ${outcomeOf(lastAttempt)}`}
        {nextAttemptAt !== null && (
          <>
            , next at <Time at={nextAttemptAt} basis="accepted" />
          </>
        )}
        {reason !== null && `, ${reason}`}
      </span>
      <span class="tools">
        <Time at={createdAt} basis="accepted" />
        {status !== 'waiting' && (
          <button type="button" aria-label={`Send again: ${EVENTS[event]}, ${ticker ?? host}`} onClick={onResend}>
            Send again
          </button>
        )}
      </span>
      {isOpen.value && <Opened id={id} />}
    </li>
  )
}

type Outcome = Pick<components['schemas']['DeliveryAttempt'], 'status' | 'error' | 'milliseconds'>

/** Returns what came of an attempt, in words. */
const outcomeOf = ({ status, error, milliseconds }: Outcome): string =>
  `${status === null ? error : `status ${status}`} after ${milliseconds} ms`

/** Says what became of a test. */
export function testWords({
  status,
  reason,
  attemptsMade: [attempt],
}: components['schemas']['DeliveryDetail']): string {
  if (!attempt && status === 'dead') return `Test ${DELIVERY_STATUS[status]}: ${reason}`
  if (!attempt) return 'The test is on its way; the deliveries below show what becomes of it.'
  const said = attempt.answer ? `, and the receiver said: ${attempt.answer.slice(0, 200)}` : ''
  return `Test ${DELIVERY_STATUS[status]}: ${outcomeOf(attempt)}${said}`
}

/** What an event is about, of any type. */
interface EventData {
  companyName?: string
  accessionNumber?: string
  transactions?: Transaction[]
  signal?: Signal
  message?: string
}

/** A delivery in full: what it is about, its body as sent, and its attempts. */
function Opened({ id }: { id: string }) {
  const asked = useAsked((signal) => keyedClient.value.deliveries.get(id, { signal }), [id])
  return (
    <div class="opened">
      <Loaded asked={asked}>
        {({ body, attemptsMade }) => {
          // A message for a chat has no data.
          const event = JSON.parse(body) as { data?: EventData }
          return (
            <>
              <About {...event.data} />
              <h3>Attempts</h3>
              <ol>
                {attemptsMade.map(({ number, at, answer, ...attempt }) => (
                  <li key={number} value={number}>
                    <Time at={at} basis="accepted" />, {outcomeOf(attempt)} {answer && <q>{answer.slice(0, 200)}</q>}
                  </li>
                ))}
              </ol>
              <h3>Body as sent</h3>
              <pre tabIndex={0} role="region" aria-label="Body as sent">
                {JSON.stringify(event, null, 2)}
              </pre>
            </>
          )
        }}
      </Loaded>
    </div>
  )
}

function About({ companyName, accessionNumber, transactions, signal, message }: EventData) {
  return (
    <p>
      {companyName ?? signal?.companyName ?? message}
      {accessionNumber !== undefined && (
        <>
          , filing <FilingLink of={accessionNumber}>{accessionNumber}</FilingLink>
        </>
      )}
      {transactions !== undefined && `, ${many(transactions.length, 'trade')}`}
      {signal !== undefined && (
        <>
          : <a href={linkTo('signal', signal.id)}>{SIGNALS[signal.type]}</a>. {signal.description}
        </>
      )}
    </p>
  )
}
