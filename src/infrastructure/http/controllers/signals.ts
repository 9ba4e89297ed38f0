// Handlers of detected signals: the list, one signal with its evidence, and the rules.
import { ServiceError } from '../../../application/errors.ts'
import { dependenciesOf, withDependencies } from '../../../application/changes/data-dependencies.ts'
import type { TimeSpan } from '../../../application/queries/transaction-requests.ts'
import type { Queries } from '../../../application/queries/queries.ts'
import type { components } from '../../../contract.ts'
import { SECTORS } from '../../../domain/filings/sector.ts'
import { rulesVersion, type SignalRules } from '../../../domain/signals/rule-thresholds.ts'
import {
  ABOUT_SIGNALS,
  describeRules,
  describeSignificance,
} from '../../../domain/signals/descriptions/rule-descriptions.ts'
import { SIGNAL_TYPES, type SignalType } from '../../../domain/signals/signal.ts'
import { ok, okText, unknownTickers, type Handler, type QueryOf } from '../handler.ts'
import { defined, parseEach } from '../invalid-request.ts'
import { parseAsOf, parseCiks, parseCompanies, parseTimeSpan, parseWords } from '../parameters.ts'
import { DEFAULT_LIMIT } from '../server/limits.ts'
import { MAX_INSIDERS } from './transaction-filter.ts'

type Thresholds = components['schemas']['SignalThresholds']

/** Parses the filter of signals. Throws `invalid_parameter` with all faults. */
export function parseSignalFilter(query: QueryOf<'listSignals'>) {
  const { filed, ...rest } = parseEach({
    companies: () => parseCompanies(query),
    insiderCiks: () => parseCiks(query, 'insiderCiks', MAX_INSIDERS),
    sectors: () => parseWords(query, 'sectors', SECTORS),
    detected: () => parseTimeSpan(query, 'detectedFrom', 'detectedTo'),
    filed: () => parseTimeSpan(query, 'filedFrom', 'filedTo'),
    asOf: () => parseAsOf(query),
  })
  // A signal is detected when the filing that completes its rule is accepted.
  return filed ? { ...rest, detected: intersection(filed, rest.detected ?? {}) } : rest
}

function intersection(a: TimeSpan, b: TimeSpan): TimeSpan {
  const [from, before] = [
    Math.max(a.from ?? -Infinity, b.from ?? -Infinity),
    Math.min(a.before ?? Infinity, b.before ?? Infinity),
  ]
  return { ...(from > -Infinity && { from }), ...(before < Infinity && { before }) }
}

/** Returns the request for a page of signals. */
export function signalRequest(query: QueryOf<'listSignals'>) {
  const { type, severity, minSeverity, cursor, limit = DEFAULT_LIMIT } = query
  return { ...parseSignalFilter(query), ...defined({ type, severity, minSeverity, cursor }), limit }
}

export function listSignals(queries: Queries): Handler<'listSignals'> {
  return async ({ query }) => {
    const { page, unknown } = await queries.signals(signalRequest(query))
    return okText(page, unknownTickers(unknown))
  }
}

export function getSignal(queries: Queries, rules: SignalRules): Handler<'getSignal'> {
  const version = rulesVersion(rules)
  const words = describeRules(rules)
  return async ({ path, query }) => {
    const found = await queries.signal(path.id, query.detail === 'full')
    if (!found) throw new ServiceError('unknown_signal', 'No signal has this id')
    const { rules: madeBy, ...signal } = found
    const { type } = signal.signal
    const rule = { madeBy, version, text: words[type].text, thresholds: thresholdsOf(rules, type) }
    const dependencies = dependenciesOf(found)
    return ok(dependencies ? withDependencies({ ...signal, rule }, dependencies) : { ...signal, rule })
  }
}

export function listSignalRules(queries: Queries, rules: SignalRules): Handler<'listSignalRules'> {
  const words = describeRules(rules)
  const described = {
    version: rulesVersion(rules),
    about: ABOUT_SIGNALS,
    rules: SIGNAL_TYPES.map((type) => ({ type, ...words[type], thresholds: thresholdsOf(rules, type) })),
    personMonths: rules.personMonths,
    significance: { ...rules.significance },
    significanceText: describeSignificance(rules),
  }
  return async () => {
    // Without ClickHouse the rules are answered without their returns, and that answer is not cached.
    const returns = await queries.ruleReturns().catch(() => undefined)
    if (returns === undefined) return ok(described)
    const measured = returns && described.rules.map((rule) => ({ ...rule, returns: returns[rule.type] }))
    return ok(
      withDependencies({ ...described, ...(measured && { rules: measured }) }, { parts: [], readsFilings: false }),
    )
  }
}

/** Converts to the contract's types, which the generator makes without readonly lists. */
const thresholdsOf = (rules: SignalRules, type: SignalType) => rules[type] as Thresholds
