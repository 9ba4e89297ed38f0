// The watchlist of the reader's key, and what was sent to its webhook addresses.
import { useSignal } from '@preact/signals'
import { keyedClient, useAsked } from '../api.ts'
import { linkTo, route } from '../route.ts'
import { Combobox, symbolOf } from '../parts/combobox.tsx'
import { Deliveries, testWords } from '../parts/deliveries.tsx'
import { Heading } from '../parts/heading.tsx'
import { Time } from '../parts/inline.tsx'
import { fieldsOf, Health, Keyed, useActs } from '../parts/keyed.tsx'
import { Loaded } from '../parts/notice.tsx'
import { AsRequest } from '../parts/request.tsx'

export function WatchlistPage() {
  return (
    <>
      <Heading>Watchlist</Heading>
      <Keyed>
        <Watched />
      </Keyed>
    </>
  )
}

function Watched() {
  const client = keyedClient.value
  const turn = useSignal(0)
  const { act, said } = useActs(() => (turn.value += 1))
  const list = useAsked((signal) => client.watchlist.list({ detail: 'full', signal }), [turn.value])
  /** Saving replaces an entry whole, so what was set of it elsewhere is sent again. */
  const save = async (ticker: string, url: string | null) => {
    const { companies } = await client.watchlist.list({ detail: 'full' })
    const symbol = ticker.toUpperCase().replace(/[./]/g, '-')
    const { detail, notices } = companies.find((entry) => entry.ticker === symbol) ?? {}
    return client.watchlist.add(ticker, url, { detail, notices })
  }
  return (
    <>
      {said}
      <form
        class="tools under"
        onSubmit={(event) => {
          const fields = fieldsOf(event)
          const [ticker, url] = ['ticker', 'url'].map((name) => (fields.get(name) as string).trim()) as [string, string]
          void act(save(ticker, url || null), (entry) => {
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
            {companies.map(({ ticker, addedAt, webhook }) => (
              <li key={ticker}>
                <a href={linkTo('company', ticker)}>
                  <b>{ticker}</b>
                </a>
                <span class="said muted">
                  since <Time at={addedAt} basis="accepted" />,{' '}
                  {webhook ? (
                    <>
                      alerts to {webhook.host}
                      <Health of={webhook.status} since={webhook.since} why={webhook.reason} />
                    </>
                  ) : (
                    'no address for alerts'
                  )}
                </span>
                <span class="tools">
                  {webhook && (
                    <button
                      type="button"
                      aria-label={`Send a test event of ${ticker}`}
                      onClick={() => void act(client.watchlist.test(ticker), testWords)}
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
            {companies.length === 0 && <li class="none">Nothing is watched yet.</li>}
          </ul>
        )}
      </Loaded>
      <Deliveries
        by="ticker"
        all="all companies"
        choices={list.data?.companies.map(({ ticker }) => [ticker, ticker]) ?? []}
        turn={turn.value}
      />
      <AsRequest
        calls={[
          {
            path: '/v1/watchlist?detail=full',
            typescript: "const { companies } = await client.watchlist.list({ detail: 'full' })",
            isKeyed: true,
          },
        ]}
      />
    </>
  )
}
