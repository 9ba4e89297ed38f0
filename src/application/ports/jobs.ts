// Ports of jobs: work for the process that holds the analytics lock, queued by commands.
import type { Pace, Progress } from './system.ts'

export type JobKind = 'rebuild' | 'companies' | 'catch-up' | 'backfill' | 'sectors' | 'exports' | 'prices'

export interface JobState {
  id: number
  kind: JobKind
  args: Record<string, unknown>
  /** `cancelling`: still running, and was cancelled. */
  status: 'queued' | 'running' | 'cancelling' | 'done' | 'failed' | 'cancelled'
  done: number
  total: number | null
  /** Of a running job that is measured. */
  pace: Pace | null
  result: unknown
  error: string | null
  attempts: number
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

/** Work that needs the analytics store, queued for the process that holds its lock (PostgreSQL). */
export interface JobQueue {
  queue(kind: JobKind, args?: Record<string, unknown>): Promise<number>
  /** Queues a job unless one of this kind waits or runs already. */
  queueOnce(kind: JobKind): Promise<void>
  state(id: number): Promise<JobState | null>
  /** Returns unfinished jobs in their order, then the newest finished ones. */
  list(finished: number): Promise<JobState[]>
  /**
   * Ends a queued job; a running one is `cancelling` until its process has ended it. Returns null if no unfinished job
   * has this id.
   */
  cancel(id: number): Promise<'cancelled' | 'cancelling' | null>
  /** Ends a job that was cancelled and that no process runs any more. */
  cancelled(id: number): Promise<void>
  /**
   * Returns the oldest unfinished job, marked running, with the number of attempts, this one included; the making of
   * month files and look-ups of sectors after all others, an interrupted job after a while; of one kind alone if it is
   * given. Only the holder of the lock may call it.
   */
  next(kind?: JobKind): Promise<JobState | null>
  /** Leaves the job to the next process that holds the lock, without counting this attempt. */
  leave(id: number): Promise<void>
  progress(id: number, ...reported: Parameters<Progress>): Promise<void>
  finish(id: number, result: unknown): Promise<void>
  fail(id: number, reason: string): Promise<void>
}
