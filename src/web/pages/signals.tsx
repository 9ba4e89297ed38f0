// Signals that hold, newest first, by type and severity.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Signal } from '../../client/index.ts'
import { pathOf, type Query } from '../../client/operations.ts'
import { client, useAsked } from '../api.ts'
import { onChange } from '../state/live.ts'
import { goTo, linkTo, route } from '../route.ts'
import { SEVERITIES, SIGNALS } from '../words.ts'
import { Loaded } from '../parts/notice.tsx'
import { AsRequest } from '../parts/request.tsx'
import { SignalLines } from '../parts/signal-lines.tsx'

const PAGE = 50

export function SignalsPage() {
  const { query } = route.value
  const [type, minSeverity] = [query.get('type') ?? undefined, query.get('minSeverity') ?? undefined]
  const asked = { type, minSeverity, limit: PAGE } as Query<'listSignals'>
  const older = useSignal<Signal[]>([])
  const cursor = useSignal<string | null | undefined>(undefined)
  const page = useAsked((signal) => client.signals.list(asked, { signal }), [type, minSeverity])
  useEffect(() => {
    older.value = []
    cursor.value = undefined
  }, [type, minSeverity])
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
        <h1>Signals</h1>
        <a href={linkTo('rules')}>What these are: the rules</a>
      </div>
      <div class="tools under" role="group" aria-label="Which signals">
        {[['', 'All'] as const, ...Object.entries(SIGNALS)].map(([value, label]) => (
          <a
            key={value}
            class="button"
            href={linkTo('signals', '', { type: value, minSeverity })}
            aria-current={(type ?? '') === value ? 'true' : undefined}
          >
            {label}
          </a>
        ))}
        <label class="switch">
          at least
          <select
            value={minSeverity ?? 'low'}
            onChange={(event) => {
              const least = event.currentTarget.value
              goTo(linkTo('signals', '', { type, minSeverity: least === 'low' ? undefined : least }))
            }}
          >
            {SEVERITIES.map((severity) => (
              <option key={severity}>{severity}</option>
            ))}
          </select>
        </label>
      </div>
      <Loaded asked={page}>
        {({ signals, nextCursor }) => {
          const known = new Set(signals.map(({ id }) => id))
          const next = cursor.value === undefined ? nextCursor : cursor.value
          return (
            <>
              {signals.length === 0 && <p class="nothing">No signals hold.</p>}
              <SignalLines signals={[...signals, ...older.value.filter(({ id }) => !known.has(id))]} />
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

/** The rules in use, in words. */
export function RulesPage() {
  const asked = useAsked((signal) => client.signals.rules({ signal }), [])
  return (
    <>
      <h1>The rules</h1>
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
