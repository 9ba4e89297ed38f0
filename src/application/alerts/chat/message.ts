// Describes an event for a chat: a headline, a line for each transaction, the severity, and links. Texts are as filed;
// the formats of the chats escape them.
import type { components } from '../../../contract.ts'
import { isCeo, isCfo } from '../../../domain/filings/ceo-cfo-title.ts'
import { highest, type Severity } from '../../../domain/trades/significance.ts'
import { readableName } from '../../../domain/wording/person-name.ts'
import { spokenRole } from '../../../domain/wording/spoken-role.ts'
import type { Cik } from '../../../domain/shared/identifiers.ts'
import { urlOf } from '../../queries/filings/filing-answer.ts'

type Schemas = components['schemas']
type Transaction = Schemas['Transaction']

/** A link whose text and address are this service's own. */
interface ChatLink {
  text: string
  url: string
}

export interface ChatMessage {
  headline: string
  lines: string[]
  /** Null for a test. */
  severity: Severity | null
  links: ChatLink[]
  /** Names of rules and symbols of entries that matched. */
  matched: string[]
}

interface ChatEvent {
  eventType: string
  /** Empty for a test. */
  issuerCik: Cik
  /** The data as in the standard format. */
  data: string
}

/** The fields that the data of events and of tests may have. */
interface EventData {
  ticker?: string
  companyName?: string
  accessionNumber?: string
  transactions?: Transaction[]
  superseded?: string[]
  omitted?: number
  others?: number
  signal?: Schemas['Signal']
  notice?: Schemas['Notice']
  message?: string
  matched?: ({ kind: 'alert'; name: string } | { kind: 'watchlist'; ticker: string })[]
}

/** Transactions with a line of their own; the others are counted. */
const MAX_LINES = 5

/** Returns the message. `publicUrl` is the address of the dashboard; null if readers can't reach one. */
export function chatMessage({ eventType, issuerCik, data }: ChatEvent, publicUrl: string | null): ChatMessage {
  const event = (JSON.parse(data) ?? {}) as EventData
  const matched = (event.matched ?? []).map((match) => (match.kind === 'alert' ? match.name : match.ticker))
  const page = (path: string): ChatLink[] =>
    publicUrl === null ? [] : [{ text: 'Dashboard', url: `${publicUrl.replace(/\/+$/, '')}/#/${path}` }]
  const company = issuerCik === '' ? [] : page(`company/CIK${issuerCik}`)
  if (event.signal) {
    const { id, description, severity } = event.signal
    const headline = eventType === 'signal.escalated' ? `Now ${severity}: ${description}` : description
    const links = [...page(`signal/${encodeURIComponent(id)}`), edgarOfCompany(issuerCik)].flat()
    return { headline, lines: [], severity, links, matched }
  }
  if (event.notice) {
    const { accessionNumber, url } = event.notice
    const filed = url === null ? [] : [{ text: 'EDGAR', url: urlOf(accessionNumber, issuerCik)! }]
    const links = [...page(`notice/${accessionNumber}`), ...filed]
    return { ...describeNotice(event.notice), severity: null, links, matched }
  }
  if (!event.transactions) {
    return { headline: event.message ?? eventType, lines: [], severity: null, links: [], matched }
  }
  const { transactions, accessionNumber = '', omitted = 0 } = event
  const filing = issuerCik === '' ? null : urlOf(accessionNumber, issuerCik)
  const more = transactions.slice(MAX_LINES).length + (event.superseded ? 0 : omitted)
  return {
    headline: headlineOf(event, eventType === 'transaction.amended'),
    lines: [
      ...transactions.slice(0, MAX_LINES).map(lineOf),
      ...(more > 0 ? [`and ${grouped(more)} more`] : []),
      ...(event.superseded?.length ? [`replaces ${counted(event.superseded.length, 'earlier transaction')}`] : []),
      ...(event.others ? [`${counted(event.others, 'other transaction')} in the filing`] : []),
    ],
    severity: transactions.length === 0 ? null : highest(transactions.map(({ significance }) => significance)),
    links: [...company, ...(filing === null ? edgarOfCompany(issuerCik) : [{ text: 'EDGAR', url: filing }])],
    matched,
  }
}

const edgarOfCompany = (issuer: Cik): ChatLink[] =>
  issuer === '' ? [] : [{ text: 'EDGAR', url: companyFilingsUrl(issuer) }]

/** Returns the page of a company's filings of Form 4 at the SEC. */
export const companyFilingsUrl = (issuer: Cik): string =>
  `https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=${issuer}&type=4&owner=only`

/** Returns a headline such as `Ada Sample plans to sell $250,000 of EXWI`, and lines on units, class, day and plan. */
function describeNotice(notice: Schemas['Notice']): Pick<ChatMessage, 'headline' | 'lines'> {
  const { seller, ticker, companyName, marketValue, units, securityTitles, saleDate, plan10b51, form } = notice
  const amount =
    marketValue !== null && marketValue > 0
      ? dollars(marketValue)
      : units === null
        ? 'securities'
        : counted(units, 'unit')
  const role = seller.relationships.length === 0 ? '' : ` (${seller.relationships.join(', ')})`
  const headline = `${seller.name}${role} plans to sell ${amount} of ${ticker || companyName}`
  return {
    headline: form === '144/A' ? `Amended: ${headline}` : headline,
    lines: [
      `${units === null ? 'Units not stated' : counted(units, 'unit')} of ${securityTitles.join(', ')}`,
      ...(saleDate === null ? [] : [`About ${saleDate}`]),
      ...(plan10b51 === 'yes' ? ['Under a Rule 10b5-1 plan'] : []),
    ],
  }
}

/** Returns a headline and a line without a full stop about one transaction, as filed. */
export function describeTransaction(transaction: Transaction): { headline: string; line: string } {
  const { ticker, companyName } = transaction
  return {
    headline: headlineOf({ transactions: [transaction], ticker, companyName }, false),
    line: lineOf(transaction),
  }
}

/** Returns a headline such as `CEO Clara Exemplar bought $1.2M of EXWI`, about the type with the greatest value. */
function headlineOf(
  { transactions = [], others = 0, ticker = '', companyName = '' }: EventData,
  isAmended: boolean,
): string {
  const company = ticker || companyName
  if (transactions.length === 0)
    return `An amendment ${others > 0 ? 'replaced' : 'withdrew'} transactions of ${company}`
  const sums = new Map<Transaction['transactionType'], { value: number; shares: number; rows: Transaction[] }>()
  for (const row of transactions) {
    const sum = sums.get(row.transactionType) ?? { value: 0, shares: 0, rows: [] }
    sum.value += row.totalValue
    sum.shares += row.shares
    sum.rows.push(row)
    sums.set(row.transactionType, sum)
  }
  const [type, { value, shares, rows }] = [...sums].reduce((a, b) => (b[1].value > a[1].value ? b : a))
  const amount = value > 0 ? `${dollars(value)} of` : `${counted(shares, 'share')} of`
  return `${isAmended ? 'Amended: ' : ''}${insiderOf(rows[0]!)} ${VERBS[type]} ${amount} ${company}`
}

function insiderOf({ insiderName, insiderTitle, companyName }: Transaction): string {
  const [ceo, cfo] = [isCeo(insiderTitle, companyName), isCfo(insiderTitle, companyName)]
  const parts = insiderTitle.toLowerCase().split(', ')
  const officer = parts.some((part) => part !== '' && part !== 'director' && part !== '10% owner')
  const role = spokenRole(insiderTitle, { officer, ceo, isCeoOrCfo: ceo || cfo })
  const name = readableName(insiderName)
  return role === '' ? name : `${role.charAt(0).toUpperCase()}${role.slice(1)} ${name}`
}

function lineOf(row: Transaction): string {
  const price = row.pricePerShare > 0 ? ` at $${amountOf(row.pricePerShare, 4)}, ${dollars(row.totalValue)}` : ''
  return `${readableName(row.insiderName)} ${VERBS[row.transactionType]} ${counted(row.shares, 'share')}${price}`
}

const VERBS: Record<Transaction['transactionType'], string> = {
  buy: 'bought',
  sell: 'sold',
  award: 'was awarded',
  exercise: 'exercised options for',
  conversion: 'converted into',
  tax_withholding: 'paid tax with',
  gift: 'gave or received as a gift',
  issuer_disposition: 'returned to the company',
  tender: 'tendered',
  inheritance: 'passed by inheritance',
  small_acquisition: 'acquired in small amounts',
  expiration: 'let expire',
  plan_transaction: 'moved within a plan',
  voting_trust: 'moved by a voting trust',
  swap: 'swapped',
  other: 'reported',
}

const amountOf = (amount: number, places: number): string =>
  amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: places })

const grouped = (count: number): string => count.toLocaleString('en-US', { maximumFractionDigits: 4 })

const counted = (count: number, word: string): string => `${grouped(count)} ${word}${count === 1 ? '' : 's'}`

/** Formats `$9,950`, `$1.2M`, `$3B`. */
function dollars(amount: number): string {
  for (const [unit, letter] of [
    [1e12, 'T'],
    [1e9, 'B'],
    [1e6, 'M'],
  ] as const) {
    // An amount up to half a tenth below the unit is rounded up to it, so that none is shown as `$1,000K`.
    if (amount >= unit - unit / 20) return `$${grouped(Math.round((amount / unit) * 10) / 10)}${letter}`
  }
  return `$${grouped(amount < 1 ? Math.round(amount * 100) / 100 : Math.round(amount))}`
}
