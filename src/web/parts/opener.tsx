// The button that opens and closes the details of its row.
import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

export function Opener({ isOpen, children }: { isOpen: Signal<boolean>; children: ComponentChildren }) {
  return (
    <button class="opener" type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
      {children}
    </button>
  )
}
