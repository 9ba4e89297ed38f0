// Operator commands: inspect, resend and replay webhook deliveries.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Config } from '../../config.ts'
import { isRealDate } from '../../domain/shared/calendar.ts'
import type { PostgresDeliveryCommands } from '../../infrastructure/postgres/alerts/delivery-commands.ts'
import type {
  AttemptRecord,
  DeliveryRecord,
  PostgresOperatorQueries,
} from '../../infrastructure/postgres/queries/operator-queries.ts'
import { keyIdIn } from './keys.ts'
import { usageError, type Output } from '../output.ts'
import { withLedger } from '../with-database.ts'
import { counted } from '../counted.ts'

export const help = `deliveries: inspect, resend and replay webhook deliveries

  deliveries list [--status waiting|delivered|dead] [--key ID] [--since TIME] [--limit 50]   newest first
  deliveries show ID           one with its data and every attempt: time, status, duration, the receiver's answer
  deliveries resend ID         send one again, delivered or not, with the same webhook-id
  deliveries replay --since TIME   send all again that died since then, to addresses of a watchlist or an alert
  deliveries test --key ID [--url URL]   send a test event to the key's addresses, or to one of them, and wait for it
  deliveries addresses         addresses that fail or are disabled

  TIME is a date or a time such as 2026-03-01 or 2026-03-01T14:00:00Z, or how long ago: 90m, 24h, 3d.
  An address is disabled after a 410, or after 5 days of failures; resend, replay, or saving its entry or alert
  again re-enables it.`

interface At {
  queries: PostgresOperatorQueries
  commands: PostgresDeliveryCommands
  out: Output
}

type Action = (at: At, args: string[]) => Promise<number | void>

export async function run(config: Config, [name = '', ...args]: string[], out: Output): Promise<number | void> {
  const act = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (!act) throw usageError(`deliveries takes one of ${Object.keys(ACTIONS).join(', ')}, not "${name}"`)
  return withLedger(config, out, 'deliveries', ({ operatorQueries: queries, deliveryCommands: commands }) =>
    act({ queries, commands, out }, args),
  )
}

const STATUSES = ['waiting', 'delivered', 'dead']

const ACTIONS: Record<string, Action> = {
  list: async ({ queries, out }, args) => {
    const { values } = parseArgs({
      args,
      options: {
        status: { type: 'string' },
        key: { type: 'string' },
        since: { type: 'string' },
        limit: { type: 'string', default: '50' },
      },
    })
    if (values.status !== undefined && !STATUSES.includes(values.status))
      throw usageError(`--status takes one of ${STATUSES.join(', ')}`)
    if (!/^[1-9]\d{0,4}$/.test(values.limit)) throw usageError('--limit takes a number from 1 to 99999')
    const { status, key, since, limit } = values
    const from = since === undefined ? undefined : timeOf(since)
    const deliveries = await queries.deliveries({
      status,
      keyId: key === undefined ? key : keyIdIn(key),
      since: from,
      limit: Number(limit),
    })
    out.result({ deliveries }, [...deliveries.map(lineOf), counted(deliveries.length, 'delivery', 'deliveries')])
  },
  show: async ({ queries, out }, args) => {
    const delivery = await queries.delivery(only(args, 'show'))
    if (!delivery) throw new Error(`no delivery ${args[0]}`)
    const { data, attemptsMade, ...record } = delivery
    out.result({ delivery: { ...record, data: data === null ? null : JSON.parse(data), attemptsMade } }, [
      lineOf(delivery),
      ...attemptsMade.map(
        ({ number, at, answer, ...attempt }) =>
          `  ${number}. ${at.toISOString()}  ${outcomeOf(attempt)}${answer ? `: ${answer.slice(0, 200)}` : ''}`,
      ),
      `  data ${data}`,
    ])
  },
  resend: async ({ commands, out }, args) => {
    const id = only(args, 'resend')
    if (!(await commands.resend(id))) throw new Error(`no delivery ${id}`)
    out.result({ id }, [`${id} is sent again`])
  },
  replay: async ({ commands, out }, args) => {
    const {
      values: { since },
    } = parseArgs({ args, options: { since: { type: 'string' } } })
    if (since === undefined) throw usageError('replay needs a time: make replay SINCE=24h')
    const replayed = await commands.replay(timeOf(since))
    out.result({ replayed }, [counted(replayed, 'delivery is sent again', 'deliveries are sent again')])
  },
  test: async ({ queries, commands, out }, args) => {
    const {
      values: { key, url },
    } = parseArgs({ args, options: { key: { type: 'string' }, url: { type: 'string' } } })
    if (key === undefined) throw usageError('test needs a key: make test-event KEY_ID=...')
    const ids = await commands.sendTest(keyIdIn(key), url ?? null)
    if (ids.length === 0) {
      const missing = url === undefined ? 'webhook address' : 'such address'
      throw new Error(`key ${key} has no ${missing}, or there is no such key`)
    }
    const tried = (await queries.isDelivering()) ? await firstAttempts(queries, ids) : []
    out.result(
      { deliveries: ids, attempts: tried },
      tried.length === 0
        ? [`${counted(ids.length, 'test event waits', 'test events wait')} for a process that delivers`]
        : tried.map(({ id, outcome }) => `${id}  ${outcome}`),
    )
    return tried.every(({ delivered }) => delivered) ? 0 : 1
  },
  addresses: async ({ queries, out }) => {
    const addresses = await queries.troubledAddresses()
    const lines = addresses.map(({ keyId, url, failingSince, disabledAt, disabledReason, waiting }) => {
      const state = disabledAt
        ? `disabled ${disabledAt.toISOString()}: ${disabledReason}`
        : `failing since ${failingSince!.toISOString()}`
      return `${keyId}  ${url}  ${state}, ${waiting} waiting`
    })
    out.result({ addresses }, [
      ...lines,
      counted(addresses.length, 'address fails or is disabled', 'addresses fail or are disabled'),
    ])
  },
}

/** Longer than one attempt may take. The command does not wait for retries. */
const TEST_TIMEOUT_MS = 20_000

async function firstAttempts(queries: PostgresOperatorQueries, ids: string[]) {
  const tried = []
  for (
    const end = performance.now() + TEST_TIMEOUT_MS;
    tried.length < ids.length && performance.now() < end;
    await sleep(50)
  ) {
    for (const id of ids.slice(tried.length)) {
      const {
        attemptsMade: [first],
        status,
      } = (await queries.delivery(id))!
      if (!first && status === 'waiting') break
      tried.push({ id, delivered: status === 'delivered', outcome: first ? outcomeOf(first) : status })
    }
  }
  return [...tried, ...ids.slice(tried.length).map((id) => ({ id, delivered: false, outcome: 'not tried yet' }))]
}

function outcomeOf({ status, error, milliseconds }: Pick<AttemptRecord, 'status' | 'error' | 'milliseconds'>): string {
  return `${status ?? error} after ${Math.round(milliseconds)} ms`
}

function only(args: string[], command: string): string {
  const [id] = args
  if (args.length !== 1 || !id) throw usageError(`deliveries ${command} needs one id; "deliveries list" shows them`)
  return id
}

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns the time that `--since` takes. Throws if it is none. */
export function timeOf(text: string): Date {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  if (count && unit) return new Date(Date.now() - Number(count) * UNITS[unit]!)
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z)?$/.test(text)
  // Date takes 31 February for 3 March.
  const at = isTime && isRealDate(text.slice(0, 10)) ? new Date(text) : null
  if (!at || Number.isNaN(at.getTime()))
    throw usageError(`--since takes a time such as 2026-03-01, 2026-03-01T14:00:00Z or 24h, not "${text}"`)
  return at
}

function lineOf({ id, event, keyId, url, status, reason, attempts, createdAt, nextAttemptAt }: DeliveryRecord): string {
  const then = status === 'waiting' ? `, next ${nextAttemptAt!.toISOString()}` : reason ? `: ${reason}` : ''
  const count = counted(attempts, 'attempt')
  return `${id}  ${createdAt.toISOString()}  ${event}  key ${keyId}  ${url}  ${status}, ${count}${then}`
}
