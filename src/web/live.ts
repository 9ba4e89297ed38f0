// The stream of changes, one for the page, closed while the page is hidden: browsers allow six connections to one
// address. Pages learn that something changed and ask for what they show; the stream itself carries no rows to them.
import { signal } from '@preact/signals'
import type { Change } from '../client/index.ts'
import { client, errorOf } from './api.ts'

export type LiveState = 'connecting' | 'live' | 'away' | 'hidden'

export const liveState = signal<LiveState>('connecting')
/** When the stream was last known to be open, in milliseconds. */
export const liveSince = signal(Date.now())

type Listener = (change: Change | null) => void
const listeners = new Set<Listener>()

/** Calls with each change, and with null where any number may have been missed. Returns what ends it. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

let position: string | undefined
let stop: AbortController | undefined
const AGAIN_MS = 10_000

async function follow({ signal }: AbortController): Promise<void> {
  while (!signal.aborted) {
    try {
      if (position === undefined) {
        position = (await client.changes.list({}, { signal })).nextCursor
        for (const listener of listeners) listener(null)
      }
      const onState = (state: 'live' | 'away') => {
        if (signal.aborted) return
        if (state === 'live' || liveState.value === 'live') liveSince.value = Date.now()
        liveState.value = state
      }
      for await (const change of client.changes.follow({ after: position }, { signal, onState })) {
        position = change.cursor
        liveSince.value = Date.now()
        for (const listener of listeners) listener(change)
      }
    } catch (reason) {
      if (signal.aborted) return
      // A position that is no longer kept: everything is asked for again from the present one.
      if (errorOf(reason).code === 'cursor_expired') position = undefined
      liveState.value = 'away'
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
}

function settle(): void {
  stop?.abort()
  stop = undefined
  if (document.hidden) {
    liveState.value = 'hidden'
    return
  }
  liveState.value = 'connecting'
  stop = new AbortController()
  void follow(stop)
}

/** Starts to follow, and follows while the page is in view. */
export function startLive(): void {
  document.addEventListener('visibilitychange', settle)
  settle()
}
