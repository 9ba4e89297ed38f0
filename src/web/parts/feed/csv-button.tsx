// All trades that pass the filters, as a file of comma-separated values, which only holders of a key get.
import { useSignal } from '@preact/signals'
import type { Query } from '../../../client/index.ts'
import { errorOf } from '../../../client/errors.ts'
import { pathOf } from '../../../client/operations.ts'
import { base } from '../../api.ts'
import { linkTo } from '../../route.ts'
import { apiKey } from '../../state/store.ts'

export function CsvButton({ query: { sort: _sort, ...filters } }: { query: Query<'listFeed'> }) {
  const said = useSignal('')
  if (apiKey.value === null) {
    return (
      <a class="button" href={linkTo('watchlist')} title="Sign in with an API key to save these trades as CSV">
        CSV (with an API key)
      </a>
    )
  }
  const save = async () => {
    const path = pathOf('exportFeed', {}, { ...filters, format: 'csv', detail: 'full' })
    const answer = await fetch(base + path, { headers: { authorization: `Bearer ${apiKey.value}` } })
    if (!answer.ok) throw await errorOf(answer)
    const href = URL.createObjectURL(await answer.blob())
    Object.assign(document.createElement('a'), { href, download: 'transactions.csv' }).click()
    URL.revokeObjectURL(href)
  }
  return (
    <>
      <button
        type="button"
        title="Saves all trades that pass these filters, newest first"
        disabled={said.value === 'Saving …'}
        onClick={() => {
          said.value = 'Saving …'
          save().then(
            () => (said.value = ''),
            (reason: Error) => (said.value = `Not saved: ${reason.message}.`),
          )
        }}
      >
        CSV
      </button>
      <span role="status" class="muted">
        {said.value}
      </span>
    </>
  )
}
