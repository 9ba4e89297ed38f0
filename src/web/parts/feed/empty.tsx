// Nothing stored yet: how to fill it.
import { shownStatus } from '../../state/status.ts'

const COMMANDS = [
  ['make ingest FROM=test/fixtures/filings', 'load a few invented filings, to look around'],
  [
    "make up EDGAR_USER_AGENT='Your Name you@example.com'",
    'follow EDGAR from now on; the SEC requires your name and e-mail address',
  ],
  ['make backfill SETS=2024q1..2026q3', 'load the history from the SEC’s data sets'],
] as const

export function Empty() {
  const status = shownStatus.value
  return (
    <section class="empty">
      <h2>No filings here yet</h2>
      <p>Run one of these where the service was started:</p>
      <dl>
        {COMMANDS.map(([command, words]) => (
          <div key={command}>
            <dt>
              <code>{command}</code>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      {status !== null && (
        <p class="muted">
          {status.follows ? 'EDGAR is followed: the next filing appears here.' : 'EDGAR is not followed.'}
        </p>
      )}
    </section>
  )
}
