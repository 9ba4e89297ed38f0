// What the pages of a key's holder share: the field for the key, what came of an action, how an address answers.
import { useSignal } from '@preact/signals'
import { Fragment, type ComponentChildren } from 'preact'
import type { InsiderApiError } from '../../client/index.ts'
import { errorOf } from '../api.ts'
import { apiKey, forgetKey, useKey } from '../state/store.ts'
import { Time } from './inline.tsx'
import { faultWords } from './notice.tsx'

/** Returns the fields of a form that was sent. */
export const fieldsOf = (event: SubmitEvent) => {
  event.preventDefault()
  return new FormData(event.currentTarget as HTMLFormElement)
}

/** Shows its children to the holder of a key, anew for another key, and else how to get one. */
export function Keyed({ children }: { children: ComponentChildren }) {
  if (apiKey.value === null) return <SignIn />
  return (
    <Fragment key={apiKey.value}>
      <p class="tools under">
        <span class="muted">Signed in with {apiKey.value.split('_').slice(0, 2).join('_')}_…</span>
        <button type="button" onClick={forgetKey}>
          Forget the key
        </button>
      </p>
      {children}
    </Fragment>
  )
}

function SignIn() {
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        const fields = fieldsOf(event)
        useKey((fields.get('key') as string).trim(), fields.has('keep'))
      }}
    >
      <label>
        API key <input name="key" type="password" autocomplete="off" required placeholder="itd_…" />
      </label>
      <label class="switch">
        <input name="keep" type="checkbox" /> remember on this device
      </label>
      <button type="submit" class="main">
        Sign in
      </button>
      <p class="muted">
        The operator of this service issues a key with <code>make key NAME=me</code>. The key stays in this tab unless
        you tick the box, and is sent to this service alone.
      </p>
    </form>
  )
}

/** Returns what does something, and what is said of the last. Calls `done` after what succeeded. */
export function useActs(done: () => void) {
  const said = useSignal<InsiderApiError | string>('')
  const act = <T,>(work: Promise<T>, words: (result: T) => string) =>
    work.then(
      (result) => {
        said.value = words(result)
        done()
      },
      (reason: unknown) => (said.value = errorOf(reason)),
    )
  return { act, said: <Said of={said.value} /> }
}

function Said({ of }: { of: InsiderApiError | string }) {
  if (of === '') return null
  if (typeof of === 'string') return <p role="status">{of}</p>
  return (
    <div class="notice" role="alert">
      <p>{faultWords(of)}.</p>
    </div>
  )
}

interface HealthProps {
  of: 'ok' | 'active' | 'failing' | 'disabled'
  since: string | null
  why: string | null
}

/** How deliveries to an address go; nothing where they go well. */
export function Health({ of, since, why }: HealthProps) {
  if (of === 'ok' || of === 'active') return null
  return (
    <>
      , <b class="down">{of}</b>
      {since !== null && (
        <>
          {' '}
          since <Time at={since} basis="accepted" />
        </>
      )}
      {why !== null && `: ${why}`}
    </>
  )
}
