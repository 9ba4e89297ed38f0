// A timer that tests move by hand. Alarms ring in order of time, each at its own instant.
import type { Timer } from '../../src/infrastructure/edgar/client/rate-limiter.ts'

export interface ManualTimer extends Timer {
  /** Moves the clock on, rings what falls due, and lets promises settle after each. */
  advance(ms: number): Promise<void>
  /** How many alarms are set. */
  alarms(): number
}

export function manualTimer(): ManualTimer {
  let now = 0
  const set = new Map<object, { at: number; run: () => void }>()
  const settle = (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(resolve)
    })
  return {
    now: () => now,
    after(ms, run) {
      const key = {}
      set.set(key, { at: now + ms, run })
      return () => {
        set.delete(key)
      }
    },
    async advance(ms) {
      const end = now + ms
      for (;;) {
        await settle()
        const [key, alarm] = [...set].sort(([, a], [, b]) => a.at - b.at)[0] ?? []
        if (!key || !alarm || alarm.at > end) break
        set.delete(key)
        now = Math.max(now, alarm.at)
        alarm.run()
      }
      now = end
    },
    alarms: () => set.size,
  }
}
