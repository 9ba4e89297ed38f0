// What the page asks of the public API, through our own client, and what became of it.
import { computed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { RequestClient } from '../client/client.ts'
import { pathOf, type Query } from '../client/operations.ts'
import { InsiderApiError } from '../client/errors.ts'
import { apiKey } from './state/store.ts'

/** The address of the service, also below the prefix of a proxy. */
export const base = new URL('.', location.href.replace(/[?#].*$/, '')).href.replace(/\/$/, '')

const options = { url: base, retries: 1 }
export const client = new RequestClient(options)
/** With the reader's key, where there is one. */
export const keyedClient = computed(() => new RequestClient({ ...options, apiKey: apiKey.value ?? undefined }))

/** Returns a client that tells after each answer which of the symbols asked for lead to no company. */
export const tellingClient = (tell: (unknown: string[]) => void): RequestClient =>
  new RequestClient({ ...options, onResponse: ({ unknownTickers }) => tell(unknownTickers) })

export interface Asked<T> {
  data: T | null
  error: InsiderApiError | null
  isLoading: boolean
  again: () => void
}

const AGAIN_MS = 5_000

/** Returns whether asking again later may help. */
export const isPassing = ({ status, code }: InsiderApiError): boolean =>
  status === 0 || status === 429 || status >= 500 || code === 'unexpected_answer'

/**
 * Asks while the component is shown, again when `keys` change, when the page comes back into view, and while the
 * service is away. What was there stays until there is something newer.
 */
export function useAsked<T>(ask: (signal: AbortSignal) => Promise<T>, keys: unknown[]): Asked<T> {
  const state = useSignal<Omit<Asked<T>, 'again'>>({ data: null, error: null, isLoading: true })
  const turn = useSignal(0)
  const again = () => void (turn.value += 1)
  const all = [...keys, turn.value]
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    state.value = { ...state.value, isLoading: true }
    ask(stop.signal).then(
      (data) => {
        if (!stop.signal.aborted) state.value = { data, error: null, isLoading: false }
      },
      (reason: unknown) => {
        if (stop.signal.aborted) return
        const error = errorOf(reason)
        state.value = { data: isPassing(error) ? state.value.data : null, error, isLoading: false }
        if (isPassing(error)) timer = setTimeout(again, Math.max(AGAIN_MS, (error.retryAfterSeconds ?? 0) * 1_000))
      },
    )
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, all)
  return { ...state.value, again }
}

export function errorOf(reason: unknown): InsiderApiError {
  if (reason instanceof InsiderApiError) return reason
  return new InsiderApiError(reason instanceof Error ? reason.message : String(reason), {
    code: 'connection_failed',
    status: 0,
  })
}

/** A call that a page made, to be shown as a request. */
export interface ShownCall {
  path: string
  /** The same with the client for TypeScript. */
  typescript: string
  /** It needs the reader's key, which is not shown. */
  isKeyed?: boolean
}

/** Returns the call for sums over trades as it is shown to the reader. */
export const sentimentCall = (query: Query<'getSentiment'>): ShownCall => ({
  path: pathOf('getSentiment', {}, query),
  typescript: `const { points } = await client.sentiment(${JSON.stringify(query)})`,
})
