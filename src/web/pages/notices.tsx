// Notices of proposed sales of all companies, newest first, by state, company and value.
import { useSignal } from '@preact/signals'
import { pathOf, type Query } from '../../client/operations.ts'
import { client, tellingClient, useAsked } from '../api.ts'
import { goTo, linkTo, route } from '../route.ts'
import { NOTICE_STATES } from '../words.ts'
import { Choice } from '../parts/choice.tsx'
import { Heading } from '../parts/heading.tsx'
import { Loaded, UnknownSymbols } from '../parts/notice.tsx'
import { NoticeTable, type Notice } from '../parts/notice-table.tsx'
import { AsRequest } from '../parts/request.tsx'

const NAMES = ['tickers', 'insiderCiks', 'state', 'plan', 'minValue', 'filedFrom', 'filedTo'] as const
const PAGE = 50
const PLANS = [
  ['yes', 'named'],
  ['not_stated', 'not named'],
] as const

type Given = Partial<Record<(typeof NAMES)[number], string>>

/** Returns the filter that the address has. */
const filterOf = (query: URLSearchParams): Given =>
  Object.fromEntries(NAMES.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])))

export function NoticesPage() {
  const filter = filterOf(route.value.query)
  const key = JSON.stringify(filter)
  return <Notices key={key} filter={filter} />
}

function Notices({ filter: given }: { filter: Given }) {
  const filter = given as Query<'listNotices'>
  const chosen = Object.keys(given).length
  const unknown = useSignal<string[]>([])
  const older = useSignal<Notice[]>([])
  const cursor = useSignal<string | null | undefined>(undefined)
  const telling = tellingClient((symbols) => (unknown.value = symbols))
  const asked = useAsked((signal) => telling.notices.list({ ...filter, limit: PAGE }, { signal }), [])
  const more = async (from: string) => {
    const page = await client.notices.list({ ...filter, limit: PAGE, cursor: from })
    older.value = [...older.value, ...page.notices]
    cursor.value = page.nextCursor ?? null
  }
  return (
    <>
      <Heading>Planned sales</Heading>
      <p class="muted">
        Notices of proposed sales (Form 144), filed with the order. Not every planned sale takes place, and not every
        seller reports it.
      </p>
      <details class="more under">
        <summary>{chosen > 0 ? `Filters (${chosen})` : 'Filters'}</summary>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const filled = Object.fromEntries(
              [...new FormData(event.currentTarget)].map(([name, value]) => [name, (value as string).trim()]),
            )
            goTo(linkTo('notices', '', filled))
          }}
        >
          <label>
            Companies
            <input name="tickers" placeholder="EXWI,EXGD" defaultValue={given.tickers ?? ''} />
          </label>
          <label>
            Sellers (CIK)
            <input name="insiderCiks" placeholder="1999105" defaultValue={given.insiderCiks ?? ''} />
          </label>
          <Choice name="state" label="State" values={Object.entries(NOTICE_STATES)} chosen={given.state} />
          <label>
            Value at least ($)
            <input name="minValue" inputMode="decimal" placeholder="1000000" defaultValue={given.minValue ?? ''} />
          </label>
          <label>
            Filed from
            <input name="filedFrom" type="date" defaultValue={given.filedFrom ?? ''} />
          </label>
          <Choice name="plan" label="10b5-1 plan" values={PLANS} chosen={given.plan} />
          <div class="tools">
            <button type="submit" class="main">
              Apply
            </button>
            <a class="button" href={linkTo('notices')}>
              Clear
            </a>
          </div>
        </form>
      </details>
      <UnknownSymbols symbols={unknown.value} />
      <Loaded asked={asked}>
        {({ notices, nextCursor }) => {
          const next = cursor.value === undefined ? nextCursor : cursor.value
          return (
            <>
              {notices.length === 0 && <p class="nothing">No notices pass these filters.</p>}
              {notices.length > 0 && <NoticeTable notices={[...notices, ...older.value]} />}
              {next && (
                <p class="older">
                  <button type="button" onClick={() => void more(next)}>
                    Older
                  </button>
                </p>
              )}
            </>
          )
        }}
      </Loaded>
      <AsRequest
        calls={[
          {
            path: pathOf('listNotices', {}, filter),
            typescript: `const page = await client.notices.list(${JSON.stringify(filter)})`,
          },
        ]}
      />
    </>
  )
}
