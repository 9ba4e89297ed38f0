// The shell of the page: header, the page that the address names, footer.
import { render, type FunctionComponent } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { startLive } from './state/live.ts'
import { linkTo, route } from './route.ts'
import { shownStatus, startStatus } from './state/status.ts'
import { shortcuts, theme, THEMES, zone } from './state/store.ts'
import { Heading } from './parts/heading.tsx'
import { Later } from './parts/later.tsx'
import { SearchBox } from './parts/search-box.tsx'
import { StatusFooter } from './parts/status-footer.tsx'
import { FeedPage } from './pages/feed.tsx'
import { RulesPage, SignalsPage } from './pages/signals.tsx'

const PAGES: [page: string, label: string][] = [
  ['feed', 'Feed'],
  ['signals', 'Signals'],
  ['notices', 'Planned sales'],
  ['market', 'Market'],
  ['watchlist', 'Watchlist'],
  ['alerts', 'Alerts'],
]
/** Pages whose script is fetched when they are first opened; the feed and the signals are there at once. */
const LATER: Record<string, () => Promise<FunctionComponent>> = {
  company: async () => (await import('./pages/company.tsx')).CompanyPage,
  insider: async () => (await import('./pages/insider.tsx')).InsiderPage,
  signal: async () => (await import('./pages/signal.tsx')).SignalPage,
  filing: async () => (await import('./pages/filing.tsx')).FilingPage,
  notice: async () => (await import('./pages/notice.tsx')).NoticePage,
  notices: async () => (await import('./pages/notices.tsx')).NoticesPage,
  market: async () => (await import('./pages/market.tsx')).MarketPage,
  watchlist: async () => (await import('./pages/watchlist.tsx')).WatchlistPage,
  alerts: async () => (await import('./pages/alerts.tsx')).AlertsPage,
}
/** Those of one company, insider, signal, filing or notice. */
const OF_ONE = ['company', 'insider', 'signal', 'filing', 'notice']

const THEME_NAMES = { system: 'System theme', light: 'Light theme', dark: 'Dark theme' }

function Page() {
  const { page, id } = route.value
  if (page === 'feed') return <FeedPage />
  if (page === 'signals') return <SignalsPage />
  if (page === 'rules') return <RulesPage />
  const load = LATER[page]
  if (load && OF_ONE.includes(page) === (id !== '')) return <Later key={`${page} ${id}`} load={load} />
  return (
    <div class="nothing">
      <Heading>Nothing here</Heading>
      <p>
        There is no page at this address. <a href={linkTo('feed')}>To the feed</a>
      </p>
    </div>
  )
}

function App() {
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const { page, id } = route.value
  // Before the effect of a heading.
  useLayoutEffect(() => {
    document.title = 'Insider trades'
  }, [page, id])
  useEffect(() => {
    // The reader of a screen learns of another page; at the first there is nothing to leave.
    if (!isFirst.current) {
      scrollTo(0, 0)
      main.current?.focus({ preventScroll: true })
    }
    isFirst.current = false
  }, [page, id])
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test((event.target as Element).tagName)
      if (event.key !== '/' || isTyping || shortcuts.value === 'off' || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      document.getElementById('search')?.focus()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        To the content
      </a>
      {shownStatus.value?.invented && <p class="invented">Invented filings. None of this happened.</p>}
      <header>
        <a class="brand" href={linkTo('feed')}>
          <img src="dashboard/icon.svg" alt="" width="24" height="24" /> Insider trades
        </a>
        <nav aria-label="Pages">
          {PAGES.map(([name, label]) => (
            <a key={name} href={linkTo(name)} aria-current={page === name ? 'page' : undefined}>
              {label}
            </a>
          ))}
          <a href="docs">API</a>
        </nav>
        <SearchBox />
        <div class="tools">
          <button
            type="button"
            title={`${THEME_NAMES[theme.value]}; press for another`}
            onClick={() => (theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!)}
          >
            <span aria-hidden="true">◐</span>
            <span class="sr">{THEME_NAMES[theme.value]}, press for another</span>
          </button>
          <button
            type="button"
            title={`Times are ${zone.value === 'ET' ? 'those of New York (ET)' : 'UTC'}; press for ${zone.value === 'ET' ? 'UTC' : 'ET'}`}
            aria-label={`Times in ${zone.value}, press for the other zone`}
            onClick={() => (zone.value = zone.value === 'ET' ? 'UTC' : 'ET')}
          >
            {zone.value}
          </button>
          <button
            type="button"
            title="Keyboard shortcuts, on or off: / for the search, p to pause the feed"
            aria-label="Shortcuts / and p"
            aria-pressed={shortcuts.value === 'on'}
            onClick={() => (shortcuts.value = shortcuts.value === 'on' ? 'off' : 'on')}
          >
            Shortcuts
          </button>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Page />
      </main>
      <StatusFooter />
    </>
  )
}

render(<App />, document.getElementById('app')!)
startLive()
startStatus()
