// A signal in words: one plain sentence for people who read it, and a few words for the trades that take part.
import { newYorkDay } from './filing-time.ts'
import { DEFAULT_RULES, type SignalRules } from './signal-rules.ts'
import type { Signal } from './signal.ts'

const LONGEST = 300
/** Three names and the company's, at their longest, leave room for the rest of the sentence. */
const LONGEST_NAME = 40
const LONGEST_COMPANY = 60
const NAMES = 3

/** At most 300 characters, so long names are cut. */
export function describeSignal(signal: Signal, companyName: string): string {
  const company = cut(companyName.trim() || 'the company', LONGEST_COMPANY)
  const did = signal.direction === 'buy' ? 'bought' : 'sold'
  const traded = `${did} ${dollars(signal.totalCents)} of ${company} ${days(signal)}`
  const ended = signal.endedAt === null ? '' : `; this stopped to hold on ${newYorkDay(signal.endedAt)}`
  return cut(`${who(signal)} ${traded}${because(signal)}${ended}.`, LONGEST)
}

/** Such as `Cluster buy (4 insiders)`. */
export function signalLabel(signal: Signal, rules: SignalRules = DEFAULT_RULES): string {
  const { type, direction, evidence } = signal
  if (isCluster(signal)) return `Cluster ${direction} (${insiders(signal.insiderCount)})`
  if (type === 'ceo_trade') return direction === 'buy' ? 'CEO buy' : 'CEO sale'
  if (type === 'reversal') return `Reversal (${direction === 'buy' ? 'buy' : 'sale'})`
  return `Unusual size (${evidence.kind === 'own-mean' ? `${evidence.ratio}x own mean` : `top ${topShare(rules)} here`})`
}

function isCluster({ evidence }: Signal): boolean {
  return evidence.kind === 'cluster'
}

function who(signal: Signal): string {
  const { type, persons } = signal
  const names = persons.slice(0, NAMES).map(({ name }) => cut(name, LONGEST_NAME))
  if (!isCluster(signal)) return type === 'ceo_trade' ? `The CEO, ${names[0]},` : names[0]!
  const others = persons.length - names.length
  const listed = others === 0 ? names : [...names, others === 1 ? '1 other' : `${others} others`]
  const named = listed.length === 1 ? listed[0] : `${listed.slice(0, -1).join(', ')} and ${listed.at(-1)}`
  return `${insiders(persons.length)} (${named})`
}

function insiders(count: number): string {
  return count === 1 ? '1 insider' : `${count} insiders`
}

/** What the rule found beyond the trade itself. */
function because({ evidence, direction }: Signal): string {
  const [same, opposite] = direction === 'buy' ? ['purchase', 'sale'] : ['sale', 'purchase']
  switch (evidence.kind) {
    case 'own-mean':
      return `, ${evidence.ratio} times the mean of ${counted(evidence.trades, `own earlier ${same}`)} ` +
        `(${dollars(evidence.mean)})`
    case 'percentile':
      return `, more than nearly all of ${counted(evidence.trades, `other ${same}`)} there ` +
        `(threshold ${dollars(evidence.percentile)})`
    case 'reversal':
      return `, after ${counted(evidence.against, `recent ${opposite}`)}; ` +
        `${evidence.opposite} of the last ${counted(evidence.last, 'trade')} ` +
        (evidence.opposite === 1 ? `was a ${opposite}` : `were ${opposite}s`)
    case 'cluster': case 'ceo':
      return ''
  }
}

function days({ firstDay, lastDay }: Signal): string {
  return firstDay === lastDay ? `on ${firstDay}` : `between ${firstDay} and ${lastDay}`
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** `$9,950`, `$1.2 million`, `$3 billion`: whole dollars below a million, one place above, half up. */
function dollars(cents: number): string {
  const whole = Math.round(cents / 100)
  if (whole < 1_000_000) return `$${String(whole).replace(/\B(?=(\d{3})+$)/g, ',')}`
  const tenths = Math.round(cents / 10_000_000)
  return tenths < 10_000 ? `$${tenths / 10} million` : `$${Math.round(cents / 10_000_000_000) / 10} billion`
}

/** What a signal says nothing of is told by the default. */
function topShare(rules: SignalRules): string {
  return `${Math.round((1 - rules.unusual_size.percentile) * 10_000) / 100}%`
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`
}
