// The stream of changes, one for the page, closed while the page is hidden: browsers allow six connections to one
// address. Pages learn that something changed and ask for what they show; the stream itself carries no rows to them.
import { signal } from '@preact/signals'
import type { Change } from '../../client/index.ts'
import { base, client, errorOf } from '../api.ts'

export const liveState = signal<'connecting' | 'live' | 'away'>('connecting')
/** When the stream was last known to be open, in milliseconds. */
export const liveSince = signal(Date.now())

/** What a listener needs of a change. */
interface SeenChange {
  type: Change['type']
  data: object
}

type Listener = (change: SeenChange | null) => void
const listeners = new Set<Listener>()

/** Calls with each change, and with null where any number may have been missed. Returns what ends it. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const TYPES: Change['type'][] = [
  'transaction.created',
  'transaction.amended',
  'transaction.changed',
  'signal.detected',
  'signal.escalated',
  'signal.changed',
  'dataset.changed',
]
const AGAIN_MS = 5_000

let position: string | undefined
let source: EventSource | undefined
let timer: ReturnType<typeof setTimeout> | undefined
/** Ends the opening under way, if there is one. */
let opening = new AbortController()

/** Opens the stream at the last position, at the present one where there is none or it is no longer kept. */
async function open(): Promise<void> {
  close()
  const { signal: stop } = (opening = new AbortController())
  try {
    const page = await client.changes.list({ after: position, limit: 1 }, { signal: stop })
    if (stop.aborted) return
    if (position === undefined) {
      position = page.nextCursor
      for (const listener of listeners) listener(null)
    }
  } catch (reason) {
    if (stop.aborted) return
    if (errorOf(reason).code === 'cursor_expired') position = undefined
    return away()
  }
  source = new EventSource(`${base}/v1/stream?after=${position}`)
  source.addEventListener('ready', () => {
    liveSince.value = Date.now()
    liveState.value = 'live'
  })
  source.addEventListener('error', away)
  for (const type of TYPES) source.addEventListener(type, seen)
}

function seen({ lastEventId, data }: MessageEvent<string>): void {
  position = lastEventId
  const change = JSON.parse(data) as SeenChange
  for (const listener of listeners) listener(change)
}

/** A browser comes back without our help while the address does not answer; not after any other refusal. */
function away(): void {
  if (liveState.value === 'live') liveSince.value = Date.now()
  liveState.value = 'away'
  if (source?.readyState !== EventSource.CONNECTING) timer = setTimeout(() => void open(), AGAIN_MS)
}

function close(): void {
  opening.abort()
  clearTimeout(timer)
  source?.close()
  source = undefined
}

function settle(): void {
  close()
  liveState.value = 'connecting'
  if (!document.hidden) void open()
}

/** Starts to follow, and follows while the page is in view. */
export function startLive(): void {
  document.addEventListener('visibilitychange', settle)
  settle()
}
