// Handlers of health (the process is up), readiness (it can answer) and the status of the data. Health and readiness
// have no envelope: probes read the HTTP status, people the body.
import type { components } from '../../../contract.ts'
import type { StatusQueries } from '../../../application/queries/service-status.ts'
import { ok, type Handler } from '../handler.ts'

type Readiness = components['schemas']['Readiness']
/** The state of the stores, from which readiness follows. */
export type ReadinessReport = Pick<Readiness, 'checks' | 'ingestion'>

export interface Health {
  ready(): Promise<ReadinessReport>
}

/** The versions of this process's software and of the contract. */
export interface Versions {
  version: string
  /** The commit of its image; null in a checkout. */
  revision: string | null
  contract: string
}

export function getStatus(queries: StatusQueries, versions: Versions): Handler<'getStatus'> {
  return async () => ok({ ...versions, ...(await queries.status()) })
}

export function getHealth(): Handler<'getHealth'> {
  return () => ({ status: 200, json: { status: 'up' } })
}

/**
 * Answers not ready while stopping, so that no new traffic is sent here while the last responses go out. It does so at
 * once: querying a slow store first would use up the time in which a balancer has to notice.
 */
export function getReadiness(health: Health, stopping: () => boolean): Handler<'getReadiness'> {
  return async () => {
    if (stopping()) return { status: 503, json: { status: 'stopping', checks: {} } }
    const report = await health.ready()
    if (areChecksOk(report) && !stopping()) return { status: 200, json: { status: 'ready', ...report } }
    return { status: 503, json: { status: stopping() ? 'stopping' : 'unavailable', ...report } }
  }
}

/** Ignores how far ingestion lags: the body reports it, and it does not affect readiness. */
export function areChecksOk({ checks }: ReadinessReport): boolean {
  return Object.values(checks).every((check) => check.ok)
}
