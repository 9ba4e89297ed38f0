// Descriptions of signals: one plain sentence for readers, and a label for the trades that count.
import { DEFAULT_RULES, type SignalRules } from '../rule-thresholds.ts'
import type { ListedSignal, Signal, SignalPerson } from '../signal.ts'
import { readableCompany } from '../../wording/company-name.ts'
import { readableName } from '../../wording/person-name.ts'
import { newYorkDay } from '../../shared/new-york-time.ts'

const LONGEST = 300
/** How many persons are named and how long names may be: the first of these that makes a sentence short enough. */
const SHAPES = [
  { names: 3, longest: 60 },
  { names: 2, longest: 60 },
  { names: 1, longest: 60 },
  { names: 1, longest: 30 },
  { names: 1, longest: 10 },
] as const
type Shape = (typeof SHAPES)[number]

/** The company whose trades a signal is about, as its filings show it. */
interface SignalCompany {
  companyName: string
  /** Empty if none is known. */
  ticker: string
}

type DescribedSignal = ListedSignal & Pick<Signal, 'endedAt'>

/** Returns at most 300 characters: if the sentence would be longer, fewer persons are named, then names are cut. */
export function describeSignal(signal: DescribedSignal, company: SignalCompany): string {
  let text = ''
  for (const shape of SHAPES) {
    text = sentence(signal, company, shape)
    if (text.length <= LONGEST) break
  }
  return cut(text, LONGEST)
}

function sentence(signal: DescribedSignal, company: SignalCompany, shape: Shape): string {
  const did = signal.direction === 'buy' ? 'bought' : 'sold'
  const traded = `${did} ${dollars(signal.totalCents)} of ${companyOf(company, shape)} on the open market`
  const ended = signal.endedAt === null ? '' : `; no longer in effect since ${newYorkDay(signal.endedAt)}`
  return `${subjects(signal.persons, shape)} ${traded}${at(signal)} ${days(signal)}${because(signal)}${ended}.`
}

function companyOf({ companyName, ticker }: SignalCompany, { longest }: Shape): string {
  const name = cut(readableCompany(companyName) || 'the company', longest)
  return ticker === '' ? name : `${name} (${ticker})`
}

/** Returns a label such as `Cluster buy (4 insiders)`. */
export function signalLabel(signal: ListedSignal, rules: SignalRules = DEFAULT_RULES): string {
  const { type, direction, evidence } = signal
  if (isCluster(signal)) return `Cluster ${direction} (${insiders(signal.insiderCount)})`
  if (type === 'ceo_trade') return direction === 'buy' ? 'CEO buy' : 'CEO sale'
  if (type === 'reversal') return `Reversal (${direction === 'buy' ? 'buy' : 'sale'})`
  const size = evidence.kind === 'own-mean' ? `${evidence.ratio}x own mean` : `top ${topShare(rules)} here`
  return `Unusual size (${size})`
}

function isCluster({ evidence }: ListedSignal): boolean {
  return evidence.kind === 'cluster'
}

/** Names the CEO and CFO first, then by what they traded: `CEO A, directors B and C, and 2 other insiders`. */
function subjects(persons: readonly SignalPerson[], { names, longest }: Shape): string {
  const inOrder = persons.toSorted((a, b) => rankOf(a) - rankOf(b) || b.cents - a.cents)
  const named = inOrder.slice(0, names)
  const groups = Map.groupBy(named, ({ role }) => PLURALS[role] ?? Symbol(role))
  const texts = [...groups.values()].map((group, place) => {
    const [{ role }] = group as [SignalPerson]
    const title = group.length > 1 ? PLURALS[role]! : role
    const shown = place === 0 ? title.charAt(0).toUpperCase() + title.slice(1) : title
    return `${shown}${shown && ' '}${listed(group.map(({ name }) => cut(readableName(name), longest)))}`
  })
  const others = persons.length - named.length
  if (others > 0) texts.push(counted(others, 'other insider'))
  return listed(texts)
}

const rankOf = ({ role }: SignalPerson): number => (/\bCEO$/.test(role) ? 0 : /\bCFO$/.test(role) ? 1 : 2)

/** Roles that several people can be described by together. */
const PLURALS: Readonly<Record<string, string>> = {
  director: 'directors',
  officer: 'officers',
  '10% owner': '10% owners',
  'vice president': 'vice presidents',
  'senior vice president': 'senior vice presidents',
  'executive vice president': 'executive vice presidents',
}

/** Joins `A`, `A and B`, `A, B and C`; a comma before the last if an `and` occurs in an earlier part. */
function listed(parts: readonly string[]): string {
  if (parts.length < 2) return parts[0] ?? ''
  const comma = parts.slice(0, -1).some((part) => part.includes(' and ')) ? ',' : ''
  return `${parts.slice(0, -1).join(', ')}${comma} and ${parts.at(-1)}`
}

const insiders = (count: number): string => counted(count, 'insider')

/** Returns ` at $288.57 to $320.80`. */
function at({ prices }: ListedSignal): string {
  const [low, high] = prices.map(price)
  return low === high ? ` at ${low}` : ` at ${low} to ${high}`
}

/** Describes what the rule found beyond the trade itself. */
function because({ evidence, direction }: ListedSignal): string {
  const [same, opposite] = direction === 'buy' ? ['purchase', 'sale'] : ['sale', 'purchase']
  switch (evidence.kind) {
    case 'own-mean':
      return (
        `, ${evidence.ratio} times the insider's average over ${counted(evidence.trades, `earlier ${same}`)}` +
        ` (${dollars(evidence.mean)})`
      )
    case 'percentile':
      return (
        `, more than nearly all of ${counted(evidence.trades, `other ${same}`)} at the company` +
        ` (threshold ${dollars(evidence.percentile)})`
      )
    case 'reversal':
      return (
        `, after ${counted(evidence.against, `recent ${opposite}`)}; ` +
        `${evidence.opposite} of the insider's last ${counted(evidence.last, 'trade')} ` +
        (evidence.opposite === 1 ? `was a ${opposite}` : `were ${opposite}s`)
      )
    case 'cluster':
    case 'ceo':
      return ''
  }
}

function days({ firstDay, lastDay }: ListedSignal): string {
  return firstDay === lastDay ? `on ${firstDay}` : `between ${firstDay} and ${lastDay}`
}

function counted(count: number, word: string): string {
  return `${grouped(String(count))} ${word}${count === 1 ? '' : 's'}`
}

const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',')

/** Formats `$9,950`, `$1.2 million`, `$3 billion`: whole dollars below a million, one place above, half up. */
function dollars(cents: number): string {
  const whole = Math.round(cents / 100)
  if (whole < 1_000_000) return `$${grouped(String(whole))}`
  const tenths = Math.round(cents / 10_000_000)
  return tenths < 10_000 ? `$${tenths / 10} million` : `$${Math.round(cents / 10_000_000_000) / 10} billion`
}

/** Formats `$288.57`, `$1,250.00`, half up; below a dollar all places that were filed: `$0.0375`. */
function price(amount: number): string {
  if (amount < 1) return `$${amount.toFixed(4).replace(/(\.\d\d\d*?)0+$/, '$1')}`
  const [whole, fraction] = (Math.round(Math.round(amount * 10_000) / 100) / 100).toFixed(2).split('.')
  return `$${grouped(whole!)}.${fraction}`
}

/** Returns the share above the percentile, which the evidence does not have, from the rules. */
function topShare(rules: SignalRules): string {
  return `${Math.round((1 - rules.unusual_size.percentile) * 10_000) / 100}%`
}

function cut(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .replace(/[\uD800-\uDBFF]$/, '')
        .trimEnd()}…`
}
