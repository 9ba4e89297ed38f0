// How fresh and complete the data is, asked every few seconds while the page is in view, for the footer and the line
// over invented filings.
import { signal } from '@preact/signals'
import type { InsiderApiError } from '../../client/index.ts'
import type { components } from '../../contract.ts'
import { client, errorOf } from '../api.ts'

export type Status = components['schemas']['ServiceStatus']

export const shownStatus = signal<Status | null>(null)
export const statusError = signal<InsiderApiError | null>(null)

const EVERY_MS = 10_000

async function ask(): Promise<void> {
  if (document.hidden) return
  try {
    shownStatus.value = await client.status({ retries: 0 })
    statusError.value = null
  } catch (reason) {
    statusError.value = errorOf(reason)
  }
}

/** Asks at once, then every few seconds. */
export function startStatus(): void {
  void ask()
  setInterval(() => void ask(), EVERY_MS)
  document.addEventListener('visibilitychange', () => void ask())
}
