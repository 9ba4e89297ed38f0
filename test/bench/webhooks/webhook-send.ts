// Webhooks a second through the sender, beside a loop of `got.post` that posts the same messages unsigned, with the
// same settings over kept connections: what signing, the guard and the capped answer cost. And beside the least that
// got can do, a stream whose answer is thrown away. The receiver is a process of its own; the sides take turns. By the
// clock, and by this process's own time on a CPU, which others on the machine disturb less. And signing alone.
// MESSAGES=500 ROUNDS=20 BATCH=16. One JSON line.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import got from 'got'
import { openAddressGuard } from '../../../src/infrastructure/webhooks/address-guard.ts'
import { HttpWebhookSender } from '../../../src/infrastructure/webhooks/sender.ts'
import { signatureHeaders } from '../../../src/infrastructure/webhooks/signature.ts'
import { newWebhookSecret } from '../../support/webhooks/secret.ts'
import { median, printBench, quantile, shuffled } from '../support/measure.ts'

const MESSAGES = Number(process.env.MESSAGES ?? 500)
const ROUNDS = Number(process.env.ROUNDS ?? 20)
const BATCH = Number(process.env.BATCH ?? 16)

// As large as most: an event with four transactions.
const body = JSON.stringify({
  id: 'msg_1',
  type: 'transaction.created',
  data: { transactions: Array(4).fill('x'.repeat(400)) },
})
const secrets = [newWebhookSecret()]
const receiver = fork(new URL('./webhook-receiver.ts', import.meta.url), { execArgv: ['--import', 'tsx'] })
const [port] = await once(receiver, 'message')
const url = `http://127.0.0.1:${port}/hook`
const sender = new HttpWebhookSender({
  guard: openAddressGuard({ allowHttp: true, allowHosts: ['127.0.0.1'] }),
  version: 'bench',
})
const agent = new Agent({ keepAlive: true, timeout: 4_000 })
const client = got.extend({
  agent: { http: agent },
  decompress: false,
  followRedirect: false,
  throwHttpErrors: false,
  retry: { limit: 0 },
  headers: { 'user-agent': 'bench', 'content-type': 'application/json', 'accept-encoding': 'identity' },
  timeout: { connect: 5_000, request: 15_000 },
})

async function signed(number: number): Promise<void> {
  const { outcome } = await sender.send({ id: `msg_${number}`, url, body, secrets })
  if (outcome.kind !== 'answered' || outcome.status !== 204) throw new Error(JSON.stringify(outcome))
}

const headersOf = (number: number) => ({
  'webhook-id': `msg_${number}`,
  'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
})

async function unsigned(number: number): Promise<void> {
  const { statusCode } = await client.post(url, { body, headers: headersOf(number), responseType: 'buffer' })
  if (statusCode !== 204) throw new Error(String(statusCode))
}

async function unread(number: number): Promise<void> {
  const stream = client.stream.post(url, { body, headers: headersOf(number) })
  stream.resume()
  await once(stream, 'end')
}

interface Time {
  clock: number
  cpu: number
}

/** Microseconds each. */
async function timeOf(send: (number: number) => Promise<void>): Promise<Time> {
  let number = 0
  const [start, used] = [performance.now(), process.cpuUsage()]
  await Promise.all(
    Array.from({ length: BATCH }, async () => {
      while (number < MESSAGES) await send((number += 1))
    }),
  )
  const { user, system } = process.cpuUsage(used)
  return { clock: ((performance.now() - start) * 1000) / MESSAGES, cpu: (user + system) / MESSAGES }
}

const sides = { signed, unsigned, unread }
type Side = keyof typeof sides
const names = Object.keys(sides) as Side[]
const times: Record<Side, Time[]> = { signed: [], unsigned: [], unread: [] }
try {
  for (const name of [...names, ...names]) await timeOf(sides[name])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of shuffled(names)) times[name].push(await timeOf(sides[name]))
  }
  const signings = 20_000
  const start = performance.now()
  for (let number = 0; number < signings; number += 1) signatureHeaders(`msg_${number}`, number, body, secrets)
  const signing = (performance.now() - start) / signings
  const each = <T>(figure: (name: Side) => T) => Object.fromEntries(names.map((name) => [name, figure(name)]))
  const medianOf = (name: Side, what: keyof Time) => median(times[name].map((time) => time[what]))
  const ratios = (name: Side, what: keyof Time) =>
    times.signed.map((time, round) => times[name][round]![what] / time[what])
  const byClock = ratios('unsigned', 'clock')
  printBench('webhook-send', {
    messages: MESSAGES,
    rounds: ROUNDS,
    atOnce: BATCH,
    bodyBytes: Buffer.byteLength(body),
    perSecond: each((name) => 1e6 / medianOf(name, 'clock')),
    cpuMicroseconds: { ...each((name) => medianOf(name, 'cpu')), signing: signing * 1000 },
    ratios: {
      signedToUnsigned: median(byClock),
      quartiles: [quantile(byClock, 0.25), quantile(byClock, 0.75)],
      signedToUnsignedByCpu: median(ratios('unsigned', 'cpu')),
      signedToUnread: median(ratios('unread', 'clock')),
    },
  })
} finally {
  await sender.close()
  agent.destroy()
  receiver.disconnect()
}
