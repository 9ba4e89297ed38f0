// The feed: rows that move, with filters, the past 24 hours above them.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Query } from '../../client/index.ts'
import { pathOf } from '../../client/operations.ts'
import { onChange } from '../state/live.ts'
import { linkTo, route } from '../route.ts'
import { FeedRows, MAX_ROWS } from '../state/rows.ts'
import { openMarketOnly, shortcuts } from '../state/store.ts'
import { DayStrip } from '../parts/feed/day-strip.tsx'
import { Empty } from '../parts/feed/empty.tsx'
import { FilterBar, FILTERS } from '../parts/feed/filter-bar.tsx'
import { LiveBar } from '../parts/feed/live-bar.tsx'
import { CsvButton } from '../parts/feed/csv-button.tsx'
import { Fault, UnknownSymbols } from '../parts/notice.tsx'
import { AsRequest } from '../parts/request.tsx'
import { TradeTable } from '../parts/trade-table.tsx'

/** Further down than this, the reader is not looking at the newest rows. */
const TOP_PIXELS = 240

function asked(): Query<'listFeed'> {
  const { query } = route.value
  const given = FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : []))
  const types = openMarketOnly.value === 'yes' ? { transactionTypes: 'buy,sell' } : {}
  return { ...Object.fromEntries(given), ...types } as Query<'listFeed'>
}

/** Ids that are no longer listed because of a change. */
function goneOf(data: object): string[] {
  const { superseded = [], removed = [] } = data as { superseded?: string[]; removed?: string[] }
  return [...superseded, ...removed]
}

export function FeedPage() {
  const query = asked()
  const key = JSON.stringify(query)
  const rows = useMemo(() => new FeedRows(query), [key])
  const isPaused = useSignal(false)
  const isPointing = useSignal(false)
  const isScrolled = useSignal(false)
  const hold = isPaused.value || isPointing.value || isScrolled.value

  useEffect(() => () => rows.close(), [rows])
  useEffect(() => onChange((change) => rows.touch(change === null ? [] : goneOf(change.data))), [rows])
  useEffect(() => {
    rows.isHeld.value = hold
    if (!hold) rows.release()
  }, [rows, hold])
  useEffect(() => {
    const scrolled = () => (isScrolled.value = scrollY > TOP_PIXELS)
    const pressed = (event: KeyboardEvent) => {
      const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test((event.target as Element).tagName)
      if (event.key === 'p' && !isTyping && !event.ctrlKey && !event.metaKey && shortcuts.value === 'on') {
        isPaused.value = !isPaused.value
      }
    }
    addEventListener('scroll', scrolled, { passive: true })
    addEventListener('keydown', pressed)
    return () => {
      removeEventListener('scroll', scrolled)
      removeEventListener('keydown', pressed)
    }
  }, [])

  const shown = rows.rows.value
  const error = rows.error.value
  const isFiltered = Object.keys(query).length > 0
  const call = { ...query, detail: 'full', limit: 50 }
  return (
    <>
      <div class="head">
        <h1>Feed</h1>
        <LiveBar
          rows={rows}
          isPaused={isPaused.value}
          onPause={(value) => (isPaused.value = value)}
          onRelease={() => {
            rows.release()
            scrollTo({ top: 0 })
          }}
        />
      </div>
      <DayStrip />
      <FilterBar>
        <CsvButton query={query} />
        {isFiltered && (
          <a class="button" href={linkTo('alerts', '', query as Record<string, string>)}>
            Alert me on this
          </a>
        )}
      </FilterBar>
      <UnknownSymbols symbols={rows.unknown.value} />
      {error !== null && <Fault error={error} />}
      {!rows.isLoaded.value && error === null && <p class="muted loading">Loading …</p>}
      {rows.isLoaded.value &&
        shown.length === 0 &&
        (isFiltered ? <p class="nothing">No trades pass these filters.</p> : <Empty />)}
      {shown.length > 0 && (
        <div
          onPointerEnter={(event) => (isPointing.value = event.pointerType === 'mouse')}
          onPointerLeave={() => (isPointing.value = false)}
        >
          <TradeTable caption="Trades, newest filed first" rows={shown} arrived={rows.arrived} />
        </div>
      )}
      {rows.hasOlder.value && shown.length < MAX_ROWS && (
        <p class="older">
          <button type="button" onClick={() => void rows.older()}>
            Older
          </button>
        </p>
      )}
      {shown.length >= MAX_ROWS && (
        <p class="older">
          <a
            class="button"
            href={linkTo('feed', '', {
              ...Object.fromEntries(route.value.query),
              filedTo: shown.at(-1)!.filingDate.slice(0, 10),
            })}
          >
            Trades before these {MAX_ROWS}
          </a>
        </p>
      )}
      <AsRequest
        calls={[
          {
            path: pathOf('listFeed', {}, call),
            typescript: `const page = await client.feed.list(${JSON.stringify(call)})`,
          },
        ]}
      />
    </>
  )
}
