// Signals, a line each.
import type { Signal } from '../../client/index.ts'
import { linkTo } from '../route.ts'
import { SIGNALS } from '../words.ts'
import { Level, Time } from './inline.tsx'

export function SignalLines({ signals, isOfCompany = false }: { signals: readonly Signal[]; isOfCompany?: boolean }) {
  return (
    <ul class="signals">
      {signals.map(({ id, type, severity, ticker, description, detectedAt }) => (
        <li key={id}>
          <span class="kind">
            <Level of={severity} /> <a href={linkTo('signal', id)}>{SIGNALS[type]}</a>{' '}
            {!isOfCompany && (
              <a href={linkTo('company', ticker)}>
                <b>{ticker}</b>
              </a>
            )}
          </span>
          <span class="said">{description}</span>
          <span class="muted">
            <Time at={detectedAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}
