// The past 24 hours in a line: the largest buy, the largest sell, the strongest signals.
import { useEffect } from 'preact/hooks'
import type { Transaction } from '../../../client/index.ts'
import { client, useAsked } from '../../api.ts'
import { insiderName, money } from '../../format.ts'
import { onChange } from '../../state/live.ts'
import { linkTo } from '../../route.ts'
import { SIGNALS } from '../../words.ts'
import { Level } from '../inline.tsx'

/** Asked again this long after the first of several changes. */
const TOGETHER_MS = 5_000

export function DayStrip() {
  const { data, again } = useAsked((signal) => client.feed.statistics({ signal }), [])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = onChange(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        again()
      }, TOGETHER_MS)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [])
  if (data === null) return <div class="strip" aria-hidden="true" />
  const { topBuys, topSells, topSignals } = data
  const [signal] = topSignals
  return (
    <section class="strip" aria-label="The past 24 hours">
      <h2>Past 24 hours</h2>
      {topBuys[0] === undefined && topSells[0] === undefined && <span class="muted">no buys or sales filed</span>}
      {topBuys[0] && <Largest row={topBuys[0]} words="largest buy" />}
      {topSells[0] && <Largest row={topSells[0]} words="largest sell" />}
      {signal && (
        <span>
          strongest signal{' '}
          <a href={linkTo('signal', signal.id)}>
            {SIGNALS[signal.type]} at <b>{signal.ticker}</b>
          </a>{' '}
          <Level of={signal.severity} />
        </span>
      )}
    </section>
  )
}

function Largest({ row, words }: { row: Transaction; words: string }) {
  return (
    <span>
      {words}{' '}
      <a href={linkTo('company', row.ticker)}>
        <b>{row.ticker}</b> {money(row.totalValue)}
      </a>{' '}
      <span class="muted">{insiderName(row.insiderName)}</span>
    </span>
  )
}
