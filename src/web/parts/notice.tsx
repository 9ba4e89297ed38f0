// What stands in place of data: still asking, not reachable, not found, refused.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { InsiderApiError } from '../../client/index.ts'
import { base, isPassing, type Asked } from '../api.ts'

const STORES = { clickhouse: 'ClickHouse', postgres: 'PostgreSQL' }

/** Names the stores that the service can not reach now, which an error itself never does. */
function MissingStores() {
  const names = useSignal('')
  useEffect(() => {
    void fetch(`${base}/readyz`)
      .then((response) => response.json())
      .then(({ checks }) => {
        const missing = Object.entries(STORES).filter(([key]) => checks[key]?.ok === false)
        names.value = missing.map(([, name]) => ` ${name} does not answer.`).join('')
      })
      .catch(() => {})
  }, [])
  return <>{names}</>
}

/** Symbols that were asked for and lead to no company. */
export function UnknownSymbols({ symbols }: { symbols: readonly string[] }) {
  if (symbols.length === 0) return null
  return (
    <div class="notice" role="alert">
      <p>
        No company has the {symbols.length === 1 ? 'symbol' : 'symbols'} {symbols.join(', ')}.
      </p>
    </div>
  )
}

/** Returns what is wrong with a request: every detail with its place in it. */
export const faultWords = ({ message }: InsiderApiError): string => message.replace(/\b(query|body|path)\./g, '')

/** A fault in words. While the service is away it is asked again without the reader's help. */
export function Fault({ error }: { error: InsiderApiError }) {
  if (error.code === 'unknown_ticker' && error.details.length > 0) {
    // Each message ends with the symbol.
    return <UnknownSymbols symbols={error.details.map(({ message }) => message.split(' ').at(-1)!)} />
  }
  if (!isPassing(error)) {
    return (
      <div class="notice" role="alert">
        <p>{faultWords(error)}.</p>
      </div>
    )
  }
  const what = error.status === 0 ? 'The service can not be reached' : error.message
  return (
    <div class="notice" role="alert">
      <p>
        <strong>{what}.</strong>
        {error.status === 503 && <MissingStores />} The page tries again every few seconds.
        {error.requestId !== undefined && (
          <>
            {' '}
            Request <code>{error.requestId}</code>.
          </>
        )}
      </p>
    </div>
  )
}

/** Shows the data once it is there, what is wrong beside it, and neither in place of the other. */
export function Loaded<T>({ asked, children }: { asked: Asked<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, isLoading } = asked
  return (
    <>
      {error !== null && <Fault error={error} />}
      {data !== null && children(data)}
      {data === null && error === null && isLoading && <p class="muted loading">Loading …</p>}
    </>
  )
}
