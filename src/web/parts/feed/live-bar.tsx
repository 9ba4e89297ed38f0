// Whether rows arrive, and what the reader can do about it: pause, and show those that wait.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { secondOf } from '../../format.ts'
import { liveSince, liveState } from '../../state/live.ts'
import type { FeedRows } from '../../state/rows.ts'
import { zone } from '../../state/store.ts'

interface LiveBarProps {
  rows: FeedRows
  isPaused: boolean
  onPause: (isPaused: boolean) => void
  onRelease: () => void
}

/** Spoken at most this often. */
const SPOKEN_MS = 10_000

export function LiveBar({ rows, isPaused, onPause, onRelease }: LiveBarProps) {
  const waiting = rows.waiting.value
  const spoken = useSignal('')
  useEffect(() => {
    const timer = setInterval(() => {
      const now = rows.waiting.value
      spoken.value = now > 0 ? `${now} new trades wait` : ''
    }, SPOKEN_MS)
    return () => clearInterval(timer)
  }, [rows])
  const state = liveState.value
  const away = `reconnecting, as of ${secondOf(liveSince.value, zone.value)} ${zone.value}`
  return (
    <div class="live-bar">
      <span class={`dot ${isPaused ? 'paused' : state}`} aria-hidden="true" />
      <span class="state">
        {isPaused ? 'paused' : state === 'live' ? 'live' : state === 'away' ? away : 'connecting'}
      </span>
      <button type="button" aria-pressed={isPaused} onClick={() => onPause(!isPaused)}>
        Pause
      </button>
      {waiting > 0 && (
        <button type="button" class="main" onClick={onRelease}>
          {waiting} new
        </button>
      )}
      <span class="sr" role="status">
        {spoken.value}
      </span>
    </div>
  )
}
