// How fresh and complete the data is, in a line at the foot of every page.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { age, count, monthOf } from '../format.ts'
import { shownStatus, statusError, type Status } from '../state/status.ts'

const LAG = (seconds: number) => (seconds < 10 ? `${seconds.toFixed(1)} s` : age(seconds))

export function StatusFooter() {
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const status = shownStatus.value
  const error = statusError.value
  const isReady = error === null && status !== null && status.filling === null
  return (
    <footer>
      <span>
        <span class={`dot ${error !== null ? 'away' : isReady ? 'live' : 'connecting'}`} aria-hidden="true" />
        {error !== null
          ? error.status === 0
            ? 'service not reachable'
            : 'service not ready'
          : isReady
            ? 'service ready'
            : status
              ? 'service loads its data'
              : '…'}
      </span>
      {status !== null && <Facts status={status} now={now.value} />}
    </footer>
  )
}

function Facts({ status, now }: { status: Status; now: number }) {
  const { newestFilingAt, lagSeconds, follows, silent, historyFrom, filling, jobs, days, version } = status
  const [day] = days
  return (
    <>
      <span>
        {newestFilingAt === null
          ? 'no filing yet'
          : `newest filing ${age((now - Date.parse(newestFilingAt)) / 1_000)} ago`}
      </span>
      {lagSeconds !== null && (
        <span title="From EDGAR's acceptance until the filing is shown here">
          filings appear within {LAG(lagSeconds.p50)} (half of them), {LAG(lagSeconds.p95)} (95%)
        </span>
      )}
      {!follows && <span>EDGAR is not followed</span>}
      {silent && <span>no new filing from EDGAR for two hours</span>}
      {day !== undefined && day.filed > 0 && (
        <span>
          {day.date}: {count(day.listed)} of {count(day.filed)} filings loaded
        </span>
      )}
      {historyFrom !== null && <span>history from {monthOf(historyFrom)}</span>}
      {filling !== null && <span>loading data {progress(filling)}</span>}
      {jobs.map((job) => (
        <span key={job.kind}>
          job {job.kind}: {job.status} {job.status === 'queued' ? '' : progress(job)}
        </span>
      ))}
      <span class="muted">v{version}</span>
    </>
  )
}

function progress({ done, total, pace }: Status['jobs'][number] | NonNullable<Status['filling']>): string {
  const share = total === null || total === 0 ? '' : `${Math.floor((100 * done) / total)}%`
  return pace?.secondsLeft == null ? share : `${share}, ${age(pace.secondsLeft)} left`
}
