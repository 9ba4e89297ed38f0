// Holders of keys who watch all invented companies, and whether each received every event it was due.
import { assert } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { wholeFeed } from '../../http/answers.ts'
import type { Receipt, Receiver } from '../../webhooks/receiver.ts'
import type { Following } from './agreement.ts'
import { INVENTED_COMPANIES } from '../invented/world.ts'

export interface IssuedToWatcher {
  id: string
  key: string
  webhookSecret: string
}
export interface Watcher {
  id: string
  key: string
  path: string
}

/** Its webhooks come to `/<id>` of the receiver. */
export async function watchEverything(
  address: string,
  receiver: Receiver,
  { id, key, webhookSecret }: IssuedToWatcher,
): Promise<Watcher> {
  const path = `/${id}`
  receiver.secrets.set(path, [webhookSecret])
  for (const { ticker } of INVENTED_COMPANIES) {
    const answer = await fetch(`${address}/v1/watchlist`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ticker, webhookUrl: receiver.url + path }),
    })
    assert.strictEqual(answer.status, 201, await answer.text())
  }
  return { id, key, path }
}

/** A rule, with the parameters by which the log of changes gives the same. */
interface Ruled {
  path: string
  query: string
  settings: object
}

const EVENTS = ['transaction.created', 'transaction.amended', 'signal.detected', 'signal.escalated']

/** Rules of one key: all events, transactions by a filter, and the same for a chat. Each has a path of its own. */
export async function ruleEverything(
  address: string,
  receiver: Receiver,
  { id, key, webhookSecret }: IssuedToWatcher,
): Promise<Ruled[]> {
  const transactions = EVENTS.slice(0, 2)
  const filter = { transactionTypes: ['buy'], minShares: 500 }
  const query = `types=${transactions.join(',')}&transactionTypes=buy&minShares=500`
  const rules = [
    { path: `/${id}-all`, query: `types=${transactions.join(',')}`, settings: { events: EVENTS } },
    { path: `/${id}-some`, query, settings: { events: transactions, filter } },
    { path: `/${id}-chat`, query, settings: { events: transactions, filter }, format: 'slack' },
  ]
  for (const { path, settings, format = 'standard' } of rules) {
    receiver.secrets.set(path, [webhookSecret])
    const answer = await fetch(`${address}/v1/alerts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: path, ...settings, destination: { url: receiver.url + path, format } }),
    })
    assert.strictEqual(answer.status, 201, await answer.text())
  }
  return rules
}

/**
 * Each rule must have brought, each under one id, exactly the events of transactions that the log of changes gives for
 * its filter, and the one without a filter exactly the signals that the watchlist of all companies brought: after a
 * kill the log names companies in place of their signals.
 */
export async function expectRuled(
  address: string,
  receiver: Receiver,
  rules: Ruled[],
  watcher: Watcher,
): Promise<number> {
  let told = 0
  for (const { path, query } of rules) {
    const receipts = receiver.receipts.filter((receipt) => receipt.path === path)
    const ids = new Set(receipts.map(({ id }) => id))
    const expected: string[] = []
    for (let after = 'earliest', hasMore = true; hasMore;) {
      const { data } = (await (await fetch(`${address}/v1/changes?${query}&limit=100&after=${after}`)).json()) as any
      expected.push(...data.changes.map((change: { id: string }) => change.id))
      ;({ hasMore, nextCursor: after } = data)
    }
    if (path.endsWith('-all')) {
      const watched = receiver.receipts.filter((receipt) => receipt.path === watcher.path && receipt.json.data.signal)
      expected.push(...new Set(watched.map(eventOf)))
    }
    const isChat = receipts.some(({ json }) => json.id === undefined)
    if (isChat) assert.strictEqual(ids.size, expected.length, `messages at ${path}`)
    else assert.sameMembers([...new Set(receipts.map(eventOf))], expected, `events at ${path}`)
    assert.strictEqual(ids.size, expected.length, `ids at ${path}`)
    told += expected.length
  }
  return told
}

/** Returns what the id of an event is made of. */
function eventOf({ json: { type, data } }: Receipt): string {
  if (!data.signal) return `${type}/${data.accessionNumber}`
  return `${type}/${data.signal.id}${type === 'signal.escalated' ? `/${data.signal.severity}` : ''}`
}

/** Until nothing waits: then every alert that is owed has been received. */
export async function allDelivered({ query }: Following, seconds: number): Promise<void> {
  for (const end = performance.now() + seconds * 1000; ; await sleep(250)) {
    const [{ waiting } = { waiting: '' }] = await query<{ waiting: string | number }>(`SELECT
      (SELECT count(*) FROM deliveries WHERE status = 'waiting') + (SELECT count(*) FROM filings WHERE pending)
        + (SELECT count(*) FROM signal_queue) AS waiting`)
    if (Number(waiting) === 0) return
    if (performance.now() > end) throw new Error(`${waiting} are still waiting after ${seconds} s`)
  }
}

/** What each watcher must have received, by the API and the simulator's own list and not by the outbox. */
export async function expectTold(
  followed: Following,
  receiver: Receiver,
  watchers: Watcher[],
): Promise<{ alerts: number; duplicates: number }> {
  const listed = new Set(
    (await wholeFeed(followed.address)).map(({ id }: { id: string }) => id.replace(/-(nd|ds)-\d+$/, '')),
  )
  const signals = await allSignals(followed.address)
  const published = new Set(followed.published)
  for (const { path } of watchers) {
    const receipts = receiver.receipts.filter((receipt) => receipt.path === path)
    const filings = filingsTold(receipts)
    assert.deepEqual(
      [...listed].filter((accession) => !filings.has(accession)),
      [],
      'listed and not told',
    )
    assert.deepEqual(
      [...filings].filter((accession) => !published.has(accession)),
      [],
      'told and never published',
    )
    const told = signalsTold(receipts)
    assert.deepEqual(
      signals.filter((id) => !told.has(id)),
      [],
      'signals not told',
    )
  }
  assert.deepEqual(receiver.badlySigned, [])
  const ids = new Set(receiver.receipts.map(({ id }) => id))
  const bodies = new Map<string, string>()
  for (const { id, body } of receiver.receipts) {
    assert.strictEqual(bodies.get(id) ?? body, body, 'two bodies under one id')
    bodies.set(id, body)
  }
  const [{ n } = { n: '' }] = await followed.query<{ n: string }>(
    "SELECT count(*) AS n FROM deliveries WHERE status = 'delivered'",
  )
  assert.strictEqual(ids.size, Number(n), 'ids received and deliveries on record')
  return { alerts: ids.size, duplicates: receiver.receipts.length - ids.size }
}

const filingsTold = (receipts: Receipt[]) => new Set(receipts.flatMap(({ json }) => json.data.accessionNumber ?? []))
const signalsTold = (receipts: Receipt[]) =>
  new Set(receipts.flatMap(({ json }) => (json.type === 'signal.detected' ? json.data.signal.id : [])))

async function allSignals(address: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ;) {
    const { data } = (await (
      await fetch(`${address}/v1/signals?limit=100${cursor && `&cursor=${cursor}`}`)
    ).json()) as any
    ids.push(...data.signals.map(({ id }: { id: string }) => id))
    if (!data.hasMore) return ids
    cursor = data.nextCursor
  }
}
