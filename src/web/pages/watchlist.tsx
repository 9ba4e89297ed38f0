// The watchlist of the reader's key, and what was sent to its webhook addresses.
import { useSignal } from '@preact/signals'
import type { Query, Signal, Transaction } from '../../client/index.ts'
import type { components } from '../../contract.ts'
import { apiKey, forgetKey, useKey } from '../state/store.ts'
import { errorOf, keyedClient, useAsked } from '../api.ts'
import { many } from '../format.ts'
import { linkTo, route } from '../route.ts'
import { DELIVERY_STATUS, EVENTS, SIGNALS } from '../words.ts'
import { FilingLink, Time } from '../parts/inline.tsx'
import { Combobox, symbolOf } from '../parts/combobox.tsx'
import { Fault, Loaded } from '../parts/notice.tsx'
import { AsRequest } from '../parts/request.tsx'

type Delivery = components['schemas']['Delivery']

const fieldsOf = (event: SubmitEvent) => {
  event.preventDefault()
  return new FormData(event.currentTarget as HTMLFormElement)
}

export function WatchlistPage() {
  return (
    <>
      <h1>Watchlist</h1>
      {apiKey.value === null ? <SignIn /> : <Watched key={apiKey.value} />}
    </>
  )
}

function SignIn() {
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        const fields = fieldsOf(event)
        useKey((fields.get('key') as string).trim(), fields.has('keep'))
      }}
    >
      <label>
        API key <input name="key" type="password" autocomplete="off" required placeholder="itd_…" />
      </label>
      <label class="switch">
        <input name="keep" type="checkbox" /> remember on this device
      </label>
      <button type="submit" class="main">
        Sign in
      </button>
      <p class="muted">
        The operator of this service issues a key with <code>make key NAME=me</code>. The key stays in this tab unless
        you tick the box, and is sent to this service alone.
      </p>
    </form>
  )
}

function Watched() {
  const client = keyedClient.value
  const said = useSignal<ReturnType<typeof errorOf> | string | null>(null)
  const list = useAsked((signal) => client.watchlist.list({ signal }), [])
  const status = useSignal<Delivery['status'] | undefined>(undefined)
  const of = useSignal('')
  const pages = useSignal(1)
  const sent = useAsked(
    (signal) => deliveriesOf({ status: status.value, ticker: of.value || undefined }, pages.value, signal),
    [status.value, of.value, pages.value],
  )
  const choose = (change: () => void) => (change(), (pages.value = 1))
  // What is known of it: the list of the API does not say which entries have an address.
  const hasAddress = useSignal<ReadonlyMap<string, boolean>>(new Map())
  const know = (ticker: string, has: boolean) => (hasAddress.value = new Map([...hasAddress.value, [ticker, has]]))
  const act = <T,>(work: Promise<T>, words: (result: T) => string) =>
    work.then(
      (result) => {
        said.value = words(result)
        list.again()
        sent.again()
      },
      (reason: unknown) => (said.value = errorOf(reason)),
    )
  return (
    <>
      <p class="tools under">
        <span class="muted">Signed in with {apiKey.value!.split('_').slice(0, 2).join('_')}_…</span>
        <button type="button" onClick={forgetKey}>
          Forget the key
        </button>
      </p>
      {typeof said.value === 'string' && <p role="status">{said.value}</p>}
      {said.value !== null && typeof said.value !== 'string' && <Fault error={said.value} />}
      <form
        class="tools under"
        onSubmit={(event) => {
          const fields = fieldsOf(event)
          const [ticker, url] = ['ticker', 'url'].map((name) => (fields.get(name) as string).trim()) as [string, string]
          void act(client.watchlist.add(ticker, url || null), (entry) => {
            know(entry.ticker, entry.webhookUrl !== undefined)
            const alerts = entry.webhookUrl === undefined ? ', without alerts' : ''
            return `${entry.ticker} is watched${alerts}. ${entry.warning ?? ''}`
          })
        }}
      >
        <label>
          Company{' '}
          <Combobox
            id="company"
            name="ticker"
            label="Company"
            placeholder="EXWI"
            isRequired
            initial={route.value.query.get('add') ?? ''}
            kinds="company"
            onChoose={symbolOf}
          />
        </label>
        <label>
          Send alerts to <input name="url" type="url" placeholder="https://… (optional)" size={32} />
        </label>
        <button type="submit" class="main">
          Save
        </button>
      </form>
      <Loaded asked={list}>
        {({ companies }) => (
          <ul class="lines">
            {companies.map(({ ticker, addedAt }) => (
              <li key={ticker}>
                <a href={linkTo('company', ticker)}>
                  <b>{ticker}</b>
                </a>
                <span class="muted">
                  since <Time at={addedAt} basis="accepted" />
                </span>
                <span class="tools">
                  {hasAddress.value.get(ticker) === false ? (
                    <span class="muted">no address for alerts</span>
                  ) : (
                    <button
                      type="button"
                      aria-label={`Send a test event of ${ticker}`}
                      onClick={() => {
                        const sending = client.watchlist.test(ticker)
                        sending.catch(({ code }) => code === 'no_webhook_address' && know(ticker, false))
                        void act(sending, () => `A test event of ${ticker} is on its way.`)
                      }}
                    >
                      Test
                    </button>
                  )}
                  <button
                    type="button"
                    aria-label={`Remove ${ticker}`}
                    onClick={() => void act(client.watchlist.remove(ticker), () => `${ticker} is no longer watched.`)}
                  >
                    Remove
                  </button>
                </span>
              </li>
            ))}
            {companies.length === 0 && <li>Nothing is watched yet.</li>}
          </ul>
        )}
      </Loaded>
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
              <option value="">all companies</option>
              {list.data?.companies.map(({ ticker }) => (
                <option key={ticker}>{ticker}</option>
              ))}
            </select>
          </label>
          <button type="button" onClick={sent.again}>
            Refresh
          </button>
        </div>
        <Loaded asked={sent}>
          {({ deliveries, hasMore }) => (
            <ul class="lines">
              {deliveries.map((each) => (
                <DeliveryLine
                  key={each.id}
                  delivery={each}
                  onResend={() => void act(client.deliveries.resend(each.id), () => 'The delivery is sent again.')}
                />
              ))}
              {deliveries.length === 0 && <li>No deliveries.</li>}
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
      <AsRequest
        calls={[
          { path: '/v1/watchlist', typescript: 'const { companies } = await client.watchlist.list()', isKeyed: true },
        ]}
      />
    </>
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
        <button
          class="opener"
          type="button"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          {EVENTS[event]}
        </button>{' '}
        <b>{ticker}</b>
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
          <button type="button" aria-label={`Send again: ${EVENTS[event]}, ${ticker}`} onClick={onResend}>
            Send again
          </button>
        )}
      </span>
      {isOpen.value && <Opened id={id} />}
    </li>
  )
}

type Outcome = Pick<components['schemas']['DeliveryAttempt'], 'status' | 'error' | 'milliseconds'>

const outcomeOf = ({ status, error, milliseconds }: Outcome): string =>
  `${status === null ? error : `status ${status}`} after ${milliseconds} ms`

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
          const event = JSON.parse(body) as { data: EventData }
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
