// Rules of alerts as a form has them: made of the feed's filters, and turned into what the API takes. Pure: tested
// without a browser.
import type { components } from '../contract.ts'

type Schemas = components['schemas']
type Filter = Schemas['AlertFilter']

/** The conditions of a rule in the order of its form; the values of a list stand with commas between them. */
const LISTS = [
  ['tickers', 'Companies', 'EXWI,EXGD'],
  ['issuerCiks', 'Companies (CIK)', '1999001'],
  ['insiderCiks', 'Insiders (CIK)', '1999105'],
  ['transactionTypes', 'Types', 'buy,sell'],
  ['transactionCodes', 'Transaction codes', 'P,S'],
  ['roles', 'Roles', 'ceo,cfo'],
  ['sectors', 'Sectors', 'Technology,Energy'],
  ['plan10b51', '10b5-1 plan', 'no,unknown'],
] as const
const AMOUNTS = [
  ['minValue', 'Value at least ($)', '250000'],
  ['maxValue', 'Value at most ($)', ''],
  ['minShares', 'Shares at least', ''],
  ['maxShares', 'Shares at most', ''],
  ['minHoldingChange', 'Change of the holding at least (fraction)', '0.1'],
  ['maxHoldingChange', 'Change of the holding at most (fraction)', '-0.5'],
  ['firstBuyInYears', 'First purchase in years', '3'],
] as const
export const CHOICES = [
  ['ownership', 'Ownership', ['direct', 'indirect', 'unknown']],
  ['routine', 'Routine', ['yes', 'no']],
  ['late', 'Filed late', ['true', 'false']],
  ['minSignificance', 'Significance at least', ['low', 'medium', 'high', 'critical']],
] as const
/** Those that are typed. */
export const TYPED = [...LISTS, ...AMOUNTS]
const LABELS = new Map<string, string>([...TYPED, ...CHOICES].map(([name, label]) => [name, label]))

/** Returns whether a condition is a number. */
export const isAmount = (name: string): boolean => AMOUNTS.some(([each]) => each === name)

/** What the buttons over the feed stand for. */
const PRESETS = new Map([
  ['buys', ['transactionTypes', 'buy']],
  ['sells', ['transactionTypes', 'sell']],
  ['high', ['minSignificance', 'high']],
  ['ceo_cfo', ['roles', 'ceo,cfo']],
] as const)

/** Filters of the feed that rules do not have. */
const NOT_OF_RULES = new Map([
  ['filedFrom', 'filed from'],
  ['filedTo', 'filed to'],
  ['sort', 'order'],
])

export interface Conditions {
  /** As they stand in the fields of a form. */
  filter: Record<string, string>
  /** Filters that a rule can't have, in words. */
  leftOut: string[]
}

/** Returns what a rule takes of the filters of the feed. */
export function conditionsOf(query: URLSearchParams): Conditions {
  const filter = Object.fromEntries([...query].filter(([name]) => LABELS.has(name)))
  const leftOut = [...query.keys()].flatMap((name) => NOT_OF_RULES.get(name) ?? [])
  const [name, value] = PRESETS.get(query.get('filter') as 'buys') ?? []
  if (name === 'roles' && filter[name] && filter[name] !== value) {
    // The feed wants both to be met; of the roles of a rule one is enough.
    leftOut.push('CEO & CFO, beside another role')
  } else if (name && filter[name] !== 'critical') filter[name] = value
  return { filter, leftOut }
}

/** Returns the conditions of a rule as they stand in the fields of a form. */
export const fieldsOfFilter = (filter: Filter): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)]))

/** Returns what a rule is about, in words. */
export function conditionWords(filter: Filter): string {
  const words = Object.entries(fieldsOfFilter(filter)).map(([name, value]) => `${LABELS.get(name)}: ${value}`)
  return words.join('; ') || 'all trades'
}

/** Returns what the API takes of a form that was filled in. */
export function settingsOf(fields: FormData, enabled: boolean): Schemas['AlertSettings'] {
  const text = (name: string) => (fields.get(name) as string).trim()
  const listed = (name: string) =>
    text(name)
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean)
  const given = [...LABELS.keys()].filter((name) => text(name) !== '')
  const filter = given.map((name) => {
    if (isAmount(name)) return [name, Number(text(name))]
    if (name === 'late') return [name, text(name) === 'true']
    return [name, LISTS.some(([each]) => each === name) ? listed(name) : text(name)]
  })
  const signalTypes = fields.getAll('signalTypes') as Schemas['SignalType'][]
  const minSeverity = text('minSeverity') as Schemas['Severity'] | ''
  return {
    name: text('name'),
    enabled,
    events: fields.getAll('events') as Schemas['AlertEvent'][],
    filter: Object.fromEntries(filter) as Filter,
    ...(signalTypes.length > 0 && { signalTypes }),
    ...(minSeverity && { minSeverity }),
    destination: { url: text('url'), format: text('format') as 'standard' },
    detail: fields.has('detail'),
  }
}

/** Returns what can be set of a rule, to be sent again with a change. */
export function settingsOfAlert(alert: Schemas['Alert']): Schemas['AlertSettings'] {
  const { id: _, createdAt: _c, updatedAt: _u, lastMatchedAt: _l, health: _h, ...settings } = alert
  return settings
}
