// The trades of a company or an insider: the newest rows, kept up with what changes, older ones by pages.
import { useEffect, useMemo } from 'preact/hooks'
import type { Query } from '../../client/index.ts'
import { onChange } from '../state/live.ts'
import { FeedRows } from '../state/rows.ts'
import { Fault } from './notice.tsx'
import { TradeTable } from './trade-table.tsx'

interface TradesProps {
  query: Query<'listFeed'>
  caption: string
  without?: 'company' | 'insider'
}

export function Trades({ query, caption, without }: TradesProps) {
  const rows = useMemo(() => new FeedRows(query), [JSON.stringify(query)])
  useEffect(() => () => rows.close(), [rows])
  useEffect(() => onChange(() => rows.touch()), [rows])
  const shown = rows.rows.value
  return (
    <>
      {rows.error.value !== null && <Fault error={rows.error.value} />}
      {shown.length > 0 && <TradeTable caption={caption} rows={shown} without={without} arrived={rows.arrived} />}
      {rows.isLoaded.value && shown.length === 0 && <p class="muted">No transactions are listed.</p>}
      {rows.hasOlder.value && (
        <p class="older">
          <button type="button" onClick={() => void rows.older()}>
            Older
          </button>
        </p>
      )}
    </>
  )
}
