// Active signals, newest first, by type, severity, company, insider, sector and time; and how they are detected.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Signal } from '../../client/index.ts'
import { pathOf, type Query } from '../../client/operations.ts'
import { client, tellingClient, useAsked } from '../api.ts'
import { onChange } from '../state/live.ts'
import { goTo, linkTo, route } from '../route.ts'
import { SECTORS, sectorWords, SEVERITIES, SIGNALS } from '../words.ts'
import { Choice } from '../parts/choice.tsx'
import { TickersField } from '../parts/combobox.tsx'
import { Heading } from '../parts/heading.tsx'
import { Loaded, UnknownSymbols } from '../parts/notice.tsx'
import { AsRequest } from '../parts/request.tsx'
import { SignalTable } from '../parts/signal-table.tsx'

const PAGE = 50
/** Parameters of the API that stand in the page's address. */
const FILTERS = ['type', 'minSeverity', 'tickers', 'insiderCiks', 'sectors', 'detectedFrom', 'detectedTo'] as const
const DAYS = [
  ['detectedFrom', 'Detected from'],
  ['detectedTo', 'Detected to'],
] as const

const LEAST_SEVERITIES = SEVERITIES.filter((each) => each !== 'low').map(
  (each) => [each, each === 'critical' ? each : `${each} or more`] as const,
)

export function SignalsPage() {
  const { query } = route.value
  const given = Object.fromEntries(FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])))
  const asked = { ...given, limit: PAGE } as Query<'listSignals'>
  const key = JSON.stringify(given)
  const others = FILTERS.filter((name) => name !== 'type' && given[name])
  const older = useSignal<Signal[]>([])
  const cursor = useSignal<string | null | undefined>(undefined)
  const unknown = useSignal<string[]>([])
  const telling = useMemo(() => tellingClient((symbols) => (unknown.value = symbols)), [])
  const page = useAsked((signal) => telling.signals.list(asked, { signal }), [key])
  useEffect(() => {
    older.value = []
    cursor.value = undefined
  }, [key])
  useEffect(
    () =>
      onChange((change) => {
        if (change === null || change.type.startsWith('signal.') || change.type === 'dataset.changed') page.again()
      }),
    [],
  )
  const more = async (from: string) => {
    const next = await client.signals.list({ ...asked, cursor: from })
    older.value = [...older.value, ...next.signals]
    cursor.value = next.nextCursor ?? null
  }
  return (
    <>
      <div class="head">
        <Heading>Signals</Heading>
        <a href={linkTo('rules')}>How signals are detected</a>
      </div>
      <div class="tools presets" role="group" aria-label="Which signals">
        {[['', 'All'] as const, ...Object.entries(SIGNALS)].map(([value, label]) => (
          <a
            key={value}
            class="button"
            href={linkTo('signals', '', { ...given, type: value })}
            aria-current={(given.type ?? '') === value ? 'true' : undefined}
          >
            {label}
          </a>
        ))}
      </div>
      <details class="more under">
        <summary>{others.length > 0 ? `Filters (${others.length})` : 'Filters'}</summary>
        <form
          key={key}
          onSubmit={(event) => {
            event.preventDefault()
            const chosen = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
            goTo(linkTo('signals', '', { type: given.type, ...chosen }))
          }}
        >
          <label>
            Companies
            <TickersField id="tickers" initial={given.tickers ?? ''} />
          </label>
          <Choice name="minSeverity" label="Severity" values={LEAST_SEVERITIES} chosen={given.minSeverity} />
          <label>
            Insiders (CIK)
            <input name="insiderCiks" type="text" placeholder="1999105" defaultValue={given.insiderCiks ?? ''} />
          </label>
          <Choice
            name="sectors"
            label="Sector"
            values={SECTORS.map((each) => [each, sectorWords(each)])}
            chosen={given.sectors}
          />
          {DAYS.map(([name, label]) => (
            <label key={name}>
              {label}
              <input name={name} type="date" defaultValue={given[name] ?? ''} />
            </label>
          ))}
          <div class="tools">
            <button type="submit" class="main">
              Apply
            </button>
            <a class="button" href={linkTo('signals', '', { type: given.type })}>
              Clear
            </a>
          </div>
        </form>
      </details>
      <UnknownSymbols symbols={unknown.value} />
      <Loaded asked={page}>
        {({ signals, nextCursor }) => {
          const known = new Set(signals.map(({ id }) => id))
          const next = cursor.value === undefined ? nextCursor : cursor.value
          return (
            <>
              {signals.length === 0 && (
                <p class="nothing">{key === '{}' ? 'No active signals.' : 'No active signals pass these filters.'}</p>
              )}
              <SignalTable signals={[...signals, ...older.value.filter(({ id }) => !known.has(id))]} />
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
            path: pathOf('listSignals', {}, asked),
            typescript: `const page = await client.signals.list(${JSON.stringify(asked)})`,
          },
        ]}
      />
    </>
  )
}

/** How signals are detected: the rules in use, in words. */
export function RulesPage() {
  const asked = useAsked((signal) => client.signals.rules({ signal }), [])
  return (
    <>
      <Heading>How signals are detected</Heading>
      <Loaded asked={asked}>
        {({ about, rules }) => (
          <>
            <p class="text">{about}</p>
            {rules.map(({ type, text, research, limits }) => (
              <section key={type} class="text">
                <h2>{SIGNALS[type]}</h2>
                <p>{text}</p>
                <p>
                  <b>Research.</b> {research}
                </p>
                <p>
                  <b>Limits.</b> {limits}
                </p>
              </section>
            ))}
          </>
        )}
      </Loaded>
      <AsRequest
        calls={[{ path: '/v1/signals/rules', typescript: 'const { rules } = await client.signals.rules()' }]}
      />
    </>
  )
}
