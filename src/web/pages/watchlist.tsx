// The watchlist of the reader's key, and what was sent to its webhook addresses.
import { useSignal } from '@preact/signals'
import type { Query } from '../../client/index.ts'
import type { components } from '../../contract.ts'
import { apiKey, forgetKey, useKey } from '../state/store.ts'
import { errorOf, keyedClient, useAsked } from '../api.ts'
import { linkTo, route } from '../route.ts'
import { Time } from '../parts/inline.tsx'
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
        Use
      </button>
      <p class="muted">
        <code>make key NAME=me</code> issues one. It stays in this tab unless you tick the box, and is sent to this
        service alone.
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
  const act = (work: Promise<unknown>, words: string) =>
    work.then(
      () => {
        said.value = words
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
          void act(client.watchlist.add(ticker, url || null), `${ticker.toUpperCase()} is watched.`)
        }}
      >
        <label>
          Company{' '}
          <input name="ticker" required placeholder="EXWI" size={9} defaultValue={route.value.query.get('add') ?? ''} />
        </label>
        <label>
          Alerts to <input name="url" type="url" placeholder="https://… (optional)" size={32} />
        </label>
        <button type="submit" class="main">
          Watch, or change
        </button>
      </form>
      <Loaded asked={list}>
        {({ companies }) => (
          <ul class="signals">
            {companies.map(({ ticker, addedAt }) => (
              <li key={ticker}>
                <a href={linkTo('company', ticker)}>
                  <b>{ticker}</b>
                </a>
                <span class="muted">
                  since <Time at={addedAt} />
                </span>
                <span class="tools">
                  <button
                    type="button"
                    aria-label={`Send a test event of ${ticker}`}
                    onClick={() => void act(client.watchlist.test(ticker), `A test event of ${ticker} is on its way.`)}
                  >
                    Test
                  </button>
                  <button
                    type="button"
                    aria-label={`Remove ${ticker}`}
                    onClick={() => void act(client.watchlist.remove(ticker), `${ticker} is no longer watched.`)}
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
        <h2>Deliveries</h2>
        <div class="tools" role="group" aria-label="Which deliveries">
          {([undefined, 'waiting', 'delivered', 'dead'] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={status.value === each}
              onClick={() => choose(() => (status.value = each))}
            >
              {each ?? 'all'}
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
            Ask again
          </button>
        </div>
        <Loaded asked={sent}>
          {({ deliveries, hasMore }) => (
            <ul class="signals">
              {deliveries.map((each) => (
                <DeliveryLine
                  key={each.id}
                  delivery={each}
                  onResend={() => void act(client.deliveries.resend(each.id), 'The delivery is sent again.')}
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
          {event}
        </button>{' '}
        <b>{ticker}</b>
      </span>
      <span class="said">
        <b>{status}</b> to {host}, {attempts} {attempts === 1 ? 'try' : 'tries'}
        {lastAttempt && `, ${lastAttempt.status ?? lastAttempt.error} in ${lastAttempt.milliseconds} ms`}
        {nextAttemptAt !== null && (
          <>
            , next at <Time at={nextAttemptAt} />
          </>
        )}
        {reason !== null && `, ${reason}`}
        {isOpen.value && <Attempts id={id} />}
      </span>
      <span class="tools">
        <Time at={createdAt} />
        {status !== 'waiting' && (
          <button type="button" aria-label={`Send again: ${event} of ${ticker}`} onClick={onResend}>
            Send again
          </button>
        )}
      </span>
    </li>
  )
}

function Attempts({ id }: { id: string }) {
  const asked = useAsked((signal) => keyedClient.value.deliveries.get(id, { signal }), [id])
  return (
    <Loaded asked={asked}>
      {({ attemptsMade }) => (
        <ol>
          {attemptsMade.map(({ number, at, status, error, milliseconds, answer }) => (
            <li key={number} value={number}>
              <Time at={at} /> {status ?? error} in {milliseconds} ms {answer && <q>{answer.slice(0, 200)}</q>}
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  )
}
