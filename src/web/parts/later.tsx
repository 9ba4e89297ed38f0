// A page whose script is fetched when it is first opened, so that those who never open it need not wait for it.
import { useSignal } from '@preact/signals'
import type { FunctionComponent } from 'preact'
import { useEffect } from 'preact/hooks'

/** Shows what `load` resolves to. Another version of the service may no longer have the script. */
export function Later({ load }: { load: () => Promise<FunctionComponent> }) {
  const loaded = useSignal<{ Page: FunctionComponent } | null>(null)
  const failed = useSignal(false)
  useEffect(() => {
    load().then(
      (Page) => (loaded.value = { Page }),
      () => (failed.value = true),
    )
  }, [])
  if (failed.value) {
    return (
      <p class="notice" role="alert">
        This page could not be loaded; reload to try again.
      </p>
    )
  }
  return loaded.value === null ? <p class="muted loading">Loading …</p> : <loaded.value.Page />
}
