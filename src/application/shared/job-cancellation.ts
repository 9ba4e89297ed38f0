// The cancellation of jobs by the operator: checked once a second; the work ends at its next step.
import type { JobQueue } from '../ports/jobs.ts'

const LOOK_MS = 1_000

/** Ends a job that the operator cancelled: what is done stays, and the same job can be started again. */
export class JobCancelled extends Error {
  constructor() {
    super('the job was cancelled')
  }
}

interface Cancellation {
  /** Aborted with JobCancelled. */
  signal: AbortSignal
  stop(): void
}

/** Watches whether job `id` was cancelled, until `stop`. */
export function watchCancellation(jobs: Pick<JobQueue, 'state'>, id: number): Cancellation {
  const cancelled = new AbortController()
  const look = () =>
    jobs.state(id).then(
      (job) => {
        if (job?.status === 'cancelling') cancelled.abort(new JobCancelled())
      },
      () => {
        /* asked again */
      },
    )
  const timer = setInterval(() => void look(), LOOK_MS)
  return { signal: cancelled.signal, stop: () => clearInterval(timer) }
}
