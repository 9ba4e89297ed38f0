// Handlers of the alert rules of the caller's key.
import { unknownAlert, type AlertRules } from '../../../application/commands/alert-rules.ts'
import type { SendOnRequest } from '../../../application/commands/send-on-request.ts'
import type { ErrorDetail } from '../../../application/errors.ts'
import type { AlertFilter, RuleSettings } from '../../../application/ports/alerts.ts'
import type { FindMatches } from '../../../application/queries/alert-matches.ts'
import type { KeyQueries } from '../../../application/queries/key-queries.ts'
import type { components } from '../../../contract.ts'
import { companyKey, parseCompany } from '../../../domain/filings/ticker-symbol.ts'
import { parseCik } from '../../../domain/shared/identifiers.ts'
import { ok, type KeyedHandler, type QueryOf } from '../handler.ts'
import { defined, faultsOf, invalidRequest } from '../invalid-request.ts'
import { DEFAULT_LIMIT } from '../server/limits.ts'
import { parseRowFilter } from './transaction-filter.ts'

const DEFAULT_EVENTS: RuleSettings['events'] = ['transaction.created', 'signal.detected']
const DEFAULT_DAYS = 7

export function listAlerts(queries: KeyQueries): KeyedHandler<'listAlerts'> {
  return async ({ keyId }) => ok({ alerts: await queries.alerts(keyId) })
}

export function getAlert(queries: KeyQueries): KeyedHandler<'getAlert'> {
  return async ({ keyId, path }) => {
    const alert = await queries.alert(keyId, path.id)
    if (!alert) throw unknownAlert()
    return ok(alert)
  }
}

export function createAlert(rules: AlertRules): KeyedHandler<'createAlert'> {
  return async ({ keyId, body }) => ({ ...ok(await rules.add(keyId, settingsOf(body))), status: 201 })
}

export function replaceAlert(rules: AlertRules): KeyedHandler<'replaceAlert'> {
  return async ({ keyId, path, body }) => ok(await rules.replace(keyId, path.id, settingsOf(body)))
}

export function removeAlert(rules: AlertRules): KeyedHandler<'removeAlert'> {
  return async ({ keyId, path }) => {
    await rules.remove(keyId, path.id)
    return { status: 200, json: { success: true } }
  }
}

export function listAlertMatches(findMatches: FindMatches): KeyedHandler<'listAlertMatches'> {
  return async ({ keyId, path, query: { days = DEFAULT_DAYS, limit = DEFAULT_LIMIT } }) => {
    const matches = await findMatches(keyId, path.id, { days, limit })
    if (!matches) throw unknownAlert()
    return ok(matches)
  }
}

export function testAlert(sends: SendOnRequest): KeyedHandler<'testAlert'> {
  return async ({ keyId, path }) => ({ ...ok(await sends.testAlert(keyId, path.id)), status: 202 })
}

/** Parses a body. Throws `invalid_body` with all faults that the schema does not cover. */
function settingsOf(body: components['schemas']['AlertSettings']): RuleSettings {
  const { name, enabled = true, events, filter = {}, signalTypes, minSeverity, destination, detail = false } = body
  const faults: ErrorDetail[] = [
    ...(name.trim() === '' ? [{ path: 'body.name', message: 'must not be blank' }] : []),
    ...faultsOfFilter(filter),
  ]
  if (faults.length > 0) throw invalidRequest(faults)
  return {
    name,
    enabled,
    events: events ?? DEFAULT_EVENTS,
    filter: normalized(filter),
    signalTypes: signalTypes ?? null,
    minSeverity: minSeverity ?? null,
    destination: { url: destination.url, format: destination.format ?? 'standard' },
    detail,
  }
}

/** Checks the filter by the rules of the feed's parameters. */
function faultsOfFilter(filter: AlertFilter): ErrorDetail[] {
  const written = Object.entries(filter).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)])
  const faults = faultsOf(() => parseRowFilter(Object.fromEntries(written) as QueryOf<'listFeed'>))
  return faults.map(({ path, message }) => ({ path: path.replace(/^query\./, 'body.filter.'), message }))
}

/** Returns the filter with symbols in canonical form and CIKs of ten digits. */
function normalized({ tickers, issuerCiks, insiderCiks, ...others }: AlertFilter): AlertFilter {
  const ciks = (list: string[] | undefined) => list && [...new Set(list.map((cik) => parseCik(cik)!))]
  return {
    ...defined({
      tickers: tickers && [...new Set(tickers.map((ticker) => companyKey(parseCompany(ticker)!)))],
      issuerCiks: ciks(issuerCiks),
      insiderCiks: ciks(insiderCiks),
    }),
    ...others,
  }
}
