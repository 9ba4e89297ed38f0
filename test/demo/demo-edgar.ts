// An EDGAR to look at: publishes invented Form 4s at the present time until it is stopped, other forms in between.
//   node --import tsx test/demo/demo-edgar.ts --port 9999 --per-minute 60
// The first line of output is JSON with the address. `--seed` repeats a run; by default each has filings of its own.
import { parseArgs } from 'node:util'
import { inventedListings } from '../support/edgar/invented/world.ts'
import { publishInvented } from '../support/edgar/invented/publishing.ts'
import { startSimulatedEdgar } from '../support/edgar/simulator/simulated-edgar.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'per-minute': { type: 'string', default: '60' },
    seed: { type: 'string' },
    'data-sets': { type: 'string' },
  },
})
const perMinute = number('per-minute', values['per-minute'])
const seed = number('seed', values.seed ?? String(Date.now() % 2 ** 31))
// A blocked client is a dull demonstration: ten seconds instead of ten minutes.
const edgar = await startSimulatedEdgar({
  port: number('port', values.port),
  seed,
  companies: inventedListings(),
  rate: { blockedMilliseconds: 10_000 },
  ...(values['data-sets'] === undefined ? {} : { dataSets: values['data-sets'] }),
})
console.log(JSON.stringify({ url: edgar.url, perMinute, seed }))
const publishing = publishInvented(edgar, { perMinute, seed })

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    publishing.stop()
    const requests = edgar.requests().length
    console.log(JSON.stringify({ published: publishing.count(), requests, mostInAnySecond: edgar.mostInAnySecond() }))
    void edgar.close()
  })
}

function number(name: string, text: string): number {
  const value = Number(text)
  const fits = Number.isFinite(value) && value >= 0 && (name !== 'per-minute' || value > 0)
  if (!fits) throw new Error(`--${name}: ${text}?`)
  return value
}
