// What the reader chose: theme, time zone, switches, and the API key. The key stays in memory and in this tab's
// session; on the device only by the reader's own tick.
import { effect, signal, type Signal } from '@preact/signals'

/** Storage may be closed to the page; then choices last as long as the page. */
function read(storage: () => Storage, name: string): string | null {
  try {
    return storage().getItem(`insider.${name}`)
  } catch {
    return null
  }
}

function write(storage: () => Storage, name: string, value: string | null): void {
  try {
    if (value === null) storage().removeItem(`insider.${name}`)
    else storage().setItem(`insider.${name}`, value)
  } catch {
    // As above.
  }
}

const device = () => localStorage
const session = () => sessionStorage

function chosen<T extends string>(name: string, values: readonly [T, ...T[]]): Signal<T> {
  const kept = read(device, name)
  const choice = signal<T>(values.find((value) => value === kept) ?? values[0])
  effect(() => write(device, name, choice.value))
  return choice
}

export const THEMES = ['system', 'light', 'dark'] as const
export const theme = chosen('theme', THEMES)
export const zone = chosen('zone', ['ET', 'UTC'])
export const openMarketOnly = chosen('openMarket', ['no', 'yes'])
export const shortcuts = chosen('shortcuts', ['on', 'off'])

effect(() => {
  document.documentElement.dataset.theme = theme.value
})

export const apiKey = signal<string | null>(read(session, 'key') ?? read(device, 'key'))

/** Keeps a key for this tab, or for this device. */
export function useKey(key: string, onDevice: boolean): void {
  apiKey.value = key
  write(session, 'key', key)
  write(device, 'key', onDevice ? key : null)
}

export function forgetKey(): void {
  apiKey.value = null
  write(session, 'key', null)
  write(device, 'key', null)
}
