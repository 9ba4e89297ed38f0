// Answers from memory: a running service against bare Express with pino-http that sends the same head and bytes, in
// turns. SECONDS=2 ROUNDS=7, and the volumes of the store. One JSON line.
import type { Answer } from './support/bare-express.ts'
import { loaded, startServer } from './support/loading.ts'
import { median, printBench, read, volume } from './support/measure.ts'
import { productStore } from './support/product-store.ts'

const SECONDS = volume('SECONDS', 2)
const ROUNDS = volume('ROUNDS', 7)
const CONNECTIONS = 16
/** Until V8 has optimized what a request goes through. */
const WARM_SECONDS = 4

const store = await productStore('base')
try {
  await store.up()
  const { transactions } = await read<{ transactions: { ticker: string }[] }>(`${store.address}/v1/feed`)
  const { ticker } = transactions.find((each) => each.ticker)!
  const paths = { feed: '/v1/feed', company: `/v1/companies/${ticker}`, signals: '/v1/signals' }
  const figures: Record<string, object> = {}
  for (const [name, path] of Object.entries(paths)) figures[name] = await compared(path)
  printBench('answers', { rows: store.rows, connections: CONNECTIONS, figures })
} finally {
  await store.close()
}

/** Measures both in turn, round by round. */
async function compared(path: string) {
  const bare = await startServer('bare-express.ts', {}, await answerOf(path))
  const sides = { product: [store.address, path], bare: [bare.address, '/'] } as const
  const perSecond = async ([address, target]: readonly [string, string], seconds: number) => {
    const kinds = { page: { share: 1, paths: [target] } }
    return (await loaded({ address, connections: CONNECTIONS, seconds, kinds })).perSecond
  }
  const rounds: { product: number; bare: number }[] = []
  for (const side of Object.values(sides)) await perSecond(side, WARM_SECONDS)
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ product: await perSecond(sides.product, SECONDS), bare: await perSecond(sides.bare, SECONDS) })
  }
  bare.stop()
  return {
    perSecond: median(rounds.map(({ product }) => product)),
    toBare: median(rounds.map((round) => round.product / round.bare)),
  }
}

async function answerOf(path: string): Promise<Answer> {
  const response = await fetch(store.address + path, { headers: { 'accept-encoding': 'identity' } })
  const ofConnection = ['date', 'connection', 'keep-alive']
  const headers = [...response.headers].filter(([name]) => !ofConnection.includes(name))
  return {
    headers: Object.fromEntries(headers),
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
  }
}
