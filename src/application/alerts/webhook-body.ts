// Makes the body of a webhook when it is sent: from the stored event, with the transactions that matched, in the format
// of the address.
import { timestampOf } from '../../domain/shared/new-york-time.ts'
import type { LeasedDelivery, Match } from '../ports/alerts.ts'
import { discordBody } from './chat/discord.ts'
import { chatMessage } from './chat/message.ts'
import { slackBody } from './chat/slack.ts'
import { rawJson } from '../shared/raw-json.ts'

/** The contract limits bodies to 20 kB; the rest is for the envelope. */
const DATA_BYTES = 19_500
/** Bytes of `matched`: the names of many rules would leave no room for transactions. */
const MATCHED_BYTES = 5_000

type BodySource = Pick<
  LeasedDelivery,
  'id' | 'eventType' | 'createdAt' | 'ticker' | 'data' | 'matched' | 'format' | 'issuerCik'
>

/** Makes the body of a delivery. */
export type WebhookBody = (delivery: BodySource) => string

/** `publicUrl` is the address of the dashboard; null if readers can't reach one. */
export function webhookBodies(publicUrl: string | null): WebhookBody {
  return (delivery) => {
    if (delivery.format === 'standard') return standardBody(delivery)
    const message = chatMessage({ ...delivery, data: chosenData(delivery, CHAT_BYTES) }, publicUrl)
    return JSON.stringify(delivery.format === 'slack' ? slackBody(message) : discordBody(message))
  }
}

/** Messages of chats show a few transactions and count the others, so they need the data of all. */
const CHAT_BYTES = Number.POSITIVE_INFINITY

function standardBody(delivery: BodySource): string {
  const { id, eventType, createdAt } = delivery
  const at = timestampOf(Math.floor(createdAt / 1000))
  const data = chosenData(delivery, DATA_BYTES)
  return `{"id":${JSON.stringify(id)},"type":${JSON.stringify(eventType)},"createdAt":"${at}","data":${data}}`
}

/** The stored data of an event: the transactions of a filing, or anything else. */
interface StoredData {
  transactions?: { detail?: object }[]
  superseded?: string[]
  omitted?: number
}

/** Returns the data with the ticker, the transactions that matched, and the matching rules and entries. */
function chosenData({ ticker, data, matched }: BodySource, most: number): string {
  const stored = parse(data) as StoredData | null
  if (stored === null) return 'null'
  const named = ticker === null ? {} : { ticker }
  const why = matched === null ? {} : shownMatches(matched)
  if (!stored.transactions) return JSON.stringify({ ...named, ...stored, ...why })
  const { transactions, superseded, omitted = 0, ...rest } = stored
  const [passing, of] = passingOf(matched)
  const isDetailed = matched?.some(({ detail }) => detail) ?? false
  const chosen = passing ? passing.flatMap((place) => transactions[place] ?? []) : transactions
  const shown = chosen.map(({ detail, ...each }) => (isDetailed && detail ? { ...each, detail } : each))
  // What the stored event omitted because there was too much, without transactions that don't match.
  const unstored = passing ? passing.length - chosen.length + omitted - (of - transactions.length) : omitted
  const fits = fitting(most - sizeOf({ ...named, ...rest, ...why }))
  const listed = shown.filter(fits)
  const listedSuperseded = superseded?.filter(fits)
  const notListed = shown.length - listed.length + (superseded?.length ?? 0) - (listedSuperseded?.length ?? 0)
  const left = notListed + unstored
  return JSON.stringify({
    ...named,
    ...rest,
    transactions: listed,
    ...(listedSuperseded && { superseded: listedSuperseded }),
    ...(left > 0 && { omitted: left }),
    ...(passing && { others: of - passing.length }),
    ...why,
  })
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Returns a function that tells whether a value still fits, and if so takes its bytes from the room. */
function fitting(bytes: number): (value: unknown) => boolean {
  let room = bytes
  return (value) => (room -= sizeOf(value) + 1) >= 0
}

/**
 * Returns the places of the transactions that pass a rule, and how many transactions the event has. The places are null
 * if all transactions are to be sent, as for a watchlist.
 */
function passingOf(matched: Match[] | null): [number[] | null, number] {
  const rules = (matched ?? []).flatMap((match) => (match.kind === 'alert' && match.passing ? [match] : []))
  if (rules.length === 0 || rules.length < matched!.length) return [null, 0]
  const places = new Set(rules.flatMap(({ passing }) => passing!))
  return [[...places].sort((a, b) => a - b), rules[0]!.of ?? 0]
}

type ShownMatch = { kind: 'alert'; id: string; name: string } | { kind: 'watchlist'; ticker: string }

function shownMatches(matched: Match[]): { matched: ShownMatch[]; matchedOmitted?: number } {
  const all = matched.map((match): ShownMatch => {
    if (match.kind === 'watchlist') return { kind: match.kind, ticker: match.ticker }
    return { kind: match.kind, id: match.id, name: match.name }
  })
  const shown = all.filter(fitting(MATCHED_BYTES))
  return { matched: shown, ...(shown.length < all.length && { matchedOmitted: all.length - shown.length }) }
}

/** Parses JSON so that JSON.stringify writes each number as before: doubles would round decimals beyond 15 digits. */
function parse(json: string): unknown {
  const asWritten = (_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' && String(value) !== source ? rawJson(source) : value
  return JSON.parse(json, asWritten as (key: string, value: unknown) => unknown)
}
