// Jobs: work for the process that holds the analytics store, asked for by commands.

export type JobKind = 'rebuild' | 'companies' | 'catch-up' | 'backfill' | 'sectors'

export interface JobState {
  id: number
  kind: JobKind
  args: Record<string, unknown>
  /** `cancelling`: runs, and was cancelled. */
  status: 'queued' | 'running' | 'cancelling' | 'done' | 'failed' | 'cancelled'
  done: number
  total: number | null
  result: unknown
  error: string | null
  attempts: number
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

/** Work that needs the analytics store, queued for the process that holds it (PostgreSQL). */
export interface Jobs {
  queue(kind: JobKind, args?: Record<string, unknown>): Promise<number>
  /** Unless one of this kind waits or runs already. */
  queueOnce(kind: JobKind): Promise<void>
  state(id: number): Promise<JobState | null>
  /** Unfinished jobs in their order, then the newest finished ones. */
  list(finished: number): Promise<JobState[]>
  /** Ends a queued job; one that runs is `cancelling` until its process has ended it. Null where there is none unfinished. */
  cancel(id: number): Promise<'cancelled' | 'cancelling' | null>
  /** Ends a job that was cancelled and that no process runs any more. */
  cancelled(id: number): Promise<void>
  /**
   * The oldest unfinished job, marked running, with how often it was begun, this time included; one that was cut short after
   * a while. Only the holder may ask.
   */
  next(): Promise<JobState | null>
  /** Leaves the job to the process that holds the store next, without counting this attempt. */
  leave(id: number): Promise<void>
  progress(id: number, done: number, total: number | null): Promise<void>
  finish(id: number, result: unknown): Promise<void>
  fail(id: number, reason: string): Promise<void>
}
