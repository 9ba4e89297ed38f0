// Is the process up, and can it answer. Both without envelope: probes look at the status, people at the body.
import type { components } from '../../../contract.ts'
import type { Handler } from '../handler.ts'

type Readiness = components['schemas']['Readiness']
/** What the stores say; whether that is ready follows from it. */
export type ReadinessReport = Pick<Readiness, 'checks' | 'ingestion'>

export interface Health {
  ready(): Promise<ReadinessReport>
}

export function getHealth(): Handler<'getHealth'> {
  return () => ({ status: 200, json: { status: 'up' } })
}

/**
 * Not ready while stopping, so that no new traffic is sent here while the last answers go out. That is told at once: asking
 * a slow store first would use up the time in which a balancer is to notice.
 */
export function getReadiness(health: Health, stopping: () => boolean): Handler<'getReadiness'> {
  return async () => {
    if (stopping()) return { status: 503, json: { status: 'stopping', checks: {} } }
    const report = await health.ready()
    if (isAble(report) && !stopping()) return { status: 200, json: { status: 'ready', ...report } }
    return { status: 503, json: { status: stopping() ? 'stopping' : 'unavailable', ...report } }
  }
}

/** The ingestion's lag is told and makes nobody unready. */
export function isAble({ checks }: ReadinessReport): boolean {
  return Object.values(checks).every((check) => check.ok)
}
